/*
 * src/history/history.c
 *		What became of timers, see structure/history.sql.
 *
 * Runs in the session that cancels or runs a timer.  Takes ROW EXCLUSIVE on the
 * current table of the history until the transaction ends.
 */
#include "postgres.h"

#include "access/table.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "common/now.h"
#include "common/event.h"
#include "common/insert.h"
#include "common/queue.h"
#include "history/history.h"

/* columns that are taken over from the timer's row of the delay store */
static const AttrNumber from_timer[][2] = {
	{Anum_hi_timer, Anum_ev_timer},
	{Anum_hi_queue, Anum_dl_queue},
	{Anum_hi_role, Anum_ev_role},
	{Anum_hi_due, Anum_dl_due},
	{Anum_hi_created, Anum_ev_created},
	{Anum_hi_key, Anum_ev_key},
	{Anum_hi_shard, Anum_ev_shard},
	{Anum_hi_timeout, Anum_ev_timeout},
	{Anum_hi_attempts, Anum_ev_attempts},
	{Anum_hi_backoff, Anum_ev_backoff},
	{Anum_hi_action, Anum_ev_data},
	{Anum_hi_schedule, Anum_ev_schedule}
};

int			pgtq_history = HISTORY_ALL;

static bool is_wanted(TimerStatus status, bool is_run);
static void fill_row(Datum *row, bool *row_nulls, const Datum *timer, const bool *nulls, TimerStatus status,
					 TimestampTz started, const char *sqlstate, const char *error);
static Relation open_current(void);

/*
 * Does the setting want to know of this?  Runs of schedules are noted with failures
 * too, or nobody could count how many failed in a row.
 */
static bool
is_wanted(TimerStatus status, bool is_run)
{
	return pgtq_history == HISTORY_ALL ||
		(pgtq_history == HISTORY_FAILURES && (is_run || (status != TIMER_FIRED && status != TIMER_CANCELLED)));
}

/*
 * Notes what became of a timer, as far as the setting wants it; see
 * _add_history().  The timer is given as the columns of its row in the delay
 * store; started 0 means never.
 */
void
history_add(const Datum *timer, const bool *nulls, TimerStatus status,
			TimestampTz started, const char *sqlstate, const char *error)
{
	HistoryRows rows = {0};

	history_collect(&rows, timer, nulls, status, started, sqlstate, error);
	history_insert(&rows);
}

/* The same for a job, of which the caller knows all columns; see _add_job_history(). */
void
history_add_job(const Datum *values, const bool *nulls)
{
	Relation	rel;

	if (!is_wanted((TimerStatus) DatumGetInt16(values[Anum_hi_status - 1]), !nulls[Anum_hi_schedule - 1]))
		return;
	rel = open_current();
	insert_row(rel, Natts_history, values, nulls);
	table_close(rel, NoLock);
}

/* As history_add() for many, to be inserted together. */
void
history_collect(HistoryRows *rows, const Datum *timer, const bool *nulls, TimerStatus status,
				TimestampTz started, const char *sqlstate, const char *error)
{
	Datum	   *row;
	bool	   *row_nulls;

	if (!is_wanted(status, !nulls[Anum_ev_schedule - 1]))
		return;
	if (rows->count == rows->room)
	{
		rows->room = rows->room ? rows->room * 4 : 1;
		rows->values = rows->values
			? repalloc(rows->values, sizeof(Datum) * Natts_history * rows->room)
			: palloc(sizeof(Datum) * Natts_history * rows->room);
		rows->nulls = rows->nulls
			? repalloc(rows->nulls, sizeof(bool) * Natts_history * rows->room)
			: palloc(sizeof(bool) * Natts_history * rows->room);
	}
	row = rows->values + rows->count * Natts_history;
	row_nulls = rows->nulls + rows->count * Natts_history;
	rows->count++;
	fill_row(row, row_nulls, timer, nulls, status, started, sqlstate, error);
}

void
history_insert(HistoryRows *rows)
{
	Relation	rel;

	if (rows->count == 0)
		return;
	rel = open_current();
	insert_rows(rel, Natts_history, rows->count, rows->values, rows->nulls);
	table_close(rel, NoLock);
	rows->count = 0;
}

static void
fill_row(Datum *row, bool *row_nulls, const Datum *timer, const bool *nulls, TimerStatus status,
		 TimestampTz started, const char *sqlstate, const char *error)
{
	memset(row, 0, sizeof(Datum) * Natts_history);
	memset(row_nulls, true, sizeof(bool) * Natts_history);
	for (size_t i = 0; i < lengthof(from_timer); i++)
	{
		row[from_timer[i][0] - 1] = timer[from_timer[i][1] - 1];
		row_nulls[from_timer[i][0] - 1] = nulls[from_timer[i][1] - 1];
	}
	if (nulls[Anum_ev_attempts - 1])
		row_nulls[Anum_hi_action - 1] = true;	/* an event, not an action */
	else if (DatumGetInt32(timer[Anum_ev_attempts - 1]) == 1)
		row_nulls[Anum_hi_attempts - 1] = true;

	row[Anum_hi_status - 1] = Int16GetDatum((int16) status);
	row[Anum_hi_attempt - 1] = Int32GetDatum(nulls[Anum_ev_retry - 1] ? 1 : DatumGetInt32(timer[Anum_ev_retry - 1]) + 1);
	row[Anum_hi_pid - 1] = Int32GetDatum(MyProcPid);
	row[Anum_hi_finished - 1] = TimestampTzGetDatum(clock_now());
	row_nulls[Anum_hi_status - 1] = row_nulls[Anum_hi_attempt - 1] = false;
	row_nulls[Anum_hi_pid - 1] = row_nulls[Anum_hi_finished - 1] = false;
	if (started != 0)
	{
		row[Anum_hi_started - 1] = TimestampTzGetDatum(started);
		row_nulls[Anum_hi_started - 1] = false;
	}
	if (error != NULL)
	{
		row[Anum_hi_sqlstate - 1] = CStringGetTextDatum(sqlstate);
		row[Anum_hi_error - 1] = CStringGetTextDatum(error);
		row_nulls[Anum_hi_sqlstate - 1] = row_nulls[Anum_hi_error - 1] = false;
	}
}

/* Opens the table to write to: lock, then check again, see _current_table(). */
static Relation
open_current(void)
{
	Oid			seqid = pgtq_relation("history_cur_seq");

	for (;;)
	{
		int64		n = sequence_last_value(seqid);
		char		name[NAMEDATALEN];
		Relation	rel;

		snprintf(name, sizeof(name), "history_%d", (int) n);
		rel = table_open(pgtq_relation(name), RowExclusiveLock);
		if (sequence_last_value(seqid) == n)
			return rel;
		table_close(rel, RowExclusiveLock);
	}
}
