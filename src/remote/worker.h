/*
 * src/remote/worker.h
 *		Entry point of the worker of remote jobs; what the ticker needs of it.
 */
#ifndef PGTQ_REMOTE_WORKER_H
#define PGTQ_REMOTE_WORKER_H

#include "datatype/timestamp.h"

#include "common/shared.h"

#define REMOTE_TYPE "pgtq remote"

extern int	pgtq_max_remote_jobs;

extern PGDLLEXPORT void pgtq_remote_main(Datum arg);

extern TimestampTz remote_ensure(DatabaseSlot *slot);

#endif							/* PGTQ_REMOTE_WORKER_H */
