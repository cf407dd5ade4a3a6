/*
 * src/ticker/ticker.h
 *		Entry points of the background workers of a database.
 */
#ifndef PGTQ_TICKER_H
#define PGTQ_TICKER_H

#include "postgres.h"

#define TICKER_TYPE "pgtq ticker"
#define MAINTENANCE_TYPE "pgtq maintenance"

extern PGDLLEXPORT void pgtq_ticker_main(Datum arg);
extern PGDLLEXPORT void pgtq_maintenance_main(Datum arg);

#endif							/* PGTQ_TICKER_H */
