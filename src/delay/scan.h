/*
 * src/delay/scan.h
 *		Looking for due rows in the delay store.
 */
#ifndef PGTQ_SCAN_H
#define PGTQ_SCAN_H

#include "access/htup.h"
#include "datatype/timestamp.h"
#include "utils/rel.h"

#include "delay/state.h"

/* a row that is due, or about to be */
typedef struct DueRow
{
	TimestampTz due;
	int64		timer;			/* 0: a retry */
	int32		queue_id;
	int			generation;
	HeapTuple	tuple;			/* a copy */
} DueRow;

/* those found so far */
typedef struct DueRows
{
	DueRow	   *rows;
	int			count;
	int			room;
	int			limit;			/* of one kind of search in one generation */
	bool		limited;		/* there is more that was committed late */
} DueRows;

extern void scan_due_range(Relation rel, int generation, TimestampTz after, TimestampTz by,
						   int limit, DueRows *found);
extern void scan_unseen(Relation rel, int generation, const StoredSnapshot *seen,
						TimestampTz by, DueRows *found);
extern bool scan_first_due(Relation rel, TimestampTz from, TimestampTz *due);
extern bool scan_first_unseen(Relation rel, const StoredSnapshot *seen, TimestampTz *due);

#endif							/* PGTQ_SCAN_H */
