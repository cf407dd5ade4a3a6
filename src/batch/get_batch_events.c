/*
 * src/batch/get_batch_events.c
 *		get_batch_events(): the events of a batch.
 *
 * Runs in the session of a consumer.  Takes ACCESS SHARE on the tables of the
 * ring until the transaction ends.
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
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/snapmgr.h"
#include "utils/tuplesort.h"
#include "utils/xid8.h"

#include "common/event.h"
#include "common/position.h"
#include "common/queue.h"
#include "common/resultset.h"
#include "tick/ticks.h"

PG_FUNCTION_INFO_V1(pgtq_get_batch_events);

/* columns of the result, and how they follow from those of the table */
#define Natts_result 10
static const AttrNumber result_columns[Natts_result] = {
	Anum_ev_id, Anum_ev_time, Anum_ev_txid, Anum_ev_retry, Anum_ev_type,
	Anum_ev_data, Anum_ev_extra1, Anum_ev_extra2, Anum_ev_extra3, Anum_ev_extra4
};

/* transactions this close below the range are taken into it */
#define NEAR_TRANSACTIONS 100

/* an open batch */
typedef struct Batch
{
	int32		sub_id;
	QueueRow	queue;
	Tick		prev;
	Tick		cur;
	FullTransactionId tx_from;	/* the range that is read */
	FullTransactionId tx_to;
	FullTransactionId *tx_list; /* others, by exact value */
	int			tx_list_length;
} Batch;

/* where events go, and whether they came in order */
typedef struct Output
{
	Tuplestorestate *store;
	TupleDesc	desc;
	Datum	   *values;			/* a row of the table that is read */
	bool	   *nulls;
	bool		sorted;
	int64		last_id;
} Output;

static bool find_batch(int64 batch_id, Batch *batch);
static void find_transactions(Batch *batch);
static void read_table(Relation rel, const Batch *batch, Output *output);
static void read_range(Relation rel, Relation index, const Batch *batch, Output *output);
static void read_list(Relation rel, Relation index, const Batch *batch, Output *output);
static void prepare_row(Relation rel, Output *output);
static void output_event(const Batch *batch, Output *output);
static void sort_output(Output *output);

Datum
pgtq_get_batch_events(PG_FUNCTION_ARGS)
{
	Batch		batch;
	Output		output = {NULL, NULL, NULL, NULL, true, PG_INT64_MIN};
	Relation	rel;

	command_snapshot();			/* the batch may be one of this very statement */
	if (PG_ARGISNULL(0) || !find_batch(PG_GETARG_INT64(0), &batch))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("batch not found"),
				 errdetail("Batch: %s", PG_ARGISNULL(0) ? "NULL" : psprintf(INT64_FORMAT, PG_GETARG_INT64(0)))));
	find_transactions(&batch);

	output.store = resultset_begin(fcinfo, &output.desc);
	AcceptInvalidationMessages();	/* the ring may have grown */
	for (int n = 0; (rel = queue_open_table(batch.queue.queue_id, batch.queue.data_pfx, RING_EVENTS, n)) != NULL; n++)
	{
		read_table(rel, &batch, &output);
		relation_close(rel, NoLock);
	}
	if (!output.sorted)
		sort_output(&output);
	PopActiveSnapshot();
	return (Datum) 0;
}

/* Finds an open batch with its two ticks. */
static bool
find_batch(int64 batch_id, Batch *batch)
{
	Position	position;
	int32		queue_id;

	return position_of_batch(batch_id, &batch->sub_id) &&
		position_last(batch->sub_id, &position) &&
		position.is_open && position.batch == batch_id &&
		subscriber_find_by_id(batch->sub_id, false, &queue_id) &&
		queue_find_by_id(queue_id, &batch->queue) &&
		tick_get(queue_id, position.last_tick, &batch->prev) &&
		tick_get(queue_id, position.next_tick, &batch->cur);
}

/*
 * Which transactions to look for: those that began between the two ticks, and
 * those that were running at the first and had ended by the second.
 */
static void
find_transactions(Batch *batch)
{
	const StoredSnapshot *prev = batch->prev.snapshot;

	batch->tx_from = prev->xmax;
	batch->tx_to = batch->cur.snapshot->xmax;
	batch->tx_list = palloc(sizeof(FullTransactionId) * Max(prev->nxip, 1));
	batch->tx_list_length = 0;
	for (int i = (int) prev->nxip - 1; i >= 0; i--)
	{
		FullTransactionId txid = prev->xip[i];

		if (!snapshot_sees(batch->cur.snapshot, txid))
			continue;
		if (U64FromFullTransactionId(txid) + NEAR_TRANSACTIONS >= U64FromFullTransactionId(batch->tx_from))
			batch->tx_from = txid;
		else
			batch->tx_list[batch->tx_list_length++] = txid;
	}
}

static void
read_table(Relation rel, const Batch *batch, Output *output)
{
	Relation	index = queue_open_index(rel, Anum_ev_txid);

	prepare_row(rel, output);
	read_range(rel, index, batch, output);
	if (batch->tx_list_length > 0)
		read_list(rel, index, batch, output);
	index_close(index, AccessShareLock);
}

/* Transactions that began between the two ticks. */
static void
read_range(Relation rel, Relation index, const Batch *batch, Output *output)
{
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	FullTransactionId last_txid = InvalidFullTransactionId;
	bool		last_in_batch = false;

	ScanKeyInit(&keys[0], Anum_ev_txid, BTGreaterEqualStrategyNumber, F_XID8GE,
				FullTransactionIdGetDatum(batch->tx_from));
	ScanKeyInit(&keys[1], Anum_ev_txid, BTLessStrategyNumber, F_XID8LT,
				FullTransactionIdGetDatum(batch->tx_to));
	scan = systable_beginscan_ordered(rel, index, GetActiveSnapshot(), 2, keys);
	while (HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
	{
		FullTransactionId txid;

		heap_deform_tuple(tuple, RelationGetDescr(rel), output->values, output->nulls);

		/* events of one transaction come one after another */
		txid = DatumGetFullTransactionId(output->values[Anum_ev_txid - 1]);
		if (!FullTransactionIdEquals(txid, last_txid))
		{
			last_txid = txid;
			last_in_batch = snapshot_sees(batch->cur.snapshot, txid) &&
				!snapshot_sees(batch->prev.snapshot, txid);
		}
		if (last_in_batch)
			output_event(batch, output);
	}
	systable_endscan_ordered(scan);
}

/* Transactions that were running at the first tick and had ended by the second. */
static void
read_list(Relation rel, Relation index, const Batch *batch, Output *output)
{
	for (int i = 0; i < batch->tx_list_length; i++)
	{
		ScanKeyData key;
		SysScanDesc scan;
		HeapTuple	tuple;

		ScanKeyInit(&key, Anum_ev_txid, BTEqualStrategyNumber, F_XID8EQ,
					FullTransactionIdGetDatum(batch->tx_list[i]));
		scan = systable_beginscan_ordered(rel, index, GetActiveSnapshot(), 1, &key);
		while (HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
		{
			heap_deform_tuple(tuple, RelationGetDescr(rel), output->values, output->nulls);
			output_event(batch, output);
		}
		systable_endscan_ordered(scan);
	}
}

/* Makes room for a row of the table, which may have columns of an administrator's. */
static void
prepare_row(Relation rel, Output *output)
{
	int			natts = Max(RelationGetDescr(rel)->natts, Natts_event);

	output->values = palloc(natts * sizeof(Datum));
	output->nulls = palloc(natts * sizeof(bool));
	memset(output->nulls, true, natts * sizeof(bool));
}

/* Returns an event, unless it is a retry for another consumer. */
static void
output_event(const Batch *batch, Output *output)
{
	const Datum *values = output->values;
	const bool *nulls = output->nulls;
	Datum		result[Natts_result];
	bool		result_nulls[Natts_result];
	int64		id = DatumGetInt64(values[Anum_ev_id - 1]);

	if (!nulls[Anum_ev_owner - 1] && DatumGetInt32(values[Anum_ev_owner - 1]) != batch->sub_id)
		return;
	for (int i = 0; i < Natts_result; i++)
	{
		result[i] = values[result_columns[i] - 1];
		result_nulls[i] = nulls[result_columns[i] - 1];
	}
	/* a xid8 is a bigint to PgQ's clients; their datums are the same */
	tuplestore_putvalues(output->store, output->desc, result, result_nulls);
	if (id < output->last_id)
		output->sorted = false;
	output->last_id = id;
}

/*
 * Sorts the result by ev_id.  Mostly it is in order already, one writer having
 * followed the other.
 */
static void
sort_output(Output *output)
{
	AttrNumber	column = 1;
	Oid			operator = Int8LessOperator;
	Oid			collation = InvalidOid;
	bool		nulls_first = false;
	Tuplesortstate *sort = tuplesort_begin_heap(output->desc, 1, &column, &operator, &collation,
												&nulls_first, work_mem, NULL, false);
	TupleTableSlot *slot = MakeSingleTupleTableSlot(output->desc, &TTSOpsMinimalTuple);

	while (tuplestore_gettupleslot(output->store, true, false, slot))
		tuplesort_puttupleslot(sort, slot);
	tuplestore_clear(output->store);
	tuplesort_performsort(sort);
	while (tuplesort_gettupleslot(sort, true, false, slot, NULL))
		tuplestore_puttupleslot(output->store, slot);

	ExecDropSingleTupleTableSlot(slot);
	tuplesort_end(sort);
}
