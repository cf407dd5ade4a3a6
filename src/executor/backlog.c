/*
 * src/executor/backlog.c
 *		What the executor has read and is not done yet; in its own memory.
 *
 * Runs in the executor, which is a superuser and runs no user code.  It reads
 * its queues tick by tick, far ahead of what is done, so that a role with
 * a million timers does not hide another's one behind them.  Its position
 * follows the oldest tick that is done with all before it.
 *
 * Takes ACCESS SHARE on the tables that it reads, and to save a position the
 * lock of its subscriber's row, as every consumer does.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "batch/scan.h"
#include "common/event.h"
#include "common/now.h"
#include "common/position.h"
#include "common/queue.h"
#include "executor/backlog.h"
#include "executor/carried.h"
#include "executor/done.h"
#include "ticker/worker.h"

/* timers in memory at which reading ahead ends: some hundred bytes each */
#define MOST_TIMERS 500000

/* ticks of a queue that are read in one transaction */
#define TICKS_AT_ONCE 16

/*
 * After a start of the server nobody knows what was running when it ended, and
 * whether that was why.  So of what was due before we started as many of each
 * role's first timers as can have been in sessions run cautiously.
 */
#define CAUTIOUS_TIMERS 128

/*
 * What is in its queue so long before its time was not fetched ahead by the ticker:
 * the clock was set back, or somebody has moved it with pgtq.clock_offset.
 */
#define FARTHEST_AHEAD (2 * USECS_PER_SEC)

/* what the done log said when we began to read a queue */
typedef struct MarkKey
{
	int64		event;
	int64		sub_id;
} MarkKey;

typedef struct Mark
{
	MarkKey		key;
	bool		done;			/* or carried: not to be read from its queue */
	int			started;
} Mark;

/* a batch that is being read */
typedef struct Reading
{
	ExecutorQueue *queue;
	int64		tick;
	int			count;
	int			room;
	WorkItem   *items;
	Oid		   *roles;
} Reading;

dlist_head	backlog_roles = DLIST_STATIC_INIT(backlog_roles);
int			backlog_count = 0;

static HTAB *queues = NULL;
static HTAB *roles = NULL;
static HTAB *marks = NULL;
static TimestampTz started_at;
static MemoryContext context;

static void list_queues(void);
static ExecutorQueue *begin_queue(int32 sub_id, int32 queue_id);
static void add_mark(int32 sub_id, int64 event, bool started, void *arg);
static Mark *find_mark(int32 sub_id, int64 event);
static void add_carried(ExecutorQueue *queue, const CarriedTimer *carried);
static bool read_tick(ExecutorQueue *queue);
static void read_event(Relation rel, HeapTuple tuple, const Datum *values, const bool *nulls, void *arg);
static void keep_reading(const Reading *reading, const Tick *tick);
static Timer *add_timer(ExecutorQueue *queue, const WorkItem *work, Oid role);
static RoleQueue *role_queue(Oid role);
static void advance(ExecutorQueue *queue);

void
backlog_init(void)
{
	HASHCTL		ctl;

	started_at = GetCurrentTimestamp();
	context = AllocSetContextCreate(TopMemoryContext, "pgtq backlog", ALLOCSET_DEFAULT_SIZES);
	ctl.hcxt = context;
	ctl.keysize = sizeof(int32);
	ctl.entrysize = sizeof(ExecutorQueue);
	queues = hash_create("pgtq queues of the executor", 16, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	ctl.keysize = sizeof(Oid);
	ctl.entrysize = sizeof(RoleQueue);
	roles = hash_create("pgtq roles", 64, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	ctl.keysize = sizeof(MarkKey);
	ctl.entrysize = sizeof(Mark);
	marks = hash_create("pgtq done marks", 64, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

/*
 * Reads some ticks of each queue that has new ones.  For a task; true if there
 * may be more.  Each tick is read to its end before anything of it is kept, so
 * an error leaves nothing half.
 */
bool
backlog_read(void)
{
	HASH_SEQ_STATUS seq;
	ExecutorQueue *queue;
	bool		more = false;

	list_queues();
	hash_seq_init(&seq, queues);
	while ((queue = hash_seq_search(&seq)) != NULL)
		for (int i = 0; i < TICKS_AT_ONCE && queue->listed && !backlog_is_full() && read_tick(queue); i++)
			more = true;
	return more || backlog_is_full();
}

/* Is there too much to read on, until some of it is done? */
bool
backlog_is_full(void)
{
	return backlog_count >= MOST_TIMERS;
}

/* Which queues there are.  One that has gone is forgotten when nothing of it runs. */
static void
list_queues(void)
{
	static SPIPlanPtr plan = NULL;
	HASH_SEQ_STATUS seq;
	ExecutorQueue *queue;

	worker_plan(&plan, "select queue_id, queue_executor from pgtq.queue where queue_executor is not null", 0, NULL);
	if (SPI_execute_plan(plan, NULL, NULL, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read the queues");
	hash_seq_init(&seq, queues);
	while ((queue = hash_seq_search(&seq)) != NULL)
		queue->listed = false;
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple	tuple = SPI_tuptable->vals[i];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		bool		isnull;
		bool		found;
		int32		sub_id = DatumGetInt32(SPI_getbinval(tuple, desc, 2, &isnull));

		queue = hash_search(queues, &sub_id, HASH_FIND, &found);
		if (!found)
		{
			int32		queue_id = DatumGetInt32(SPI_getbinval(tuple, desc, 1, &isnull));

			queue = begin_queue(sub_id, queue_id);
		}
		queue->listed = true;
	}
}

/*
 * Finds where we stood, what was done beyond that, and what was carried: that is
 * not to be read from the queue again.
 */
static ExecutorQueue *
begin_queue(int32 sub_id, int32 queue_id)
{
	Position	position;
	CarriedTimer *carried;
	int			count;
	ExecutorQueue *queue;

	if (!position_last(sub_id, &position))
		elog(ERROR, "the executor has no position in queue %d", queue_id);
	done_read(sub_id, position.last_tick + 1, PG_INT64_MAX, add_mark, NULL);
	carried = carried_list(sub_id, queue_id, &count);
	for (int i = 0; i < count; i++)
		if (carried[i].work.tick <= position.last_tick)
			done_read(sub_id, carried[i].work.tick, carried[i].work.tick, add_mark, NULL);

	/* no error from here on */
	queue = hash_search(queues, &sub_id, HASH_ENTER, NULL);
	memset(queue, 0, sizeof(ExecutorQueue));
	queue->sub_id = sub_id;
	queue->queue_id = queue_id;
	queue->read_tick = queue->done_tick = queue->saved_tick = position.last_tick;
	for (int i = 0; i < count; i++)
		add_carried(queue, &carried[i]);
	return queue;
}

static void
add_mark(int32 sub_id, int64 event, bool started, void *arg)
{
	MarkKey		key = {event, sub_id};
	bool		found;
	Mark	   *mark = hash_search(marks, &key, HASH_ENTER, &found);

	if (!found)
	{
		mark->done = false;
		mark->started = 0;
	}
	if (started)
		mark->started++;
	else
		mark->done = true;
}

static Mark *
find_mark(int32 sub_id, int64 event)
{
	MarkKey		key = {event, sub_id};

	if (hash_get_num_entries(marks) == 0)
		return NULL;
	return hash_search(marks, &key, HASH_FIND, NULL);
}

static void
add_carried(ExecutorQueue *queue, const CarriedTimer *carried)
{
	Timer	   *timer = add_timer(queue, &carried->work, carried->role);
	Mark	   *mark = find_mark(queue->sub_id, carried->work.event);

	if (mark != NULL && mark->done)
		backlog_done(timer);
	else
		backlog_wait(timer, false);
	add_mark(queue->sub_id, carried->work.event, false, NULL);
}

/* Reads the next tick of a queue; false if there is none. */
static bool
read_tick(ExecutorQueue *queue)
{
	Batch		batch = {.sub_id = queue->sub_id};
	Reading		reading = {.queue = queue};

	if (!queue_find_by_id(queue->queue_id, &batch.queue) ||
		!tick_next_unflushed(queue->queue_id, queue->read_tick, &batch.cur))
		return false;
	if (queue->snapshot != NULL)
		batch.prev.snapshot = queue->snapshot;
	else if (!tick_get(queue->queue_id, queue->read_tick, &batch.prev))
		elog(ERROR, "tick " INT64_FORMAT " of queue %d not found", queue->read_tick, queue->queue_id);
	reading.tick = batch.cur.id;
	batch_scan(&batch, read_event, &reading);
	keep_reading(&reading, &batch.cur);
	return true;
}

/* Notes where an event is, if it is an action that is not done. */
static void
read_event(Relation rel, HeapTuple tuple, const Datum *values, const bool *nulls, void *arg)
{
	Reading    *reading = arg;
	WorkItem   *work;
	Mark	   *mark;

	if (nulls[Anum_ev_attempts - 1] || nulls[Anum_ev_role - 1] || nulls[Anum_ev_timer - 1])
		return;
	mark = find_mark(reading->queue->sub_id, DatumGetInt64(values[Anum_ev_id - 1]));
	if (mark != NULL && mark->done)
		return;
	if (reading->count == reading->room)
	{
		reading->room = reading->room ? reading->room * 2 : 64;
		reading->items = reading->items
			? repalloc_huge(reading->items, sizeof(WorkItem) * reading->room) : palloc(sizeof(WorkItem) * reading->room);
		reading->roles = reading->roles
			? repalloc_huge(reading->roles, sizeof(Oid) * reading->room) : palloc(sizeof(Oid) * reading->room);
	}
	work = &reading->items[reading->count];
	memset(work, 0, sizeof(WorkItem));
	work->sub_id = reading->queue->sub_id;
	work->queue_id = reading->queue->queue_id;
	work->tick = reading->tick;
	work->event = DatumGetInt64(values[Anum_ev_id - 1]);
	work->relid = RelationGetRelid(rel);
	work->tid = tuple->t_self;
	work->due = DatumGetTimestampTz(values[Anum_ev_time - 1]);
	if (work->due > GetCurrentTimestamp() + FARTHEST_AHEAD)
		work->due = DT_NOBEGIN;
	reading->roles[reading->count++] = DatumGetObjectId(values[Anum_ev_role - 1]);
}

/* A tick was read to its end: now it counts. */
static void
keep_reading(const Reading *reading, const Tick *tick)
{
	ExecutorQueue *queue = reading->queue;
	ReadTick   *read = MemoryContextAllocZero(context, sizeof(ReadTick));
	StoredSnapshot *snapshot = MemoryContextAlloc(context, VARSIZE_ANY(tick->snapshot));

	memcpy(snapshot, tick->snapshot, VARSIZE_ANY(tick->snapshot));
	read->tick = tick->id;
	for (int i = 0; i < reading->count; i++)
	{
		Timer	   *timer = add_timer(queue, &reading->items[i], reading->roles[i]);

		timer->tick = read;
		read->remaining++;
		backlog_wait(timer, false);
	}
	if (queue->last != NULL)
		queue->last->next = read;
	else
		queue->first = read;
	queue->last = read;
	if (queue->snapshot != NULL)
		pfree(queue->snapshot);
	queue->snapshot = snapshot;
	queue->read_tick = tick->id;
	advance(queue);
}

static Timer *
add_timer(ExecutorQueue *queue, const WorkItem *work, Oid role)
{
	Timer	   *timer = MemoryContextAllocZero(context, sizeof(Timer));
	Mark	   *mark = find_mark(work->sub_id, work->event);

	timer->work = *work;
	timer->queue = queue;
	timer->role = role_queue(role);
	timer->read_at = clock_steady();
	if (mark != NULL && mark->started > 0)
		timer->deaths = mark->started;
	if (timer->deaths > 0)
		timer->work.alone = timer->work.cautious = true;
	else if (timer->role->cautious > 0 && work->due <= started_at)
	{
		timer->work.alone = timer->work.cautious = true;
		timer->role->cautious--;
	}
	backlog_count++;
	return timer;
}

static RoleQueue *
role_queue(Oid role)
{
	bool		found;
	RoleQueue  *queue = hash_search(roles, &role, HASH_ENTER, &found);

	if (!found)
	{
		memset(queue, 0, sizeof(RoleQueue));
		queue->role = role;
		dlist_init(&queue->waiting);
		queue->retry_at = 0;
		queue->progress = clock_steady();
		queue->cautious = CAUTIOUS_TIMERS;
	}
	return queue;
}

/* Puts a timer where it waits for a session of its role. */
void
backlog_wait(Timer *timer, bool in_front)
{
	RoleQueue  *role = timer->role;

	if (in_front)
		dlist_push_head(&role->waiting, &timer->node);
	else
		dlist_push_tail(&role->waiting, &timer->node);
	if (!role->is_active)
	{
		dlist_push_tail(&backlog_roles, &role->node);
		role->is_active = true;
	}
}

/* Takes the next timer that waits for a role, or NULL. */
Timer *
backlog_next(RoleQueue *role)
{
	Timer	   *timer = NULL;

	if (!dlist_is_empty(&role->waiting))
		timer = dlist_container(Timer, node, dlist_pop_head_node(&role->waiting));
	if (dlist_is_empty(&role->waiting) && role->is_active)
	{
		dlist_delete(&role->node);
		role->is_active = false;
	}
	return timer;
}

/* A session of a role has ended: others that wait come before it. */
void
backlog_had_turn(Oid role)
{
	RoleQueue  *queue = hash_search(roles, &role, HASH_FIND, NULL);

	if (queue != NULL && queue->is_active)
	{
		dlist_delete(&queue->node);
		dlist_push_tail(&backlog_roles, &queue->node);
	}
}

/* A timer's outcome is committed; it is in nobody's hands any more. */
void
backlog_done(Timer *timer)
{
	timer->role->progress = clock_steady();
	if (timer->tick != NULL)
	{
		timer->tick->remaining--;
		advance(timer->queue);
	}
	else
		carried_forget(timer->work.sub_id, timer->work.event);
	pfree(timer);
	backlog_count--;
}

/* It is carried: its tick need not wait for it. */
void
backlog_carry(Timer *timer)
{
	if (timer->tick == NULL)
		return;
	timer->tick->remaining--;
	timer->tick = NULL;
	advance(timer->queue);
}

/* Up to which tick is everything done? */
static void
advance(ExecutorQueue *queue)
{
	while (queue->first != NULL && queue->first->remaining == 0)
	{
		ReadTick   *read = queue->first;

		queue->done_tick = read->tick;
		queue->first = read->next;
		if (queue->first == NULL)
			queue->last = NULL;
		pfree(read);
	}
}

/* Is there a position that the log does not have yet? */
bool
backlog_to_save(void)
{
	HASH_SEQ_STATUS seq;
	ExecutorQueue *queue;
	bool		any = carried_to_save();

	hash_seq_init(&seq, queues);
	while ((queue = hash_seq_search(&seq)) != NULL)
		any |= queue->listed && queue->done_tick > queue->saved_tick;
	return any;
}

/*
 * A task: appends our positions to the log, and removes what was carried and is
 * done.  Both may be repeated, or lost: the done log knows.  After its commit
 * comes backlog_saved().
 */
void
backlog_save(void *arg)
{
	HASH_SEQ_STATUS seq;
	ExecutorQueue *queue;

	carried_save();
	hash_seq_init(&seq, queues);
	while ((queue = hash_seq_search(&seq)) != NULL)
	{
		Position	position;
		int32		queue_id;
		bool		found;

		if (!queue->listed || queue->done_tick <= queue->saved_tick)
			continue;
		command_snapshot();
		found = subscriber_find_by_id(queue->sub_id, true, &queue_id);
		PopActiveSnapshot();
		command_snapshot();		/* one from after the lock */
		if (found && position_last(queue->sub_id, &position) && position.last_tick < queue->done_tick)
		{
			position.n++;
			position.last_tick = queue->done_tick;
			position.is_open = false;
			position_append(&position);
		}
		PopActiveSnapshot();
	}
}

void
backlog_saved(void)
{
	HASH_SEQ_STATUS seq;
	ExecutorQueue *queue;

	carried_saved();
	hash_seq_init(&seq, queues);
	while ((queue = hash_seq_search(&seq)) != NULL)
		queue->saved_tick = queue->done_tick;
}
