"""The SQL of README and docs works as it stands."""

import re

import pytest

from server import ROOT


def blocks(heading):
    """The SQL blocks of one section of the README, statement by statement."""
    text = (ROOT / "README.md").read_text()
    return statements(re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.S | re.M)[1])


def statements(text):
    sql = "\n".join(re.findall(r"^```sql\n(.*?)^```", text, re.S | re.M))
    sql = re.sub(r"--.*", "", sql)
    return [s.strip() for s in sql.split(";") if s.strip()]


def run(db, commands):
    """What each command returns, in their order."""
    with db.connect() as conn:
        cursors = [conn.execute(command) for command in commands]
        return [c.fetchall() if c.description else [] for c in cursors]


def test_quick_start(db):
    results = {}
    for statement in blocks("Quick start"):
        results[statement] = db.rows(statement)
    assert results["select pgtq.next_batch('orders', 'mailer')"] == [(1,)]
    assert results["select ev_id, ev_type, ev_data from pgtq.get_batch_events(1)"] == [
        (1, "paid", "order=1"), (2, "paid", "order=2")]
    assert results["select pgtq.event_retry(1, 2, 60)"] == [(1,)]
    assert results["select pgtq.finish_batch(1)"] == [(1,)]


def test_what_has_to_be_called(db):
    statements = blocks("Install")
    assert "create extension pgtq" in statements
    for statement in statements:
        if not statement.startswith("create extension"):
            db.rows(statement)


def test_timers(db):
    results = run(db, blocks("Timers"))
    assert [row[3] for row in results[2]] == ["pending", "pending"]
    assert results[-1] == [(True,)]


def test_triggers(db):
    db.rows("select pgtq.create_queue('orders')")
    events, trigger, timers = [rows for rows in run(db, blocks("Triggers")) if rows]
    assert events == [
        ('{"op":"INSERT","table":["public","customer"],"pkey":["id"]}', '{"id":1,"name":"Ann"}')]
    assert trigger == [("timertriga",)]
    assert timers == [("public.purchase:1", "pending")]


def test_docs_of_triggers(db):
    """The examples, and that the formats are as the table says."""
    text = (ROOT / "docs/triggers.md").read_text()
    results = [rows for rows in run(db, statements(text)) if rows]
    _, customer, invoice, inbox, trigger, timers, _ = results

    kind = '{"op":"%s","table":["public","customer"],"pkey":["id"]}'
    row = '{"id":1,"name":"Ann & Co","credit":"%s","seen":null}'
    assert customer == [(kind % "INSERT", row % "10.50", "public.customer"),
                        (kind % "UPDATE", row % "5.00", "public.customer"),
                        (kind % "DELETE", row % "5.00", "public.customer")]
    assert kind % "INSERT" in text and row % "10.50" in text
    assert [(event[0], event[3]) for event in invoice] == [
        ("I:id", None), ("invoice.paid", "1"), ("U:id", None)]
    assert inbox == [(0,)]
    assert trigger == [("timertriga",)]
    cancel = "update orders set status = 'cancelled' where id = %s and status = 'unpaid'"
    assert timers == [("public.orders:1", cancel % 1, "pending"),
                      ("public.orders:2", cancel % 2, "cancelled"),
                      ("public.orders:3", cancel % 3, "cancelled")]

    for function in ("logutriga", "sqltriga"):
        db.psql(f"delete from pgtq.event_template; truncate customer; create or replace trigger to_queue"
                f" after insert or update or delete on customer for each row execute function pgtq.{function}('changes')")
        db.psql("delete from pgtq.event_template; insert into customer values (1, 'Ann & Co', 10.50, null);"
                "update customer set credit = 5")
        for event in db.rows("select ev_type, ev_data from pgtq.event_template order by ev_id"):
            assert "| `%s` | `%s` |" % event in text


def test_docs_of_timers(db):
    """The examples, and that every argument of schedule_at() is in the table."""
    text = (ROOT / "docs/timers.md").read_text()
    results = run(db, statements(text))
    cancelled = results[next(i for i, s in enumerate(statements(text)) if s == "select pgtq.cancel(1)")]
    assert cancelled == [(True,)]
    assert [(1000,)] in results
    (arguments,) = db.value("select array[pg_get_function_arguments(oid)] from pg_proc"
                            " where oid::regproc::text = 'pgtq.schedule_at'")
    for name in re.findall(r"(?:^|, )(\w+) ", arguments):
        assert f"`{name}`" in text, name


def test_helper_writes_what_the_docs_say(db):
    """The trigger of create_timer_trigger() and the one that is written out."""
    commands = statements(re.search(r"^## timertriga.*?(?=^## )", (ROOT / "docs/triggers.md").read_text(), re.S | re.M)[0])
    definition = "select pg_get_triggerdef(oid) from pg_trigger where tgname = 'timertriga'"
    drop = commands.index("select pgtq.drop_timer_trigger('orders')")
    run(db, commands[:drop])
    written = db.value(definition)
    run(db, commands[drop:])
    assert db.value(definition) == written


@pytest.mark.parametrize("function", ("jsontriga", "timertriga"))
def test_arguments_of_triggers_are_documented(db, function):
    db.psql("select pgtq.create_queue('q'); create table tab (id integer);"
            f"create trigger t after insert on tab for each row execute function pgtq.{function}('q', 'nonsense')")
    try:
        db.rows("insert into tab values (1)")
    except Exception as error:
        known = set(re.findall(r"\w+=?", error.diag.message_hint)) - {"Known", "are", "to"}
    text = (ROOT / "docs/triggers.md").read_text()
    assert {word for word in known if f"`{word}" not in text} == set()


def test_settings_table_is_complete(db):
    text = (ROOT / "README.md").read_text()
    section = re.search(r"^## Settings of a queue\n(.*?)(?=^## )", text, re.S | re.M)[1]
    named = set(re.findall(r"^\| `(\w+)`", section, re.M))
    db.rows("select pgtq.create_queue('q')")
    try:
        db.rows("select pgtq.set_queue_config('q', 'nonsense', '')")
    except Exception as error:
        assert set(re.findall(r"\w+", error.diag.message_hint.split(":")[1])) == named
    else:
        raise AssertionError("an unknown parameter was accepted")
