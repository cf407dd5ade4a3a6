/*
 * src/executor/carried.c
 *		The table of timers that the executor's position is past.
 *
 * Runs in the executor, which alone writes to it.  See structure/executor.sql.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "common/event.h"
#include "common/insert.h"
#include "common/queue.h"
#include "common/snapshot.h"
#include "executor/carried.h"
#include "executor/outcome.h"

enum
{
	Anum_ca_sub = Natts_event + 1,
	Anum_ca_tick,
	Natts_carried = Anum_ca_tick
};

/* a row that is to be removed */
typedef struct Forgotten
{
	int32		sub_id;
	int64		event;
} Forgotten;

static Forgotten *forgotten = NULL;
static int	nforgotten = 0;
static int	room = 0;
static int	nsaving = 0;		/* of them, those that the running task removes */

static SysScanDesc begin_scan(Relation rel, int32 sub_id, int nkeys, int64 event);

/* Reads the timers of a subscription. */
CarriedTimer *
carried_list(int32 sub_id, int32 queue_id, int *count)
{
	Relation	rel = table_open(pgtq_relation("carried"), AccessShareLock);
	TupleDesc	desc = RelationGetDescr(rel);
	SysScanDesc scan = begin_scan(rel, sub_id, 1, 0);
	CarriedTimer *list = palloc(sizeof(CarriedTimer) * 64);
	int			length = 64;
	HeapTuple	tuple;

	*count = 0;
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		CarriedTimer *timer;
		bool		isnull;

		if (*count == length)
			list = repalloc_huge(list, sizeof(CarriedTimer) * (length *= 2));
		timer = &list[(*count)++];
		memset(timer, 0, sizeof(CarriedTimer));
		timer->work.sub_id = sub_id;
		timer->work.queue_id = queue_id;
		timer->work.tick = DatumGetInt64(heap_getattr(tuple, Anum_ca_tick, desc, &isnull));
		timer->work.event = DatumGetInt64(heap_getattr(tuple, Anum_ev_id, desc, &isnull));
		timer->work.relid = RelationGetRelid(rel);
		timer->work.tid = tuple->t_self;
		timer->role = DatumGetObjectId(heap_getattr(tuple, Anum_ev_role, desc, &isnull));
	}
	systable_endscan(scan);
	table_close(rel, NoLock);
	return list;
}

static SysScanDesc
begin_scan(Relation rel, int32 sub_id, int nkeys, int64 event)
{
	static ScanKeyData keys[2];

	ScanKeyInit(&keys[0], Anum_ca_sub, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(sub_id));
	ScanKeyInit(&keys[1], Anum_ev_id, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(event));
	return systable_beginscan(rel, pgtq_relation("carried_pkey"), true, GetActiveSnapshot(), nkeys, keys);
}

/*
 * Copies a timer's event into the table; from then on it is read there.  False
 * if there is no such event any more.
 */
bool
carried_put(WorkItem *work)
{
	Relation	rel;
	TimerRow	row;
	Datum		values[Natts_carried];
	bool		nulls[Natts_carried] = {false};
	SysScanDesc scan;
	HeapTuple	tuple;

	if (!outcome_read(work, &row))
		return false;
	memcpy(values, row.values, sizeof(Datum) * Natts_event);
	memcpy(nulls, row.nulls, sizeof(bool) * Natts_event);
	values[Anum_ca_sub - 1] = Int32GetDatum(work->sub_id);
	values[Anum_ca_tick - 1] = Int64GetDatum(work->tick);
	rel = table_open(pgtq_relation("carried"), RowExclusiveLock);
	insert_row(rel, Natts_carried, values, nulls);

	command_snapshot();
	scan = begin_scan(rel, work->sub_id, 2, work->event);
	tuple = systable_getnext(scan);
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "event " INT64_FORMAT " could not be carried", work->event);
	work->relid = RelationGetRelid(rel);
	work->tid = tuple->t_self;
	systable_endscan(scan);
	PopActiveSnapshot();
	table_close(rel, NoLock);
	return true;
}

/* Notes that a timer is done; its row is removed when positions are saved. */
void
carried_forget(int32 sub_id, int64 event)
{
	if (nforgotten == room)
	{
		room = room ? room * 2 : 64;
		forgotten = forgotten
			? repalloc(forgotten, sizeof(Forgotten) * room)
			: MemoryContextAlloc(TopMemoryContext, sizeof(Forgotten) * room);
	}
	forgotten[nforgotten].sub_id = sub_id;
	forgotten[nforgotten++].event = event;
}

bool
carried_to_save(void)
{
	return nforgotten > 0;
}

/* Removes the rows of what is done.  After the commit comes carried_saved(). */
void
carried_save(void)
{
	Relation	rel;

	nsaving = nforgotten;
	if (nsaving == 0)
		return;
	rel = table_open(pgtq_relation("carried"), RowExclusiveLock);
	command_snapshot();
	for (int i = 0; i < nsaving; i++)
	{
		SysScanDesc scan = begin_scan(rel, forgotten[i].sub_id, 2, forgotten[i].event);
		HeapTuple	tuple = systable_getnext(scan);

		if (HeapTupleIsValid(tuple))
			simple_heap_delete(rel, &tuple->t_self);
		systable_endscan(scan);
	}
	PopActiveSnapshot();
	table_close(rel, NoLock);
}

void
carried_saved(void)
{
	memmove(forgotten, forgotten + nsaving, sizeof(Forgotten) * (nforgotten - nsaving));
	nforgotten -= nsaving;
	nsaving = 0;
}
