"""The consumers in examples/ do what their heads say, on both builds."""

import signal
import subprocess
import sys

import pytest
from server import eventually

PYTHON = """
from consumer import Consumer
consumer = Consumer({dsn!r}, "q", "c", backoff=0, max_attempts=3)
NOTE = "insert into seen (type, data, tries) values (%s, %s, %s)"

@consumer.on("good")
def good(event, conn):
    conn.execute(NOTE, (event.type, event.data, event.retries))

@consumer.on("bad")
def bad(event, conn):
    conn.execute(NOTE, ("undone", event.data, event.retries))
    raise ValueError("no")

@consumer.on()
def other(event, conn):
    conn.execute(NOTE, ("other", event.data, event.retries))

consumer.failed = lambda event, conn, error: conn.execute(NOTE, ("failed: " + str(error), event.data, event.retries))
consumer.run()
print("stopped")
"""

PERL = r"""
use strict; use warnings; use Consumer;
my $note = 'insert into seen (type, data, tries) values (?, ?, ?)';
my $consumer = Consumer->new(dsn => {dsn!r}, queue => 'q', name => 'c', backoff => 0, max_attempts => 3,
    failed => sub {{ my ($e, $dbh, $error) = @_; $error =~ s/ at .*//s;
                   $dbh->do($note, undef, "failed: $error", $e->{{ev_data}}, $e->{{ev_retry}} // 0) }});
$consumer->on(good => sub {{ my ($e, $dbh) = @_; $dbh->do($note, undef, @$e{{qw(ev_type ev_data)}}, $e->{{ev_retry}} // 0) }});
$consumer->on(bad => sub {{ my ($e, $dbh) = @_; $dbh->do($note, undef, 'undone', $e->{{ev_data}}, $e->{{ev_retry}} // 0); die "no" }});
$consumer->on('' => sub {{ my ($e, $dbh) = @_; $dbh->do($note, undef, 'other', $e->{{ev_data}}, $e->{{ev_retry}} // 0) }});
$consumer->run;
print "stopped\n";
"""

HAS_PERL = subprocess.run(["perl", "-MDBD::Pg", "-e", "1"], capture_output=True).returncode == 0


class Program:
    """One of the consumers, as a process."""

    def __init__(self, db, language):
        ws, examples = db.server.workspace, db.server.build.src / "examples"
        dsn = db.conninfo()
        if language == "python":
            command = [sys.executable, "-c", PYTHON.format(dsn=dsn)]
        else:
            command = ["perl", f"-I{examples}", "-e", PERL.format(dsn="dbi:Pg:" + dsn.replace(" ", ";"))]
        self.process = subprocess.Popen(command, cwd=examples, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, env=ws.env, **ws.as_user())

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        output, _ = self.process.communicate(timeout=20)
        return self.process.returncode, output


@pytest.fixture(params=["python", pytest.param("perl", marks=pytest.mark.skipif(not HAS_PERL, reason="needs libdbd-pg-perl"))])
def language(request):
    return request.param


@pytest.fixture
def start(language):
    programs = []

    def run(db):
        programs.append(Program(db, language))
        return programs[-1]

    yield run
    for program in programs:
        program.process.kill()
        program.process.communicate()


def prepare(db):
    db.psql("""
        create table seen (n integer generated always as identity, type text, data text, tries integer);
        select pgtq.create_queue('q');
        select pgtq.set_queue_config('q', 'ticker_max_lag', '0');
    """)


def insert(db, kind, data):
    db.rows("select pgtq.insert_event('q', %s, %s)", kind, data)


def is_registered(db):
    return db.rows("select from pgtq.consumer_stats")


def seen(db, count):
    """What the handlers have noted, once there is that much; ticks meanwhile."""
    def look():
        db.rows("select pgtq.ticker()")
        rows = db.rows("select type, data, tries from seen order by n")
        return len(rows) >= count and rows
    return eventually(look)


def test_a_consumer(db, start):
    prepare(db)
    program = start(db)
    eventually(lambda: is_registered(db))
    insert(db, "good", "1")
    insert(db, "strange", "2")
    insert(db, "bad", "3")
    insert(db, "good", "4")
    rows = seen(db, 4)
    assert rows == [("good", "1", 0), ("other", "2", 0), ("good", "4", 0), ("failed: no", "3", 2)]
    code, output = program.stop()
    assert code == 0 and output.endswith("stopped\n")
    assert output.count("failed, again in 0 s: no") == 2


def test_it_connects_again(workspace, build, start):
    with workspace.server() as server:
        db = server.create_db(build=build)
        prepare(db)
        program = start(db)
        eventually(lambda: is_registered(db))
        server.restart()
        insert(db, "good", "after the restart")
        assert seen(db, 1) == [("good", "after the restart", 0)]
        assert program.stop()[0] == 0


def test_with_workers(ticking, start):
    ticking.psql("create table seen (n integer generated always as identity, type text, data text, tries integer)")
    program = start(ticking)
    insert(ticking, "good", "woken")
    assert eventually(lambda: ticking.rows("select data from seen")) == [("woken",)]
    assert program.stop()[0] == 0


def test_python_is_short(workspace):
    assert len((workspace.main.src / "examples/consumer.py").read_text().splitlines()) < 150
