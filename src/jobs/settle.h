/*
 * src/jobs/settle.h
 *		Changes of a job's row by the worker that has it in memory.
 */
#ifndef PGTQ_JOBS_SETTLE_H
#define PGTQ_JOBS_SETTLE_H

#include "common/shared.h"
#include "jobs/plan.h"

typedef enum Advance
{
	ADVANCED,
	LATER,						/* somebody has its row locked, or we could not look */
	GONE						/* cancelled or expired: it is forgotten */
} Advance;

extern Advance jobs_advance(DatabaseSlot *slot, Job *job, int state, pid_t pid, TimestampTz now, TimestampTz *retry_at);
extern bool jobs_lost(DatabaseSlot *slot, int64 id);
extern bool jobs_fail(DatabaseSlot *slot, int64 id, const char *sqlstate, const char *error);
extern bool jobs_refused(DatabaseSlot *slot, Job *job);

#endif							/* PGTQ_JOBS_SETTLE_H */
