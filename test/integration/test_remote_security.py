"""Who may send jobs where, and as whom: an ordinary role has a password of its own, and nothing of this server's."""

import os

import pytest
from jobs import ended, state, submit
from server import eventually
from timers import GRANTS

SECRET = "s3cret"


@pytest.fixture(scope="module")
def other(workspace):
    """Another server: "guest" needs a password there, "trusted" none, "mapped" is whoever the system says."""
    with workspace.server() as server:
        hba = server.data / "pg_hba.conf"
        hba.write_text("local all guest scram-sha-256\nlocal all mapped peer map=m\n" + hba.read_text())
        user = workspace.user.pw_name if workspace.user else os.environ.get("USER", "nobody")
        (server.data / "pg_ident.conf").write_text(f"m {user} mapped\n")
        server.reload()
        server.psql("postgres", f"create role guest login password '{SECRET}'; create role trusted login password '{SECRET}';"
                                "create role mapped login")
        yield server


@pytest.fixture
def there(other):
    db = other.create_db()
    db.psql(GRANTS)
    yield db
    db.drop()


@pytest.fixture
def db(ticking):
    """With a foreign server, and roles alice and bob of names of this database's own."""
    ticking.alice, ticking.bob = f"{ticking.name}_alice", f"{ticking.name}_bob"
    ticking.psql(f"create extension postgres_fdw; create role {ticking.alice} login; create role {ticking.bob} login;"
                 f"grant pgtq_writer to {ticking.alice}, {ticking.bob}")
    yield ticking
    eventually(lambda: not ticking.rows("select from pgtq.running"))
    ticking.psql(f"drop extension postgres_fdw cascade; drop owned by {ticking.alice}, {ticking.bob}; drop role {ticking.alice}, {ticking.bob}")


def make_server(db, there, *roles, wrapper="postgres_fdw", **options):
    given = "".join(f", {name} '{value}'" for name, value in options.items())
    db.psql(f"create server there foreign data wrapper {wrapper} options (host '{there.server.path}', dbname '{there.name}'{given})")
    for role in roles:
        db.psql(f"grant usage on foreign server there to {role}")


def map_user(db, role, user="guest", as_user="postgres", **options):
    given = "".join(f", {name} '{value}'" for name, value in options.items())
    db.psql(f"create user mapping for {role} server there options (user '{user}'{given})", user=as_user)


WHO = "insert into app.log (what) values (session_user || ' ' || current_user)"


def logged(there):
    return [row[0] for row in there.rows("select what from app.log order by id")]


def test_with_a_password(db, there):
    """As whom the role's own mapping says."""
    make_server(db, there, db.alice, db.bob)
    map_user(db, db.alice, password=SECRET, as_user=db.alice)
    assert ended(db, submit(db, WHO, db.alice, remote="there")) == ("done", None, None, None)
    assert logged(there) == ["guest guest"]
    with pytest.raises(Exception, match="user mapping not found"):
        submit(db, WHO, db.bob, remote="there")


def test_password_is_seen_nowhere(db, there):
    make_server(db, there, db.alice)
    map_user(db, db.alice, password=SECRET)
    job = submit(db, "select pg_sleep(600)", db.alice, remote="there")
    eventually(lambda: state(db, job) == "running")
    failing = submit(db, "select 1/0", db.alice, remote="there")
    ended(db, failing)
    for view in ("pgtq.jobs", "pgtq.job", "pgtq.history", "pgtq.attempts", "pgtq.running", "pg_stat_activity", "pgtq.health()"):
        assert not db.rows(f"select from {view} x where x::text like %s", f"%{SECRET}%"), view
    assert SECRET not in db.value("select pgtq.why(%s)", job)
    db.rows("select pgtq.cancel_running(%s)", job)
    ended(db, job)


@pytest.mark.parametrize("user", ["trusted", "mapped", "postgres"])
def test_password_must_be_used(db, there, user):
    """A server that trusts this one, or knows its system's user, is no way in."""
    make_server(db, there, db.alice)
    map_user(db, db.alice, user, password=SECRET, as_user=db.alice)
    assert ended(db, submit(db, WHO, db.alice, remote="there", max_attempts=2, backoff="0"))[:2] == ("failed", "2F003")
    assert logged(there) == []
    # a superuser may
    map_user(db, "postgres", user)
    assert ended(db, submit(db, WHO, remote="there"))[:2] == ("done", None)
    assert logged(there) == [f"{user} {user}"]


def test_wrong_password(db, there):
    make_server(db, there, db.alice)
    map_user(db, db.alice, password="wrong")
    job = submit(db, WHO, db.alice, remote="there")
    assert ended(db, job)[:2] == ("failed", "08001")
    assert "password authentication failed" in db.value("select error from pgtq.jobs where id = %s", job)


def test_passfile_and_service_of_this_server(workspace, there):
    """What the server could read is not for who has no password; also not by its environment."""
    with workspace.server(shared_preload_libraries="pgtq") as server:
        passfile = server.path / "pgpass"
        passfile.write_text(f"*:*:*:*:{SECRET}\n")
        passfile.chmod(0o600)
        if workspace.user:
            os.chown(passfile, workspace.user.pw_uid, workspace.user.pw_gid)
        server.stop()
        server.env = {"PGPASSFILE": str(passfile), "PGPASSWORD": SECRET}
        server.start()
        db = server.create_db()
        db.psql("create extension postgres_fdw; create role alice login; grant pgtq_writer to alice")
        make_server(db, there, "alice", passfile=passfile)
        map_user(db, "alice")
        with pytest.raises(Exception, match="password is required"):
            submit(db, WHO, "alice", remote="there")
        # one that was there when it was submitted, and has gone
        db.psql(f"alter user mapping for alice server there options (add password '{SECRET}')")
        job = submit(db, WHO, "alice", remote="there", at=db.value("select now() + interval '2 s'"))
        db.psql("alter user mapping for alice server there options (drop password)")
        assert ended(db, job)[:2] == ("failed", "2F003")
        map_user(db, "postgres")
        assert ended(db, submit(db, WHO, remote="there"))[:2] == ("done", None)
        assert logged(there) == ["guest guest"]


def test_what_is_refused(db, there):
    """When it runs it is looked at again: usage, the mapping, the server, and who is a superuser."""
    make_server(db, there, db.alice)
    map_user(db, db.alice, password=SECRET)
    at = db.value("select now() + interval '2 s'")
    job = submit(db, WHO, db.alice, remote="there", at=at)
    db.psql(f"revoke usage on foreign server there from {db.alice}")
    assert ended(db, job)[:3] == ("failed", "42501", 'permission denied for foreign server "there"')
    db.psql(f"grant usage on foreign server there to {db.alice}")

    job = submit(db, WHO, db.alice, remote="there", at=db.value("select now() + interval '2 s'"))
    db.psql(f"drop user mapping for {db.alice} server there")
    assert ended(db, job)[:2] == ("failed", "42704")

    map_user(db, db.alice, password=SECRET)
    job = submit(db, WHO, db.alice, remote="there", at=db.value("select now() + interval '2 s'"))
    db.psql("drop server there cascade")
    assert ended(db, job)[:2] == ("failed", "42704")

    db.psql(f"alter role {db.alice} superuser")
    job = submit(db, WHO, db.alice, remote=there.conninfo(), at=db.value("select now() + interval '2 s'"))
    db.psql(f"alter role {db.alice} nosuperuser")
    assert ended(db, job)[:2] == ("failed", "42501")
    assert logged(there) == []


def test_password_required_false(db, there):
    """Of postgres_fdw only superusers can say it; of a wrapper that checks nothing it means nothing."""
    make_server(db, there, db.alice, db.bob)
    map_user(db, db.alice, "trusted", password_required="false")
    assert ended(db, submit(db, WHO, db.alice, remote="there"))[:2] == ("done", None)
    assert logged(there) == ["trusted trusted"]
    with pytest.raises(Exception, match="password_required"):
        map_user(db, db.bob, "trusted", password_required="false", as_user=db.bob)
    db.psql("create foreign data wrapper plain")
    db.psql(f"drop server there cascade; grant usage on foreign data wrapper plain to {db.bob}")
    db.psql(f"create server there foreign data wrapper plain options (host '{there.server.path}', dbname '{there.name}', password '{SECRET}', user 'trusted')",
            user=db.bob)
    map_user(db, db.bob, "trusted", password_required="false", as_user=db.bob)
    with pytest.raises(Exception, match="password is required"):
        submit(db, WHO, db.bob, remote="there")
    db.psql("drop foreign data wrapper plain cascade")


def test_nobody_uses_anothers_connection(db, there):
    """Nor one that was made before its mapping was changed."""
    there.psql("create role second login password 'other'; create table app.pids (pid int, who text); grant all on app.pids to public")
    hba = there.server.data / "pg_hba.conf"
    hba.write_text("local all second scram-sha-256\n" + hba.read_text())
    there.server.reload()
    make_server(db, there, db.alice, db.bob)
    map_user(db, db.alice, password=SECRET)
    map_user(db, db.bob, password=SECRET)
    note = "insert into app.pids values (pg_backend_pid(), session_user)"
    for role in (db.alice, db.bob):
        assert ended(db, submit(db, note, role, remote="there", session_life="1 hour"))[0] == "done"
    db.psql(f"alter user mapping for {db.alice} server there options (set user 'second', set password 'other')")
    assert ended(db, submit(db, note, db.alice, remote="there", session_life="1 hour"))[0] == "done"
    assert there.value("select count(distinct pid) from app.pids") == 3
    assert [row[0] for row in there.rows("select who from app.pids order by who")] == ["guest", "guest", "second"]
    db.psql(f"drop user mapping for {db.alice} server there; drop user mapping for {db.bob} server there")
    db.rows("select pg_terminate_backend(pid) from pgtq._remote_worker()")
    eventually(lambda: not there.rows("select from pg_stat_activity where application_name = 'pgtq remote job'"))
    there.psql("drop table app.pids; drop role second")


def test_nobody_sees_or_stops_anothers(db, there):
    make_server(db, there, db.alice)
    map_user(db, db.alice, password=SECRET)
    job = submit(db, "select pg_sleep(600)", db.alice, remote="there")
    eventually(lambda: state(db, job) == "running")
    with db.connect(user=db.bob) as conn:
        assert conn.execute("select count(*) from pgtq.jobs").fetchone() == (0,)
        assert conn.execute("select count(*) from pgtq.running").fetchone() == (0,)
        assert conn.execute("select pgtq.cancel_job(%s)", (job,)).fetchone() == (False,)
        with pytest.raises(Exception, match="permission denied"):
            conn.execute("select pgtq.cancel_running(%s)", (job,))
    assert state(db, job) == "running"
    with db.connect(user=db.alice) as conn:
        assert conn.execute("select pgtq.cancel_running(%s)", (job,)).fetchone()[0]
    assert ended(db, job)[:2] == ("failed", "57014")


def test_one_role_cannot_have_all_connections(workspace, there):
    with workspace.server(shared_preload_libraries="pgtq", **{"pgtq.max_remote_jobs": 3}) as server:
        db = server.create_db()
        db.psql("create extension postgres_fdw; create role alice login; grant pgtq_writer to alice")
        make_server(db, there, "alice")
        map_user(db, "alice", password=SECRET)
        map_user(db, "postgres")
        jobs = [submit(db, "select pg_sleep(600)", "alice", remote="there", priority=100) for _ in range(5)]
        eventually(lambda: len(db.rows("select from pgtq.running")) == 2)
        assert ended(db, submit(db, "select 1", remote=there.conninfo()))[0] == "done"
        db.rows("select pgtq.cancel_job(unnest(%s::bigint[]))", jobs)
        db.rows("select pgtq.cancel_running(id) from pgtq.running")
        for job in jobs:
            ended(db, job)
