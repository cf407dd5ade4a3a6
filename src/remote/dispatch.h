/*
 * src/remote/dispatch.h
 *		The connections of remote jobs.
 */
#ifndef PGTQ_REMOTE_DISPATCH_H
#define PGTQ_REMOTE_DISPATCH_H

#include "common/shared.h"
#include "remote/link.h"

extern void dispatch_remote_init(DatabaseSlot *slot);
extern void dispatch_remote_collect(void);
extern void dispatch_remote_give(void);
extern TimestampTz dispatch_remote_retry(void);
extern bool dispatch_remote_is_idle(void);
extern bool dispatch_remote_stop(void);
extern int	dispatch_remote_links(Link **links, int room);
extern void dispatch_remote_describe(char *text, size_t size);

#endif							/* PGTQ_REMOTE_DISPATCH_H */
