/*
 * src/ticker/worker.c
 *		What the background workers have in common: starting, transactions, errors.
 *
 * A worker is connected as the bootstrap superuser.  So it runs functions of
 * ours only, with a search_path of pg_catalog; and it makes sure, in each
 * transaction, that they are still ours: it holds a lock on the extension,
 * without which somebody could drop it and put something else into its place.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/interrupt.h"
#include "storage/latch.h"
#include "storage/lmgr.h"
#include "storage/proc.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "common/now.h"
#include "compat.h"
#include "ticker/worker.h"

/* microseconds until the ticker starts a worker that has ended again */
#define START_RETRY USECS_PER_SEC

/*
 * Settings of a database or role must not change what a worker does: an owner
 * could make it read-only, or slow.  Who acts on a tick flushes it, so that
 * the ticker need not wait for the disk.  Nobody can make it wait for a lock
 * for long: it goes on with other queues, and comes back.
 */
static const char *const worker_settings[][2] = {
	{"search_path", "pg_catalog, pg_temp"},
	{"synchronous_commit", "off"},
	{"default_transaction_isolation", "read committed"},
	{"default_transaction_read_only", "off"},
	{"default_transaction_deferrable", "off"},
	{"lock_timeout", "1s"},
	{"statement_timeout", "0"},
	{"idle_in_transaction_session_timeout", "0"},
	{"client_min_messages", "error"},
	{"exit_on_error", "off"},
	{"session_replication_role", "origin"},
	{"jit", "off"},
#ifdef HAVE_TRANSACTION_TIMEOUT
	{"transaction_timeout", "0"},
#endif
};

static void be_superuser(void);
static bool begin_transaction(void);
static void end_with_error(DatabaseSlot *slot, MemoryContext context);

/* Asks the postmaster for a worker; false if it has no slot free. */
bool
worker_register(const char *type, const char *function, DatabaseSlot *slot,
				Oid database, const char *name, BackgroundWorkerHandle **handle)
{
	BackgroundWorker worker = {0};

	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	strlcpy(worker.bgw_library_name, "pgtq", sizeof(worker.bgw_library_name));
	strlcpy(worker.bgw_function_name, function, sizeof(worker.bgw_function_name));
	snprintf(worker.bgw_name, sizeof(worker.bgw_name), "%s of database %u", type, database);
	strlcpy(worker.bgw_type, type, sizeof(worker.bgw_type));
	worker.bgw_main_arg = Int32GetDatum((int32) (slot - shared->slots));
	worker.bgw_notify_pid = MyProcPid;
	memcpy(worker.bgw_extra, &database, sizeof(Oid));
	strlcpy(worker.bgw_extra + sizeof(Oid), name, NAMEDATALEN);
	return RegisterDynamicBackgroundWorker(&worker, handle);
}

/* The other side of it: the slot and the database that we were started for. */
DatabaseSlot *
worker_slot(Datum arg, Oid *database)
{
	memcpy(database, MyBgworkerEntry->bgw_extra, sizeof(Oid));
	return &shared->slots[DatumGetInt32(arg)];
}

/* The name of that database when we were started, for messages. */
const char *
worker_database_name(void)
{
	return MyBgworkerEntry->bgw_extra + sizeof(Oid);
}

void
worker_signals(void)
{
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
}

/*
 * What a worker of a database begins with: it takes its place in the slot, by
 * its pid, and with "proc" is there to be woken; and it connects.  At its end
 * detach() is to give the place back.  False if it is to end at once: it is not
 * wanted any more, or there is one already, or the extension is not there.
 */
bool
worker_begin(const char *type, DatabaseSlot *slot, Oid database,
			 pid_t *pid, pg_atomic_uint32 *proc, pg_on_exit_callback detach)
{
	bool		wanted;

	worker_signals();
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	wanted = pg_atomic_read_u32(&slot->database) == database &&
		*pid == 0 && slot->held_by == 0 && !slot->leave;
	if (wanted)
	{
		*pid = MyProcPid;
		if (proc != NULL)
			pg_atomic_write_u32(proc, MyProcIndex() + 1);
	}
	LWLockRelease(shared->lock);
	if (!wanted)
		return false;
	before_shmem_exit(detach, (Datum) 0);
	worker_connect(database, type);
	return worker_has_extension();
}

/* As the bootstrap superuser. */
void
worker_connect(Oid database, const char *type)
{
	BackgroundWorkerInitializeConnectionByOid(database, InvalidOid, 0);
	be_superuser();
	for (size_t i = 0; i < lengthof(worker_settings); i++)
		SetConfigOption(worker_settings[i][0], worker_settings[i][1], PGC_SUSET, PGC_S_SESSION);
	SetConfigOption("application_name", type, PGC_USERSET, PGC_S_SESSION);
}

/* Whom we run as are settings, too, and an owner of the database can make them his own role. */
static void
be_superuser(void)
{
	StartTransactionCommand();
	SetConfigOption("session_authorization", GetUserNameFromId(BOOTSTRAP_SUPERUSERID, false),
					PGC_SUSET, PGC_S_SESSION);
	SetConfigOption("role", "none", PGC_SUSET, PGC_S_SESSION);
	CommitTransactionCommand();
}

/* Is the extension installed in our database? */
bool
worker_has_extension(void)
{
	bool		found;

	StartTransactionCommand();
	found = OidIsValid(get_extension_oid("pgtq", true));
	CommitTransactionCommand();
	return found;
}

/* Is the worker not wanted any more: somebody wants nobody in the database, or it has no extension? */
bool
worker_must_leave(DatabaseSlot *slot, Oid database)
{
	bool		leave;

	LWLockAcquire(shared->lock, LW_SHARED);
	leave = slot->leave || slot->held_by != 0 ||
		pg_atomic_read_u32(&slot->database) != database ||
		slot->state == SLOT_ABSENT || slot->state == SLOT_DISMISSED;
	LWLockRelease(shared->lock);
	return leave;
}

/* Sleeps for so many milliseconds, or if they are negative for any time, until somebody wakes us. */
void
worker_wait(long timeout, uint32 wait_event)
{
	pgstat_report_stat(false);
	pgstat_report_activity(STATE_IDLE, NULL);
	(void) WaitLatch(MyLatch, WL_LATCH_SET | (timeout >= 0 ? WL_TIMEOUT : 0) | WL_EXIT_ON_PM_DEATH,
					 timeout, wait_event);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
	worker_reload();
}

/*
 * For the ticker: starts a worker of its database that is not there, unless it has just tried.  Notes in
 * "waits", of shared memory, whether it has to wait for a slot.  Returns when to come back.
 */
TimestampTz
worker_ensure(const char *type, const char *function, DatabaseSlot *slot, int64 *not_before, bool *waits)
{
	int64		now = clock_steady();

	if (*not_before <= now)
	{
		BackgroundWorkerHandle *handle;
		bool		started = worker_register(type, function, slot, MyDatabaseId, worker_database_name(), &handle);

		*not_before = now + START_RETRY;
		if (started)
			pfree(handle);
		if (waits != NULL)
		{
			LWLockAcquire(shared->lock, LW_EXCLUSIVE);
			*waits = !started;
			LWLockRelease(shared->lock);
		}
	}
	return GetCurrentTimestamp() + (*not_before - now);
}

/*
 * Runs a task in a transaction of its own.  False if it failed; that has been
 * logged then.  If the extension has gone, so do we.
 */
bool
worker_run(DatabaseSlot *slot, const char *activity, WorkerTask task, void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	volatile bool done = false;

	pgstat_report_activity(STATE_RUNNING, activity);
	PG_TRY();
	{
		if (!begin_transaction())
		{
			CommitTransactionCommand();
			proc_exit(0);
		}
		SPI_connect();
		PushActiveSnapshot(GetTransactionSnapshot());
		task(arg);
		PopActiveSnapshot();
		SPI_finish();
		CommitTransactionCommand();
		done = true;
	}
	PG_CATCH();
	{
		end_with_error(slot, context);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	return done;
}

/*
 * Starts a transaction and locks the extension against DROP EXTENSION, until
 * the transaction ends.  False if there is none.
 */
static bool
begin_transaction(void)
{
	Oid			extension;

	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	extension = get_extension_oid("pgtq", true);
	if (!OidIsValid(extension))
		return false;
	LockDatabaseObject(ExtensionRelationId, extension, 0, AccessShareLock);
	return get_extension_oid("pgtq", true) == extension;
}

/* In a PG_CATCH: logs the error, remembers it, and ends the transaction. */
static void
end_with_error(DatabaseSlot *slot, MemoryContext context)
{
	ErrorData  *error;

	HOLD_INTERRUPTS();
	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	EmitErrorReport();
	FlushErrorState();
	AbortCurrentTransaction();
	MemoryContextSwitchTo(context);
	shared_note_error(slot, error->message ? error->message : "unknown error");
	FreeErrorData(error);
	RESUME_INTERRUPTS();
	if (!worker_has_extension())
		proc_exit(0);
}

void
worker_reload(void)
{
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
	}
}

/* A plan that is made once; for use within a task. */
SPIPlanPtr
worker_plan(SPIPlanPtr *plan, const char *query, int nargs, Oid *types)
{
	if (*plan == NULL)
	{
		SPIPlanPtr	made = SPI_prepare(query, nargs, types);

		if (made == NULL || SPI_keepplan(made) != 0)
			elog(ERROR, "could not prepare: %s", query);
		*plan = made;
	}
	return *plan;
}
