/*
 * src/common/snapshot.c
 *		Snapshots: our own, and the SQL type pg_snapshot.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

#include "common/snapshot.h"
#include "compat.h"

/*
 * Pushes a snapshot as at the start of a statement: what was done before, by
 * this transaction or by committed ones, is seen.
 */
void
command_snapshot(void)
{
	CommandCounterIncrement();
	PushActiveSnapshot(GetTransactionSnapshot());
}

/*
 * The active snapshot as one to be stored, with our own transaction as one that
 * is still running; see _tick_snapshot().  A transaction that has no id yet will
 * get one that the snapshot does not see anyway.
 */
StoredSnapshot *
snapshot_to_store(void)
{
	FullTransactionId own = GetTopFullTransactionIdIfAny();
	StoredSnapshot *current = (StoredSnapshot *)
		DatumGetPointer(DirectFunctionCall1(pg_current_snapshot, (Datum) 0));
	StoredSnapshot *result;
	uint32		n = 0;

	if (!FullTransactionIdIsValid(own) || !snapshot_sees(current, own))
		return current;
	result = palloc0(VARSIZE(current) + sizeof(FullTransactionId));
	SET_VARSIZE(result, VARSIZE(current) + sizeof(FullTransactionId));
	while (n < current->nxip && FullTransactionIdPrecedes(current->xip[n], own))
		n++;
	memcpy(result->xip, current->xip, n * sizeof(FullTransactionId));
	result->xip[n] = own;
	memcpy(result->xip + n + 1, current->xip + n, (current->nxip - n) * sizeof(FullTransactionId));
	result->nxip = current->nxip + 1;
	result->xmin = result->xip[0];
	result->xmax = current->xmax;
	return result;
}

/* Had this transaction ended when the snapshot was taken? */
bool
snapshot_sees(const StoredSnapshot *snapshot, FullTransactionId txid)
{
	uint32		low = 0;
	uint32		high = snapshot->nxip;

	if (FullTransactionIdPrecedes(txid, snapshot->xmin))
		return true;
	if (!FullTransactionIdPrecedes(txid, snapshot->xmax))
		return false;
	while (low < high)
	{
		uint32		middle = low + (high - low) / 2;

		if (FullTransactionIdPrecedes(snapshot->xip[middle], txid))
			low = middle + 1;
		else
			high = middle;
	}
	return low == snapshot->nxip || !FullTransactionIdEquals(snapshot->xip[low], txid);
}
