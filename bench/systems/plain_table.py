"""About the least that storing a timer can cost: an id, a time with an index, an action."""

from systems.timer_table import TimerTable


class PlainTable(TimerTable):
    version_text = "a table with one index on the due time"
    ddl = "create table timer (id bigserial, due timestamptz, action text); create index on timer (due)"

    def cancel_sql(self):
        return "delete from timer where id = :id"


SYSTEM = PlainTable("plain_table")
