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

enum
{
	Anum_hi_timer = 1,
	Anum_hi_status,
	Anum_hi_attempt,
	Anum_hi_queue,
	Anum_hi_role,
	Anum_hi_pid,
	Anum_hi_due,
	Anum_hi_created,
	Anum_hi_started,
	Anum_hi_finished,
	Anum_hi_sqlstate,
	Anum_hi_error,
	Anum_hi_key,
	Anum_hi_shard,
	Anum_hi_timeout,
	Anum_hi_action,
	Natts_history = Anum_hi_action
};

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
	{Anum_hi_action, Anum_ev_data}
};

int			pgtq_history = HISTORY_ALL;

static Relation open_current(void);

/*
 * Notes what became of a timer, as far as the setting wants it; see
 * _add_history().  The timer is given as the columns of its row in the delay
 * store; started 0 means never.
 */
void
history_add(const Datum *timer, const bool *nulls, TimerStatus status,
			TimestampTz started, const char *sqlstate, const char *error)
{
	Datum		row[Natts_history] = {0};
	bool		row_nulls[Natts_history];
	Relation	rel;

	if (pgtq_history == HISTORY_OFF ||
		(pgtq_history == HISTORY_FAILURES && (status == TIMER_FIRED || status == TIMER_CANCELLED)))
		return;

	memset(row_nulls, true, sizeof(row_nulls));
	for (size_t i = 0; i < lengthof(from_timer); i++)
	{
		row[from_timer[i][0] - 1] = timer[from_timer[i][1] - 1];
		row_nulls[from_timer[i][0] - 1] = nulls[from_timer[i][1] - 1];
	}
	if (nulls[Anum_ev_attempts - 1])
		row_nulls[Anum_hi_action - 1] = true;	/* an event, not an action */

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
	rel = open_current();
	insert_row(rel, Natts_history, row, row_nulls);
	table_close(rel, NoLock);
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
