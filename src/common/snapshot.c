/*
 * src/common/snapshot.c
 *		Snapshots: our own, and the SQL type pg_snapshot.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/snapmgr.h"

#include "common/snapshot.h"

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
