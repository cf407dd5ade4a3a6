/*
 * src/executor/outcome.c
 *		The row of a timer that is run, and what becomes of it.
 *
 * Runs in sessions, which are connected as roles that may do nothing here, and
 * in the executor.  Everything works on tables directly: no SQL runs in a
 * session but its user's own, whose settings have no say in this.
 */
#include "postgres.h"

#include "access/heaptoast.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/tableam.h"
#include "executor/tuptable.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "common/now.h"
#include "compat.h"
#include "delay/recur.h"
#include "delay/store.h"
#include "executor/done.h"
#include "executor/outcome.h"

/* the longest pause before another try */
#define LONGEST_BACKOFF USECS_PER_HOUR

static TimestampTz retry_time(const TimerRow *row);
static void set_column(TimerRow *row, AttrNumber column, Datum value);
static int	compare_items(const void *a, const void *b);

/*
 * Reads the row of a timer into the current memory context, with the active
 * snapshot.  False if it is not there.  Its table stays locked until the transaction
 * ends: mostly the next one is in it, too.
 */
bool
outcome_read(const WorkItem *work, TimerRow *row)
{
	Relation	rel = try_relation_open(work->relid, AccessShareLock);
	ItemPointerData tid = work->tid;
	TupleTableSlot *slot;
	bool		found;

	if (rel == NULL)
		return false;
	slot = table_slot_create(rel, NULL);
	found = table_tuple_fetch_row_version(rel, &tid, GetActiveSnapshot(), slot);
	if (found)
	{
		TupleDesc	desc = RelationGetDescr(rel);
		HeapTuple	tuple = ExecCopySlotHeapTuple(slot);
		Datum	   *values = palloc0(sizeof(Datum) * Max(desc->natts, Natts_event));
		bool	   *nulls = palloc0(sizeof(bool) * Max(desc->natts, Natts_event));

		if (HeapTupleHasExternal(tuple))
			tuple = toast_flatten_tuple(tuple, desc);
		heap_deform_tuple(tuple, desc, values, nulls);
		memcpy(row->values, values, sizeof(Datum) * Natts_event);
		memcpy(row->nulls, nulls, sizeof(bool) * Natts_event);
		set_column(row, Anum_dl_queue, Int32GetDatum(work->queue_id));
		set_column(row, Anum_dl_due, values[Anum_ev_time - 1]);
		found = DatumGetInt64(values[Anum_ev_id - 1]) == work->event &&
			!nulls[Anum_ev_attempts - 1] && !nulls[Anum_ev_role - 1] && !nulls[Anum_ev_timer - 1];
	}
	ExecDropSingleTupleTableSlot(slot);
	relation_close(rel, NoLock);
	return found;
}

/*
 * Notes what became of a timer, for the caller to insert; one that may be tried
 * again goes back into the delay store, and after a run of a schedule the next.  The mark that it is done is
 * outcome_mark()'s.
 */
void
outcome_record(TimerRow *row, const ActionResult *result, HistoryRows *history)
{
	int32		attempt = row->nulls[Anum_ev_retry - 1] ? 1 : DatumGetInt32(row->values[Anum_ev_retry - 1]) + 1;
	TimerRow	retry;

	if (result->expired)
		history_collect(history, row->values, row->nulls, TIMER_EXPIRED, 0, NULL, NULL);
	else if (result->error == NULL)
		history_collect(history, row->values, row->nulls, TIMER_FIRED, result->started, NULL, NULL);
	else if (result->is_final || attempt >= DatumGetInt32(row->values[Anum_ev_attempts - 1]))
		history_collect(history, row->values, row->nulls, TIMER_FAILED, result->started, result->sqlstate, result->error);
	else
	{
		history_collect(history, row->values, row->nulls, TIMER_RETRIED, result->started, result->sqlstate, result->error);
		retry = *row;
		retry.nulls[Anum_ev_id - 1] = retry.nulls[Anum_ev_time - 1] = true;
		set_column(&retry, Anum_ev_retry, Int32GetDatum(attempt));
		set_column(&retry, Anum_dl_due, TimestampTzGetDatum(retry_time(row)));
		store_insert(1, retry.values, retry.nulls);
		return;
	}
	if (!row->nulls[Anum_ev_run - 1])
		recur_end(DatumGetInt64(row->values[Anum_ev_schedule - 1]), row->values[Anum_ev_run - 1]);
}

/* When to try a timer again. */
static TimestampTz
retry_time(const TimerRow *row)
{
	return outcome_retry_time(row->nulls[Anum_ev_backoff - 1] ? NULL : DatumGetIntervalP(row->values[Anum_ev_backoff - 1]),
							  row->nulls[Anum_ev_retry - 1] ? 0 : DatumGetInt32(row->values[Anum_ev_retry - 1]));
}

/*
 * When to try again: backoff, or a second, doubled with each attempt, an hour at
 * most; and a quarter more or less, so that what failed together does not come
 * together.
 */
TimestampTz
outcome_retry_time(const Interval *backoff, int32 retries)
{
	double		pause = USECS_PER_SEC;

	if (backoff != NULL)
		pause = (backoff->month * (double) DAYS_PER_MONTH + backoff->day) * USECS_PER_DAY + backoff->time;
	pause = Min(pause * (double) (INT64CONST(1) << Min(retries, 40)), (double) LONGEST_BACKOFF);
	pause *= 0.75 + 0.5 * RandomFraction();
	return clock_now() + (int64) Min(pause, (double) LONGEST_BACKOFF);
}

static void
set_column(TimerRow *row, AttrNumber column, Datum value)
{
	row->values[column - 1] = value;
	row->nulls[column - 1] = false;
}

/* Marks timers as done, with a row for each tick that some of them came with. */
void
outcome_mark(int count, const WorkItem *items)
{
	WorkItem   *sorted = palloc(sizeof(WorkItem) * Max(count, 1));
	int64	   *events = palloc(sizeof(int64) * Max(count, 1));
	int			n = 0;

	memcpy(sorted, items, sizeof(WorkItem) * count);
	qsort(sorted, count, sizeof(WorkItem), compare_items);
	for (int i = 0; i < count; i++)
	{
		events[n++] = sorted[i].event;
		if (i + 1 == count || sorted[i + 1].sub_id != sorted[i].sub_id || sorted[i + 1].tick != sorted[i].tick)
		{
			done_append(sorted[i].sub_id, sorted[i].tick, false, n, events);
			n = 0;
		}
	}
	pfree(sorted);
	pfree(events);
}

static int
compare_items(const void *a, const void *b)
{
	const WorkItem *x = a;
	const WorkItem *y = b;

	if (x->sub_id != y->sub_id)
		return (x->sub_id > y->sub_id) ? 1 : -1;
	return (x->tick > y->tick) - (x->tick < y->tick);
}
