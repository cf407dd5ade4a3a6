/*
 * src/executor/session.c
 *		A session of the executor: runs the actions of one role.
 *
 * A background worker, connected as that role.  It takes what the executor gives
 * it, a group at a time:
 *
 *	 1. a transaction that reads the rows of the timers;
 *	 2. a transaction that runs their actions, each in a subtransaction, then
 *		appends what became of them and the marks that they are done, and commits.
 *
 * So nothing of ours is locked while user code runs, and what an action did and
 * its mark are committed together.  A group ends after pgtq.commit_interval, or
 * with 60 actions; what was read and not run waits for the next.
 *
 * If a group cannot be committed, or an action meets a deadlock or its like,
 * nobody in particular is to blame: each is run alone then.  What fails alone
 * has failed.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_trigger.h"
#include "commands/async.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "common/now.h"
#include "compat.h"
#include "executor/action.h"
#include "executor/done.h"
#include "executor/main.h"
#include "executor/outcome.h"
#include "executor/pool.h"
#include "ticker/clock.h"
#include "ticker/worker.h"

/* a timer of the group in hand */
typedef struct Member
{
	uint32		number;			/* of its item */
	WorkItem	work;
	bool		found;
	bool		ran;			/* it has a result, to be recorded */
	ActionAgain again;
	TimerRow	row;
	ActionResult result;
} Member;

/* how long before it is due an action is not prepared any more, and how long a group is; in microseconds */
#define LEAST_AHEAD 500
#define LONGEST_PREPARATION 5000

/* and for how long its moment is waited for awake: to be woken takes about as long */
#define AWAKE 100

typedef struct ActionGroup
{
	int			count;
	int			ran;
	TimestampTz due;			/* of its last member */
	Member		members[GROUP_ACTIONS];
} ActionGroup;

static Session *session;
static DatabaseSlot *slot;
static MemoryContext group_context;
static uint32 wait_event;
static bool triggers_known = false;
static bool has_deferrable = false;

static bool wait_for_work(void);
static TimestampTz earliest_due(void);
static int	group_limit(void);
static void forget_triggers(Datum arg, Oid relid);
static void take_group(ActionGroup *group, int limit);
static void begin_transaction(void);
static void end_transaction(void);
static void read_rows(ActionGroup *group);
static void prepare_members(const ActionGroup *group);
static bool wait_until_due(const ActionGroup *group);
static void note_start(const WorkItem *work);
static void run_group(ActionGroup *group);
static void run_members(ActionGroup *group);
static bool run_member(ActionGroup *group, Member *member, TimestampTz began);
static int	commit_timeout(const ActionGroup *group);
static void record_group(ActionGroup *group);
static void group_failed(ActionGroup *group, MemoryContext context);
static void finish_group(ActionGroup *group);
static bool set_state(const Member *member, ItemState from, ItemState to);

void
pgtq_session_main(Datum arg)
{
	session = pool_begin(arg, SESSION_TYPE);
	slot = shared_slot(MyDatabaseId);
	wait_event = NamedWaitEvent("PgtqSession");
	clock_init();
	action_init(session);
	CacheRegisterRelcacheCallback(forget_triggers, (Datum) 0);
	group_context = AllocSetContextCreate(TopMemoryContext, "pgtq group", ALLOCSET_DEFAULT_SIZES);
	pool_ready(session);

	HOLD_CANCEL_INTERRUPTS();
	while (wait_for_work())
	{
		ActionGroup *group;

		MemoryContextSwitchTo(group_context);
		group = palloc0(sizeof(ActionGroup));
		take_group(group, group_limit());
		if (group->count > 0)
			run_group(group);
		MemoryContextReset(group_context);
		AfterCommitNotify();
		pgstat_report_stat(false);
	}
	proc_exit(0);
}

/* Sleeps until there is something to run.  False if it is time to leave. */
static bool
wait_for_work(void)
{
	for (;;)
	{
		bool		work = earliest_due() != DT_NOEND;
		bool		leave;
		long		timeout;

		CHECK_FOR_INTERRUPTS();
		worker_reload();
		LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
		leave = session->leave;
		timeout = pgtq_session_idle_timeout -
			(long) ((clock_steady() - session->idle_since) / 1000);
		LWLockRelease(shared->sessions_lock);
		if (work && !leave)
			return true;
		if (leave || timeout <= 0)
			return false;
		pgstat_report_activity(STATE_IDLE, NULL);
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, timeout, wait_event);
		ResetLatch(MyLatch);
	}
}

/* When the first of what was given to us is due; DT_NOEND: there is nothing. */
static TimestampTz
earliest_due(void)
{
	TimestampTz due = DT_NOEND;

	LWLockAcquire(shared->sessions_lock, LW_SHARED);
	for (uint32 n = session->first; n != session->last; n++)
		if (SESSION_ITEM(session, n)->state == ITEM_GIVEN)
			due = Min(due, SESSION_ITEM(session, n)->work.due);
	LWLockRelease(shared->sessions_lock);
	return due;
}

/*
 * How many actions a transaction may have.  Under REPEATABLE READ the next would
 * have an old snapshot.  Where there are deferrable constraints, the end of an
 * action makes them immediate, which lasts until the transaction ends.
 */
static int
group_limit(void)
{
	if (DefaultXactIsoLevel != XACT_READ_COMMITTED)
		return 1;
	if (!triggers_known)
	{
		Relation	rel;
		SysScanDesc scan;
		HeapTuple	tuple;

		triggers_known = true;	/* before we look: an invalidation may come meanwhile */
		has_deferrable = false;
		begin_transaction();
		rel = table_open(TriggerRelationId, AccessShareLock);
		scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
		while (!has_deferrable && HeapTupleIsValid(tuple = systable_getnext(scan)))
			has_deferrable = ((Form_pg_trigger) GETSTRUCT(tuple))->tgdeferrable;
		systable_endscan(scan);
		table_close(rel, AccessShareLock);
		end_transaction();
	}
	return has_deferrable ? 1 : GROUP_ACTIONS;
}

static void
forget_triggers(Datum arg, Oid relid)
{
	triggers_known = false;
}

/*
 * Takes a group of what was given to us: of what is due, or else of what is due
 * next.  One that is to run alone is a group.
 */
static void
take_group(ActionGroup *group, int limit)
{
	TimestampTz by = Max(earliest_due(), GetCurrentTimestamp());

	group->due = DT_NOBEGIN;
	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	for (uint32 n = session->first; n != session->last && group->count < limit; n++)
	{
		SessionItem *item = SESSION_ITEM(session, n);

		if (item->state != ITEM_GIVEN || item->work.due > by)
			continue;
		if (item->work.alone && group->count > 0)
			break;
		group->due = Max(group->due, item->work.due);
		item->state = ITEM_TAKEN;
		group->members[group->count].number = n;
		group->members[group->count].work = item->work;
		group->count++;
		if (item->work.alone)
			break;
	}
	LWLockRelease(shared->sessions_lock);
}

/* One of our own: what the role has as default is not for it. */
static void
begin_transaction(void)
{
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	XactIsoLevel = XACT_READ_COMMITTED;
	XactDeferrable = false;
	PushActiveSnapshot(GetTransactionSnapshot());
}

static void
end_transaction(void)
{
	PopActiveSnapshot();
	CommitTransactionCommand();
	MemoryContextSwitchTo(group_context);
}

static void
run_group(ActionGroup *group)
{
	MemoryContext context = CurrentMemoryContext;

	read_rows(group);
	prepare_members(group);
	if (!wait_until_due(group))
	{
		finish_group(group);
		return;
	}
	if (group->members[0].work.cautious && group->members[0].found)
		note_start(&group->members[0].work);
	PG_TRY();
	{
		SetCurrentStatementStartTimestamp();
		StartTransactionCommand();
		MemoryContextSwitchTo(context);
		run_members(group);
		record_group(group);
		action_commit(commit_timeout(group));
	}
	PG_CATCH();
	{
		action_not_committed();
		group_failed(group, context);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	finish_group(group);
}

static void
read_rows(ActionGroup *group)
{
	begin_transaction();
	if (!SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(session->role)))
		ereport(FATAL,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role with OID %u does not exist any more", session->role)));
	MemoryContextSwitchTo(group_context);
	for (int i = 0; i < group->count; i++)
	{
		Member	   *member = &group->members[i];

		member->found = outcome_read(&member->work, &member->row) &&
			DatumGetObjectId(member->row.values[Anum_ev_role - 1]) == session->role;
		if (!member->found)
			ereport(DEBUG1,
					(errmsg("event " INT64_FORMAT " has gone with its queue", member->work.event)));
	}
	end_transaction();
}

/* What can be done for those that are to come, while we wait; others may be due before. */
static void
prepare_members(const ActionGroup *group)
{
	TimestampTz until = Min(group->due - LEAST_AHEAD, GetCurrentTimestamp() + LONGEST_PREPARATION);

	for (int i = 0; i < group->count && GetCurrentTimestamp() < until; i++)
	{
		if (group->members[i].found)
			action_prepare(&group->members[i].row, until);
	}
}

/*
 * Waits until what was fetched ahead of time is due, outside of a transaction.
 * False if something has come that is due before.
 */
static bool
wait_until_due(const ActionGroup *group)
{
	TimestampTz now;

	while ((now = GetCurrentTimestamp()) < group->due)
	{
		if (now < group->due - AWAKE)
			(void) clock_sleep(group->due - AWAKE, wait_event);
		CHECK_FOR_INTERRUPTS();
		if (earliest_due() < group->due)
			return false;
	}
	return true;
}

/* A crash of the server must not lose this. */
static void
note_start(const WorkItem *work)
{
	begin_transaction();
	done_append(work->sub_id, work->tick, true, 1, &work->event);
	ForceSyncCommit();
	end_transaction();
}

static void
run_members(ActionGroup *group)
{
	TimestampTz began = GetCurrentTimestamp();

	for (int i = 0; i < group->count; i++)
	{
		if (group->ran > 0 &&
			TimestampDifferenceExceeds(began, GetCurrentTimestamp(), pgtq_commit_interval))
			break;
		CHECK_FOR_INTERRUPTS();
		if (!run_member(group, &group->members[i], began))
			break;
	}
}

/* False if the group has to end with it. */
static bool
run_member(ActionGroup *group, Member *member, TimestampTz began)
{
	TimerRow   *row = &member->row;

	if (!member->found || !set_state(member, ITEM_TAKEN, ITEM_RUNNING))
		return true;
	if (!row->nulls[Anum_ev_expires - 1] &&
		DatumGetTimestampTz(row->values[Anum_ev_expires - 1]) < clock_now())
		member->result.expired = true;
	else
		member->again = action_run(row, group->ran > 0, began + 2 * pgtq_commit_interval * INT64CONST(1000),
								   &member->result);
	member->ran = member->again == AGAIN_NO;
	if (member->ran)
		group->ran++;
	set_state(member, ITEM_RUNNING, ITEM_RAN);
	return member->ran;
}

/*
 * How long the commit may take: what is left to the action, or as long as the
 * most hurried of a group has, since each is run alone if that is not enough.
 */
static int
commit_timeout(const ActionGroup *group)
{
	int			least = 0;

	for (int i = 0; i < group->count; i++)
	{
		const Member *member = &group->members[i];
		int			timeout = member->ran && !member->result.expired ? action_timeout(&member->row) : 0;

		if (timeout > 0 && group->ran == 1)
			timeout = Max(timeout - TimestampDifferenceMilliseconds(member->result.started, clock_now()), 1);
		if (timeout > 0 && (least == 0 || timeout < least))
			least = timeout;
	}
	return least;
}

/* What became of them, and the marks; in the transaction of their actions. */
static void
record_group(ActionGroup *group)
{
	WorkItem	done[GROUP_ACTIONS];
	int			count = 0;
	HistoryRows history = {0};

	if (group->ran == 0)
		return;
	PushActiveSnapshot(GetTransactionSnapshot());
	for (int i = 0; i < group->count; i++)
	{
		Member	   *member = &group->members[i];

		if (!member->ran)
			continue;
		outcome_record(&member->row, &member->result, &history);
		done[count++] = member->work;
	}
	history_insert(&history);
	outcome_mark(count, done);
	PopActiveSnapshot();
}

/*
 * In a PG_CATCH: nothing of the group was committed.  If it was one action, that
 * is how it failed; else each is to run alone.
 */
static void
group_failed(ActionGroup *group, MemoryContext context)
{
	ErrorData  *error;
	Member	   *single = NULL;
	HistoryRows history = {0};

	HOLD_INTERRUPTS();
	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	AbortCurrentTransaction();
	MemoryContextSwitchTo(context);
	RESUME_INTERRUPTS();
	for (int i = 0; i < group->count; i++)
	{
		Member	   *member = &group->members[i];

		if (!member->ran)
			continue;
		member->again = AGAIN_CONFLICT;
		if (group->ran == 1)
			single = member;
	}
	if (single == NULL)
		return;

	single->again = AGAIN_NO;
	single->result.error = error->message ? error->message : "unknown error";
	strlcpy(single->result.sqlstate, unpack_sql_state(error->sqlerrcode), sizeof(single->result.sqlstate));
	begin_transaction();
	MemoryContextSwitchTo(context);
	outcome_record(&single->row, &single->result, &history);
	history_insert(&history);
	outcome_mark(1, &single->work);
	end_transaction();
}

/* Tells the executor.  What is to run again, or was not run, stays with us. */
static void
finish_group(ActionGroup *group)
{
	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	for (int i = 0; i < group->count; i++)
	{
		Member	   *member = &group->members[i];
		SessionItem *item = SESSION_ITEM(session, member->number);

		if (item->state == ITEM_DONE)
			continue;			/* the executor has taken it back */
		if (member->found && member->again != AGAIN_NO)
			item->work.alone = true;
		if (member->found && (!member->ran || member->again != AGAIN_NO))
			item->state = ITEM_GIVEN;
		else
			item->state = ITEM_DONE;
	}
	session->idle_since = clock_steady();
	LWLockRelease(shared->sessions_lock);
	if (slot != NULL)
		shared_set_latch(&slot->executor_proc);
}

/* Moves an item on, unless the executor has taken it back. */
static bool
set_state(const Member *member, ItemState from, ItemState to)
{
	SessionItem *item = SESSION_ITEM(session, member->number);
	bool		is_from;

	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	is_from = item->state == from;
	if (is_from)
		item->state = to;
	LWLockRelease(shared->sessions_lock);
	return is_from;
}
