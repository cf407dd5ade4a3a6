/*
 * src/tick/ticks.c
 *		Reading ticks of a queue, for _ticks() and for batches.
 *
 * Runs in the sessions of consumers and of the ticker.  Takes ACCESS SHARE on
 * the tables of the ring.
 */
#include "postgres.h"

#include <limits.h>

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/transam.h"
#include "access/xlog.h"
#include "fmgr.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "common/event.h"
#include "common/queue.h"
#include "common/resultset.h"
#include "tick/ticks.h"

PG_FUNCTION_INFO_V1(pgtq_ticks);

/* where ticks were found last is remembered for so many queues */
#define LIKELY_TABLES 16

/* what is asked for */
typedef struct TickRange
{
	bool		from_end;		/* no lower (upper) limit */
	int64		from;
	bool		newest_first;
	int			limit;
	bool		no_flush;		/* for a ticker, which does not act on them */
} TickRange;

/* a tick that was found */
typedef struct FoundTick
{
	int64		id;
	HeapTuple	tuple;
} FoundTick;

/* those found so far */
typedef struct FoundTicks
{
	FoundTick  *ticks;
	int			count;
	int			room;
	TupleDesc	desc;
} FoundTicks;

static FoundTicks find_ticks(int32 queue_id, const TickRange *range);
static bool first_tick(int32 queue_id, const TickRange *range, Tick *tick);
static bool read_table(int32 queue_id, int n, const TickRange *range, bool exactly, FoundTicks *found);
static void read_index(Relation rel, const TickRange *range, bool exactly, FoundTicks *found);
static void remember_tick(FoundTicks *found, int64 id, HeapTuple tuple);
static int	compare_ascending(const void *a, const void *b);
static int	compare_descending(const void *a, const void *b);
static void flush_commit(HeapTuple tuple);

/*
 * _ticks(queue_id, from, newest_first, limit)
 */
Datum
pgtq_ticks(PG_FUNCTION_ARGS)
{
	TickRange	range = {0};
	FoundTicks	found;
	TupleDesc	desc;
	Tuplestorestate *store;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("queue id and order must not be NULL")));
	range.from_end = PG_ARGISNULL(1);
	range.from = range.from_end ? 0 : PG_GETARG_INT64(1);
	range.newest_first = PG_GETARG_BOOL(2);
	range.limit = PG_ARGISNULL(3) ? INT_MAX : PG_GETARG_INT32(3);

	store = resultset_begin(fcinfo, &desc);
	found = find_ticks(PG_GETARG_INT32(0), &range);
	for (int i = 0; i < found.count; i++)
		tuplestore_puttuple(store, found.ticks[i].tuple);
	return (Datum) 0;
}

/* Reads a tick by its id; false if there is none. */
bool
tick_get(int32 queue_id, int64 id, Tick *tick)
{
	TickRange	range = {.from = id, .limit = 1};

	return first_tick(queue_id, &range, tick) && tick->id == id;
}

/* Reads the first tick after another; false if there is none. */
bool
tick_next(int32 queue_id, int64 after, Tick *tick)
{
	TickRange	range = {.from = after + 1, .limit = 1};

	return first_tick(queue_id, &range, tick);
}

/*
 * The same, not made safe from a crash: for the executor, whose commits come
 * after that of the tick in the same log.
 */
bool
tick_next_unflushed(int32 queue_id, int64 after, Tick *tick)
{
	TickRange	range = {.from = after + 1, .limit = 1, .no_flush = true};

	return first_tick(queue_id, &range, tick);
}

/*
 * Reads the newest tick up to an id.  It is not made safe from a crash: for
 * one who is about to write the next, which cannot be there without it.
 */
bool
tick_newest(int32 queue_id, int64 up_to, Tick *tick)
{
	TickRange	range = {.from = up_to, .newest_first = true, .limit = 1, .no_flush = true};

	return first_tick(queue_id, &range, tick);
}

static bool
first_tick(int32 queue_id, const TickRange *range, Tick *tick)
{
	FoundTicks	found = find_ticks(queue_id, range);
	HeapTuple	tuple;
	bool		isnull;

	if (found.count == 0)
		return false;
	tuple = found.ticks[0].tuple;
	tick->id = found.ticks[0].id;
	tick->time = DatumGetTimestampTz(heap_getattr(tuple, Anum_tick_time, found.desc, &isnull));
	tick->snapshot = (StoredSnapshot *)
		PG_DETOAST_DATUM(heap_getattr(tuple, Anum_tick_snapshot, found.desc, &isnull));
	tick->event_seq = DatumGetInt64(heap_getattr(tuple, Anum_tick_event_seq, found.desc, &isnull));
	return true;
}

/*
 * The ticks of a range, in its order, each made safe from a crash.  Every
 * table gives up to limit of them by its index; of these, the first.
 *
 * If only one is wanted it mostly is that with which the range begins, in the same
 * table as the last time; and a search for one value does not read a whole page of
 * the index.
 */
static FoundTicks
find_ticks(int32 queue_id, const TickRange *range)
{
	static int	likely[LIKELY_TABLES];
	int		   *table = &likely[(uint32) queue_id % LIKELY_TABLES];
	FoundTicks	found = {NULL, 0, 0, NULL};

	AcceptInvalidationMessages();	/* the ring may have grown */
	if (range->limit == 1 && !range->from_end)
		read_table(queue_id, *table, range, true, &found);
	if (found.count == 0)
	{
		for (int n = 0; read_table(queue_id, n, range, false, &found); n++)
			if (found.count > 0 && found.ticks[found.count - 1].id == range->from)
				*table = n;
	}
	if (found.count > 1)
		qsort(found.ticks, found.count, sizeof(FoundTick),
			  range->newest_first ? compare_descending : compare_ascending);
	found.count = Min(found.count, range->limit);
	for (int i = 0; i < found.count && !range->no_flush; i++)
		flush_commit(found.ticks[i].tuple);
	return found;
}

/* Looks into a table of the ring; false if there is none of that number. */
static bool
read_table(int32 queue_id, int n, const TickRange *range, bool exactly, FoundTicks *found)
{
	Relation	rel = queue_open_table(queue_id, NULL, RING_TICKS, n);

	if (rel == NULL)
		return false;
	if (found->desc == NULL)
		found->desc = CreateTupleDescCopy(RelationGetDescr(rel));
	read_index(rel, range, exactly, found);
	relation_close(rel, NoLock);
	return true;
}

static void
read_index(Relation rel, const TickRange *range, bool exactly, FoundTicks *found)
{
	Relation	index = queue_open_index(rel, Anum_tick_id);
	ScanDirection direction = range->newest_first ? BackwardScanDirection : ForwardScanDirection;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	if (exactly)
		ScanKeyInit(&key, Anum_tick_id, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(range->from));
	else
		ScanKeyInit(&key, Anum_tick_id,
					range->newest_first ? BTLessEqualStrategyNumber : BTGreaterEqualStrategyNumber,
					range->newest_first ? F_INT8LE : F_INT8GE,
					Int64GetDatum(range->from));
	scan = systable_beginscan_ordered(rel, index, GetActiveSnapshot(),
									  range->from_end ? 0 : 1, &key);
	for (int i = 0; i < range->limit; i++)
	{
		bool		isnull;

		tuple = systable_getnext_ordered(scan, direction);
		if (!HeapTupleIsValid(tuple))
			break;
		remember_tick(found,
					  DatumGetInt64(heap_getattr(tuple, Anum_tick_id, RelationGetDescr(rel), &isnull)),
					  tuple);
	}
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
}

static void
remember_tick(FoundTicks *found, int64 id, HeapTuple tuple)
{
	if (found->room == 0)
	{
		found->room = 8;
		found->ticks = palloc(found->room * sizeof(FoundTick));
	}
	else if (found->count == found->room)
	{
		found->room *= 2;
		found->ticks = repalloc_huge(found->ticks, found->room * sizeof(FoundTick));
	}
	found->ticks[found->count].id = id;
	found->ticks[found->count].tuple = heap_copytuple(tuple);
	found->count++;
}

static int
compare_ascending(const void *a, const void *b)
{
	int64		x = ((const FoundTick *) a)->id;
	int64		y = ((const FoundTick *) b)->id;

	return (x > y) - (x < y);
}

static int
compare_descending(const void *a, const void *b)
{
	return compare_ascending(b, a);
}

/*
 * Makes sure that a tick which we are about to act on survives a crash.  Its
 * transaction may have committed with synchronous_commit = off; then the log
 * is flushed up to that commit.  For all others there is nothing to do.
 */
static void
flush_commit(HeapTuple tuple)
{
	TransactionId xmin = HeapTupleHeaderGetXmin(tuple->t_data);

	if (TransactionIdIsNormal(xmin) && TransactionIdDidCommit(xmin))
	{
		XLogRecPtr	lsn = TransactionIdGetCommitLSN(xmin);

		if (!XLogRecPtrIsInvalid(lsn))
			XLogFlush(lsn);
	}
}
