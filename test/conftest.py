"""Fixtures of the pytest suites, integration and checks.

    server      one server for the whole run; tests that crash or configure one
                make their own with workspace.server()
    build       "c" or "pl"; a test that uses it, or db, runs for both
    db          a fresh database with that build on `server`
    preloaded   one server that has the library preloaded, so that workers run
    ticking     a fresh database on it, with a ticker, and a queue and a consumer
    workspace   the built tree, and where more servers come from
"""

import os
import signal
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from server import BUILDS, Workspace, eventually  # noqa: E402


def pytest_configure(config):
    # pytest would take SystemExit for the failure of one test and go on
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.default_int_handler)


def pytest_collection_modifyitems(config, items):
    """PGTQ_TEST: keep the tests with this in their path or name."""
    wanted = os.environ.get("PGTQ_TEST", "")
    dropped = [item for item in items if wanted not in item.nodeid]
    items[:] = [item for item in items if wanted in item.nodeid]
    config.hook.pytest_deselected(items=dropped)


@pytest.fixture(scope="session")
def workspace():
    with Workspace() as ws:
        yield ws


@pytest.fixture(scope="session")
def server(workspace):
    with workspace.server() as server:
        yield server


@pytest.fixture(params=os.environ.get("PGTQ_BUILDS", " ".join(BUILDS)).split())
def build(request):
    return request.param


@pytest.fixture
def db(server, build):
    db = server.create_db(build=build)
    yield db
    db.drop()


@pytest.fixture(scope="session")
def preloaded(workspace):
    with workspace.server(shared_preload_libraries="pgtq", max_worker_processes=60) as server:
        yield server


def has_ticker(db):
    return db.value("select running from pgtq.ticker_stats")


@pytest.fixture
def ticking(preloaded):
    """Queue q ticks for nobody but who waits: its max_lag is an hour."""
    db = preloaded.create_db()
    eventually(lambda: has_ticker(db))
    db.psql("""
        select pgtq.create_queue('q');
        select pgtq.set_queue_config('q', 'ticker_max_lag', '1 hour');
        select pgtq.set_queue_config('q', 'ticker_max_count', '1000000');
        select pgtq.set_queue_config('q', 'ticker_idle_period', '1 hour');
        select pgtq.register_consumer('q', 'c');
    """)
    yield db
    db.drop()
