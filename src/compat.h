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

/* 15 renamed it: the prefix is now reserved, not only warned about */
#if PG_VERSION_NUM < 150000
#define MarkGUCPrefixReserved(prefix) EmitWarningsOnPlaceholders(prefix)
#endif

/* 18 writes it before the declaration, as C23 has it */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

/* 16 added an argument: do only summarizing indexes? */
#if PG_VERSION_NUM >= 160000
#define ExecInsertIndexTuples(target, slot, estate, update, no_error, conflict, arbiters) \
	ExecInsertIndexTuples(target, slot, estate, update, no_error, conflict, arbiters, false)
#endif

/* 18 added an argument: where to count */
#if PG_VERSION_NUM >= 180000
#define index_beginscan(heap, index, snapshot, nkeys, norderbys) \
	index_beginscan(heap, index, snapshot, NULL, nkeys, norderbys)
#endif

#endif							/* PGTQ_COMPAT_H */
