/*
 * src/executor/settle.h
 *		What the executor does with timers itself.
 */
#ifndef PGTQ_SETTLE_H
#define PGTQ_SETTLE_H

#include "executor/backlog.h"

/* sessions that a timer may kill */
#define MAX_DEATHS 3

extern const char *settle_refusal(Oid role, bool *exists);
extern bool settle_role(DatabaseSlot *slot, RoleQueue *role);
extern void settle_fail(DatabaseSlot *slot, RoleQueue *role, const char *sqlstate, const char *error, bool is_final);
extern void settle_condemn(Timer *timer);
extern void settle_condemned(DatabaseSlot *slot);
extern void settle_carry(DatabaseSlot *slot);

#endif							/* PGTQ_SETTLE_H */
