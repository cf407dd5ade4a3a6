/*
 * src/pgtq.c
 *		The module: magic, settings, registration.  Nothing else.
 *
 * Loaded by the first call of a C function in a session.
 */
#include "postgres.h"

#include <limits.h>

#include "fmgr.h"
#include "utils/guc.h"

#include "common/clock.h"
#include "compat.h"
#include "history/history.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

/* read by SQL only, see _positions_due() and _turn_history() */
static int	truncate_patience;
static int	history_retention;

static const struct config_enum_entry history_levels[] = {
	{"all", HISTORY_ALL, false},
	{"failures", HISTORY_FAILURES, false},
	{"off", HISTORY_OFF, false},
	{NULL, 0, false}
};

void
_PG_init(void)
{
	DefineCustomIntVariable("pgtq.truncate_patience",
							"How long a table that rows were copied out of is kept for old snapshots.",
							"A transaction whose snapshot is older gets a serialization failure.",
							&truncate_patience,
							600, 0, INT_MAX,
							PGC_SUSET, GUC_UNIT_S,
							NULL, NULL, NULL);
	DefineCustomEnumVariable("pgtq.history",
							 "What is kept of timers that are done.",
							 NULL,
							 &pgtq_history,
							 HISTORY_ALL, history_levels,
							 PGC_SUSET, 0,
							 NULL, NULL, NULL);
	DefineCustomIntVariable("pgtq.history_retention",
							"How long the history is kept, at least.",
							NULL,
							&history_retention,
							24 * 60 * 60, 1, INT_MAX,
							PGC_SUSET, GUC_UNIT_S,
							NULL, NULL, NULL);
	DefineCustomStringVariable("pgtq.clock_offset",
							   "Moves the time for pgtq in this session by an interval, for tests.",
							   NULL,
							   &pgtq_clock_offset,
							   "",
							   PGC_SUSET, GUC_NOT_IN_SAMPLE,
							   NULL, NULL, NULL);
	MarkGUCPrefixReserved("pgtq");
}
