/*
 * src/schedule/schedule.c
 *		schedule_at(), schedule_in(), schedule_many(), insert_event_at() and
 *		insert_event_in().
 *
 * Runs in the session of whoever schedules.  Takes ROW EXCLUSIVE on the current
 * generation of the delay store and keeps it until the transaction ends.
 *
 * A plain timer is stored here, without SQL.  Whatever is rare or wrong goes to
 * _schedule(), which both builds have: keys, the first timer of a role, the
 * queue "timers" when it does not exist yet, arguments to be refused.  So
 * there is one place that checks, and one text for each error.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "common/now.h"
#include "common/event.h"
#include "common/queue.h"
#include "common/snapshot.h"
#include "delay/store.h"
#include "schedule/call.h"

PG_FUNCTION_INFO_V1(pgtq_schedule_at);
PG_FUNCTION_INFO_V1(pgtq_schedule_in);
PG_FUNCTION_INFO_V1(pgtq_schedule_many);
PG_FUNCTION_INFO_V1(pgtq_insert_event_at);
PG_FUNCTION_INFO_V1(pgtq_insert_event_in);

#define MAX_ACTION 1048576

/* arguments of schedule_at() and schedule_in(), by number */
enum
{
	ARG_AT,
	ARG_ACTION,
	ARG_SHARD,
	ARG_TIMEOUT,
	ARG_QUEUE,
	ARG_KEY,
	ARG_ON_CONFLICT,
	ARG_MAX_DELAY,
	ARG_ATTEMPTS,
	ARG_BACKOFF,
	ARG_EXPIRES
};

/* schedule_many() has no max_delay */
enum
{
	MANY_ATTEMPTS = 7,
	MANY_BACKOFF,
	MANY_EXPIRES
};

/* arguments of insert_event_at() and insert_event_in() */
enum
{
	EVENT_QUEUE,
	EVENT_AT,
	EVENT_TYPE,
	EVENT_DATA,
	EVENT_EXTRA1,
	EVENT_KEY = EVENT_EXTRA1 + 4
};

static Datum schedule(FunctionCallInfo fcinfo, Datum at, bool at_isnull);
static Datum insert_event_later(FunctionCallInfo fcinfo, Datum at, bool at_isnull);
static Datum time_from_now(Datum delay);
static bool is_plain(FunctionCallInfo fcinfo, int attempts, int backoff, int expires);
static bool is_plain_action(Datum action);
static bool open_queue(Datum name, bool is_action, QueueRow *queue);
static void fill_options(FunctionCallInfo fcinfo, int attempts, int backoff, Datum *values, bool *nulls);
static void fill_timer(const QueueRow *queue, TimestampTz at, TimestampTz created, Datum *values, bool *nulls);
static void set_column(Datum *values, bool *nulls, AttrNumber column, Datum value);
static bool role_is_noted(Oid role);

Datum
pgtq_schedule_at(PG_FUNCTION_ARGS)
{
	return schedule(fcinfo, PG_GETARG_DATUM(ARG_AT), PG_ARGISNULL(ARG_AT));
}

Datum
pgtq_schedule_in(PG_FUNCTION_ARGS)
{
	return schedule(fcinfo,
					PG_ARGISNULL(ARG_AT) ? (Datum) 0 : time_from_now(PG_GETARG_DATUM(ARG_AT)),
					PG_ARGISNULL(ARG_AT));
}

Datum
pgtq_insert_event_at(PG_FUNCTION_ARGS)
{
	return insert_event_later(fcinfo, PG_GETARG_DATUM(EVENT_AT), PG_ARGISNULL(EVENT_AT));
}

Datum
pgtq_insert_event_in(PG_FUNCTION_ARGS)
{
	return insert_event_later(fcinfo,
							  PG_ARGISNULL(EVENT_AT) ? (Datum) 0 : time_from_now(PG_GETARG_DATUM(EVENT_AT)),
							  PG_ARGISNULL(EVENT_AT));
}

/* Schedules an action. */
static Datum
schedule(FunctionCallInfo fcinfo, Datum at, bool at_isnull)
{
	Datum		values[Natts_delay] = {0};
	bool		nulls[Natts_delay];
	QueueRow	queue;

	call_refuse_replica();
	if (at_isnull || TIMESTAMP_NOT_FINITE(DatumGetTimestampTz(at)) ||
		PG_ARGISNULL(ARG_ACTION) || !is_plain_action(PG_GETARG_DATUM(ARG_ACTION)) ||
		!PG_ARGISNULL(ARG_KEY) || !PG_ARGISNULL(ARG_MAX_DELAY) ||
		!is_plain(fcinfo, ARG_ATTEMPTS, ARG_BACKOFF, ARG_EXPIRES) ||
		!open_queue(PG_GETARG_DATUM(ARG_QUEUE), true, &queue))
		return call_schedule(fcinfo, at, at_isnull);

	memset(nulls, true, sizeof(nulls));
	fill_options(fcinfo, ARG_ATTEMPTS, ARG_BACKOFF, values, nulls);
	if (!PG_ARGISNULL(ARG_SHARD) && PG_GETARG_INT64(ARG_SHARD) != 0)
		set_column(values, nulls, Anum_ev_shard, PG_GETARG_DATUM(ARG_SHARD));
	set_column(values, nulls, Anum_ev_type, CStringGetTextDatum("timer"));
	set_column(values, nulls, Anum_ev_data, PG_GETARG_DATUM(ARG_ACTION));
	if (!PG_ARGISNULL(ARG_EXPIRES))
		set_column(values, nulls, Anum_ev_expires,
				   DirectFunctionCall2(timestamptz_pl_interval, at, PG_GETARG_DATUM(ARG_EXPIRES)));
	fill_timer(&queue, DatumGetTimestampTz(at), clock_now(), values, nulls);
	store_insert(1, values, nulls);
	return values[Anum_ev_timer - 1];
}

/* Schedules an event without an action. */
static Datum
insert_event_later(FunctionCallInfo fcinfo, Datum at, bool at_isnull)
{
	Datum		values[Natts_delay] = {0};
	bool		nulls[Natts_delay];
	QueueRow	queue;

	call_refuse_replica();
	if (at_isnull || TIMESTAMP_NOT_FINITE(DatumGetTimestampTz(at)) ||
		PG_ARGISNULL(EVENT_QUEUE) || !PG_ARGISNULL(EVENT_KEY) ||
		!open_queue(PG_GETARG_DATUM(EVENT_QUEUE), false, &queue))
		return call_insert_event(fcinfo, at, at_isnull);

	memset(nulls, true, sizeof(nulls));
	for (int arg = EVENT_TYPE; arg < EVENT_KEY; arg++)
		if (!PG_ARGISNULL(arg))
			set_column(values, nulls, Anum_ev_type + (arg - EVENT_TYPE), PG_GETARG_DATUM(arg));
	fill_timer(&queue, DatumGetTimestampTz(at), clock_now(), values, nulls);
	store_insert(1, values, nulls);
	return values[Anum_ev_timer - 1];
}

/*
 * schedule_many(fire_at[], action[], shard_key[], timeout_ms, queue, key[],
 *				 on_conflict, max_attempts, backoff, expires_in)
 */
Datum
pgtq_schedule_many(PG_FUNCTION_ARGS)
{
	QueueRow	queue;
	Datum	   *times;
	Datum	   *actions;
	bool	   *time_nulls;
	bool	   *action_nulls;
	int			count;
	int			action_count;
	Datum	   *values;
	bool	   *nulls;
	Datum	   *ids;
	TimestampTz now = clock_now();

	call_refuse_replica();
	if (PG_ARGISNULL(ARG_AT) || PG_ARGISNULL(ARG_ACTION) ||
		!PG_ARGISNULL(ARG_SHARD) || !PG_ARGISNULL(ARG_KEY) ||
		!is_plain(fcinfo, MANY_ATTEMPTS, MANY_BACKOFF, MANY_EXPIRES))
		return call_schedule_many(fcinfo);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(ARG_AT), TIMESTAMPTZOID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &times, &time_nulls, &count);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(ARG_ACTION), TEXTOID, -1, false, TYPALIGN_INT,
					  &actions, &action_nulls, &action_count);
	if (count != action_count)
		return call_schedule_many(fcinfo);
	for (int i = 0; i < count; i++)
		if (time_nulls[i] || TIMESTAMP_NOT_FINITE(DatumGetTimestampTz(times[i])) ||
			action_nulls[i] || !is_plain_action(actions[i]))
			return call_schedule_many(fcinfo);
	if (!open_queue(PG_GETARG_DATUM(ARG_QUEUE), true, &queue))
		return call_schedule_many(fcinfo);

	values = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(Datum) * Natts_delay * Max(count, 1), MCXT_ALLOC_HUGE);
	nulls = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(bool) * Natts_delay * Max(count, 1), MCXT_ALLOC_HUGE);
	ids = palloc(sizeof(Datum) * Max(count, 1));
	memset(nulls, true, sizeof(bool) * Natts_delay * Max(count, 1));
	for (int i = 0; i < count; i++)
	{
		Datum	   *row = values + i * Natts_delay;
		bool	   *row_nulls = nulls + i * Natts_delay;

		fill_options(fcinfo, MANY_ATTEMPTS, MANY_BACKOFF, row, row_nulls);
		set_column(row, row_nulls, Anum_ev_type, CStringGetTextDatum("timer"));
		set_column(row, row_nulls, Anum_ev_data, actions[i]);
		if (!PG_ARGISNULL(MANY_EXPIRES))
			set_column(row, row_nulls, Anum_ev_expires,
					   DirectFunctionCall2(timestamptz_pl_interval, times[i], PG_GETARG_DATUM(MANY_EXPIRES)));
		fill_timer(&queue, DatumGetTimestampTz(times[i]), now, row, row_nulls);
		ids[i] = row[Anum_ev_timer - 1];
	}
	store_insert(count, values, nulls);
	PG_RETURN_ARRAYTYPE_P(construct_array(ids, count, INT8OID, 8, FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* The time that is a delay away from now. */
static Datum
time_from_now(Datum delay)
{
	return DirectFunctionCall2(timestamptz_pl_interval, TimestampTzGetDatum(clock_now()), delay);
}

/* Is there nothing to refuse in the arguments that all of these functions have? */
static bool
is_plain(FunctionCallInfo fcinfo, int attempts, int backoff, int expires)
{
	static const Interval zero = {0, 0, 0};
	text	   *on_conflict;

	if (PG_ARGISNULL(ARG_QUEUE) || PG_ARGISNULL(ARG_ON_CONFLICT) ||
		(!PG_ARGISNULL(ARG_TIMEOUT) && PG_GETARG_INT32(ARG_TIMEOUT) < 0) ||
		(!PG_ARGISNULL(attempts) && PG_GETARG_INT32(attempts) < 1))
		return false;
	if (!PG_ARGISNULL(backoff) &&
		DatumGetBool(DirectFunctionCall2(interval_lt, PG_GETARG_DATUM(backoff), IntervalPGetDatum(&zero))))
		return false;
	if (!PG_ARGISNULL(expires) &&
		DatumGetBool(DirectFunctionCall2(interval_le, PG_GETARG_DATUM(expires), IntervalPGetDatum(&zero))))
		return false;
	/* without a key it means nothing, but has to be a word that we know */
	on_conflict = PG_GETARG_TEXT_PP(ARG_ON_CONFLICT);
	return VARSIZE_ANY_EXHDR(on_conflict) == 4 && memcmp(VARDATA_ANY(on_conflict), "keep", 4) == 0;
}

/* Neither empty nor too long. */
static bool
is_plain_action(Datum action)
{
	text	   *sql = DatumGetTextPP(action);
	const char *bytes = VARDATA_ANY(sql);
	int			length = VARSIZE_ANY_EXHDR(sql);

	if (length > MAX_ACTION)
		return false;
	for (int i = 0; i < length; i++)
		if (strchr(" \t\r\n", bytes[i]) == NULL)
			return true;
	return false;
}

/*
 * Finds a queue that timers can be scheduled on by this role at once, and makes
 * sure that we may write.
 */
static bool
open_queue(Datum name, bool is_action, QueueRow *queue)
{
	if (!queue_find(DatumGetTextPP(name), queue) || queue->disable_insert || !queue->is_home ||
		(is_action && !queue->has_executor) || !role_is_noted(GetUserId()))
		return false;
	PreventCommandDuringRecovery("nextval()");
	PreventCommandIfReadOnly("nextval()");
	return true;
}

/* The columns of an action that are the same for all of a call; defaults are not stored. */
static void
fill_options(FunctionCallInfo fcinfo, int attempts, int backoff, Datum *values, bool *nulls)
{
	set_column(values, nulls, Anum_ev_attempts,
			   PG_ARGISNULL(attempts) ? Int32GetDatum(1) : PG_GETARG_DATUM(attempts));
	if (!PG_ARGISNULL(ARG_TIMEOUT) && PG_GETARG_INT32(ARG_TIMEOUT) != 0)
		set_column(values, nulls, Anum_ev_timeout, PG_GETARG_DATUM(ARG_TIMEOUT));
	if (!PG_ARGISNULL(backoff))
	{
		static const Interval second = {USECS_PER_SEC, 0, 0};

		if (!DatumGetBool(DirectFunctionCall2(interval_eq, PG_GETARG_DATUM(backoff), IntervalPGetDatum(&second))))
			set_column(values, nulls, Anum_ev_backoff, PG_GETARG_DATUM(backoff));
	}
}

/* The columns that every timer has. */
static void
fill_timer(const QueueRow *queue, TimestampTz at, TimestampTz created, Datum *values, bool *nulls)
{
	static Oid	sequence = InvalidOid;

	if (get_rel_relkind(sequence) != RELKIND_SEQUENCE)
		sequence = pgtq_relation("timer_id_seq");
	set_column(values, nulls, Anum_ev_timer, Int64GetDatum(nextval_internal(sequence, false)));
	set_column(values, nulls, Anum_ev_role, ObjectIdGetDatum(GetUserId()));
	set_column(values, nulls, Anum_ev_created, TimestampTzGetDatum(created));
	set_column(values, nulls, Anum_dl_queue, Int32GetDatum(queue->queue_id));
	set_column(values, nulls, Anum_dl_due, TimestampTzGetDatum(at));
}

static void
set_column(Datum *values, bool *nulls, AttrNumber column, Datum value)
{
	values[column - 1] = value;
	nulls[column - 1] = false;
}

/*
 * Is the role's name in pgtq.role?  What is found there and committed is
 * remembered for the session: rows do not leave that table.
 */
static bool
role_is_noted(Oid role)
{
	static Oid	noted = InvalidOid;
	Relation	rel;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		found;

	if (role == noted)
		return true;
	rel = table_open(pgtq_relation("role"), AccessShareLock);
	ScanKeyInit(&key, 1, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(role));
	scan = systable_beginscan(rel, pgtq_relation("role_oid_idx"), true, GetActiveSnapshot(), 1, &key);
	tuple = systable_getnext(scan);
	found = HeapTupleIsValid(tuple);
	if (found && !TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data)))
		noted = role;
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return found;
}
