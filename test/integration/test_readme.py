"""The README's SQL works as it stands."""

import re

from server import ROOT


def blocks(heading):
    """The SQL blocks of one section, statement by statement."""
    text = (ROOT / "README.md").read_text()
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.S | re.M)[1]
    sql = "\n".join(re.findall(r"^```sql\n(.*?)^```", section, re.S | re.M))
    sql = re.sub(r"--.*", "", sql)
    return [s.strip() for s in sql.split(";") if s.strip()]


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
