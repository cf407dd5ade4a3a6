"""pg_timers' way: rows stay, a status says what became of them, a partial index finds the pending."""

from systems.timer_table import TimerTable


class StatusTable(TimerTable):
    version_text = "a table with a primary key, a status, and a partial index on pending rows"
    ddl = """
        create table timer (
            id bigserial primary key, shard_key bigint not null default 0, due timestamptz not null,
            action text not null, status smallint not null default 0, created_at timestamptz not null default now(),
            fired_at timestamptz, error text, scheduled_by name not null default current_user,
            timeout_ms integer not null default 0);
        create index on timer (due) where status = 0;
    """

    def cancel_sql(self):
        return "update timer set status = 3 where id = :id and status = 0"

    def due_sql(self):
        """With now(), which the index can be asked for; pg_timers itself has clock_timestamp(), which it cannot."""
        return (
            "with taken as (select id from timer where status = 0 and due <= now() order by due limit 64"
            " for update skip locked), done as (update timer set status = 1, fired_at = clock_timestamp()"
            " where id = any (array(select id from taken)) returning id) select count(*) from done"
        )

    def next_due_sql(self):
        return "select min(due) from timer where status = 0"


SYSTEM = StatusTable("status_table")
