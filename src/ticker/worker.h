/*
 * src/ticker/worker.h
 *		What the background workers have in common.
 */
#ifndef PGTQ_WORKER_H
#define PGTQ_WORKER_H

#include "executor/spi.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"

#include "common/shared.h"

/* a piece of work that is a transaction */
typedef void (*WorkerTask) (void *arg);

extern bool worker_register(const char *type, const char *function, DatabaseSlot *slot,
							Oid database, const char *name, BackgroundWorkerHandle **handle);
extern DatabaseSlot *worker_slot(Datum arg, Oid *database);
extern const char *worker_database_name(void);
extern void worker_signals(void);
extern bool worker_begin(const char *type, DatabaseSlot *slot, Oid database,
						 pid_t *pid, pg_atomic_uint32 *proc, pg_on_exit_callback detach);
extern bool worker_has_extension(void);
extern void worker_connect(Oid database, const char *type);
extern bool worker_must_leave(DatabaseSlot *slot, Oid database);
extern void worker_wait(long timeout, uint32 wait_event);
extern TimestampTz worker_ensure(const char *type, const char *function, DatabaseSlot *slot, int64 *not_before, bool *waits);
extern bool worker_run(DatabaseSlot *slot, const char *activity, WorkerTask task, void *arg);
extern void worker_reload(void);
extern SPIPlanPtr worker_plan(SPIPlanPtr *plan, const char *query, int nargs, Oid *types);

#endif							/* PGTQ_WORKER_H */
