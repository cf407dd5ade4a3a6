/*
 * src/executor/carried.h
 *		The table of timers that the executor's position is past.
 */
#ifndef PGTQ_CARRIED_H
#define PGTQ_CARRIED_H

#include "executor/pool.h"

typedef struct CarriedTimer
{
	WorkItem	work;
	Oid			role;
} CarriedTimer;

extern CarriedTimer *carried_list(int32 sub_id, int32 queue_id, int *count);
extern bool carried_put(WorkItem *work);
extern void carried_forget(int32 sub_id, int64 event);
extern bool carried_to_save(void);
extern void carried_save(void);
extern void carried_saved(void);

#endif							/* PGTQ_CARRIED_H */
