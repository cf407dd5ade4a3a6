/*
 * src/jobs/worker.h
 *		Entry points of the job worker and its sessions; what the ticker needs of them.
 */
#ifndef PGTQ_JOBS_WORKER_H
#define PGTQ_JOBS_WORKER_H

#include "common/shared.h"

#define JOBS_TYPE "pgtq jobs"
#define JOB_SESSION_TYPE "pgtq job"

extern int	pgtq_max_job_sessions;
extern int	pgtq_job_timeout;

extern PGDLLEXPORT void pgtq_jobs_main(Datum arg);
extern PGDLLEXPORT void pgtq_job_session_main(Datum arg);

extern TimestampTz jobs_ensure(DatabaseSlot *slot);

#endif							/* PGTQ_JOBS_WORKER_H */
