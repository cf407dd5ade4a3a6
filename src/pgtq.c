/*
 * src/pgtq.c
 *		The module: magic, settings, registration.  Nothing else.
 *
 * Loaded by the first call of a C function in a session, or by the postmaster
 * if it is in shared_preload_libraries.  Only then there is shared memory, and
 * background workers.
 */
#include "postgres.h"

#include <limits.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/guc.h"

#include "common/settings.h"
#include "common/shared.h"
#include "compat.h"
#include "ticker/launcher.h"
#include "ticker/utility.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

bool		pgtq_enabled = true;
char	   *pgtq_databases = NULL;
int			pgtq_launcher_interval = 60;
int			pgtq_maintenance_interval = 60;
int			pgtq_move_limit = 10000;
bool		pgtq_notify_ticks = false;

/* read by SQL only, see _positions_due() */
static int	truncate_patience;

static void define_settings(void);

void
_PG_init(void)
{
	define_settings();
	MarkGUCPrefixReserved("pgtq");

	if (!process_shared_preload_libraries_in_progress)
		return;
	shared_request();
	utility_hook_install();
	if (!IsBinaryUpgrade)		/* pg_upgrade wants to be alone */
		launcher_register();
}

static void
define_settings(void)
{
	DefineCustomIntVariable("pgtq.truncate_patience",
							"How long a table that rows were copied out of is kept for old snapshots.",
							"A transaction whose snapshot is older gets a serialization failure.",
							&truncate_patience,
							600, 0, INT_MAX,
							PGC_SUSET, GUC_UNIT_S,
							NULL, NULL, NULL);
	DefineCustomBoolVariable("pgtq.enabled",
							 "Run background workers.",
							 NULL,
							 &pgtq_enabled,
							 true,
							 PGC_SIGHUP, 0,
							 NULL, NULL, NULL);
	DefineCustomStringVariable("pgtq.databases",
							   "Databases that get a ticker; empty: all that have the extension.",
							   NULL,
							   &pgtq_databases,
							   "",
							   PGC_SIGHUP, GUC_LIST_INPUT,
							   launcher_check_databases, NULL, NULL);
	DefineCustomIntVariable("pgtq.launcher_interval",
							"How often the launcher looks for databases by itself.",
							"It is also told by CREATE EXTENSION, CREATE DATABASE and their like.",
							&pgtq_launcher_interval,
							60, 1, INT_MAX / 1000,
							PGC_SIGHUP, GUC_UNIT_S,
							NULL, NULL, NULL);
	DefineCustomIntVariable("pgtq.maintenance_interval",
							"How often a ticker looks whether tables are to be rotated.",
							NULL,
							&pgtq_maintenance_interval,
							60, 1, INT_MAX / 1000,
							PGC_SIGHUP, GUC_UNIT_S,
							NULL, NULL, NULL);
	DefineCustomIntVariable("pgtq.move_limit",
							"How many due entries the ticker moves in one transaction.",
							"After each it ticks.",
							&pgtq_move_limit,
							10000, 1, 1000000,
							PGC_SIGHUP, 0,
							NULL, NULL, NULL);
	DefineCustomBoolVariable("pgtq.notify_ticks",
							 "Send a NOTIFY on channel pgtq_tick with every tick.",
							 "The payload is the name of the queue.",
							 &pgtq_notify_ticks,
							 false,
							 PGC_USERSET, 0,
							 NULL, NULL, NULL);
}
