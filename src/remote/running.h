/*
 * src/remote/running.h
 *		What runs elsewhere now, for whoever looks.
 */
#ifndef PGTQ_REMOTE_RUNNING_H
#define PGTQ_REMOTE_RUNNING_H

#include "common/shared.h"

/* Looked at one after the other, from 0 on; false: there are no more. */
extern bool remote_run_next(int *n, RemoteRun *run, pid_t *pid);
extern bool remote_run_cancel(int64 job);

#endif							/* PGTQ_REMOTE_RUNNING_H */
