/*
 * src/batch/get_batch_events.c
 *		get_batch_events(): the events of a batch.
 *
 * Runs in the session of a consumer.  Takes ACCESS SHARE on the tables of the
 * ring until the transaction ends.
 *
 * scan.c reads them.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/tuplesort.h"

#include "batch/scan.h"
#include "common/event.h"
#include "common/position.h"
#include "common/queue.h"
#include "common/resultset.h"

PG_FUNCTION_INFO_V1(pgtq_get_batch_events);

/* columns of the result, and how they follow from those of the table */
#define Natts_result 10
static const AttrNumber result_columns[Natts_result] = {
	Anum_ev_id, Anum_ev_time, Anum_ev_txid, Anum_ev_retry, Anum_ev_type,
	Anum_ev_data, Anum_ev_extra1, Anum_ev_extra2, Anum_ev_extra3, Anum_ev_extra4
};

/* where events go, and whether they came in order */
typedef struct Output
{
	Tuplestorestate *store;
	TupleDesc	desc;
	bool		sorted;
	int64		last_id;
} Output;

static bool find_batch(int64 batch_id, Batch *batch);
static void output_event(Relation rel, HeapTuple tuple, const Datum *values, const bool *nulls, void *arg);
static void sort_output(Output *output);

Datum
pgtq_get_batch_events(PG_FUNCTION_ARGS)
{
	Batch		batch;
	Output		output = {NULL, NULL, true, PG_INT64_MIN};

	command_snapshot();			/* the batch may be one of this very statement */
	if (PG_ARGISNULL(0) || !find_batch(PG_GETARG_INT64(0), &batch))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("batch not found"),
				 errdetail("Batch: %s", PG_ARGISNULL(0) ? "NULL" : psprintf(INT64_FORMAT, PG_GETARG_INT64(0))),
				 errhint("next_batch() tells the id of the open batch; after finish_batch() it is gone.")));
	output.store = resultset_begin(fcinfo, &output.desc);
	batch_scan(&batch, output_event, &output);
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

/* Returns an event. */
static void
output_event(Relation rel, HeapTuple tuple, const Datum *values, const bool *nulls, void *arg)
{
	Output	   *output = arg;
	Datum		result[Natts_result];
	bool		result_nulls[Natts_result];
	int64		id = DatumGetInt64(values[Anum_ev_id - 1]);

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
