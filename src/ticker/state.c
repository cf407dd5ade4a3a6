/*
 * src/ticker/state.c
 *		_ticker_state(): what shared memory says of the workers of this database.
 *
 * Runs in any session that asks.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "common/shared.h"

PG_FUNCTION_INFO_V1(pgtq_ticker_state);

/* columns of the result */
enum
{
	PRELOADED,
	LAUNCHER_PID,
	SLOTS_MISSING_SINCE,
	TICKER_PID,
	TICKER_STARTED,
	NEXT_WAKE,
	NEXT_DUE,
	WAKEUPS,
	TICKS,
	MOVES,
	EVENTS_MOVED,
	LATENESS,
	CLOCK_STEPS,
	MAINTENANCE_PID,
	MAINTENANCE_RUNS,
	MAINTENANCE_WAITS,
	ERRORS,
	LAST_ERROR,
	LAST_ERROR_TIME,
	COLUMNS
};

typedef struct State
{
	Datum		values[COLUMNS];
	bool		nulls[COLUMNS];
} State;

static void read_slot(DatabaseSlot *slot, State *state);
static void set_time(State *state, int column, TimestampTz time);
static void set_pid(State *state, int column, pid_t pid);
static void set_counter(State *state, int column, pg_atomic_uint64 *counter);
static Datum lateness_array(DatabaseSlot *slot);

/*
 * _ticker_state()
 */
Datum
pgtq_ticker_state(PG_FUNCTION_ARGS)
{
	DatabaseSlot *slot = shared_slot(MyDatabaseId);
	TupleDesc	desc;
	State		state = {0};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");

	/* counters are zero where there is no slot; the rest is unknown */
	memset(state.nulls, true, sizeof(state.nulls));
	for (int i = WAKEUPS; i <= ERRORS; i++)
		state.nulls[i] = (i == MAINTENANCE_PID);
	state.values[LATENESS] = PointerGetDatum(construct_empty_array(INT8OID));
	state.nulls[PRELOADED] = false;
	state.values[PRELOADED] = BoolGetDatum(shared != NULL);

	if (shared != NULL)
	{
		LWLockAcquire(shared->lock, LW_SHARED);
		set_pid(&state, LAUNCHER_PID, shared->launcher_pid);
		set_time(&state, SLOTS_MISSING_SINCE, shared->slots_missing_since ? shared->slots_missing_since : DT_NOEND);
		if (slot != NULL)
			read_slot(slot, &state);
		LWLockRelease(shared->lock);
	}
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), state.values, state.nulls)));
}

/* Under the lock. */
static void
read_slot(DatabaseSlot *slot, State *state)
{
	TickerCounters *counters = &slot->counters;

	set_pid(state, TICKER_PID, slot->ticker_pid);
	if (slot->ticker_pid != 0)
	{
		set_time(state, TICKER_STARTED, slot->started);
		set_time(state, NEXT_WAKE, (TimestampTz) pg_atomic_read_u64(&slot->planned));
		/* what it was told while it sleeps counts, too */
		set_time(state, NEXT_DUE, Min((TimestampTz) pg_atomic_read_u64(&slot->next_due),
									  (TimestampTz) pg_atomic_read_u64(&slot->earliest)));
	}
	set_counter(state, WAKEUPS, &counters->wakeups);
	set_counter(state, TICKS, &counters->ticks);
	set_counter(state, MOVES, &counters->moves);
	set_counter(state, EVENTS_MOVED, &counters->events_moved);
	state->values[LATENESS] = lateness_array(slot);
	set_counter(state, CLOCK_STEPS, &counters->clock_steps);
	set_pid(state, MAINTENANCE_PID, slot->maintenance_pid);
	set_counter(state, MAINTENANCE_RUNS, &counters->maintenance_runs);
	state->values[MAINTENANCE_WAITS] = BoolGetDatum(slot->maintenance_waits);
	set_counter(state, ERRORS, &counters->errors);
	if (slot->last_error[0] != '\0')
	{
		state->nulls[LAST_ERROR] = false;
		state->values[LAST_ERROR] = CStringGetTextDatum(slot->last_error);
		set_time(state, LAST_ERROR_TIME, slot->last_error_time);
	}
}

static void
set_time(State *state, int column, TimestampTz time)
{
	state->nulls[column] = (time == DT_NOEND);
	state->values[column] = TimestampTzGetDatum(time);
}

static void
set_pid(State *state, int column, pid_t pid)
{
	state->nulls[column] = (pid == 0);
	state->values[column] = Int32GetDatum((int32) pid);
}

static void
set_counter(State *state, int column, pg_atomic_uint64 *counter)
{
	state->values[column] = Int64GetDatum((int64) pg_atomic_read_u64(counter));
}

static Datum
lateness_array(DatabaseSlot *slot)
{
	Datum		numbers[LATENESS_BUCKETS];

	for (int i = 0; i < LATENESS_BUCKETS; i++)
		numbers[i] = Int64GetDatum((int64) pg_atomic_read_u64(&slot->counters.lateness[i]));
	return PointerGetDatum(construct_array(numbers, LATENESS_BUCKETS, INT8OID, sizeof(int64),
										   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
