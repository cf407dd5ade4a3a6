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

#include "compat.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

/* read by SQL only, see _positions_due() */
static int	truncate_patience;

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
	MarkGUCPrefixReserved("pgtq");
}
