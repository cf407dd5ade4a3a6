/*
 * src/jobs/state.c
 *		_job_worker(): what the job worker is doing.
 *
 * Runs in any session.  Reads shared memory, under its locks.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"

#include "common/shared.h"
#include "executor/pool.h"

PG_FUNCTION_INFO_V1(pgtq_job_worker);

Datum
pgtq_job_worker(PG_FUNCTION_ARGS)
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
		nulls[0] = slot->jobs_pid == 0;
		values[0] = Int32GetDatum((int32) slot->jobs_pid);
		values[2] = BoolGetDatum(slot->jobs_wait);
		LWLockRelease(shared->lock);
		LWLockAcquire(shared->sessions_lock, LW_SHARED);
		for (int i = 0; i < sessions_length; i++)
			count += sessions[i].state == SESSION_READY && sessions[i].database == MyDatabaseId && sessions[i].for_jobs;
		LWLockRelease(shared->sessions_lock);
	}
	values[1] = Int32GetDatum(count);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}
