/*
 * src/executor/done.h
 *		The done log, see structure/executor.sql.
 */
#ifndef PGTQ_DONE_H
#define PGTQ_DONE_H

/* gets what the log says of an event */
typedef void (*DoneReader) (int32 sub_id, int64 event, bool started, void *arg);

extern void done_append(int32 sub_id, int64 tick, bool started, int count, const int64 *events);
extern void done_read(int32 sub_id, int64 from_tick, int64 to_tick, DoneReader reader, void *arg);

#endif							/* PGTQ_DONE_H */
