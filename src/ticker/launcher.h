/*
 * src/ticker/launcher.h
 *		The launcher: a ticker for every database that has the extension.
 */
#ifndef PGTQ_LAUNCHER_H
#define PGTQ_LAUNCHER_H

#include "utils/guc.h"

extern void launcher_register(void);
extern bool launcher_check_databases(char **newval, void **extra, GucSource source);
extern PGDLLEXPORT void pgtq_launcher_main(Datum arg);

#endif							/* PGTQ_LAUNCHER_H */
