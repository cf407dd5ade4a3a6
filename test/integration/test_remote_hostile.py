"""A remote job whose other server does not behave: it says anything, nothing, or too much."""

import contextlib
import socket
import struct
import threading

import pytest
from jobs import ended, is_running, state, submit
from server import eventually


def message(kind, data=b""):
    return kind + struct.pack("!I", len(data) + 4) + data


READY = message(b"Z", b"I")
WELCOME = message(b"R", struct.pack("!I", 0)) + message(b"S", b"client_encoding\0UTF8\0") + message(b"K", struct.pack("!II", 7, 7)) + READY


def row(*values):
    return message(b"D", struct.pack("!H", len(values)) + b"".join(struct.pack("!I", len(v)) + v for v in values))


def columns(*names, oid=25):
    return message(b"T", struct.pack("!H", len(names)) + b"".join(n + b"\0" + struct.pack("!IhIhih", 0, 0, oid, -1, -1, 0) for n in names))


def error(text):
    return message(b"E", b"SERROR\0C42000\0M" + text + b"\0\0")


DONE = message(b"C", b"SELECT 1\0") + READY


class Impostor:
    """Takes connections on a port, and answers each query with the same bytes."""

    def __init__(self, answer, welcome=WELCOME, close=False):
        self.answer, self.welcome, self.close = answer, welcome, close
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.connections = []
        threading.Thread(target=self.listen, daemon=True).start()

    def __enter__(self):
        return f"host=127.0.0.1 port={self.socket.getsockname()[1]} user=u dbname=d sslmode=disable gssencmode=disable"

    def __exit__(self, *_):
        for connection in [self.socket, *self.connections]:
            with contextlib.suppress(OSError):
                connection.close()

    def listen(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.socket.accept()
                self.connections.append(connection)
                threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with contextlib.suppress(OSError):
            connection.recv(10000)
            connection.sendall(self.welcome)
            while connection.recv(100000):
                connection.sendall(self.answer)
                if self.close:
                    connection.close()


@pytest.fixture
def db(ticking):
    yield ticking
    ticking.rows("select pgtq.cancel_job(id), pgtq.cancel_running(id) from pgtq.jobs where finished_at is null")
    eventually(lambda: not ticking.rows("select from pgtq.job where jo_state > 0"))


def is_fine(db):
    """The worker has survived it, and does its work."""
    assert ended(db, submit(db, "select 1", remote=db.conninfo()))[0] == "done"


@pytest.mark.parametrize("answer, capture, outcome", [
    (columns(b"a") + row(b"x") + DONE, "text", ("done", None, None, "x")),
    (columns(b"a") + row(b"\xff\xfe") + DONE, "text", ("failed", "22021")),
    (columns(b"\xff") + row(b"x") + DONE, "json", ("failed", "22021")),
    (columns(b"a", b"b") + row(b"x\0y", b"z") + DONE, "text", ("done", None, None, "a\tb\nx\tz")),
    (columns(b"n", oid=23) + row(b"1}, {") + DONE, "json", ("done", None, None, '[[{"n":"1}, {"}]]')),
    (columns(b"n", oid=16) + row(b"") + DONE, "json", ("done", None, None, '[[{"n":false}]]')),
    (columns(b"n", oid=23) + row(b"-") + DONE, "text", ("done", None, None, "-")),
    (error(b"bad \xff") + READY, None, ("failed", "42000", "(a message that is not valid in the encoding of this database)")),
    (error(b"x" * 100000) + READY, None, ("failed", "42000", "x" * 8192)),
    (message(b"E", b"SERROR\0C\xff\xff\xff\xff\xff\0Mfoo\0\0") + READY, None, ("failed", "XX000", "foo")),
    (message(b"N", b"SNOTICE\0C00000\0Mfoo\0\0") * 1000 + message(b"A", struct.pack("!I", 1) + b"a\0b\0") * 1000 + columns(b"a") + DONE, None, ("done",)),
    (message(b"C", b"BEGIN\0") + message(b"Z", b"T"), None, ("failed", "2D000")),
    (message(b"G", struct.pack("!bH", 0, 0)), None, ("failed", "0A000")),
    (message(b"H", struct.pack("!bH", 0, 0)), None, ("failed", "0A000")),
    (b"nonsense" * 100, None, ("failed", "08006")),
    (message(b"D", b"\x7f\xff") + READY, None, ("failed", "08P01")),
    (READY, None, ("failed", "08P01")),
])
def test_says_anything(db, answer, capture, outcome):
    with Impostor(answer) as there:
        job = submit(db, "select 1", remote=there, capture=capture, timeout_ms=20000)
        assert ended(db, job)[:len(outcome)] == outcome
    is_fine(db)


@pytest.mark.parametrize("answer, close", [(b"", True), (columns(b"a") + row(b"x"), True), (DONE[:5], True)])
def test_hangs_up(db, answer, close):
    with Impostor(answer, close=close) as there:
        assert ended(db, submit(db, "select 1", remote=there))[:2] == ("failed", "08006")
    is_fine(db)


@pytest.mark.parametrize("welcome", [b"nonsense" * 100, b"", message(b"E", b"SFATAL\0C28000\0Mno \xff\0\0"), message(b"R", struct.pack("!I", 99))])
def test_does_not_let_in(db, welcome):
    """Nor says no."""
    with Impostor(b"", welcome) as there:
        assert ended(db, submit(db, "select 1", remote=there + " connect_timeout=2"))[:2] == ("failed", "08001")
    is_fine(db)


def test_says_nothing(db):
    """A job that waits for it can be stopped, and does not hold up the others."""
    with Impostor(b"") as there:
        job, late = submit(db, "select 1", remote=there), submit(db, "select 1", remote=there, timeout_ms=300)
        is_running(db, job)
        is_fine(db)
        assert ended(db, late, 60)[:2] == ("failed", "08006")
        db.rows("select pgtq.cancel_running(%s)", job)
        assert ended(db, job, 60)[:2] == ("failed", "08006")
        assert state(db, job) == "failed"


def test_says_too_much(db):
    """Rows without end: others have their turn, and it can be stopped."""
    with Impostor(columns(b"a") + row(b"x" * 1000) * 300000) as there:
        job = submit(db, "select 1", remote=there, capture="text")
        is_running(db, job)
        is_fine(db)
        db.rows("select pgtq.cancel_running(%s)", job)
        assert ended(db, job, 60)[0] == "failed"
    is_fine(db)
