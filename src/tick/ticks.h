/*
 * src/tick/ticks.h
 *		Reading ticks of a queue.
 */
#ifndef PGTQ_TICKS_H
#define PGTQ_TICKS_H

#include "datatype/timestamp.h"

#include "common/snapshot.h"

typedef struct Tick
{
	int64		id;
	TimestampTz time;
	StoredSnapshot *snapshot;
	int64		event_seq;
} Tick;

extern bool tick_get(int32 queue_id, int64 id, Tick *tick);
extern bool tick_next(int32 queue_id, int64 after, Tick *tick);
extern bool tick_next_unflushed(int32 queue_id, int64 after, Tick *tick);
extern bool tick_newest(int32 queue_id, int64 up_to, Tick *tick);
extern int64 tick_write(int32 queue_id, bool force);
extern bool events_since(int32 queue_id, const char *data_pfx, const StoredSnapshot *snapshot);

#endif							/* PGTQ_TICKS_H */
