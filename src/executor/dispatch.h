/*
 * src/executor/dispatch.h
 *		Who runs what: the sessions of an executor.
 */
#ifndef PGTQ_DISPATCH_H
#define PGTQ_DISPATCH_H

#include "executor/backlog.h"

extern void dispatch_init(DatabaseSlot *slot);
extern void dispatch_collect(void);
extern void dispatch_give(void);
extern void dispatch_each(void (*each) (Timer *timer, const Session *session, bool is_running));
extern long dispatch_timeout(void);

#endif							/* PGTQ_DISPATCH_H */
