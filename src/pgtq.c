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

#include "common/now.h"
#include "common/settings.h"
#include "common/shared.h"
#include "compat.h"
#include "executor/action.h"
#include "executor/main.h"
#include "history/history.h"
#include "jobs/worker.h"
#include "remote/worker.h"
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

/* read by SQL only: see _positions_due() and _turn_history() */
static int	truncate_patience;
static int	history_retention;

static int	on_recovery;		/* read by SQL only, see _note_recovery() */
static const struct config_enum_entry recovery_choices[] = {
	{"run", 0, false},
	{"skip", 1, false},
	{NULL, 0, false}
};

static int	on_clone;			/* read by SQL only, see _adopt_clone() */
static const struct config_enum_entry clone_choices[] = {
	{"run", 0, false},
	{"pause", 1, false},
	{NULL, 0, false}
};

static const struct config_enum_entry history_levels[] = {
	{"all", HISTORY_ALL, false},
	{"failures", HISTORY_FAILURES, false},
	{"off", HISTORY_OFF, false},
	{NULL, 0, false}
};

static void define_settings(void);
static void define_executor_settings(void);

void
_PG_init(void)
{
	define_settings();
	define_executor_settings();
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
	DefineCustomEnumVariable("pgtq.on_clone",
							 "Whether the timers of a copied database fire in the copy.",
							 "\"pause\" waits for pgtq.adopt().",
							 &on_clone,
							 0, clone_choices,
							 PGC_SUSET, 0,
							 NULL, NULL, NULL);
	DefineCustomEnumVariable("pgtq.on_recovery",
							 "Whether timers that have become due meanwhile fire after a recovery or a promotion.",
							 "\"skip\" marks them as expired.",
							 &on_recovery,
							 0, recovery_choices,
							 PGC_SUSET, 0,
							 NULL, NULL, NULL);
	DefineCustomStringVariable("pgtq.clock_offset",
							   "Moves the time for pgtq in this session by an interval, for tests.",
							   NULL,
							   &pgtq_clock_offset,
							   "",
							   PGC_SUSET, GUC_NOT_IN_SAMPLE,
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

static void
define_executor_settings(void)
{
	DefineCustomIntVariable("pgtq.max_sessions",
							"How many sessions run actions in a database at one time.",
							NULL,
							&pgtq_max_sessions,
							4, 0, 1024,
							PGC_SIGHUP, 0,
							NULL, NULL, NULL);
	DefineCustomIntVariable("pgtq.max_sessions_per_role",
							"How many of these are of one role.",
							NULL,
							&pgtq_max_sessions_per_role,
							2, 1, 1024,
							PGC_SIGHUP, 0,
							NULL, NULL, NULL);
	DefineCustomIntVariable("pgtq.session_idle_timeout",
							"A session without work ends after this time.",
							NULL,
							&pgtq_session_idle_timeout,
							60000, 0, INT_MAX,
							PGC_SIGHUP, GUC_UNIT_MS,
							NULL, NULL, NULL);
	DefineCustomIntVariable("pgtq.commit_interval",
							"For how long a session runs actions before it commits them.",
							"An action that takes longer is committed alone.",
							&pgtq_commit_interval,
							20, 1, 60000,
							PGC_SIGHUP, GUC_UNIT_MS,
							NULL, NULL, NULL);
	DefineCustomIntVariable("pgtq.fetch_ahead",
							"How long before it is due an action may be fetched, to begin on time.",
							"It does not run early, but cannot be cancelled any more.",
							&pgtq_fetch_ahead,
							10, 0, 10000,
							PGC_SIGHUP, GUC_UNIT_MS,
							NULL, NULL, NULL);
	DefineCustomIntVariable("pgtq.max_job_sessions",
							"How many sessions run jobs in a database at one time.",
							"The last one is for a role that has none.",
							&pgtq_max_job_sessions,
							3, 0, 1024,
							PGC_SIGHUP, 0,
							NULL, NULL, NULL);
	DefineCustomIntVariable("pgtq.max_remote_jobs",
							"How many connections to other servers run jobs of a database at one time.",
							"The last one is for a role that has none.",
							&pgtq_max_remote_jobs,
							64, 0, MAX_REMOTE_JOBS,
							PGC_SIGHUP, 0,
							NULL, NULL, NULL);
	DefineCustomIntVariable("pgtq.job_timeout",
							"How long a job may take that was submitted without a timeout; 0: any time.",
							NULL,
							&pgtq_job_timeout,
							0, 0, INT_MAX,
							PGC_SUSET, GUC_UNIT_MS,
							NULL, NULL, NULL);
	DefineCustomIntVariable("pgtq.action_timeout",
							"How long an action may take that was scheduled without a timeout; 0: any time.",
							NULL,
							&pgtq_action_timeout,
							60000, 0, INT_MAX,
							PGC_SUSET, GUC_UNIT_MS,
							NULL, NULL, NULL);
}
