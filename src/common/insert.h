/*
 * src/common/insert.h
 *		Inserting rows without SQL, where nobody could tell the difference.
 */
#ifndef PGTQ_INSERT_H
#define PGTQ_INSERT_H

#include "utils/rel.h"

extern void insert_rows(Relation rel, int ncolumns, int nrows, const Datum *values, const bool *nulls);
extern void insert_row(Relation rel, int ncolumns, const Datum *values, const bool *nulls);

#endif							/* PGTQ_INSERT_H */
