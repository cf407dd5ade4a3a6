/*
 * src/common/snapshot.h
 *		Snapshots: our own, and the SQL type pg_snapshot.
 *
 * Of pg_snapshot, the server keeps the struct to itself, but it is what stands on disk, and
 * has not changed since it was txid_snapshot in 8.3.
 */
#ifndef PGTQ_SNAPSHOT_H
#define PGTQ_SNAPSHOT_H

#include "access/transam.h"

typedef struct StoredSnapshot
{
	int32		vl_len_;
	uint32		nxip;
	FullTransactionId xmin;
	FullTransactionId xmax;
	FullTransactionId xip[FLEXIBLE_ARRAY_MEMBER];	/* ascending */
} StoredSnapshot;

extern void command_snapshot(void);
extern StoredSnapshot *snapshot_to_store(void);
extern bool snapshot_sees(const StoredSnapshot *snapshot, FullTransactionId txid);

#endif							/* PGTQ_SNAPSHOT_H */
