/*
 * src/jobs/settle.c
 *		Changes of a job's row by the worker that has it in memory.
 *
 * Runs in the job worker, and in that of remote jobs.  Each is a transaction that
 * may fail; then it is tried again later.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "executor/settle.h"
#include "jobs/settle.h"
#include "ticker/worker.h"

/* microseconds until we try again: a row that is locked, what failed */
#define LOCK_RETRY (200 * INT64CONST(1000))
#define ERROR_RETRY USECS_PER_SEC

typedef struct Change
{
	int64		id;
	int			state;
	pid_t		pid;
	bool		done;
	bool		locked;
	const char *sqlstate;
	const char *error;
	Oid			role;
} Change;

static void advance_task(void *arg);
static void lost_task(void *arg);
static void fail_task(void *arg);
static void refusal_task(void *arg);

/* Moves the row of a job on.  If it is to be tried later, that is seen to; for one that is held by *retry_at. */
Advance
jobs_advance(DatabaseSlot *slot, Job *job, int state, pid_t pid, TimestampTz now, TimestampTz *retry_at)
{
	Change		change = {.id = job->id, .state = state, .pid = pid};
	bool		looked = worker_run(slot, state == 1 ? "taking a job" : "beginning a job", advance_task, &change);
	TimestampTz again = now + (looked ? LOCK_RETRY : ERROR_RETRY);

	if (looked && change.done)
		return ADVANCED;
	if (looked && !change.locked)
	{
		if (job->place == JOB_HELD)
			jobplan_release(job, DT_NOBEGIN);
		else
			jobplan_forget(job);
		return GONE;
	}
	if (job->place == JOB_HELD)
		*retry_at = Min(*retry_at, again);
	else
		jobplan_delay(job, again);
	return LATER;
}

static void
advance_task(void *arg)
{
	static SPIPlanPtr plan = NULL;
	Change	   *change = arg;
	Oid			types[3] = {INT8OID, INT4OID, INT4OID};
	Datum		values[3] = {Int64GetDatum(change->id), Int32GetDatum(change->state), Int32GetDatum((int32) change->pid)};
	bool		isnull;

	worker_plan(&plan, "select done, locked from pgtq._advance_job($1, $2, nullif($3, 0))", 3, types);
	if (SPI_execute_plan(plan, values, NULL, false, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "_advance_job() returned no row");
	change->done = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	change->locked = DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &isnull));
	if (change->state == 2 && change->done)
		ForceSyncCommit();		/* a crash must not make us think that it has not begun */
}

/* It has lost its session; what its row says is what counts. */
bool
jobs_lost(DatabaseSlot *slot, int64 id)
{
	Change		change = {.id = id};

	return worker_run(slot, "settling a job", lost_task, &change);
}

static void
lost_task(void *arg)
{
	static SPIPlanPtr plan = NULL;
	Change	   *change = arg;
	Oid			types[1] = {INT8OID};
	Datum		values[1] = {Int64GetDatum(change->id)};

	worker_plan(&plan, "select pgtq._lost_job($1)", 1, types);
	if (SPI_execute_plan(plan, values, NULL, false, 1) != SPI_OK_SELECT)
		elog(ERROR, "_lost_job() failed");
}

/* It has failed, for good. */
bool
jobs_fail(DatabaseSlot *slot, int64 id, const char *sqlstate, const char *error)
{
	Change		change = {.id = id, .sqlstate = sqlstate, .error = error};

	return worker_run(slot, "failing a job", fail_task, &change);
}

static void
fail_task(void *arg)
{
	static SPIPlanPtr plan = NULL;
	Change	   *change = arg;
	Oid			types[3] = {INT8OID, TEXTOID, TEXTOID};
	Datum		values[3] = {Int64GetDatum(change->id), CStringGetTextDatum(change->sqlstate), CStringGetTextDatum(change->error)};

	worker_plan(&plan, "select pgtq._fail_job($1, $2, $3)", 3, types);
	if (SPI_execute_plan(plan, values, NULL, false, 1) != SPI_OK_SELECT)
		elog(ERROR, "_fail_job() failed");
}

/* A role that may not have a session fails its jobs.  True also if we cannot look. */
bool
jobs_refused(DatabaseSlot *slot, Job *job)
{
	Change		change = {.id = job->id, .role = job->group->key.role};

	if (!worker_run(slot, "looking at a role", refusal_task, &change))
	{
		jobplan_delay(job, GetCurrentTimestamp() + ERROR_RETRY);
		return true;
	}
	if (change.error == NULL)
		return false;
	if (jobs_fail(slot, job->id, "28000", change.error))
		jobplan_forget(job);
	else
		jobplan_delay(job, GetCurrentTimestamp() + ERROR_RETRY);
	return true;
}

static void
refusal_task(void *arg)
{
	Change	   *change = arg;
	bool		exists;

	change->error = settle_refusal(change->role, &exists);
}
