/*
 * src/remote/running.c
 *		What runs elsewhere now, for whoever looks.
 *
 * Runs in any session.  Reads shared memory, under its lock.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"

#include "remote/running.h"

PG_FUNCTION_INFO_V1(pgtq_remote_worker);

/* The next one that is running, in our database; from *n on, which it moves. */
bool
remote_run_next(int *n, RemoteRun *run, pid_t *pid)
{
	DatabaseSlot *slot = shared_slot(MyDatabaseId);
	bool		found = false;

	if (slot == NULL)
		return false;
	LWLockAcquire(shared->lock, LW_SHARED);
	*pid = slot->remote_pid;
	LWLockRelease(shared->lock);
	LWLockAcquire(shared->sessions_lock, LW_SHARED);
	for (; *n < MAX_REMOTE_JOBS && !found; (*n)++)
	{
		found = slot->remote[*n].job != 0 && slot->remote[*n].running;
		*run = slot->remote[*n];
	}
	LWLockRelease(shared->sessions_lock);
	return found;
}

/* Asks the worker to stop one.  False: it does not run. */
bool
remote_run_cancel(int64 job)
{
	DatabaseSlot *slot = shared_slot(MyDatabaseId);
	bool		found = false;

	if (slot == NULL)
		return false;
	LWLockAcquire(shared->sessions_lock, LW_EXCLUSIVE);
	for (int n = 0; n < MAX_REMOTE_JOBS && !found; n++)
	{
		found = slot->remote[n].job == job && slot->remote[n].running;
		if (found)
			slot->remote[n].cancel = job;
	}
	LWLockRelease(shared->sessions_lock);
	if (found)
		shared_set_latch(&slot->remote_proc);
	return found;
}

/*
 * _remote_worker()
 */
Datum
pgtq_remote_worker(PG_FUNCTION_ARGS)
{
	DatabaseSlot *slot = shared_slot(MyDatabaseId);
	TupleDesc	desc;
	Datum		values[3] = {0};
	bool		nulls[3] = {true, false, false};
	int			count = 0;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	if (slot != NULL)
	{
		LWLockAcquire(shared->lock, LW_SHARED);
		nulls[0] = slot->remote_pid == 0;
		values[0] = Int32GetDatum((int32) slot->remote_pid);
		values[2] = BoolGetDatum(slot->remote_wait);
		LWLockRelease(shared->lock);
		LWLockAcquire(shared->sessions_lock, LW_SHARED);
		for (int n = 0; n < MAX_REMOTE_JOBS; n++)
			count += slot->remote[n].job != 0;
		LWLockRelease(shared->sessions_lock);
	}
	values[1] = Int32GetDatum(count);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}
