"""What the docs say of arguments, settings and formats is all there is, and is so."""

import re

import pytest
from pages import sql_of, statements
from server import ROOT


def run(db, commands):
    """What each command returns, in their order."""
    with db.connect() as conn:
        cursors = [conn.execute(command.text) for command in commands]
        return [c.fetchall() if c.description else [] for c in cursors]


def test_docs_of_triggers(db):
    """The examples, and that the formats are as the table says."""
    text = (ROOT / "docs/triggers.md").read_text()
    results = [rows for rows in run(db, sql_of("docs/triggers.md")) if rows]
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


def test_arguments_of_timers_are_documented(db):
    text = (ROOT / "docs/timers.md").read_text()
    (arguments,) = db.value("select array[pg_get_function_arguments(oid)] from pg_proc"
                            " where oid::regproc::text = 'pgtq.schedule_at'")
    names = re.findall(r"(?:^|, )(\w+) ", arguments)
    assert len(names) > 10 and [name for name in names if f"`{name}`" not in text] == []


@pytest.mark.parametrize("function", ("schedule_cron", "schedule_every"))
def test_arguments_of_schedules_are_documented(db, function):
    text = (ROOT / "docs/recurring.md").read_text()
    (arguments,) = db.value("select array[pg_get_function_arguments(oid)] from pg_proc where oid::regproc::text = %s", f"pgtq.{function}")
    names = re.findall(r"(?:^|, )(\w+) ", arguments)
    assert len(names) > 10 and [name for name in names if f"`{name}`" not in text] == []
PG_TASK = ("id parent plan start stop active live repeat timeout count hash max pid state delete drift header string"
           " delimiter escape quote data error group input null output remote").split()


def test_docs_of_jobs(db):
    """The examples; every argument; and each column of pg_task has a counterpart that is there."""
    text = (ROOT / "docs/jobs.md").read_text()
    results = run(db, sql_of("docs/jobs.md"))
    assert (True,) in results[4]
    assert {row[5] for row in results[-1]} == {"PLAN", "STOP"}
    arguments = set(db.value("select proargnames from pg_proc where oid::regproc::text = 'pgtq.submit_job'"))
    assert set(re.findall(r"^\| `(\w+)` \|", text.split("## States")[0], re.M)) == arguments
    columns = {row[0] for row in db.rows("select attname::text from pg_attribute where attrelid = 'pgtq.jobs'::regclass and attnum > 0")}
    table = re.findall(r"^\| `(\w+)` \| (?:`(\w+)`)? ?\| (?:`(\w+)`)? ?\| ?(.*) ?\|$", text.split("## From pg_task")[1], re.M)
    assert [row[0] for row in table] == PG_TASK
    for name, argument, column, note in table:
        assert {argument} <= arguments | {""} and {column} <= columns | {""}, name
        assert argument or column or note, name


def test_helper_writes_what_the_docs_say(db):
    """The trigger of create_timer_trigger() and the one that is written out."""
    section = re.search(r"^## timertriga.*?(?=^## )", (ROOT / "docs/triggers.md").read_text(), re.S | re.M)[0]
    commands = [s for block in re.findall(r"^```sql\n(.*?)^```", section, re.S | re.M) for s in statements(block)]
    definition = "select pg_get_triggerdef(oid) from pg_trigger where tgname = 'timertriga'"
    drop = [s.text for s in commands].index("select pgtq.drop_timer_trigger('orders')")
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


def test_settings_of_a_queue(db):
    text = (ROOT / "docs/consumers.md").read_text()
    section = re.search(r"^## Settings of a queue\n(.*?)(?=^## )", text, re.S | re.M)[1]
    named = set(re.findall(r"^\| `(\w+)`", section, re.M))
    db.rows("select pgtq.create_queue('q')")
    try:
        db.rows("select pgtq.set_queue_config('q', 'nonsense', '')")
    except Exception as error:
        assert set(re.findall(r"\w+", error.diag.message_hint.split(":")[1])) == named
    else:
        raise AssertionError("an unknown parameter was accepted")
