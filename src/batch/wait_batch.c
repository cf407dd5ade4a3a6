/*
 * src/batch/wait_batch.c
 *		wait_batch(): waits for the next batch of a consumer, and opens it.
 *
 * Runs in the session of a consumer.  While it waits it locks nothing: it
 * looks whether there is a tick, sleeps on its latch until a tick's commit
 * wakes it, and only when there is one goes through next_batch().
 *
 * A session that waits writes so into its own place in shared memory, and
 * counts itself into the queue's cell, so that whoever inserts an event wakes
 * the ticker.  It does so before it looks, so that no tick is missed.
 */
#include "postgres.h"

#include "access/xact.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "batch/next_batch.h"
#include "common/now.h"
#include "common/position.h"
#include "common/queue.h"
#include "common/shared.h"
#include "common/snapshot.h"
#include "compat.h"
#include "tick/ticks.h"

PG_FUNCTION_INFO_V1(pgtq_wait_batch);

/* milliseconds between looks without a ticker, and with one, which is to wake us */
#define POLL_INTERVAL 100
#define LONG_INTERVAL 60000

/* the cell that we are counted in, or NULL */
static WakeCell *counted_in = NULL;

static int64 end_of_wait(Datum timeout);
static bool wait_for_batch(text *queue_name, text *consumer_name, int64 until, int64 *batch);
static bool find_subscriber(text *queue_name, text *consumer_name, int32 *queue_id, int32 *sub_id);
static bool batch_is_there(int32 queue_id, int32 sub_id);
static bool begin_waiting(int32 queue_id);
static void end_waiting(int code, Datum arg);

/*
 * wait_batch(queue_name, consumer_name, timeout)
 */
Datum
pgtq_wait_batch(PG_FUNCTION_ARGS)
{
	text	   *queue_name = PG_ARGISNULL(0) ? NULL : PG_GETARG_TEXT_PP(0);
	text	   *consumer_name = PG_ARGISNULL(1) ? NULL : PG_GETARG_TEXT_PP(1);
	int64		until = PG_INT64_MAX;	/* by clock_steady() */
	int64		batch;
	volatile bool found = false;

	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TRANSACTION_STATE),
				 errmsg("pgtq.wait_batch must run under READ COMMITTED"),
				 errdetail("The transaction is %s.",
						   XactIsoLevel == XACT_SERIALIZABLE ? "SERIALIZABLE" : "REPEATABLE READ"),
				 errhint("Call it in a transaction of its own.")));
	if (!PG_ARGISNULL(2))
		until = end_of_wait(PG_GETARG_DATUM(2));

	next_batch_check_name(consumer_name);
	PG_ENSURE_ERROR_CLEANUP(end_waiting, (Datum) 0);
	{
		found = wait_for_batch(queue_name, consumer_name, until, &batch);
	}
	PG_END_ENSURE_ERROR_CLEANUP(end_waiting, (Datum) 0);
	end_waiting(0, (Datum) 0);
	if (!found)
		PG_RETURN_NULL();
	PG_RETURN_INT64(batch);
}

/* By a clock that nobody sets: a consumer is not to wait for an hour more or less. */
static int64
end_of_wait(Datum timeout)
{
	TimestampTz now = GetCurrentTimestamp();
	TimestampTz end = DatumGetTimestampTz(DirectFunctionCall2(timestamptz_pl_interval,
															  TimestampTzGetDatum(now), timeout));

	return TIMESTAMP_NOT_FINITE(end) ? end : clock_steady() + (end - now);
}

static bool
wait_for_batch(text *queue_name, text *consumer_name, int64 until, int64 *batch)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pgtq wait_batch",
												  ALLOCSET_SMALL_SIZES);
	uint32		wait_event = NamedWaitEvent("PgtqWaitBatch");
	bool		known = false;
	int32		queue_id = 0;
	int32		sub_id = 0;

	for (;;)
	{
		MemoryContext old = MemoryContextSwitchTo(context);
		bool		has_ticker = false;
		bool		found = true;	/* if not subscribed: next_batch says what is wrong */
		int64		now;
		long		timeout;

		known = known || find_subscriber(queue_name, consumer_name, &queue_id, &sub_id);
		if (known)
		{
			has_ticker = begin_waiting(queue_id);
			found = batch_is_there(queue_id, sub_id);
		}
		if (found)
			found = next_batch_open(queue_name, consumer_name, batch);
		MemoryContextSwitchTo(old);
		MemoryContextReset(context);
		now = clock_steady();
		if (found || now >= until)
			return found;

		timeout = has_ticker ? LONG_INTERVAL : POLL_INTERVAL;
		timeout = (long) Min(timeout, (until - now - 1) / 1000 + 1);
		if (!(WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, timeout, wait_event) & WL_LATCH_SET))
			known = false;		/* a tick that woke us is of the queue that we know */
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

static bool
find_subscriber(text *queue_name, text *consumer_name, int32 *queue_id, int32 *sub_id)
{
	QueueRow	queue;
	bool		found;

	command_snapshot();
	found = queue_name != NULL && consumer_name != NULL &&
		queue_find(queue_name, &queue) &&
		subscriber_find(queue.queue_id, consumer_name, false, sub_id);
	PopActiveSnapshot();
	if (found)
		*queue_id = queue.queue_id;
	return found;
}

/* Would next_batch() return one? */
static bool
batch_is_there(int32 queue_id, int32 sub_id)
{
	Position	position;
	Tick		tick;
	bool		found;

	command_snapshot();
	found = !position_last(sub_id, &position) || position.is_open ||
		tick_next(queue_id, position.last_tick, &tick);
	PopActiveSnapshot();
	return found;
}

/*
 * Lets the ticker know that we wait, and wakes it if there are events that it
 * has not ticked yet.  False if there is no ticker that could wake us.
 */
static bool
begin_waiting(int32 queue_id)
{
	DatabaseSlot *slot = shared_slot(MyDatabaseId);
	WakeCell   *cell;

	if (slot == NULL)
		return false;
	cell = &slot->cells[shared_cell(queue_id)];
	if (counted_in != cell)
	{
		end_waiting(0, (Datum) 0);
		pg_atomic_fetch_add_u32(&cell->waiters, 1);
		counted_in = cell;
	}
	pg_atomic_write_u64(&shared_waiters[MyProcIndex()], shared_waiter_key(MyDatabaseId, queue_id));
	pg_memory_barrier();
	if (pg_atomic_read_u32(&cell->events) > 0)
	{
		pg_atomic_fetch_or_u32(&slot->news, NEWS_EVENTS);
		shared_set_latch(&slot->ticker_proc);
	}
	return pg_atomic_read_u32(&slot->ticker_proc) != 0;
}

static void
end_waiting(int code, Datum arg)
{
	if (counted_in == NULL)
		return;
	pg_atomic_write_u64(&shared_waiters[MyProcIndex()], 0);
	pg_atomic_fetch_sub_u32(&counted_in->waiters, 1);
	counted_in = NULL;
}
