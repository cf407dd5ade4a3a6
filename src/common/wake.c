/*
 * src/common/wake.c
 *		Telling the workers of this database, after commit, that there is something to do.
 *
 * Runs in any session, and in the workers themselves.  Locks nothing but, for
 * what concerns the launcher, the lock of our shared memory.
 *
 * No wake-up is lost: a session first commits, then writes what it has to say
 * into the slot, then reads what the ticker plans; the ticker first writes its
 * plan, then reads what sessions have said, and then sleeps.  Whichever comes
 * second sees the other.
 *
 * A transaction that is prepared hands nothing on to the session that commits
 * it.  So the slot notes that there is such a one, and any COMMIT PREPARED
 * makes the ticker look.
 */
#include "postgres.h"

#include "access/xact.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/timestamp.h"

#include "common/shared.h"
#include "common/wake.h"

PG_FUNCTION_INFO_V1(pgtq_wake_at);
PG_FUNCTION_INFO_V1(pgtq_wake_events);
PG_FUNCTION_INFO_V1(pgtq_wake_waiters);
PG_FUNCTION_INFO_V1(pgtq_queues_changed);
PG_FUNCTION_INFO_V1(pgtq_wake_jobs);

/* more ticked queues in one transaction than this are all queues */
#define MAX_TICKED 16

/* what the running transaction has to tell */
typedef struct Noted
{
	bool		any;
	TimestampTz due;			/* DT_NOEND: none */
	bool		look;
	bool		jobs;
	bool		remote_jobs;
	bool		launcher;
	bool		recheck;
	uint64		cells;			/* a bit per cell that has events */
	uint32		events[WAKE_CELLS];
	int			ticked_length;	/* -1: all */
	int32		ticked[MAX_TICKED];
	Oid			held;			/* database that we keep free of workers */
} Noted;

static Noted noted = {.due = DT_NOEND};

static bool note(void);
static void transaction_callback(XactEvent event, void *arg);
static void tell_ticker(DatabaseSlot *slot);
static bool tell_events(DatabaseSlot *slot);
static void tell_waiters(void);
static void tell_executor(void);
static void tell_jobs(DatabaseSlot *slot, pg_atomic_uint32 *news, pg_atomic_uint32 *proc);
static void tell_launcher(void);
static void release_hold(void);
static void forget(void);

void
wake_at(TimestampTz due)
{
	if (!note())
		return;
	noted.due = Min(noted.due, due);
}

void
wake_events(int32 queue_id)
{
	int			cell = shared_cell(queue_id);

	if (!note())
		return;
	noted.cells |= UINT64CONST(1) << cell;
	noted.events[cell]++;
}

void
wake_waiters(int32 queue_id)
{
	if (!note())
		return;
	for (int i = 0; i < noted.ticked_length; i++)
	{
		if (noted.ticked[i] == queue_id)
			return;
	}
	if (noted.ticked_length == MAX_TICKED)
		noted.ticked_length = -1;
	if (noted.ticked_length >= 0)
		noted.ticked[noted.ticked_length++] = queue_id;
}

void
wake_look(void)
{
	if (note())
		noted.look = true;
}

void
wake_jobs(bool remote)
{
	if (!note())
		return;
	if (remote)
		noted.remote_jobs = true;
	else
		noted.jobs = true;
}

void
wake_launcher(bool recheck)
{
	if (!note())
		return;
	noted.launcher = true;
	noted.recheck |= recheck;
}

/*
 * Not noted but done: a COMMIT PREPARED has been done when it returns.
 */
void
wake_prepared(void)
{
	DatabaseSlot *slot = shared_slot(MyDatabaseId);

	if (slot != NULL && pg_atomic_read_u32(&slot->prepared) != 0)
	{
		pg_atomic_fetch_or_u32(&slot->news, NEWS_QUEUES);
		shared_set_latch(&slot->ticker_proc);
	}
}

/* The hold itself is in the slot already; here we see to its end. */
void
wake_hold(Oid database)
{
	if (note())
		noted.held = database;
}

/* Is there anybody to tell?  Then we shall, at the end of the transaction. */
static bool
note(void)
{
	static bool registered = false;

	if (shared == NULL)
		return false;
	if (!registered)
	{
		RegisterXactCallback(transaction_callback, NULL);
		registered = true;
	}
	noted.any = true;
	return true;
}

static void
transaction_callback(XactEvent event, void *arg)
{
	DatabaseSlot *slot;

	if (!noted.any)
		return;
	switch (event)
	{
		case XACT_EVENT_COMMIT:
			slot = shared_slot(MyDatabaseId);
			if (slot != NULL)
				tell_ticker(slot);
			if (slot != NULL && noted.jobs)
				tell_jobs(slot, &slot->jobs_news, &slot->jobs_proc);
			if (slot != NULL && noted.remote_jobs)
				tell_jobs(slot, &slot->remote_news, &slot->remote_proc);
			if (noted.ticked_length != 0)
			{
				tell_executor();
				tell_waiters();
			}
			release_hold();
			if (noted.launcher)
				tell_launcher();
			forget();
			break;
		case XACT_EVENT_PREPARE:
			slot = shared_slot(MyDatabaseId);
			if (slot != NULL)
				pg_atomic_write_u32(&slot->prepared, 1);
			release_hold();
			forget();
			break;
		case XACT_EVENT_ABORT:
			release_hold();
			forget();
			break;
		default:
			break;
	}
}

static void
tell_ticker(DatabaseSlot *slot)
{
	bool		wake = false;

	if (noted.due != DT_NOEND)
	{
		uint64		earliest = pg_atomic_read_u64(&slot->earliest);

		while (noted.due < (TimestampTz) earliest &&
			   !pg_atomic_compare_exchange_u64(&slot->earliest, &earliest, (uint64) noted.due))
			 /* again */ ;
		pg_memory_barrier();
		wake = noted.due < (TimestampTz) pg_atomic_read_u64(&slot->planned);
	}
	if (noted.cells != 0 && tell_events(slot))
	{
		pg_atomic_fetch_or_u32(&slot->news, NEWS_EVENTS);
		wake = true;
	}
	if (noted.look)
	{
		pg_atomic_fetch_or_u32(&slot->news, NEWS_QUEUES);
		wake = true;
	}
	if (wake)
		shared_set_latch(&slot->ticker_proc);
}

/*
 * Adds our events to their cells.  The ticker wants to hear of the first one,
 * of the one with which there are enough, and of each if somebody waits.
 */
static bool
tell_events(DatabaseSlot *slot)
{
	bool		wake = false;

	for (int i = 0; i < WAKE_CELLS; i++)
	{
		WakeCell   *cell = &slot->cells[i];
		uint32		before;
		uint32		enough;

		if ((noted.cells & (UINT64CONST(1) << i)) == 0)
			continue;
		before = pg_atomic_fetch_add_u32(&cell->events, noted.events[i]);
		enough = pg_atomic_read_u32(&cell->enough);
		if (before == 0 || pg_atomic_read_u32(&cell->waiters) > 0 ||
			(before < enough && enough - before <= noted.events[i]))
			wake = true;
	}
	return wake;
}

/* Wakes the sessions that wait for a tick of the queues that were ticked. */
static void
tell_waiters(void)
{
	pg_memory_barrier();
	for (int i = 0; i < shared->waiters_length; i++)
	{
		uint64		key = pg_atomic_read_u64(&shared_waiters[i]);
		bool		wake = noted.ticked_length < 0;

		if (key == 0 || (Oid) (key >> 32) != MyDatabaseId)
			continue;
		for (int t = 0; t < noted.ticked_length && !wake; t++)
			wake = key == shared_waiter_key(MyDatabaseId, noted.ticked[t]);
		if (wake)
			SetLatch(&GetPGProcByNumber(i)->procLatch);
	}
}

/* It reads the ticks of all its queues. */
static void
tell_executor(void)
{
	DatabaseSlot *slot = shared_slot(MyDatabaseId);

	if (slot == NULL)
		return;
	pg_atomic_write_u32(&slot->executor_news, 1);
	pg_memory_barrier();
	shared_set_latch(&slot->executor_proc);
}

/* The job worker, or that of remote jobs; or the ticker, which starts it. */
static void
tell_jobs(DatabaseSlot *slot, pg_atomic_uint32 *news, pg_atomic_uint32 *proc)
{
	pg_atomic_write_u32(news, 1);
	pg_memory_barrier();
	if (pg_atomic_read_u32(proc) != 0)
		shared_set_latch(proc);
	else
		shared_set_latch(&slot->ticker_proc);
}

static void
tell_launcher(void)
{
	if (noted.recheck)
	{
		LWLockAcquire(shared->lock, LW_EXCLUSIVE);
		if (shared->rechecks == MAX_RECHECKS)
			shared->rechecks = -1;
		if (shared->rechecks >= 0)
			shared->recheck[shared->rechecks++] = MyDatabaseId;
		LWLockRelease(shared->lock);
	}
	shared_wake_launcher();
}

/* The workers may come back. */
static void
release_hold(void)
{
	DatabaseSlot *slot;

	if (!OidIsValid(noted.held))
		return;
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	slot = shared_slot(noted.held);
	if (slot != NULL && slot->held_by == MyProcPid)
		slot->held_by = 0;
	LWLockRelease(shared->lock);
	shared_wake_launcher();
}

static void
forget(void)
{
	if (noted.cells != 0)
		memset(noted.events, 0, sizeof(noted.events));
	noted.any = noted.look = noted.jobs = noted.remote_jobs = noted.launcher = noted.recheck = false;
	noted.due = DT_NOEND;
	noted.cells = 0;
	noted.ticked_length = 0;
	noted.held = InvalidOid;
}

/*
 * _wake_at(due)
 */
Datum
pgtq_wake_at(PG_FUNCTION_ARGS)
{
	wake_at(PG_GETARG_TIMESTAMPTZ(0));
	PG_RETURN_VOID();
}

/*
 * _wake_events(queue_id)
 */
Datum
pgtq_wake_events(PG_FUNCTION_ARGS)
{
	wake_events(PG_GETARG_INT32(0));
	PG_RETURN_VOID();
}

/*
 * _wake_waiters(queue_id)
 */
Datum
pgtq_wake_waiters(PG_FUNCTION_ARGS)
{
	wake_waiters(PG_GETARG_INT32(0));
	PG_RETURN_VOID();
}

/*
 * _queues_changed()
 */
Datum
pgtq_queues_changed(PG_FUNCTION_ARGS)
{
	wake_look();
	PG_RETURN_VOID();
}

/*
 * _wake_jobs(remote)
 */
Datum
pgtq_wake_jobs(PG_FUNCTION_ARGS)
{
	wake_jobs(PG_GETARG_BOOL(0));
	PG_RETURN_VOID();
}
