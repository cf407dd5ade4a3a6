/*
 * src/batch/next_batch.c
 *		next_batch_custom() and finish_batch().
 *
 * Runs in the session of a consumer.  Locks the consumer's subscriber row
 * until the transaction ends, so of two sessions that serve one consumer the
 * second waits for the first.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "batch/next_batch.h"
#include "common/position.h"
#include "common/queue.h"
#include "tick/ticks.h"

PG_FUNCTION_INFO_V1(pgtq_next_batch);
PG_FUNCTION_INFO_V1(pgtq_next_batch_custom);
PG_FUNCTION_INFO_V1(pgtq_finish_batch);

/* what kind of batch the consumer wants, all of it optional */
typedef struct Wish
{
	Interval   *min_lag;
	bool		has_min_count;
	int32		min_count;
	Interval   *min_interval;
} Wish;

static bool open_batch(text *queue_name, text *consumer_name, const Wish *wish,
					   Position *position, Tick *prev, Tick *cur);
static bool find_last_tick(int32 queue_id, const Tick *prev, const Wish *wish, Tick *cur);

/*
 * next_batch(queue_name, consumer_name)
 */
Datum
pgtq_next_batch(PG_FUNCTION_ARGS)
{
	int64		batch;

	if (!next_batch_open(PG_ARGISNULL(0) ? NULL : PG_GETARG_TEXT_PP(0),
						 PG_ARGISNULL(1) ? NULL : PG_GETARG_TEXT_PP(1), &batch))
		PG_RETURN_NULL();
	PG_RETURN_INT64(batch);
}

/* next_batch(), for C: false if there is nothing to read yet. */
bool
next_batch_open(text *queue_name, text *consumer_name, int64 *batch)
{
	Wish		wish = {NULL, false, 0, NULL};
	Position	position;
	Tick		prev;
	Tick		cur;

	if (!open_batch(queue_name, consumer_name, &wish, &position, &prev, &cur))
		return false;
	*batch = position.batch;
	return true;
}

/* Refuses the name of the executor, as _check_consumer_name() does. */
void
next_batch_check_name(text *consumer_name)
{
	if (consumer_name != NULL && strcmp(text_to_cstring(consumer_name), "pgtq.executor") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_RESERVED_NAME),
				 errmsg("consumer \"pgtq.executor\" is reserved"),
				 errhint("See attach_executor() and detach_executor().")));
}

/*
 * next_batch_custom(queue_name, consumer_name, min_lag, min_count, min_interval)
 */
Datum
pgtq_next_batch_custom(PG_FUNCTION_ARGS)
{
	Wish		wish;
	Position	position;
	Tick		prev;
	Tick		cur;
	TupleDesc	desc;
	Datum		values[7] = {0};
	bool		nulls[7];

	wish.min_lag = PG_ARGISNULL(2) ? NULL : PG_GETARG_INTERVAL_P(2);
	wish.has_min_count = !PG_ARGISNULL(3);
	wish.min_count = wish.has_min_count ? PG_GETARG_INT32(3) : 0;
	wish.min_interval = PG_ARGISNULL(4) ? NULL : PG_GETARG_INTERVAL_P(4);
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	memset(nulls, true, sizeof(nulls));
	if (open_batch(PG_ARGISNULL(0) ? NULL : PG_GETARG_TEXT_PP(0),
				   PG_ARGISNULL(1) ? NULL : PG_GETARG_TEXT_PP(1),
				   &wish, &position, &prev, &cur))
	{
		values[0] = Int64GetDatum(position.batch);
		values[1] = Int64GetDatum(cur.id);
		values[2] = Int64GetDatum(prev.id);
		values[3] = TimestampTzGetDatum(cur.time);
		values[4] = TimestampTzGetDatum(prev.time);
		values[5] = Int64GetDatum(cur.event_seq);
		values[6] = Int64GetDatum(prev.event_seq);
		memset(nulls, false, sizeof(nulls));
	}
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}

/*
 * finish_batch(batch_id)
 */
Datum
pgtq_finish_batch(PG_FUNCTION_ARGS)
{
	int64		batch_id = PG_ARGISNULL(0) ? 0 : PG_GETARG_INT64(0);
	int32		sub_id;
	int32		queue_id;
	Position	position;
	bool		found;
	bool		log_is_seen;

	PreventCommandIfReadOnly("SELECT FOR UPDATE");
	command_snapshot();
	log_is_seen = position_log_is_seen();
	found = !PG_ARGISNULL(0) &&
		position_of_batch(batch_id, &sub_id) &&
		subscriber_find_by_id(sub_id, true, &queue_id);
	PopActiveSnapshot();

	if (found)
	{
		command_snapshot();		/* one from after the lock */
		found = position_last(sub_id, &position) &&
			position.is_open && position.batch == batch_id;
		if (found)
		{
			position.n++;
			position.last_tick = position.next_tick;
			position.is_open = false;
			position_append(&position);
		}
		PopActiveSnapshot();
	}
	if (!found && IsolationUsesXactSnapshot() && !log_is_seen)
		position_out_of_date();
	if (!found)
		ereport(WARNING,
				(errmsg("finish_batch: batch %s not found",
						PG_ARGISNULL(0) ? "<NULL>" : psprintf(INT64_FORMAT, batch_id))));
	PG_RETURN_INT32(found ? 1 : 0);
}

/*
 * Opens the next batch of a consumer, or finds the one that is open.  False if
 * there is nothing to read yet.
 */
static bool
open_batch(text *queue_name, text *consumer_name, const Wish *wish,
		   Position *position, Tick *prev, Tick *cur)
{
	QueueRow	queue;
	int32		sub_id;
	bool		found;

	next_batch_check_name(consumer_name);
	PreventCommandIfReadOnly("SELECT FOR UPDATE");
	command_snapshot();
	found = queue_name != NULL && consumer_name != NULL &&
		queue_find(queue_name, &queue) &&
		subscriber_find(queue.queue_id, consumer_name, true, &sub_id);
	PopActiveSnapshot();
	if (!found)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("Not subscriber to queue: %s/%s",
						queue_name ? text_to_cstring(queue_name) : "NULL",
						consumer_name ? text_to_cstring(consumer_name) : "NULL"),
				 errhint("Consumers are made with register_consumer().")));

	command_snapshot();			/* one from after the lock */
	if (!position_last(sub_id, position) ||
		!tick_get(queue.queue_id, position->last_tick, prev))
		position_out_of_date(); /* an old snapshot, and its rows are truncated */

	if (position->is_open)
	{
		if (!tick_get(queue.queue_id, position->next_tick, cur))
			position_out_of_date();
	}
	else
	{
		found = find_last_tick(queue.queue_id, prev, wish, cur);
		if (found && wish->min_lag != NULL)
		{
			Datum		age = DirectFunctionCall2(timestamp_mi,
												  TimestampTzGetDatum(GetCurrentTimestamp()),
												  TimestampTzGetDatum(cur->time));

			found = !DatumGetBool(DirectFunctionCall2(interval_lt, age, IntervalPGetDatum(wish->min_lag)));
		}
		if (found)
		{
			position->n++;
			position->is_open = true;
			position->batch = nextval_internal(pgtq_relation("batch_id_seq"), false);
			position->next_tick = cur->id;
			position_append(position);
		}
	}
	PopActiveSnapshot();
	return found;
}

/*
 * The tick at which the next batch ends: the next one, or for a consumer with
 * wishes the one that find_tick_helper() chooses.
 */
static bool
find_last_tick(int32 queue_id, const Tick *prev, const Wish *wish, Tick *cur)
{
	Oid			types[6] = {INT4OID, INT8OID, TIMESTAMPTZOID, INT8OID, INT8OID, INTERVALOID};
	Datum		args[6];
	char		nulls[6] = {' ', ' ', ' ', ' ', ' ', ' '};
	int64		id;
	bool		isnull;

	if (!wish->has_min_count && wish->min_interval == NULL)
		return tick_next(queue_id, prev->id, cur);

	args[0] = Int32GetDatum(queue_id);
	args[1] = Int64GetDatum(prev->id);
	args[2] = TimestampTzGetDatum(prev->time);
	args[3] = Int64GetDatum(prev->event_seq);
	args[4] = Int64GetDatum((int64) wish->min_count);
	nulls[4] = wish->has_min_count ? ' ' : 'n';
	args[5] = wish->min_interval ? IntervalPGetDatum(wish->min_interval) : (Datum) 0;
	nulls[5] = wish->min_interval ? ' ' : 'n';

	SPI_connect();
	if (SPI_execute_with_args("select f.next_tick_id from pgtq.find_tick_helper($1, $2, $3, $4, $5, $6) f",
							  6, types, args, nulls, false, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "find_tick_helper() returned no row");
	id = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	SPI_finish();
	return !isnull && tick_get(queue_id, id, cur);
}
