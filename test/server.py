"""Private PostgreSQL servers for the tests, the demo and the benchmarks.

    with Workspace() as ws, ws.server() as server:
        db = server.create_db(build="c")
        db.rows("select pgtq.create_queue(%s)", "q")

A Workspace is a temporary directory with a copy of the source tree, built and
installed inside it. A Server is a cluster in that directory which listens on
a Unix socket there and nowhere else. So several of them, and several runs,
can stand side by side, and nothing is left behind.

PostgreSQL refuses to run as root. When we are root, every command below is
run as an ordinary user, who owns the whole workspace.
"""

import contextlib
import ctypes
import fnmatch
import itertools
import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import psycopg

ROOT = Path(__file__).resolve().parent.parent
BUILDS = ("c", "pl")

# Left out of the copy: products of a build in the tree itself.
JUNK = ("*.o", "*.bc", "*.so", "*.dylib", ".git", "__pycache__", ".pytest_cache")
JUNK_AT_TOP = ("pgtq--*.sql", "pgtq_pl_only*.sql")

DEFAULTS = {
    "listen_addresses": "",
    "fsync": "off",                     # no test pulls the plug
    "max_connections": 60,
    "max_prepared_transactions": 20,
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] %b %d ",
}


# what servers are started with: valgrind and its options, for test/valgrind
RUN_WITH = os.environ.get("PGTQ_RUN_SERVER_WITH", "").split()


class CommandFailed(Exception):
    """A command ended with a code other than 0; the text has its output."""


def eventually(condition, timeout=20.0, pause=0.02):
    """Calls condition() until it returns something true, and returns that."""
    deadline = time.monotonic() + timeout
    while True:
        result = condition()
        if result:
            return result
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {timeout} s: {condition}")
        time.sleep(pause)


def exit_on_signals():
    """Lets `finally` and `with` clean up after SIGTERM and SIGHUP too."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, frame: sys.exit(128 + number))


class Workspace:
    """A temporary directory, a copy of the tree in it, and its build.

    PGTQ_WORKSPACE names one that a parent process has made and will remove.
    """

    def __init__(self):
        self.pg_config = shutil.which(os.environ.get("PG_CONFIG") or "pg_config")
        if not self.pg_config:
            raise SystemExit("pg_config not found: install PostgreSQL or set PG_CONFIG")
        self.bindir = self.config("bindir")
        self.major = int(re.search(r"\d+", self.config("version"))[0])
        self.servers = []
        self.user = pwd.getpwnam("nobody") if os.geteuid() == 0 else None

        inherited = os.environ.get("PGTQ_WORKSPACE")
        self.owned = not inherited
        self.path = Path(inherited) if inherited else _short_temporary_directory()
        self.env = self._environment()
        try:
            if self.owned:
                self._own(self.path)
            self.main = Build(self, "main")
            if self.owned:
                self.main.make(ROOT)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for server in self.servers:
            server.stop("immediate")
        if self.owned:
            shutil.rmtree(self.path, ignore_errors=True)

    def config(self, what):
        return subprocess.run([self.pg_config, "--" + what], check=True,
                              capture_output=True, text=True).stdout.strip()

    def server(self, name=None, build=None, **settings):
        """A new cluster, started."""
        server = Server(self, name or self.unused_name("s"), build or self.main)
        server.initdb(settings)
        server.start()
        return server

    def variant(self, edit=None, *make_args):
        """Builds another copy of the tree, after edit(path of the copy)."""
        build = Build(self, self.unused_name("b"))
        build.make(self.main.src, edit, *make_args)
        return build

    def run(self, *command, check=True, **kwargs):
        """Runs a command as the ordinary user; its output is returned as text."""
        __tracebackhide__ = True        # pytest shows our caller instead
        if "input" not in kwargs:
            kwargs.setdefault("stdin", subprocess.DEVNULL)
        kwargs.setdefault("stdout", subprocess.PIPE)
        kwargs.setdefault("stderr", subprocess.PIPE)
        kwargs.setdefault("cwd", self.path)
        env = {**self.env, **kwargs.pop("env", {})}
        command = [str(part) for part in command]
        done = subprocess.run(command, text=True, env=env, **self.as_user(), **kwargs)
        if check and done.returncode != 0:
            raise CommandFailed(f"{' '.join(command)}\nended with {done.returncode}\n"
                                f"{done.stdout or ''}{done.stderr or ''}")
        return done

    def as_user(self):
        """Arguments for subprocess that make the child an ordinary user's."""
        if not self.user:
            return {}
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}

    def unused_name(self, prefix):
        for n in itertools.count(1):
            # the process id keeps a child process out of its parent's way
            name = f"{prefix}{os.getpid()}_{n}"
            if not (self.path / name).exists():
                return name

    def _environment(self):
        """Ours, without what would lead psql or make astray."""
        astray = re.compile(r"PG(?!TQ_|_CONFIG$)|MAKE|MFLAGS|LC_|LANG")
        env = {k: v for k, v in os.environ.items() if not astray.match(k)}
        env.update(HOME=str(self.path), TMPDIR=str(self.path), LC_ALL="C.UTF-8",
                   PG_CONFIG=self.pg_config, PYTHONDONTWRITEBYTECODE="1",
                   PATH=f"{self.bindir}:{env.get('PATH', '/usr/bin:/bin')}")
        return env

    def _own(self, path):
        if self.user:
            subprocess.run(["chown", "-R", f"{self.user.pw_uid}:{self.user.pw_gid}", path],
                           check=True)


def _short_temporary_directory():
    """A socket's path may have 107 bytes, so a long TMPDIR will not do."""
    parent = tempfile.gettempdir()
    if len(parent) > 50:
        parent = "/tmp"
    return Path(tempfile.mkdtemp(prefix="pgtq-", dir=parent))


class Build:
    """One copy of the tree and what `make install` made of it."""

    def __init__(self, workspace, name):
        self.workspace = workspace
        self.src = workspace.path / name / "src"
        self.destdir = workspace.path / name / "install"

    def make(self, origin, edit=None, *make_args):
        ws = self.workspace
        shutil.copytree(origin, self.src, ignore=_ignore_junk(origin), symlinks=True)
        if edit:
            edit(self.src)
        ws._own(self.src.parent)
        # Bitcode would take most of the time, and only the JIT reads it.
        self.output = ws.run(
            "make", "-s", "-C", self.src, f"PG_CONFIG={ws.pg_config}", "with_llvm=no",
            f"DESTDIR={self.destdir}", "install", "plonly", *make_args,
            stderr=subprocess.STDOUT).stdout

    @property
    def version(self):
        control = (self.src / "pgtq.control").read_text()
        return re.search(r"^default_version *= *'(.*)'", control, re.M)[1]

    @property
    def extension_dir(self):
        return self._installed("sharedir") / "extension"

    @property
    def pl_script(self):
        return self.src / "pgtq_pl_only.sql"

    def server_settings(self, server):
        """What makes a server find this build and the system's extensions."""
        ws = self.workspace
        libraries = f"{self._installed('pkglibdir')}:$libdir"
        if ws.major >= 18:
            return {"extension_control_path": f"{self._installed('sharedir')}:$system",
                    "dynamic_library_path": libraries}
        if server.knows_setting("extension_destdir"):       # Debian's
            return {"extension_destdir": str(self.destdir),
                    "dynamic_library_path": libraries}
        if self is ws.main and (Path(ws.config("sharedir")) / "extension/pgtq.control").exists():
            return {}
        raise SystemExit(f"The server of {ws.pg_config} finds extensions in its own directory\n"
                         f"only: run `make install PG_CONFIG={ws.pg_config}` first.")

    def _installed(self, what):
        return Path(f"{self.destdir}{self.workspace.config(what)}")


def _ignore_junk(top):
    def ignore(directory, names):
        patterns = JUNK + (JUNK_AT_TOP if Path(directory) == Path(top) else ())
        return {n for n in names for p in patterns if fnmatch.fnmatch(n, p)}
    return ignore


class Server:
    """A cluster: workspace/name/{data,log} and its socket."""

    def __init__(self, workspace, name, build):
        self.workspace = workspace
        self.build = build
        self.path = workspace.path / name
        self.data = self.path / "data"
        self.logfile = self.path / "log"
        self.process = None
        self.env = {}               # more of it, for the server
        self._templates = {}
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        workspace.servers.append(self)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop("immediate")

    # -- the cluster

    def initdb(self, settings):
        self._mkdir()
        self.workspace.run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust",
                           "--no-sync", "--no-locale", "-E", "UTF8")
        self.configure(**{**DEFAULTS, "unix_socket_directories": str(self.path),
                          **self.build.server_settings(self), **settings})

    def configure(self, **settings):
        """Adds to postgresql.conf; what counts is the last line of a name."""
        with open(self.data / "postgresql.conf", "a") as conf:
            for name, value in settings.items():
                value = str(value).replace("'", "''")
                conf.write(f"{name} = '{value}'\n")

    def knows_setting(self, name):
        return self.workspace.run("postgres", "-D", self.data, "-C", name,
                                  check=False).returncode == 0

    def start(self, timeout=60):
        """Starts the server and waits until it takes connections.

        It is our child, not pg_ctl's: so we end that process and no other,
        and the kernel ends it if we are killed.
        """
        # Linux tells the child when the *thread* that started it ends, so only
        # a server that was started by the main thread can ask for that.
        in_main = threading.current_thread() is threading.main_thread()
        with open(self.logfile, "a") as log:
            self.process = subprocess.Popen(
                [*RUN_WITH, f"{self.workspace.bindir}/postgres", "-D", str(self.data)],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**self.workspace.env, **self.env},
                cwd=self.path, start_new_session=True,
                preexec_fn=die_with_parent if in_main else None,
                **self.workspace.as_user())
        try:
            eventually(self.is_ready, timeout * (10 if RUN_WITH else 1))
        except AssertionError:
            raise CommandFailed(f"the server did not start:\n{self.log()}") from None

    def is_ready(self):
        if self.process.poll() is not None:
            raise CommandFailed(f"the server did not start:\n{self.log()}")
        with contextlib.suppress(FileNotFoundError):
            lines = (self.data / "postmaster.pid").read_text().split("\n")
            return (lines[0] == str(self.process.pid) and len(lines) > 7
                    and lines[7].strip() in ("ready", "standby"))
        return False

    def stop(self, mode="fast", timeout=60):
        """mode: smart, fast or immediate (no checkpoint, as after a crash)."""
        if not self.process:
            return
        number = {"smart": signal.SIGTERM, "fast": signal.SIGINT,
                  "immediate": signal.SIGQUIT}[mode]
        if self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(timeout)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                self.process = None
                raise CommandFailed(f"the server did not stop ({mode}):\n{self.log()}") from None
        self.process = None

    def crash(self):
        """Ends the server so that the next start has to recover."""
        self.stop("immediate")

    def restart(self, mode="fast"):
        self.stop(mode)
        self.start()

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def standby(self, name=None, **settings):
        """A streaming standby of this server, started."""
        standby = Server(self.workspace, name or self.workspace.unused_name("s"), self.build)
        standby._mkdir()
        self.workspace.run("pg_basebackup", "-D", standby.data, "-R", "-c", "fast", "--no-sync",
                           "-d", self.conninfo("postgres"))
        standby.configure(unix_socket_directories=str(standby.path), **settings)
        standby.start()
        return standby

    def promote(self):
        self.workspace.run("pg_ctl", "promote", "-D", self.data)

    def log(self):
        return self.logfile.read_text(errors="replace") if self.logfile.exists() else ""

    def _mkdir(self):
        self.path.mkdir()
        self.workspace._own(self.path)

    # -- databases

    def conninfo(self, db="postgres", user="postgres"):
        return f"host={self.path} dbname={db} user={user}"

    def connect(self, db="postgres", user="postgres", autocommit=True, **kwargs):
        """A psycopg connection; note that it commits every statement by itself."""
        return psycopg.connect(self.conninfo(db, user), autocommit=autocommit, **kwargs)

    def psql(self, db, sql=None, file=None, user="postgres", args=(), **kwargs):
        """Runs SQL text or a file; any error in it is an error here."""
        __tracebackhide__ = True
        source = ["-f", file] if file else ["-c", sql] if sql else []
        return self.workspace.run(
            "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1",
            *args, *source, "-d", self.conninfo(db, user), **kwargs)

    def create_db(self, name=None, build="c", tap=False, template=True):
        """A database with pgtq, made from a template that is made only once.

        tap: with pgTAP, in schema tap and on the search_path.
        template=False: installed from scratch.
        """
        name = name or f"t{next(self._numbers)}"
        db = Database(self, name, build)
        if template:
            with self._lock:
                if (build, tap) not in self._templates:
                    self._templates[build, tap] = self._make_template(build, tap)
            self._create(name, self._templates[build, tap])
        else:
            self._create(name, "template0")
            self._fill(db, build, tap)
        if tap:
            # settings of a database are not copied from its template
            db.rows(f'alter database "{name}" set search_path = public, tap')
        return db

    def drop_db(self, name):
        with self.connect() as conn:
            conn.execute(f'drop database if exists "{name}" with (force)')

    def install(self, db, build="c"):
        """Puts pgtq into a database as a user would."""
        if build == "c":
            self.psql(db, "create extension pgtq")
        else:
            self.psql(db, file=self.build.pl_script, args=["--single-transaction"])

    def _make_template(self, build, tap):
        name = f"template_{build}{'_tap' if tap else ''}"
        self.drop_db(name)              # left by a try that failed
        self._create(name, "template0")
        self._fill(Database(self, name, build), build, tap)
        with self.connect() as conn:    # so that nobody is in it when it is copied
            conn.execute(f'alter database "{name}" allow_connections false')
        return name

    def _fill(self, db, build, tap):
        if tap:
            db.psql("create schema tap; grant usage on schema tap to public;"
                    "create extension pgtap schema tap")
        self.install(db.name, build)

    def _create(self, name, template):
        def create():
            try:
                conn.execute(f'create database "{name}" template "{template}"')
                return True
            except psycopg.errors.ObjectInUse:      # a worker is just leaving
                return False

        with self.connect() as conn:
            eventually(create)


class Database:
    """One database of a Server."""

    def __init__(self, server, name, build):
        self.server = server
        self.name = name
        self.build = build

    def conninfo(self, user="postgres"):
        return self.server.conninfo(self.name, user)

    def connect(self, **kwargs):
        return self.server.connect(self.name, **kwargs)

    def psql(self, sql=None, **kwargs):
        return self.server.psql(self.name, sql, **kwargs)

    def rows(self, query, *parameters):
        """Runs one query in a session and a transaction of its own."""
        with self.connect() as conn:
            cursor = conn.execute(query, parameters or None)
            has_rows = cursor.pgresult.status == psycopg.pq.ExecStatus.TUPLES_OK
            return cursor.fetchall() if has_rows else []

    def value(self, query, *parameters):
        """The first column of the only row."""
        (row,) = self.rows(query, *parameters)
        return row[0]

    def drop(self):
        self.server.drop_db(self.name)


_libc = ctypes.CDLL(None)


def die_with_parent():
    """In the child, before exec: Linux sends it SIGINT if we die.

    To a PostgreSQL server that is a fast shutdown.
    """
    if sys.platform == "linux":
        _libc.prctl(1, signal.SIGINT)
