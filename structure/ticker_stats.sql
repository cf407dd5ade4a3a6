-- structure/ticker_stats.sql: what the ticker of this database has done so far.
--
-- The counters are in shared memory: they start anew with the server, and do not with a
-- ticker.  lateness[n] is how many moves ended with their tick less than 2^n microseconds
-- after the earliest entry was due (and not less than 2^(n-1), but for the first; the last
-- one has the rest).

create view pgtq.ticker_stats as
    select s.ticker_pid is not null as running,
           s.ticker_pid, s.ticker_started, s.next_wake, s.next_due, s.wakeups, s.ticks, s.moves,
           s.events_moved, s.lateness, s.clock_steps, s.maintenance_pid, s.maintenance_runs,
           s.errors, s.last_error, s.last_error_time
      from pgtq._ticker_state() s;

comment on view pgtq.ticker_stats is 'The ticker of this database: counters since the server was started';
comment on column pgtq.ticker_stats.running is 'is there a ticker';
comment on column pgtq.ticker_stats.ticker_pid is 'its process';
comment on column pgtq.ticker_stats.ticker_started is 'since when it runs';
comment on column pgtq.ticker_stats.next_wake is 'until when it sleeps, if nobody wakes it';
comment on column pgtq.ticker_stats.next_due is 'when the next timer or retry is due, as far as it knows';
comment on column pgtq.ticker_stats.wakeups is 'how many times it woke';
comment on column pgtq.ticker_stats.ticks is 'ticks it has made';
comment on column pgtq.ticker_stats.moves is 'transactions in which it moved what was due into queues';
comment on column pgtq.ticker_stats.events_moved is 'events moved by these';
comment on column pgtq.ticker_stats.lateness is 'histogram of moves: n-th number: how many were less than 2^n microseconds late';
comment on column pgtq.ticker_stats.clock_steps is 'how many times it noticed that the clock was set';
comment on column pgtq.ticker_stats.maintenance_pid is 'the maintenance worker, while it runs';
comment on column pgtq.ticker_stats.maintenance_runs is 'how many times maintenance ran';
comment on column pgtq.ticker_stats.errors is 'errors of both workers';
comment on column pgtq.ticker_stats.last_error is 'the newest of them';
comment on column pgtq.ticker_stats.last_error_time is 'when that was';
