/*
 * src/batch/scan.c
 *		Reading the events between two ticks.
 *
 * Runs in the sessions of consumers and in the executor.  Takes ACCESS SHARE on
 * the tables of the ring until the transaction ends.
 *
 * _batch() explains the algorithm.  The events are read through the index on
 * ev_txid of every table of the ring, without SQL: there is nothing to plan,
 * and a batch of one event costs its index look-ups.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/transam.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/snapmgr.h"
#include "utils/xid8.h"

#include "batch/scan.h"
#include "common/event.h"

/* transactions this close below the range are taken into it */
#define NEAR_TRANSACTIONS 100

/* a scan in the making */
typedef struct BatchScan
{
	const Batch *batch;
	FullTransactionId tx_from;	/* the range that is read */
	FullTransactionId tx_to;
	FullTransactionId *tx_list; /* others, by exact value */
	int			tx_list_length;
	Datum	   *values;			/* a row of the table that is read */
	bool	   *nulls;
	BatchReader reader;
	void	   *arg;
} BatchScan;

static void find_transactions(BatchScan *scan);
static void read_table(Relation rel, BatchScan *scan);
static void read_range(Relation rel, Relation index, BatchScan *scan);
static void read_list(Relation rel, Relation index, BatchScan *scan);
static void prepare_row(Relation rel, BatchScan *scan);
static void read_event(Relation rel, HeapTuple tuple, BatchScan *scan);

/*
 * Gives each event of a batch to a function, but for retries that are another
 * consumer's.  Reads with the active snapshot.
 */
void
batch_scan(const Batch *batch, BatchReader reader, void *arg)
{
	BatchScan	scan = {.batch = batch, .reader = reader, .arg = arg};
	Relation	rel;

	find_transactions(&scan);
	AcceptInvalidationMessages();	/* the ring may have grown */
	for (int n = 0; (rel = queue_open_table(batch->queue.queue_id, batch->queue.data_pfx, RING_EVENTS, n)) != NULL; n++)
	{
		read_table(rel, &scan);
		relation_close(rel, NoLock);
	}
}

/*
 * Which transactions to look for: those that began between the two ticks, and
 * those that were running at the first and had ended by the second.
 */
static void
find_transactions(BatchScan *scan)
{
	const Batch *batch = scan->batch;
	const StoredSnapshot *prev = batch->prev.snapshot;

	scan->tx_from = prev->xmax;
	scan->tx_to = batch->cur.snapshot->xmax;
	scan->tx_list = palloc(sizeof(FullTransactionId) * Max(prev->nxip, 1));
	scan->tx_list_length = 0;
	for (int i = (int) prev->nxip - 1; i >= 0; i--)
	{
		FullTransactionId txid = prev->xip[i];

		if (!snapshot_sees(batch->cur.snapshot, txid))
			continue;
		if (U64FromFullTransactionId(txid) + NEAR_TRANSACTIONS >= U64FromFullTransactionId(scan->tx_from))
			scan->tx_from = txid;
		else
			scan->tx_list[scan->tx_list_length++] = txid;
	}
}

static void
read_table(Relation rel, BatchScan *scan)
{
	Relation	index = queue_open_index(rel, Anum_ev_txid);

	prepare_row(rel, scan);
	read_range(rel, index, scan);
	if (scan->tx_list_length > 0)
		read_list(rel, index, scan);
	index_close(index, AccessShareLock);
}

/* Transactions that began between the two ticks. */
static void
read_range(Relation rel, Relation index, BatchScan *scan)
{
	ScanKeyData keys[2];
	SysScanDesc index_scan;
	HeapTuple	tuple;
	FullTransactionId last_txid = InvalidFullTransactionId;
	bool		last_in_batch = false;

	ScanKeyInit(&keys[0], Anum_ev_txid, BTGreaterEqualStrategyNumber, F_XID8GE,
				FullTransactionIdGetDatum(scan->tx_from));
	ScanKeyInit(&keys[1], Anum_ev_txid, BTLessStrategyNumber, F_XID8LT,
				FullTransactionIdGetDatum(scan->tx_to));
	index_scan = systable_beginscan_ordered(rel, index, GetActiveSnapshot(), 2, keys);
	while (HeapTupleIsValid(tuple = systable_getnext_ordered(index_scan, ForwardScanDirection)))
	{
		FullTransactionId txid;

		heap_deform_tuple(tuple, RelationGetDescr(rel), scan->values, scan->nulls);

		/* events of one transaction come one after another */
		txid = DatumGetFullTransactionId(scan->values[Anum_ev_txid - 1]);
		if (!FullTransactionIdEquals(txid, last_txid))
		{
			last_txid = txid;
			last_in_batch = snapshot_sees(scan->batch->cur.snapshot, txid) &&
				!snapshot_sees(scan->batch->prev.snapshot, txid);
		}
		if (last_in_batch)
			read_event(rel, tuple, scan);
	}
	systable_endscan_ordered(index_scan);
}

/* Transactions that were running at the first tick and had ended by the second. */
static void
read_list(Relation rel, Relation index, BatchScan *scan)
{
	for (int i = 0; i < scan->tx_list_length; i++)
	{
		ScanKeyData key;
		SysScanDesc index_scan;
		HeapTuple	tuple;

		ScanKeyInit(&key, Anum_ev_txid, BTEqualStrategyNumber, F_XID8EQ,
					FullTransactionIdGetDatum(scan->tx_list[i]));
		index_scan = systable_beginscan_ordered(rel, index, GetActiveSnapshot(), 1, &key);
		while (HeapTupleIsValid(tuple = systable_getnext_ordered(index_scan, ForwardScanDirection)))
		{
			heap_deform_tuple(tuple, RelationGetDescr(rel), scan->values, scan->nulls);
			read_event(rel, tuple, scan);
		}
		systable_endscan_ordered(index_scan);
	}
}

/* Makes room for a row of the table, which may have columns of an administrator's. */
static void
prepare_row(Relation rel, BatchScan *scan)
{
	int			natts = Max(RelationGetDescr(rel)->natts, Natts_event);

	scan->values = palloc(natts * sizeof(Datum));
	scan->nulls = palloc(natts * sizeof(bool));
	memset(scan->nulls, true, natts * sizeof(bool));
}

static void
read_event(Relation rel, HeapTuple tuple, BatchScan *scan)
{
	if (scan->nulls[Anum_ev_owner - 1] ||
		DatumGetInt32(scan->values[Anum_ev_owner - 1]) == scan->batch->sub_id)
		scan->reader(rel, tuple, scan->values, scan->nulls, scan->arg);
}
