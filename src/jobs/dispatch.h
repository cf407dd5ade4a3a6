/*
 * src/jobs/dispatch.h
 *		The sessions of the job worker.
 */
#ifndef PGTQ_JOBS_DISPATCH_H
#define PGTQ_JOBS_DISPATCH_H

#include "common/shared.h"

extern void dispatch_jobs_init(DatabaseSlot *slot);
extern void dispatch_jobs_collect(void);
extern void dispatch_jobs_give(void);
extern TimestampTz dispatch_jobs_retry(void);
extern bool dispatch_jobs_is_idle(void);

#endif							/* PGTQ_JOBS_DISPATCH_H */
