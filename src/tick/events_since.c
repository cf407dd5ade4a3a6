/*
 * src/tick/events_since.c
 *		_events_since(): are there events that a snapshot does not see?
 *
 * Runs in the session of the ticker, at every call that finds no new event by
 * the id sequence.  Takes ACCESS SHARE on the tables of the ring.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/stratnum.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/snapmgr.h"
#include "utils/xid8.h"

#include "common/event.h"
#include "common/queue.h"
#include "common/snapshot.h"
#include "tick/ticks.h"

PG_FUNCTION_INFO_V1(pgtq_events_since);

static bool table_has_event(Relation rel, const StoredSnapshot *snapshot);
static bool index_finds(Relation rel, Relation index, StrategyNumber strategy,
						RegProcedure procedure, FullTransactionId txid);

/*
 * _events_since(queue_id, data_pfx, snapshot)
 */
Datum
pgtq_events_since(PG_FUNCTION_ARGS)
{
	bool		found;

	command_snapshot();
	found = events_since(PG_GETARG_INT32(0), text_to_cstring(PG_GETARG_TEXT_PP(1)),
						 (StoredSnapshot *) PG_GETARG_VARLENA_P(2));
	PopActiveSnapshot();
	PG_RETURN_BOOL(found);
}

/* The same, with the active snapshot. */
bool
events_since(int32 queue_id, const char *data_pfx, const StoredSnapshot *snapshot)
{
	bool		found = false;
	Relation	rel;

	AcceptInvalidationMessages();	/* the ring may have grown */
	for (int n = 0; !found && (rel = queue_open_table(queue_id, data_pfx, RING_EVENTS, n)) != NULL; n++)
	{
		found = table_has_event(rel, snapshot);
		relation_close(rel, NoLock);
	}
	return found;
}

static bool
table_has_event(Relation rel, const StoredSnapshot *snapshot)
{
	Relation	index = queue_open_index(rel, Anum_ev_txid);
	bool		found = index_finds(rel, index, BTGreaterEqualStrategyNumber, F_XID8GE, snapshot->xmax);

	for (uint32 i = 0; i < snapshot->nxip && !found; i++)
		found = index_finds(rel, index, BTEqualStrategyNumber, F_XID8EQ, snapshot->xip[i]);
	index_close(index, AccessShareLock);
	return found;
}

static bool
index_finds(Relation rel, Relation index, StrategyNumber strategy,
			RegProcedure procedure, FullTransactionId txid)
{
	ScanKeyData key;
	SysScanDesc scan;
	bool		found;

	ScanKeyInit(&key, Anum_ev_txid, strategy, procedure, FullTransactionIdGetDatum(txid));
	scan = systable_beginscan_ordered(rel, index, GetActiveSnapshot(), 1, &key);
	found = HeapTupleIsValid(systable_getnext_ordered(scan, ForwardScanDirection));
	systable_endscan_ordered(scan);
	return found;
}
