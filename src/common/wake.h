/*
 * src/common/wake.h
 *		Telling the workers of this database, after commit, that there is something to do.
 *
 * All of these note what is to be told; it is told when the transaction has
 * committed, and forgotten if it is rolled back.  What a subtransaction has
 * noted stays even if that is rolled back: a worker then looks in vain.  They
 * cost next to nothing, and nothing at all if the library is not preloaded.
 */
#ifndef PGTQ_WAKE_H
#define PGTQ_WAKE_H

#include "datatype/timestamp.h"

/* an entry was written that is due then: the ticker must not sleep longer */
extern void wake_at(TimestampTz due);

/* an event was put into this queue */
extern void wake_events(int32 queue_id);

/* a tick was written: wake the sessions that wait for it */
extern void wake_waiters(int32 queue_id);

/* the ticker is to look at everything */
extern void wake_look(void);

/* a job was submitted or planned anew */
extern void wake_jobs(bool remote);

/* the launcher is to look at the databases; and at this one's extensions */
extern void wake_launcher(bool recheck);

/* COMMIT PREPARED: what that transaction has noted is forgotten, so look */
extern void wake_prepared(void);

/* keep the workers away from a database until the transaction ends */
extern void wake_hold(Oid database);

#endif							/* PGTQ_WAKE_H */
