/*
 * src/executor/running.c
 *		_running(), cancel_running(), current_timer() and their like: what runs now.
 *
 * Runs in any session.  Reads shared memory, under its lock.
 */
#include "postgres.h"

#include <signal.h>

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/timestamp.h"

#include "common/now.h"
#include "common/resultset.h"
#include "common/settings.h"
#include "common/shared.h"
#include "executor/action.h"
#include "executor/pool.h"
#include "remote/running.h"

PG_FUNCTION_INFO_V1(pgtq_running);
PG_FUNCTION_INFO_V1(pgtq_cancel_running);
PG_FUNCTION_INFO_V1(pgtq_current_timer);
PG_FUNCTION_INFO_V1(pgtq_set_current_timer);
PG_FUNCTION_INFO_V1(pgtq_executor_runs);
PG_FUNCTION_INFO_V1(pgtq_executor_state);
PG_FUNCTION_INFO_V1(pgtq_job_worker);

#define Natts_running 5

static Datum worker_state(FunctionCallInfo fcinfo, bool of_jobs);
static bool may_see(Oid role);
static void check_may_see(Oid role, int64 timer);

/*
 * _running(): those of the caller, or all for pgtq_admin
 */
Datum
pgtq_running(PG_FUNCTION_ARGS)
{
	TupleDesc	desc;
	Tuplestorestate *store = resultset_begin(fcinfo, &desc);
	RemoteRun	run;
	pid_t		pid;

	for (int i = 0; i < sessions_length; i++)
	{
		Session    *session = &sessions[i];
		Datum		values[Natts_running];
		bool		nulls[Natts_running] = {false};
		Oid			role;
		bool		runs;

		LWLockAcquire(shared->sessions_lock, LW_SHARED);
		runs = session->state == SESSION_READY && session->database == MyDatabaseId && session->running != 0;
		role = session->role;
		values[0] = Int64GetDatum(session->running);
		values[1] = Int32GetDatum(session->running_queue);
		values[2] = ObjectIdGetDatum(role);
		values[3] = Int32GetDatum(session->pid);
		values[4] = TimestampTzGetDatum(GetCurrentTimestamp() - (clock_steady() - session->running_since));
		LWLockRelease(shared->sessions_lock);
		if (runs && may_see(role))
			tuplestore_putvalues(store, desc, values, nulls);
	}
	for (int n = 0; remote_run_next(&n, &run, &pid);)
	{
		Datum		values[Natts_running] = {Int64GetDatum(run.job), Int32GetDatum(0), ObjectIdGetDatum(run.role), Int32GetDatum(pid),
		TimestampTzGetDatum(GetCurrentTimestamp() - (clock_steady() - run.since))};
		bool		nulls[Natts_running] = {false};

		if (may_see(run.role))
			tuplestore_putvalues(store, desc, values, nulls);
	}
	return (Datum) 0;
}

/*
 * cancel_running(timer_id)
 */
Datum
pgtq_cancel_running(PG_FUNCTION_ARGS)
{
	int64		timer = PG_GETARG_INT64(0);
	bool		found = false;
	RemoteRun	run;
	pid_t		pid;

	for (int i = 0; i < sessions_length && !found; i++)
	{
		Session    *session = &sessions[i];
		Oid			role;
		bool		runs;

		LWLockAcquire(shared->sessions_lock, LW_SHARED);
		runs = session->database == MyDatabaseId && session->running == timer && timer != 0;
		role = session->role;
		LWLockRelease(shared->sessions_lock);
		if (!runs)
			continue;
		check_may_see(role, timer);
		LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
		found = session->database == MyDatabaseId && session->running == timer && session->pid != 0;
		if (found)
		{
			session->cancel = timer;
			kill(session->pid, SIGINT);
		}
		LWLockRelease(shared->sessions_lock);
	}
	for (int n = 0; !found && remote_run_next(&n, &run, &pid);)
	{
		if (run.job != timer)
			continue;
		check_may_see(run.role, timer);
		found = remote_run_cancel(timer);
	}
	PG_RETURN_BOOL(found);
}

/*
 * current_timer()
 */
Datum
pgtq_current_timer(PG_FUNCTION_ARGS)
{
	if (action_timer == 0)
		PG_RETURN_NULL();
	PG_RETURN_INT64(action_timer);
}

/*
 * _set_current_timer(timer): for run_due(), which runs actions in the session of
 * its caller
 */
Datum
pgtq_set_current_timer(PG_FUNCTION_ARGS)
{
	action_timer = PG_ARGISNULL(0) ? 0 : PG_GETARG_INT64(0);
	PG_RETURN_VOID();
}

/*
 * _executor_runs()
 */
Datum
pgtq_executor_runs(PG_FUNCTION_ARGS)
{
	DatabaseSlot *slot = shared_slot(MyDatabaseId);
	bool		runs = shared != NULL && pgtq_enabled && pgtq_databases[0] == '\0';

	if (shared != NULL && slot != NULL && !runs)
	{
		LWLockAcquire(shared->lock, LW_SHARED);
		runs = slot->executor_pid != 0;
		LWLockRelease(shared->lock);
	}
	PG_RETURN_BOOL(runs);
}

/*
 * _executor_state()
 */
Datum
pgtq_executor_state(PG_FUNCTION_ARGS)
{
	return worker_state(fcinfo, false);
}

/*
 * _job_worker()
 */
Datum
pgtq_job_worker(PG_FUNCTION_ARGS)
{
	return worker_state(fcinfo, true);
}

/* Its process, how many sessions it has, and whether one waits for a slot. */
static Datum
worker_state(FunctionCallInfo fcinfo, bool of_jobs)
{
	DatabaseSlot *slot = shared_slot(MyDatabaseId);
	TupleDesc	desc;
	Datum		values[3] = {0};
	bool		nulls[3] = {true, false, false};
	pid_t		pid = 0;
	int			count = 0;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	if (slot != NULL)
	{
		LWLockAcquire(shared->lock, LW_SHARED);
		pid = of_jobs ? slot->jobs_pid : slot->executor_pid;
		values[2] = BoolGetDatum(of_jobs ? slot->jobs_wait : slot->sessions_wait);
		LWLockRelease(shared->lock);
		LWLockAcquire(shared->sessions_lock, LW_SHARED);
		for (int i = 0; i < sessions_length; i++)
			count += sessions[i].state == SESSION_READY && sessions[i].database == MyDatabaseId && sessions[i].for_jobs == of_jobs;
		LWLockRelease(shared->sessions_lock);
	}
	nulls[0] = pid == 0;
	values[0] = Int32GetDatum((int32) pid);
	values[1] = Int32GetDatum(count);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}

static bool
may_see(Oid role)
{
	return role == GetUserId() || has_privs_of_role(GetUserId(), get_role_oid("pgtq_admin", false));
}

static void
check_may_see(Oid role, int64 timer)
{
	if (!may_see(role))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for timer " INT64_FORMAT, timer)));
}
