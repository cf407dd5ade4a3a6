/*
 * src/delay/recur.h
 *		Runs of schedules, see structure/recur.sql.
 */
#ifndef PGTQ_RECUR_H
#define PGTQ_RECUR_H

#include "postgres.h"

extern bool recur_is_planned(const bool *nulls);
extern bool recur_plan(Datum *values, bool *nulls);
extern void recur_taken(const Datum *values, const bool *nulls);
extern void recur_end(int64 schedule, Datum run);

#endif							/* PGTQ_RECUR_H */
