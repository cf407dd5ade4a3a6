/*
 * src/compat.h
 *		Differences between the supported majors of PostgreSQL, 14 to 18.
 *
 * Every PG_VERSION_NUM of the project is here, so that the rest reads as if
 * there were one server.
 */
#ifndef PGTQ_COMPAT_H
#define PGTQ_COMPAT_H

#if PG_VERSION_NUM < 140000
#error "pgtq needs PostgreSQL 14 or later"
#endif

/* 16 took the macros of varlena out of postgres.h */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/*
 * 15 renamed it: the prefix is now reserved, not only warned about.  It also
 * asks for shared memory in a hook, when it knows how many backends there
 * can be; before that one has to add up.
 */
#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#define BackendsAtMost() \
	(MaxConnections + autovacuum_max_workers + 1 + max_worker_processes + max_wal_senders)
#include "postmaster/autovacuum.h"
#include "replication/walsender.h"
#else
#define HAVE_SHMEM_REQUEST_HOOK
#define BackendsAtMost() MaxBackends
#endif

/* 15 has a better one; and wakes who listens by itself */
#if PG_VERSION_NUM < 150000
#define AfterCommitNotify() ProcessCompletedNotifies()
#define RandomFraction() ((double) random() / ((double) MAX_RANDOM_VALUE + 1))
#else
#define AfterCommitNotify() ((void) 0)
#include "common/pg_prng.h"
#define RandomFraction() pg_prng_double(&pg_global_prng_state)
#endif

/* 15 has a function for parameters of fixed types; 18 always runs to the end */
#if PG_VERSION_NUM < 150000
#define pg_analyze_and_rewrite_fixedparams(raw, sql, types, n, env) pg_analyze_and_rewrite(raw, sql, types, n, env)
#endif
#if PG_VERSION_NUM < 180000
#define PortalRunAll(portal, dest, completion) PortalRun(portal, FETCH_ALL, true, true, dest, dest, completion)
#else
#define PortalRunAll(portal, dest, completion) PortalRun(portal, FETCH_ALL, true, dest, dest, completion)
#endif

/* 16 has one function for objects of all kinds */
#if PG_VERSION_NUM < 160000
#define owns_database(database) pg_database_ownercheck(database, GetUserId())
#define may_connect(database, role) \
	(pg_database_aclcheck(database, role, ACL_CONNECT) == ACLCHECK_OK)
#define may_use_server(server, role) \
	(pg_foreign_server_aclcheck(server, role, ACL_USAGE) == ACLCHECK_OK)
#else
#define owns_database(database) object_ownercheck(DatabaseRelationId, database, GetUserId())
#define may_connect(database, role) \
	(object_aclcheck(DatabaseRelationId, database, role, ACL_CONNECT) == ACLCHECK_OK)
#define may_use_server(server, role) \
	(object_aclcheck(ForeignServerRelationId, server, role, ACL_USAGE) == ACLCHECK_OK)
#endif

/* 17 connects a worker as a role that must not log in; and ends transactions that take long */
#if PG_VERSION_NUM < 170000
#define SESSION_FLAGS 0
#define SESSIONS_NEED_LOGIN true
#else
#define SESSION_FLAGS BGWORKER_BYPASS_ROLELOGINCHECK
#define SESSIONS_NEED_LOGIN false
#define HAVE_TRANSACTION_TIMEOUT
#endif

/*
 * 17 took the number out of PGPROC, gives wait event sets to a resource owner,
 * and lets an extension name what it waits for.
 */
#if PG_VERSION_NUM < 170000
#define MyProcIndex() (MyProc->pgprocno)
#define CreateLongWaitEventSet(n) CreateWaitEventSet(TopMemoryContext, n)
#define NamedWaitEvent(name) PG_WAIT_EXTENSION
#else
#define MyProcIndex() MyProcNumber
#define CreateLongWaitEventSet(n) CreateWaitEventSet(NULL, n)
#define NamedWaitEvent(name) WaitEventExtensionNew(name)
#endif

/* 18 writes it before the declaration, as C23 has it */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

/* 16 added an argument: do only summarizing indexes? */
#if PG_VERSION_NUM >= 160000
#include "executor/executor.h"
#define ExecInsertIndexTuples(target, slot, estate, update, no_error, conflict, arbiters) \
	ExecInsertIndexTuples(target, slot, estate, update, no_error, conflict, arbiters, false)
#endif

/* 18 added an argument: where to count */
#if PG_VERSION_NUM >= 180000
#include "access/genam.h"
#define index_beginscan(heap, index, snapshot, nkeys, norderbys) \
	index_beginscan(heap, index, snapshot, NULL, nkeys, norderbys)
#endif

#endif							/* PGTQ_COMPAT_H */
