/*
 * src/ticker/ticker.c
 *		The ticker: moves what is due into its queue, and ticks.
 *
 * A background worker, one per database that has the extension.  It waits for
 * the next due time, for a queue that wants a tick, or for a session that
 * wakes it; then it moves, ticks, and by the tick's commit wakes who waits.
 * Each move and each tick is a transaction of its own, in small slices, so
 * that nothing keeps what is due for long; what takes long is done by another
 * worker, see maintenance.c.
 *
 * It locks what _move_due() and _tick() lock, for a second at most; a queue
 * that somebody else has locked waits, and others do not.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/pg_bitutils.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "utils/array.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "common/settings.h"
#include "common/shared.h"
#include "compat.h"
#include "delay/move_due.h"
#include "executor/main.h"
#include "jobs/reader.h"
#include "jobs/worker.h"
#include "remote/worker.h"
#include "tick/ticks.h"
#include "ticker/clock.h"
#include "ticker/plan.h"
#include "ticker/ticker.h"
#include "ticker/worker.h"

/* how long a move that found nothing, although something is due, or that failed, is put off */
#define SHORTEST_RETRY (10 * 1000)
#define LONGEST_RETRY (100 * 1000)

/* and a look at the queues that failed */
#define LOOK_RETRY (5 * USECS_PER_SEC)

/* result of a move */
typedef struct Move
{
	int			moved;
	int			queues_length;
	int32	   *queues;			/* in the cycle's memory */
	TimestampTz next_due;
} Move;

/* a tick that is wanted, and whether there was one */
typedef struct TickTask
{
	int32		queue_id;
	bool		ticked;
} TickTask;

static DatabaseSlot *slot;
static MemoryContext cycle_context;
static TimestampTz next_due = DT_NOEND;
static TimestampTz moved_ahead = DT_NOBEGIN;	/* by then, what may be early has left */
static TimestampTz move_not_before = DT_NOBEGIN;
static int64 move_retry = SHORTEST_RETRY;
static bool queues_changed = true;
static bool recovery_noted = false; /* once is enough: on another timeline another ticker runs */
static bool swept = false;		/* in this cycle idle queues were ticked */
static TimestampTz next_maintenance = DT_NOBEGIN;
static bool maintenance_told = false;

static void leave_unattached(Oid database);
static void detach(int code, Datum arg);
static bool must_leave(void);
static void cycle(void);
static void take_news(void);
static void look_task(void *arg);
static TimestampTz query_next_due(void);
static int64 ahead_of_time(void);
static TimestampTz move_time(void);
static bool move_due(void);
static void move_task(void *arg);
static void put_off_move(void);
static void count_lateness(TimestampTz due);
static bool tick_due(void);
static void tick_queue(int32 queue_id);
static void tick_task(void *arg);
static void maintain(void);
static TimestampTz latest_maintenance(void);
static void look_again_soon(void);
static void maintenance_task(void *arg);
static void start_maintenance(void);
static void sleep_until_next(uint32 wait_event);

void
pgtq_ticker_main(Datum arg)
{
	Oid			database;
	uint32		wait_event;

	slot = worker_slot(arg, &database);
	if (!worker_begin(TICKER_TYPE, slot, database, &slot->ticker_pid, &slot->ticker_proc, detach))
		leave_unattached(database);

	ereport(LOG, (errmsg("pgtq ticker started in database \"%s\"", worker_database_name())));
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	slot->state = SLOT_RUNNING;
	LWLockRelease(shared->lock);
	shared_wake_launcher();

	wait_event = NamedWaitEvent("PgtqTicker");
	clock_init();
	plan_init(slot);
	cycle_context = AllocSetContextCreate(TopMemoryContext, "pgtq cycle", ALLOCSET_DEFAULT_SIZES);
	while (!must_leave())
	{
		pg_atomic_fetch_add_u64(&slot->counters.wakeups, 1);
		MemoryContextSwitchTo(cycle_context);
		cycle();
		MemoryContextReset(cycle_context);
		sleep_until_next(wait_event);
		CHECK_FOR_INTERRUPTS();
		worker_reload();
	}
	ereport(LOG, (errmsg("pgtq ticker stopped in database \"%s\"", worker_database_name())));
	proc_exit(0);
}

/* We are not wanted now, but may be again: the launcher is to know. */
static void
leave_unattached(Oid database)
{
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	if (pg_atomic_read_u32(&slot->database) == database && slot->ticker_pid == 0)
		slot->state = SLOT_DISMISSED;
	LWLockRelease(shared->lock);
	proc_exit(0);
}

/*
 * At our end: leaves the slot, if it is still ours.  We only end with code 0
 * of ourselves if we were asked to, or because the extension is not there.
 */
static void
detach(int code, Datum arg)
{
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	if (slot->ticker_pid == MyProcPid)
	{
		slot->ticker_pid = 0;
		pg_atomic_write_u32(&slot->ticker_proc, 0);
		if (code != 0)
			slot->state = SLOT_STOPPED;
		else if (slot->leave || slot->held_by != 0)
			slot->state = SLOT_DISMISSED;
		else
			slot->state = SLOT_ABSENT;
	}
	LWLockRelease(shared->lock);
	shared_set_latch(&slot->executor_proc);
	shared_set_latch(&slot->jobs_proc);
	shared_set_latch(&slot->remote_proc);
	shared_wake_launcher();
}

static bool
must_leave(void)
{
	bool		leave;

	LWLockAcquire(shared->lock, LW_SHARED);
	leave = slot->leave || slot->held_by != 0;
	LWLockRelease(shared->lock);
	return leave;
}

/* Everything there is to do now. */
static void
cycle(void)
{
	bool		busy = true;

	swept = false;
	while (busy && !must_leave())
	{
		take_news();
		if (queues_changed)
		{
			queues_changed = false;
			if (!worker_run(slot, "looking at the queues", look_task, NULL))
				look_again_soon();
			else
				recovery_noted = true;
		}
		busy = move_due();
		busy |= tick_due();
		CHECK_FOR_INTERRUPTS();
		worker_reload();
	}
	maintain();
}

/* What sessions have told us. */
static void
take_news(void)
{
	TimestampTz earliest = (TimestampTz) pg_atomic_exchange_u64(&slot->earliest, (uint64) DT_NOEND);

	next_due = Min(next_due, earliest);
	if (earliest != DT_NOEND)
		move_not_before = moved_ahead = DT_NOBEGIN; /* this one may not be locked, and may be early */
	if (pg_atomic_exchange_u32(&slot->news, 0) & NEWS_QUEUES)
	{
		queues_changed = true;
		plan_all_news();
	}
}

/* Reads the queues, and when something is due. */
static void
look_task(void *arg)
{
	static SPIPlanPtr plan = NULL;
	static SPIPlanPtr recovery_plan = NULL;
	bool		isnull;

	if (!recovery_noted)
	{
		worker_plan(&recovery_plan, "select pgtq._note_recovery()", 0, NULL);
		if (SPI_execute_plan(recovery_plan, NULL, NULL, false, 1) != SPI_OK_SELECT)
			elog(ERROR, "could not look for a recovery");
	}

	/* before looking, so that whoever prepares from now on sets it again */
	pg_atomic_write_u32(&slot->prepared, 0);
	worker_plan(&plan, "select exists (select from pg_catalog.pg_prepared_xacts"
				" where database = pg_catalog.current_database())", 0, NULL);
	if (SPI_execute_plan(plan, NULL, NULL, false, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "could not read the prepared transactions");
	if (DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull)))
		pg_atomic_write_u32(&slot->prepared, 1);

	plan_read();
	executor_look();
	jobs_look(slot);
	next_due = query_next_due();
	move_not_before = DT_NOBEGIN;
}

static TimestampTz
query_next_due(void)
{
	static SPIPlanPtr plan = NULL;
	bool		isnull;
	Datum		due;

	worker_plan(&plan, "select pgtq._next_due()", 0, NULL);
	if (SPI_execute_plan(plan, NULL, NULL, false, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "_next_due() returned no row");
	due = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	return isnull ? DT_NOEND : DatumGetTimestampTz(due);
}

/* By how much the executor may have an action early, so as to begin it on time. */
static int64
ahead_of_time(void)
{
	return executor_is_wanted() ? pgtq_fetch_ahead * INT64CONST(1000) : 0;
}

/*
 * When to move: when something is due, but early enough for the executor, in the
 * middle of the time that it may have, so that what comes close after it comes
 * along.  What did not leave then is no action.
 */
static TimestampTz
move_time(void)
{
	if (next_due <= moved_ahead || next_due == DT_NOEND)
		return next_due;
	return next_due - ahead_of_time() / 2;
}

/*
 * Moves a slice of what is due, and ticks the queues that it went into, in
 * following transactions: a tick does not see the events of its own.  True if
 * something was moved; then there may be more.
 */
static bool
move_due(void)
{
	TimestampTz now = GetCurrentTimestamp();
	TimestampTz due = next_due;
	Move		move = {0};

	if (move_time() > now || move_not_before > now)
		return false;
	if (!recovery_noted)
	{
		put_off_move();
		return false;
	}
	move_due_ahead(ahead_of_time());
	if (!worker_run(slot, "moving what is due", move_task, &move))
	{
		put_off_move();
		return false;
	}
	next_due = move.next_due;
	moved_ahead = (move.moved < pgtq_move_limit) ? now + ahead_of_time() : DT_NOBEGIN;
	if (move.moved == 0)
	{
		if (next_due <= now)
			put_off_move();		/* somebody has it locked */
		return false;
	}
	move_retry = SHORTEST_RETRY;
	pg_atomic_fetch_add_u64(&slot->counters.moves, 1);
	pg_atomic_fetch_add_u64(&slot->counters.events_moved, move.moved);
	for (int i = 0; i < move.queues_length; i++)
		tick_queue(move.queues[i]);
	count_lateness(due);
	return true;
}

static void
move_task(void *arg)
{
	static SPIPlanPtr plan = NULL;
	Oid			types[1] = {INT4OID};
	Datum		values[1] = {Int32GetDatum(pgtq_move_limit)};
	Move	   *move = arg;
	Datum		queues;
	bool		isnull;

	worker_plan(&plan, "select moved, queue_ids from pgtq._move_due($1)", 1, types);
	if (SPI_execute_plan(plan, values, NULL, false, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "_move_due() returned no row");
	move->moved = DatumGetInt32(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	queues = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &isnull);
	if (!isnull)
	{
		Datum	   *ids;

		deconstruct_array(DatumGetArrayTypeP(queues), INT4OID, sizeof(int32), true, TYPALIGN_INT,
						  &ids, NULL, &move->queues_length);
		move->queues = MemoryContextAlloc(cycle_context, Max(move->queues_length, 1) * sizeof(int32));
		for (int i = 0; i < move->queues_length; i++)
			move->queues[i] = DatumGetInt32(ids[i]);
	}
	move->next_due = query_next_due();
}

/* Waits longer each time, but not for long: others may become due meanwhile. */
static void
put_off_move(void)
{
	move_not_before = GetCurrentTimestamp() + move_retry;
	move_retry = Min(move_retry * 2, LONGEST_RETRY);
}

/* The tick of the earliest of a move has committed: how late was it? */
static void
count_lateness(TimestampTz due)
{
	int64		late = Max(GetCurrentTimestamp() - due, 0);
	int			bucket = (late == 0) ? 0 : pg_leftmost_one_pos64((uint64) late);

	pg_atomic_fetch_add_u64(&slot->counters.lateness[Min(bucket, LATENESS_BUCKETS - 1)], 1);
}

/* Ticks each queue that wants it once. */
static bool
tick_due(void)
{
	List	   *due = plan_due(GetCurrentTimestamp(), &swept);
	bool		any = (due != NIL);
	ListCell   *lc;

	foreach(lc, due)
	{
		tick_queue(lfirst_int(lc));
		/* what has become due meanwhile comes first */
		if (move_time() <= GetCurrentTimestamp() || pg_atomic_read_u64(&slot->earliest) < (uint64) DT_NOEND)
			break;
	}
	list_free(due);
	return any;
}

static void
tick_queue(int32 queue_id)
{
	QueuePlan  *queue = plan_find(queue_id);
	TickTask	task = {queue_id, false};
	bool		done;

	if (queue == NULL)
		queues_changed = true;	/* one that we have not heard of */
	else
		plan_before_tick(queue);
	done = worker_run(slot, "ticking", tick_task, &task);
	if (queue != NULL)
		plan_after_tick(queue, done);
	if (done && task.ticked)
		pg_atomic_fetch_add_u64(&slot->counters.ticks, 1);
}

static void
tick_task(void *arg)
{
	TickTask   *task = arg;

	task->ticked = tick_write(task->queue_id, true) != 0;
}

/*
 * From time to time, looks whether there is maintenance to do.  That is up to
 * half the interval early or late, so as to come together with a tick of idle
 * queues: we wake once for both.  The queues are read again then, too:
 * somebody may have changed the table itself.
 */
static void
maintain(void)
{
	TimestampTz now = GetCurrentTimestamp();
	int64		interval = pgtq_maintenance_interval * USECS_PER_SEC;
	bool		due = false;

	next_maintenance = Min(next_maintenance, now + interval);	/* it may have become shorter */
	if (swept ? now + interval / 2 < next_maintenance : now < latest_maintenance())
		return;
	next_maintenance = now + interval;
	if (!worker_run(slot, "looking for maintenance to do", maintenance_task, &due))
		look_again_soon();
	else if (due)
		start_maintenance();
}

static TimestampTz
latest_maintenance(void)
{
	return next_maintenance + pgtq_maintenance_interval * USECS_PER_SEC / 2;
}

/* Looking has failed: whatever it is, it may pass. */
static void
look_again_soon(void)
{
	next_maintenance -= Max(latest_maintenance() - (GetCurrentTimestamp() + LOOK_RETRY), 0);
}

static void
maintenance_task(void *arg)
{
	static SPIPlanPtr plan = NULL;
	bool		isnull;

	look_task(NULL);
	worker_plan(&plan, "select exists (select from pgtq._maintenance_due())", 0, NULL);
	if (SPI_execute_plan(plan, NULL, NULL, false, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "_maintenance_due() failed");
	*(bool *) arg = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
}

static void
start_maintenance(void)
{
	bool		running;
	bool		started;
	BackgroundWorkerHandle *handle;

	LWLockAcquire(shared->lock, LW_SHARED);
	running = slot->maintenance_pid != 0;
	LWLockRelease(shared->lock);
	if (running)
		return;

	started = worker_register(MAINTENANCE_TYPE, "pgtq_maintenance_main", slot, MyDatabaseId,
							  worker_database_name(), &handle);
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	slot->maintenance_waits = !started;
	LWLockRelease(shared->lock);
	if (started)
		pfree(handle);
	else if (!maintenance_told)
		ereport(WARNING,
				(errmsg("pgtq maintenance has to wait: no free slot for a background worker"),
				 errhint("Raise \"max_worker_processes\".")));
	maintenance_told = !started;
}

/* Sleeps until something is to be done, unless it is already. */
static void
sleep_until_next(uint32 wait_event)
{
	TimestampTz until = Min(plan_next(), latest_maintenance());
	TimestampTz now;

	if (queues_changed)
		until = DT_NOBEGIN;
	until = Min(until, Max(move_time(), move_not_before));
	until = Min(until, executor_ensure(slot));
	until = Min(until, jobs_ensure(slot));
	until = Min(until, remote_ensure(slot));
	pg_atomic_write_u64(&slot->next_due, (uint64) next_due);
	pg_atomic_write_u64(&slot->planned, (uint64) until);
	pg_memory_barrier();		/* see wake.c */
	if ((TimestampTz) pg_atomic_read_u64(&slot->earliest) < until)
		return;
	now = GetCurrentTimestamp();
	pgstat_report_stat(until - now > USECS_PER_SEC / 2);
	pgstat_report_activity(STATE_IDLE, NULL);
	if (clock_sleep(until, wait_event))
	{
		ereport(LOG, (errmsg("pgtq ticker: the clock was set")));
		pg_atomic_fetch_add_u64(&slot->counters.clock_steps, 1);
		plan_clock_set();
		move_not_before = DT_NOBEGIN;
		next_maintenance = Min(next_maintenance,
							   GetCurrentTimestamp() + pgtq_maintenance_interval * USECS_PER_SEC);
		queues_changed = true;
	}
}
