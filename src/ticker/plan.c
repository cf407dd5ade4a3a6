/*
 * src/ticker/plan.c
 *		Which queue is to be ticked when, as the ticker sees it.
 *
 * Runs in the ticker.  Decides when a queue is worth a look; _tick() then
 * looks, and decides whether there is anything to tick.
 *
 *   a consumer waits, and there are events     at once
 *   max_count events                           at once
 *   some events                                max_lag after the last tick
 *   none                                       idle_period after the last tick
 *
 * How many events there are is told by the cell of the queue, which others may
 * share: a tick in vain costs little.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "utils/hsearch.h"
#include "utils/timestamp.h"

#include "ticker/plan.h"
#include "ticker/worker.h"

/* an idle period of zero is for those who tick by hand */
#define SHORTEST_IDLE_PERIOD USECS_PER_SEC

#define LONGEST_BACKOFF 60

static HTAB *queues = NULL;
static DatabaseSlot *slot = NULL;

static void read_row(HeapTuple tuple, TupleDesc desc);
static void forget_unlisted(void);
static void publish_enough(void);
static TimestampTz queue_time(const QueuePlan *queue);
static bool somebody_waits(int32 queue_id);

void
plan_init(DatabaseSlot *my_slot)
{
	HASHCTL		ctl;

	slot = my_slot;
	ctl.keysize = sizeof(int32);
	ctl.entrysize = sizeof(QueuePlan);
	queues = hash_create("pgtq queues of the ticker", 64, &ctl, HASH_ELEM | HASH_BLOBS);
}

/* Reads pgtq.queue.  A queue that is new to us is looked at at once. */
void
plan_read(void)
{
	static SPIPlanPtr plan = NULL;
	HASH_SEQ_STATUS seq;
	QueuePlan  *queue;

	worker_plan(&plan,
				"select queue_id, not queue_external_ticker and not queue_ticker_paused,"
				" queue_ticker_max_count,"
				" (extract(epoch from queue_ticker_max_lag) * 1000000)::bigint,"
				" (extract(epoch from queue_ticker_idle_period) * 1000000)::bigint"
				" from pgtq.queue", 0, NULL);
	if (SPI_execute_plan(plan, NULL, NULL, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the queues");

	hash_seq_init(&seq, queues);
	while ((queue = hash_seq_search(&seq)) != NULL)
		queue->listed = false;
	for (uint64 i = 0; i < SPI_processed; i++)
		read_row(SPI_tuptable->vals[i], SPI_tuptable->tupdesc);
	forget_unlisted();
	publish_enough();
}

static void
read_row(HeapTuple tuple, TupleDesc desc)
{
	bool		isnull;
	bool		found;
	int32		id = DatumGetInt32(SPI_getbinval(tuple, desc, 1, &isnull));
	QueuePlan  *queue = hash_search(queues, &id, HASH_ENTER, &found);

	if (!found)
	{
		memset(queue, 0, sizeof(QueuePlan));
		queue->queue_id = id;
		queue->last = GetCurrentTimestamp();
		queue->at_once = true;
		queue->not_before = DT_NOBEGIN;
	}
	queue->listed = true;
	queue->active = DatumGetBool(SPI_getbinval(tuple, desc, 2, &isnull));
	queue->max_count = (uint32) DatumGetInt32(SPI_getbinval(tuple, desc, 3, &isnull));
	queue->max_lag = DatumGetInt64(SPI_getbinval(tuple, desc, 4, &isnull));
	queue->idle_period = DatumGetInt64(SPI_getbinval(tuple, desc, 5, &isnull));
	queue->idle_period = Max(queue->idle_period, SHORTEST_IDLE_PERIOD);
}

static void
forget_unlisted(void)
{
	HASH_SEQ_STATUS seq;
	QueuePlan  *queue;

	hash_seq_init(&seq, queues);
	while ((queue = hash_seq_search(&seq)) != NULL)
	{
		if (!queue->listed)
			hash_search(queues, &queue->queue_id, HASH_REMOVE, NULL);
	}
}

/* Tells sessions at how many events of a cell they have to wake us. */
static void
publish_enough(void)
{
	uint32		enough[WAKE_CELLS];
	HASH_SEQ_STATUS seq;
	QueuePlan  *queue;

	for (int i = 0; i < WAKE_CELLS; i++)
		enough[i] = PG_UINT32_MAX;
	hash_seq_init(&seq, queues);
	while ((queue = hash_seq_search(&seq)) != NULL)
	{
		uint32	   *cell = &enough[shared_cell(queue->queue_id)];

		if (queue->active)
			*cell = Min(*cell, queue->max_count);
	}
	for (int i = 0; i < WAKE_CELLS; i++)
		pg_atomic_write_u32(&slot->cells[i].enough, enough[i]);
}

QueuePlan *
plan_find(int32 queue_id)
{
	return hash_search(queues, &queue_id, HASH_FIND, NULL);
}

/*
 * The queues to tick now.  If one of them is due for being idle, others that
 * have been so for half their period come along: so all idle queues soon are
 * ticked in one go, and we need not wake for each.
 */
List *
plan_due(TimestampTz now, bool *swept)
{
	List	   *due = NIL;
	HASH_SEQ_STATUS seq;
	QueuePlan  *queue;

	hash_seq_init(&seq, queues);
	while ((queue = hash_seq_search(&seq)) != NULL)
	{
		if (queue->active && queue->last + queue->idle_period <= now && queue->not_before <= now)
			*swept = true;
	}
	hash_seq_init(&seq, queues);
	while ((queue = hash_seq_search(&seq)) != NULL)
	{
		if (queue_time(queue) <= now ||
			(*swept && queue->active && queue->not_before <= now &&
			 queue->last + queue->idle_period / 2 <= now))
			due = lappend_int(due, queue->queue_id);
	}
	return due;
}

/* When the next queue is to be ticked, as far as is known. */
TimestampTz
plan_next(void)
{
	TimestampTz next = DT_NOEND;
	HASH_SEQ_STATUS seq;
	QueuePlan  *queue;

	hash_seq_init(&seq, queues);
	while ((queue = hash_seq_search(&seq)) != NULL)
		next = Min(next, queue_time(queue));
	return next;
}

static TimestampTz
queue_time(const QueuePlan *queue)
{
	TimestampTz time = queue->last + queue->idle_period;
	uint32		events;

	if (!queue->active)
		return DT_NOEND;
	events = pg_atomic_read_u32(&slot->cells[shared_cell(queue->queue_id)].events);
	if (queue->at_once)
		time = DT_NOBEGIN;
	else if (queue->news || events > 0)
	{
		if ((events > 0 && events >= queue->max_count) || somebody_waits(queue->queue_id))
			time = DT_NOBEGIN;
		else
			time = Min(time, queue->last + queue->max_lag);
	}
	return Max(time, queue->not_before);
}

static bool
somebody_waits(int32 queue_id)
{
	uint64		key = shared_waiter_key(MyDatabaseId, queue_id);

	if (pg_atomic_read_u32(&slot->cells[shared_cell(queue_id)].waiters) == 0)
		return false;
	for (int i = 0; i < shared->waiters_length; i++)
	{
		if (pg_atomic_read_u64(&shared_waiters[i]) == key)
			return true;
	}
	return false;
}

/*
 * Empties the queue's cell, before the tick takes its snapshot: whoever
 * commits later fills it again.  Queues that share the cell remember.
 */
void
plan_before_tick(QueuePlan *queue)
{
	int			cell = shared_cell(queue->queue_id);

	if (pg_atomic_exchange_u32(&slot->cells[cell].events, 0) > 0)
	{
		HASH_SEQ_STATUS seq;
		QueuePlan  *other;

		hash_seq_init(&seq, queues);
		while ((other = hash_seq_search(&seq)) != NULL)
		{
			if (shared_cell(other->queue_id) == cell)
				other->news = true;
		}
	}
	queue->news = false;
	queue->at_once = false;
}

void
plan_after_tick(QueuePlan *queue, bool done)
{
	TimestampTz now = GetCurrentTimestamp();

	if (done)
	{
		queue->last = now;
		queue->failures = 0;
		queue->not_before = DT_NOBEGIN;
	}
	else
	{
		int64		seconds = Min(INT64CONST(1) << Min(queue->failures, 10), LONGEST_BACKOFF);

		queue->news = true;
		queue->failures++;
		queue->not_before = now + seconds * USECS_PER_SEC;
	}
}

/* Something was committed that nobody has told us of. */
void
plan_all_news(void)
{
	HASH_SEQ_STATUS seq;
	QueuePlan  *queue;

	hash_seq_init(&seq, queues);
	while ((queue = hash_seq_search(&seq)) != NULL)
		queue->news = true;
}

/* Nothing we remember lies in the future. */
void
plan_clock_set(void)
{
	TimestampTz now = GetCurrentTimestamp();
	HASH_SEQ_STATUS seq;
	QueuePlan  *queue;

	hash_seq_init(&seq, queues);
	while ((queue = hash_seq_search(&seq)) != NULL)
	{
		queue->last = Min(queue->last, now);
		queue->not_before = DT_NOBEGIN;
	}
}
