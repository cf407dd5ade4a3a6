"""Mistakes that newcomers make are answered with a hint, the same on both builds."""

import psycopg
import pytest

MISTAKES = (
    ("select pgtq.schedule_in('5 s', null)", "update t set"),
    ("select pgtq.schedule_in('5 s', '')", "update t set"),
    ("select pgtq.schedule_in('5 s', 'select 1', queue => 'nowhere')", "create_queue"),
    ("select pgtq.schedule_in('5 s', 'select 1', queue => 'plain')", "attach_executor"),
    ("select pgtq.schedule_in('5 s', 'select 1', key => 'k', on_conflict => 'ignore')", "keep"),
    ("select pgtq.schedule_in('5 s', 'select 1', timeout_ms => -1)", "action_timeout"),
    ("select pgtq.insert_event('nowhere', 't', 'd')", "create_queue"),
    ("select pgtq.next_batch('plain', 'nobody')", "register_consumer"),
    ("select pgtq.wait_batch('plain', 'nobody', '1 s')", "register_consumer"),
    ("select pgtq.register_consumer('nowhere', 'c')", "create_queue"),
    ("select pgtq.register_consumer('timers', 'pgtq.executor')", "attach_executor"),
    ("select * from pgtq.get_batch_events(99)", "next_batch"),
    ("select pgtq.event_retry(99, 1, 5)", "next_batch"),
    ("select pgtq.create_queue(null)", "name"),
    ("select pgtq.drop_queue('nowhere')", "queue_stats"),
    ("select pgtq.drop_queue('used')", "Unregister"),
    ("select pgtq.set_queue_config('plain', 'max_lag', '1 s')", "ticker_max_lag"),
    ("select pgtq.set_queue_config('nowhere', 'ticker_max_lag', '1 s')", "queue_stats"),
    ("select pgtq.ticker('nowhere')", "queue_stats"),
    ("select pgtq.create_timer_trigger('tab', action => $$'select 1'$$)", "cancel_when"),
    ("insert into tab values (1)", "queue"),
)


@pytest.fixture
def beginner(db):
    db.psql("""
        select pgtq.create_queue('plain'), pgtq.create_queue('used'), pgtq.register_consumer('used', 'c');
        create table tab (id integer);
        create trigger t after insert on tab for each row execute function pgtq.jsontriga();
    """)
    return db


def test_mistakes(beginner):
    mute = []
    with beginner.connect() as conn:
        for mistake, helps in MISTAKES:
            with pytest.raises(psycopg.Error) as error:
                conn.execute(mistake)
            if helps not in (error.value.diag.message_hint or ""):
                mute.append((mistake, error.value.diag.message_primary, error.value.diag.message_hint))
    assert mute == []
