/*
 * src/delay/store.h
 *		The tables of the delay store, see structure/delay.sql.
 */
#ifndef PGTQ_STORE_H
#define PGTQ_STORE_H

#include "access/htup.h"
#include "utils/rel.h"

/* which index of a generation */
typedef enum StoreIndex
{
	STORE_BY_DUE,
	STORE_BY_TXID,
	STORE_BY_TIMER
} StoreIndex;

extern Relation store_open_generation(int n, LOCKMODE lockmode);
extern Relation store_open_current(void);
extern Relation store_open_index(Relation generation, StoreIndex which);
extern void store_insert(int nrows, Datum *values, bool *nulls);

#endif							/* PGTQ_STORE_H */
