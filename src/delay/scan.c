/*
 * src/delay/scan.c
 *		Looking for due rows in the delay store.
 *
 * Runs in the session of the mover.  Index look-ups only, under the active
 * snapshot.  _move_due() tells what is looked for.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/xid8.h"

#include "common/event.h"
#include "compat.h"
#include "delay/scan.h"
#include "delay/store.h"

/* index entries of one transaction to step over before it is cheaper to descend again */
#define STEPS_BEFORE_SEEK 16

/* a walk through the index on (ev_txid, dl_due) */
typedef struct TxidScan
{
	Relation	rel;
	Relation	index;
	IndexScanDesc scan;
	TupleTableSlot *slot;
	FullTransactionId txid;		/* of the entry that it is at */
	TimestampTz due;
} TxidScan;

static void txid_scan_begin(TxidScan *walk, Relation rel);
static void txid_scan_seek(TxidScan *walk, FullTransactionId txid, bool exactly);
static bool txid_scan_next(TxidScan *walk);
static bool txid_scan_fetch(TxidScan *walk);
static void txid_scan_end(TxidScan *walk);
static void collect_transaction(TxidScan *walk, int generation, TimestampTz by, DueRows *found);
static bool ended_now(FullTransactionId txid);
static void add_row(DueRows *found, int generation, TupleTableSlot *slot);

/*
 * Finds rows that are due after one time and by another, in order, up to a
 * limit.  after may be DT_NOBEGIN.
 */
void
scan_due_range(Relation rel, int generation, TimestampTz after, TimestampTz by, int limit, DueRows *found)
{
	Relation	index = store_open_index(rel, STORE_BY_DUE);
	TupleTableSlot *slot = table_slot_create(rel, NULL);
	IndexScanDesc scan = index_beginscan(rel, index, GetActiveSnapshot(), 2, 0);
	ScanKeyData keys[2];

	ScanKeyInit(&keys[0], 1, BTGreaterStrategyNumber, F_TIMESTAMPTZ_GT, TimestampTzGetDatum(after));
	ScanKeyInit(&keys[1], 1, BTLessEqualStrategyNumber, F_TIMESTAMPTZ_LE, TimestampTzGetDatum(by));
	index_rescan(scan, keys, 2, NULL, 0);
	while (limit-- > 0 && index_getnext_slot(scan, ForwardScanDirection, slot))
	{
		CHECK_FOR_INTERRUPTS();
		add_row(found, generation, slot);
	}
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	index_close(index, AccessShareLock);
}

/*
 * Finds rows that are due by a time and that a snapshot does not see: all of the
 * transactions that began after it, and of those that were running then and have
 * ended now.
 */
void
scan_unseen(Relation rel, int generation, const StoredSnapshot *seen, TimestampTz by, DueRows *found)
{
	TxidScan	walk;
	int			steps = 0;
	bool		more;

	txid_scan_begin(&walk, rel);
	for (uint32 i = 0; i < seen->nxip && !found->limited; i++)
	{
		if (!ended_now(seen->xip[i]))
			continue;
		txid_scan_seek(&walk, seen->xip[i], true);
		while (!found->limited && txid_scan_next(&walk) && walk.due <= by)
			collect_transaction(&walk, generation, by, found);
	}

	txid_scan_seek(&walk, seen->xmax, false);
	more = txid_scan_next(&walk);
	while (more && !found->limited)
	{
		FullTransactionId txid = walk.txid;
		bool		ended = ended_now(txid);

		if (ended && walk.due <= by)
			collect_transaction(&walk, generation, by, found);

		/* on to what is of interest: the next row, or the next transaction */
		if ((!ended || walk.due > by) && ++steps > STEPS_BEFORE_SEEK)
		{
			FullTransactionIdAdvance(&txid);
			txid_scan_seek(&walk, txid, false);
			steps = 0;
		}
		more = txid_scan_next(&walk);
		if (more && !FullTransactionIdEquals(walk.txid, txid))
			steps = 0;
	}
	txid_scan_end(&walk);
}

/* Takes the row that the walk is at, if it is alive. */
static void
collect_transaction(TxidScan *walk, int generation, TimestampTz by, DueRows *found)
{
	if (!txid_scan_fetch(walk))
		return;
	if (found->count >= found->limit)
		found->limited = true;
	else
		add_row(found, generation, walk->slot);
}

/* The first due time from a time on; false if there is none. */
bool
scan_first_due(Relation rel, TimestampTz from, TimestampTz *due)
{
	Relation	index = store_open_index(rel, STORE_BY_DUE);
	TupleTableSlot *slot = table_slot_create(rel, NULL);
	IndexScanDesc scan = index_beginscan(rel, index, GetActiveSnapshot(), 1, 0);
	ScanKeyData key;
	bool		found;

	ScanKeyInit(&key, 1, BTGreaterEqualStrategyNumber, F_TIMESTAMPTZ_GE, TimestampTzGetDatum(from));
	index_rescan(scan, &key, 1, NULL, 0);
	found = index_getnext_slot(scan, ForwardScanDirection, slot);
	if (found)
	{
		bool		isnull;

		*due = DatumGetTimestampTz(slot_getattr(slot, Anum_dl_due, &isnull));
	}
	index_endscan(scan);
	ExecDropSingleTupleTableSlot(slot);
	index_close(index, AccessShareLock);
	return found;
}

/*
 * The first due time of all rows that a snapshot does not see; false if there is
 * none.  In each transaction that is the first live row, and the others need not be looked
 * at.
 */
bool
scan_first_unseen(Relation rel, const StoredSnapshot *seen, TimestampTz *due)
{
	TxidScan	walk;
	bool		found = false;
	bool		more;

	txid_scan_begin(&walk, rel);
	for (uint32 i = 0; i < seen->nxip; i++)
	{
		if (!ended_now(seen->xip[i]))
			continue;
		txid_scan_seek(&walk, seen->xip[i], true);
		while (txid_scan_next(&walk) && !(found && walk.due >= *due))
			if (txid_scan_fetch(&walk))
			{
				*due = walk.due;
				found = true;
				break;
			}
	}

	txid_scan_seek(&walk, seen->xmax, false);
	more = txid_scan_next(&walk);
	while (more)
	{
		FullTransactionId txid = walk.txid;
		int			steps = 0;

		if (ended_now(txid) && !(found && walk.due >= *due) && txid_scan_fetch(&walk))
		{
			*due = walk.due;
			found = true;
		}
		else if (ended_now(txid) && !(found && walk.due >= *due))
		{
			more = txid_scan_next(&walk);	/* a dead one: the next of this transaction */
			continue;
		}
		/* on to the next transaction */
		while ((more = txid_scan_next(&walk)) && FullTransactionIdEquals(walk.txid, txid))
			if (++steps > STEPS_BEFORE_SEEK)
			{
				FullTransactionIdAdvance(&txid);
				txid_scan_seek(&walk, txid, false);
				more = txid_scan_next(&walk);
				break;
			}
	}
	txid_scan_end(&walk);
	return found;
}

/*
 * The walk reads what stands in the index, without a look at the rows: those of a
 * transaction that is running are not ours to see, and there may be a million
 * of them.
 */
static void
txid_scan_begin(TxidScan *walk, Relation rel)
{
	walk->rel = rel;
	walk->index = store_open_index(rel, STORE_BY_TXID);
	walk->scan = index_beginscan(rel, walk->index, GetActiveSnapshot(), 1, 0);
	walk->scan->xs_want_itup = true;
	walk->slot = table_slot_create(rel, NULL);
}

/* Puts the walk before the first entry of a transaction; it ends there, or goes on. */
static void
txid_scan_seek(TxidScan *walk, FullTransactionId txid, bool exactly)
{
	ScanKeyData key;

	ScanKeyInit(&key, 1,
				exactly ? BTEqualStrategyNumber : BTGreaterEqualStrategyNumber,
				exactly ? F_XID8EQ : F_XID8GE,
				FullTransactionIdGetDatum(txid));
	ExecClearTuple(walk->slot);
	index_rescan(walk->scan, &key, 1, NULL, 0);
}

static bool
txid_scan_next(TxidScan *walk)
{
	bool		isnull;

	CHECK_FOR_INTERRUPTS();
	if (index_getnext_tid(walk->scan, ForwardScanDirection) == NULL)
		return false;
	walk->txid = DatumGetFullTransactionId(index_getattr(walk->scan->xs_itup, 1, walk->scan->xs_itupdesc, &isnull));
	walk->due = DatumGetTimestampTz(index_getattr(walk->scan->xs_itup, 2, walk->scan->xs_itupdesc, &isnull));
	return true;
}

/* Reads the row that the walk is at; false if we do not see it. */
static bool
txid_scan_fetch(TxidScan *walk)
{
	return index_fetch_heap(walk->scan, walk->slot);
}

static void
txid_scan_end(TxidScan *walk)
{
	index_endscan(walk->scan);
	ExecDropSingleTupleTableSlot(walk->slot);
	index_close(walk->index, AccessShareLock);
}

/* Has a transaction ended, for the active snapshot? */
static bool
ended_now(FullTransactionId txid)
{
	return FullTransactionIdPrecedes(txid, ReadNextFullTransactionId()) &&
		!XidInMVCCSnapshot(XidFromFullTransactionId(txid), GetActiveSnapshot());
}

static void
add_row(DueRows *found, int generation, TupleTableSlot *slot)
{
	DueRow	   *row;
	bool		isnull;
	Datum		timer;

	if (found->count == found->room)
	{
		found->room = (found->room == 0) ? 64 : found->room * 2;
		found->rows = (found->rows == NULL)
			? palloc(found->room * sizeof(DueRow))
			: repalloc_huge(found->rows, found->room * sizeof(DueRow));
	}
	row = &found->rows[found->count++];
	row->due = DatumGetTimestampTz(slot_getattr(slot, Anum_dl_due, &isnull));
	timer = slot_getattr(slot, Anum_ev_timer, &isnull);
	row->timer = isnull ? 0 : DatumGetInt64(timer);
	row->queue_id = DatumGetInt32(slot_getattr(slot, Anum_dl_queue, &isnull));
	row->generation = generation;
	row->tuple = ExecCopySlotHeapTuple(slot);
}
