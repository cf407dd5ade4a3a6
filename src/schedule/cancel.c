/*
 * src/schedule/cancel.c
 *		cancel(): takes a pending timer out of the delay store for good.
 *
 * Runs in the session of whoever cancels.  The row is deleted in place, so
 * whoever moves or copies it waits for us or we for them; see _take_timer(),
 * which does the same in SQL and tells why.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/snapmgr.h"

#include "common/event.h"
#include "common/position.h"
#include "common/queue.h"
#include "common/snapshot.h"
#include "delay/recur.h"
#include "delay/store.h"
#include "history/history.h"
#include "schedule/call.h"

PG_FUNCTION_INFO_V1(pgtq_cancel);

/* column of pgtq.generation */
#define Anum_gen_truncated 7

typedef enum Outcome
{
	TAKEN,						/* it was there, and is ours */
	GONE,						/* somebody took it while we waited */
	NOT_FOUND
} Outcome;

static Outcome take_timer(int64 timer);
static Outcome take_from(Relation rel, int64 timer);
static void check_owner(Oid owner, int64 timer);
static int64 truncations_seen(void);

/*
 * cancel(timer_id, shard_key)
 */
Datum
pgtq_cancel(PG_FUNCTION_ARGS)
{
	int64		timer;
	Oid			truncations;

	PreventCommandIfReadOnly("DELETE");
	call_refuse_replica();
	if (PG_ARGISNULL(0))
		PG_RETURN_BOOL(false);
	timer = PG_GETARG_INT64(0);
	truncations = pgtq_relation("delay_truncated_seq");

	for (;;)
	{
		int64		truncated = sequence_last_value(truncations);
		Outcome		outcome = take_timer(timer);

		if (outcome == TAKEN)
			PG_RETURN_BOOL(true);
		if (IsolationUsesXactSnapshot())
		{
			/* what our snapshot would see may have been truncated */
			if (outcome == GONE)
				ereport(ERROR,
						(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
						 errmsg("could not serialize access due to concurrent delete")));
			if (truncated > 0 && truncations_seen() < truncated)
				position_out_of_date();
			PG_RETURN_BOOL(false);
		}
		if (outcome == NOT_FOUND && sequence_last_value(truncations) == truncated)
			PG_RETURN_BOOL(false);
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * Looks for a timer in all generations, with one snapshot, which is older than
 * our list of them: so every row that it sees is in a table that we look into.
 */
static Outcome
take_timer(int64 timer)
{
	Outcome		outcome = NOT_FOUND;
	Relation	rel;

	command_snapshot();
	AcceptInvalidationMessages();
	for (int n = 0; outcome == NOT_FOUND && (rel = store_open_generation(n, AccessShareLock)) != NULL; n++)
	{
		outcome = take_from(rel, timer);
		relation_close(rel, NoLock);
	}
	PopActiveSnapshot();
	return outcome;
}

static Outcome
take_from(Relation rel, int64 timer)
{
	Relation	index = store_open_index(rel, STORE_BY_TIMER);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	Outcome		outcome = NOT_FOUND;

	ScanKeyInit(&key, Anum_ev_timer, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(timer));
	scan = systable_beginscan_ordered(rel, index, GetActiveSnapshot(), 1, &key);
	tuple = systable_getnext_ordered(scan, ForwardScanDirection);
	if (HeapTupleIsValid(tuple))
	{
		Datum		values[Natts_delay];
		bool		nulls[Natts_delay];
		TM_FailureData failure;
		TM_Result	result;

		heap_deform_tuple(tuple, RelationGetDescr(rel), values, nulls);
		check_owner(DatumGetObjectId(values[Anum_ev_role - 1]), timer);
		LockRelationOid(RelationGetRelid(rel), RowExclusiveLock);
		result = table_tuple_delete(rel, &tuple->t_self, GetCurrentCommandId(true), GetActiveSnapshot(),
									InvalidSnapshot, true, &failure, false);
		outcome = (result == TM_Ok) ? TAKEN : GONE;
		if (outcome == TAKEN)
		{
			history_add(values, nulls, TIMER_CANCELLED, 0, NULL, NULL);
			recur_taken(values, nulls);
		}
	}
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	return outcome;
}

/* See _check_owner(). */
static void
check_owner(Oid owner, int64 timer)
{
	if (owner != GetUserId() &&
		!has_privs_of_role(GetUserId(), get_role_oid("pgtq_admin", false)))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied for timer " INT64_FORMAT, timer)));
}

/* How many truncations of generations does our snapshot know of? */
static int64
truncations_seen(void)
{
	Relation	rel = table_open(pgtq_relation("generation"), AccessShareLock);
	SysScanDesc scan;
	HeapTuple	tuple;
	int64		seen = 0;

	command_snapshot();
	scan = systable_beginscan(rel, InvalidOid, false, GetActiveSnapshot(), 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool		isnull;

		seen = Max(seen, DatumGetInt64(heap_getattr(tuple, Anum_gen_truncated, RelationGetDescr(rel), &isnull)));
	}
	systable_endscan(scan);
	PopActiveSnapshot();
	table_close(rel, AccessShareLock);
	return seen;
}
