"""examples/prometheus: the queries work, with the least rights; the dashboard shows what they measure."""

import json
import re
import shutil
import socket
import subprocess
import urllib.request

import pytest
from server import ROOT, eventually
from timers import drop_role, schedule

QUERIES = (ROOT / "examples/prometheus/queries.yaml").read_text()
DASHBOARD = json.loads((ROOT / "examples/prometheus/dashboard.json").read_text())
EXPORTER = shutil.which("prometheus-postgres-exporter") or shutil.which("postgres_exporter")


def queries():
    """{prefix: (query, {column: usage})}"""
    found = {}
    for prefix, body in re.findall(r"^(\w+):\n(.*?)(?=^\w|^#|\Z)", QUERIES, re.S | re.M):
        (query,) = re.findall(r'^  query: "(.*)"$', body, re.M)
        found[prefix] = query, dict(re.findall(r'^    - (\w+): \{usage: "(\w+)", description: ".+"\}$', body, re.M))
    return found


def metrics():
    return {f"{prefix}_{column}" for prefix, (_, columns) in queries().items()
            for column, usage in columns.items() if usage != "LABEL"}


@pytest.fixture
def watched(db):
    db.psql("""
        create role watcher login; grant pg_monitor, pgtq_reader to watcher;
        select pgtq.create_queue('q'); select pgtq.register_consumer('q', 'c'); select pgtq.insert_event('q', 't', 'd');
    """)
    yield db
    drop_role(db, "watcher")


def test_queries(watched):
    """Every column is described, and is a number unless it is a label; and labels tell the rows apart."""
    assert len(queries()) == 5
    with watched.connect(user="watcher") as conn:
        for prefix, (query, columns) in queries().items():
            cursor = conn.execute(query)
            names = [c.name for c in cursor.description]
            assert set(names) == set(columns), prefix
            rows = [dict(zip(names, row)) for row in cursor.fetchall()]
            labels = [tuple(r[c] for c in columns if columns[c] == "LABEL") for r in rows]
            assert len(set(labels)) == len(labels)
            for row in rows:
                for column, usage in columns.items():
                    assert usage == "LABEL" or float(row[column]) >= 0


def test_dashboard_names_metrics_that_are():
    text = json.dumps(DASHBOARD)
    assert set(re.findall(r"pgtq_\w+", text)) <= metrics()
    assert len(re.findall(r'"expr"', text)) >= 8
    for panel in DASHBOARD["panels"]:
        for target in panel["targets"]:
            assert target["expr"].count("(") == target["expr"].count(")") and "$instance" in target["expr"]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.mark.skipif(not EXPORTER, reason="needs prometheus-postgres-exporter")
def test_exporter(ticking):
    """The exporter serves each metric of the file; on the loopback interface only."""
    schedule(ticking, "select 1")
    ticking.psql("create role watcher login; grant pg_monitor, pgtq_reader to watcher")
    server, ws, port = ticking.server, ticking.server.workspace, free_port()
    dsn = f"user=watcher host={server.path} dbname={ticking.name} sslmode=disable"
    exporter = subprocess.Popen(
        [EXPORTER, f"--web.listen-address=127.0.0.1:{port}", f"--extend.query-path={server.build.src}/examples/prometheus/queries.yaml",
         "--disable-default-metrics", "--disable-settings-metrics"],
        env={**ws.env, "DATA_SOURCE_NAME": dsn}, cwd=ws.path, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, **ws.as_user())

    def scrape():
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
                return re.findall(r"^(pgtq_\w+)(?:\{(.*)\})? (\S+)$", answer.read().decode(), re.M)
        except OSError:
            assert exporter.poll() is None, "the exporter has ended"
            return None

    try:
        eventually(lambda: ticking.rows("select from pgtq.lateness where moves > 0"))
        found = eventually(lambda: {name for name, _, _ in scrape() or ()} >= metrics() and scrape(), 60)
    finally:
        exporter.kill()
        exporter.wait()
        drop_role(ticking, "watcher")
    values = {(name, labels): float(value) for name, labels, value in found}
    assert {value for (name, _), value in values.items() if name == "pgtq_ticker_running"} == {1}
    buckets = {re.search(r'le="(.*?)"', labels)[1]: v for (name, labels), v in values.items() if name == "pgtq_lateness_seconds_bucket"}
    assert buckets["+Inf"] == max(buckets.values()) >= 1
