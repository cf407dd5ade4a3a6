/*
 * src/tick/tick.c
 *		_tick(): writes a tick, if a queue needs one.
 *
 * Runs in the ticker, and in sessions that tick by hand.  Takes SHARE UPDATE
 * EXCLUSIVE on the queue's parent table, which stops other tickers only, and
 * keeps it until the transaction ends.
 *
 * functions/tick/pgtq._tick.sql says when a tick is needed and why they are in
 * order; this is the same in C, as it stands between an event and its
 * consumer.  Unlike the body in PL it does not flush the tick before.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "commands/async.h"
#include "commands/sequence.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "common/event.h"
#include "common/insert.h"
#include "common/queue.h"
#include "common/settings.h"
#include "common/snapshot.h"
#include "common/wake.h"
#include "tick/ticks.h"

PG_FUNCTION_INFO_V1(pgtq_tick);

/* columns of pgtq.queue */
enum
{
	Anum_queue_id = 1,
	Anum_queue_name = 2,
	Anum_queue_external_ticker = 9,
	Anum_queue_ticker_paused = 11,
	Anum_queue_ticker_max_count = 12,
	Anum_queue_ticker_max_lag = 13,
	Anum_queue_ticker_idle_period = 14,
	Anum_queue_tick_seq = 18
};

/* what a ticker needs to know of a queue; times in microseconds */
typedef struct TickedQueue
{
	QueueRow	row;
	char	   *name;
	char	   *tick_seq;
	bool		has_ticker;		/* neither paused nor ticked from elsewhere */
	int64		max_count;
	int64		max_lag;
	int64		idle_period;
} TickedQueue;

static bool read_queue(int32 queue_id, TickedQueue *queue);
static int64 interval_microseconds(const Interval *interval);
static Oid	existing_relation(const char *prefix, const char *suffix);
static bool is_needed(const TickedQueue *queue, const Tick *last, int64 event_seq, bool force);
static bool sees_all_ticks(const TickedQueue *queue, const Tick *last, Oid tick_seq);
static void check_future(const TickedQueue *queue, const Tick *last);
static void append_tick(const TickedQueue *queue, int64 id, int64 event_seq);

/*
 * _tick(queue_id, force)
 */
Datum
pgtq_tick(PG_FUNCTION_ARGS)
{
	int64		id = tick_write(PG_GETARG_INT32(0), PG_GETARG_BOOL(1));

	if (id == 0)
		PG_RETURN_NULL();
	PG_RETURN_INT64(id);
}

/* The same for the ticker; 0: there was none. */
int64
tick_write(int32 queue_id, bool force)
{
	TickedQueue queue;
	Tick		last;
	Oid			tick_seq;
	int64		event_seq;
	int64		id = 0;
	bool		found;

	command_snapshot();
	found = queue_find_by_id(queue_id, &queue.row) && read_queue(queue_id, &queue) && queue.has_ticker;
	PopActiveSnapshot();
	if (!found || !queue_adopt(&queue.row))
		return 0;
	LockRelationOid(existing_relation(queue.row.data_pfx, ""), ShareUpdateExclusiveLock);

	/* read before the snapshot is taken: too low only means one tick too many */
	event_seq = sequence_used_value(queue_event_sequence(&queue.row));
	tick_seq = existing_relation(queue.tick_seq, "");
	command_snapshot();
	if (!tick_newest(queue_id, sequence_used_value(tick_seq), &last) ||
		(sees_all_ticks(&queue, &last, tick_seq) &&
		 is_needed(&queue, &last, event_seq, force)))
	{
		id = nextval_internal(tick_seq, false);
		append_tick(&queue, id, event_seq);
	}
	PopActiveSnapshot();
	return id;
}

static bool
read_queue(int32 queue_id, TickedQueue *queue)
{
	Relation	rel = table_open(pgtq_relation("queue"), AccessShareLock);
	TupleDesc	desc = RelationGetDescr(rel);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		isnull;

	ScanKeyInit(&key, Anum_queue_id, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(queue_id));
	scan = systable_beginscan(rel, pgtq_relation("queue_pkey"), true, GetActiveSnapshot(), 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
	{
		queue->name = TextDatumGetCString(heap_getattr(tuple, Anum_queue_name, desc, &isnull));
		queue->tick_seq = TextDatumGetCString(heap_getattr(tuple, Anum_queue_tick_seq, desc, &isnull));
		queue->has_ticker =
			!DatumGetBool(heap_getattr(tuple, Anum_queue_external_ticker, desc, &isnull)) &&
			!DatumGetBool(heap_getattr(tuple, Anum_queue_ticker_paused, desc, &isnull));
		queue->max_count = DatumGetInt32(heap_getattr(tuple, Anum_queue_ticker_max_count, desc, &isnull));
		queue->max_lag = interval_microseconds(DatumGetIntervalP(heap_getattr(tuple, Anum_queue_ticker_max_lag, desc, &isnull)));
		queue->idle_period = interval_microseconds(DatumGetIntervalP(heap_getattr(tuple, Anum_queue_ticker_idle_period, desc, &isnull)));
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return HeapTupleIsValid(tuple);
}

/* As intervals are compared: a month has 30 days.  More than a human life is for ever. */
static int64
interval_microseconds(const Interval *interval)
{
	/* the column is not null; NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
	int64		days = (int64) interval->month * DAYS_PER_MONTH + interval->day;

	if (days > 100 * 366 || interval->time > 100 * 366 * USECS_PER_DAY)
		return 200 * 366 * USECS_PER_DAY;
	return days * USECS_PER_DAY + interval->time;
}

static Oid
existing_relation(const char *prefix, const char *suffix)
{
	Oid			relid = queue_relation(prefix, suffix);

	if (!OidIsValid(relid))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("relation \"%s%s\" does not exist", prefix, suffix)));
	return relid;
}

/* Is it time, by the rule? */
static bool
is_needed(const TickedQueue *queue, const Tick *last, int64 event_seq, bool force)
{
	int64		lag = GetCurrentTimestamp() - last->time;
	int64		new_events = event_seq - last->event_seq;
	Tick		before;

	check_future(queue, last);
	if (lag < 0)
		lag = Max(queue->idle_period, queue->max_lag);	/* the clock was set back */
	if (new_events > 0 || events_since(queue->row.queue_id, queue->row.data_pfx, last->snapshot))
		return force || new_events >= queue->max_count || lag >= queue->max_lag;
	if (force)
		return lag >= queue->idle_period / 2;
	if (!tick_newest(queue->row.queue_id, last->id - 1, &before))
		return true;
	return lag >= queue->max_lag / 2 &&
		(lag >= (last->time - before.time) * 2 || lag >= queue->idle_period);
}

/* Or are there newer ones that our snapshot is too old for? */
static bool
sees_all_ticks(const TickedQueue *queue, const Tick *last, Oid tick_seq)
{
	if (!IsolationUsesXactSnapshot() || last->id >= sequence_used_value(tick_seq))
		return true;
	ereport(WARNING,
			(errmsg("no tick for queue \"%s\": there are newer ticks than this transaction sees", queue->name),
			 errhint("Call the ticker under READ COMMITTED.")));
	return false;
}

static void
check_future(const TickedQueue *queue, const Tick *last)
{
	StoredSnapshot *current = (StoredSnapshot *)
		DatumGetPointer(DirectFunctionCall1(pg_current_snapshot, (Datum) 0));

	if (FullTransactionIdPrecedes(current->xmax, last->snapshot->xmax))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("tick " INT64_FORMAT " of queue \"%s\" has a snapshot from the future", last->id, queue->name),
				 errdetail("The database was restored into a server with lower transaction ids."),
				 errhint("Events that are not delivered yet have to be inserted into a new queue.")));
	pfree(current);
}

/* Writes the tick; after commit, who waits for it is woken.  As _append_tick(). */
static void
append_tick(const TickedQueue *queue, int64 id, int64 event_seq)
{
	int			n = (int) queue_current_number(&queue->row);
	Relation	rel = queue_open_table(queue->row.queue_id, NULL, RING_TICKS, n);
	TimestampTz now = GetCurrentTimestamp();
	Datum		values[Natts_tick];
	bool		nulls[Natts_tick] = {false};

	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("tick table %d of queue \"%s\" does not exist", n, queue->name)));
	LockRelation(rel, RowExclusiveLock);
	values[Anum_tick_queue - 1] = Int32GetDatum(queue->row.queue_id);
	values[Anum_tick_id - 1] = Int64GetDatum(id);
	values[Anum_tick_time - 1] = TimestampTzGetDatum(now);
	values[Anum_tick_snapshot - 1] = PointerGetDatum(snapshot_to_store());
	values[Anum_tick_event_seq - 1] = Int64GetDatum(event_seq);
	values[Anum_tick_horizon - 1] = TimestampTzGetDatum(now);
	insert_row(rel, Natts_tick, values, nulls);
	relation_close(rel, NoLock);

	wake_waiters(queue->row.queue_id);
	if (pgtq_notify_ticks)
		Async_Notify("pgtq_tick", queue->name);
}
