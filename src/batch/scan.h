/*
 * src/batch/scan.h
 *		Reading the events between two ticks.
 */
#ifndef PGTQ_BATCH_SCAN_H
#define PGTQ_BATCH_SCAN_H

#include "access/htup.h"
#include "utils/rel.h"

#include "common/queue.h"
#include "tick/ticks.h"

/* what a consumer reads: all that cur sees and prev does not */
typedef struct Batch
{
	int32		sub_id;
	QueueRow	queue;
	Tick		prev;
	Tick		cur;
} Batch;

/* gets an event: its tuple and its columns, which are good until it returns */
typedef void (*BatchReader) (Relation rel, HeapTuple tuple, const Datum *values, const bool *nulls, void *arg);

extern void batch_scan(const Batch *batch, BatchReader reader, void *arg);

#endif							/* PGTQ_BATCH_SCAN_H */
