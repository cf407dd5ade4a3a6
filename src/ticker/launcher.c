/*
 * src/ticker/launcher.c
 *		The launcher: a ticker for every database that has the extension.
 *
 * A background worker, one per server, connected to no database.  Whether a
 * database has the extension is only known inside of it: so each gets a
 * ticker, a few at a time, and a ticker that does not find the extension ends.
 * The launcher remembers that until CREATE EXTENSION or the like tells it to
 * look again, see utility.c.
 *
 * It locks pg_database for reading, and the lock of our shared memory.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/varlena.h"
#include "utils/wait_event.h"

#include "common/now.h"
#include "common/settings.h"
#include "common/shared.h"
#include "compat.h"
#include "ticker/launcher.h"
#include "ticker/ticker.h"
#include "ticker/worker.h"

#define LAUNCHER_TYPE "pgtq launcher"

/* tickers that are on their way up at one time */
#define MAX_STARTING 4

/* seconds until we ask for a worker again, if there was no slot free */
#define SLOTS_RETRY 5

/* seconds until a ticker that has failed is started again, at most */
#define LONGEST_BACKOFF 60

/* a database, in the launcher's memory */
typedef struct Database
{
	Oid			oid;			/* hash key */
	NameData	name;
	bool		listed;			/* is to have a ticker if it has the extension */
	bool		absent;			/* it does not have it */
	bool		recheck;		/* it may have got it while a ticker was ending */
	int			failures;		/* in a row */
	int64		retry_at;		/* by clock_steady(), as all times here */
	bool		held;			/* retry_at is for want of better: we are woken before */
	BackgroundWorkerHandle *handle;
} Database;

static HTAB *databases = NULL;
static int64 slots_retry_at = 0;

static void launcher_exit(int code, Datum arg);
static void read_databases(void);
static bool is_wanted(Form_pg_database row, List *names);
static void take_rechecks(void);
static int	update_database(Database *database);
static bool has_ticker(Database *database);
static void ticker_has_ended(Database *database);
static void dismiss_ticker(Database *database);
static bool start_ticker(Database *database);
static void tell_slots_missing(bool missing);
static int64 start_tickers(void);

void
launcher_register(void)
{
	BackgroundWorker worker = {0};

	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker.bgw_restart_time = 1;
	strlcpy(worker.bgw_library_name, "pgtq", sizeof(worker.bgw_library_name));
	strlcpy(worker.bgw_function_name, "pgtq_launcher_main", sizeof(worker.bgw_function_name));
	strlcpy(worker.bgw_name, LAUNCHER_TYPE, sizeof(worker.bgw_name));
	strlcpy(worker.bgw_type, LAUNCHER_TYPE, sizeof(worker.bgw_type));
	RegisterBackgroundWorker(&worker);
}

/* Check hook of pgtq.databases. */
bool
launcher_check_databases(char **newval, void **extra, GucSource source)
{
	List	   *names;
	bool		valid = SplitIdentifierString(pstrdup(*newval), ',', &names);

	if (!valid)
		GUC_check_errdetail("It is not a list of names.");
	list_free(names);
	return valid;
}

void
pgtq_launcher_main(Datum arg)
{
	HASHCTL		ctl;
	uint32		wait_event;

	worker_signals();
	before_shmem_exit(launcher_exit, (Datum) 0);
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	shared->launcher_pid = MyProcPid;
	pg_atomic_write_u32(&shared->launcher_proc, MyProcIndex() + 1);
	LWLockRelease(shared->lock);
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);
	SetConfigOption("application_name", LAUNCHER_TYPE, PGC_USERSET, PGC_S_SESSION);
	ereport(LOG, (errmsg("pgtq launcher started")));

	wait_event = NamedWaitEvent("PgtqLauncher");
	ctl.keysize = sizeof(Oid);
	ctl.entrysize = sizeof(Database);
	databases = hash_create("pgtq databases", 64, &ctl, HASH_ELEM | HASH_BLOBS);
	for (;;)
	{
		int64		until;
		long		timeout;

		read_databases();
		take_rechecks();
		until = start_tickers();

		timeout = pgtq_launcher_interval * 1000L;
		if (until != PG_INT64_MAX)
			timeout = Min(timeout, Max(until - clock_steady(), 0) / 1000 + 1);
		pgstat_report_activity(STATE_IDLE, NULL);
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, timeout, wait_event);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		worker_reload();
	}
}

static void
launcher_exit(int code, Datum arg)
{
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	if (shared->launcher_pid == MyProcPid)
	{
		shared->launcher_pid = 0;
		pg_atomic_write_u32(&shared->launcher_proc, 0);
	}
	LWLockRelease(shared->lock);
}

/* Reads which databases there are, and marks those that are to have a ticker. */
static void
read_databases(void)
{
	List	   *names = NIL;
	Relation	rel;
	TableScanDesc scan;
	HeapTuple	tuple;
	HASH_SEQ_STATUS seq;
	Database   *database;

	pgstat_report_activity(STATE_RUNNING, "looking at the databases");
	hash_seq_init(&seq, databases);
	while ((database = hash_seq_search(&seq)) != NULL)
		database->listed = false;

	StartTransactionCommand();
	(void) GetTransactionSnapshot();
	SplitIdentifierString(pstrdup(pgtq_databases), ',', &names);
	rel = table_open(DatabaseRelationId, AccessShareLock);
	scan = table_beginscan_catalog(rel, 0, NULL);
	while (HeapTupleIsValid(tuple = heap_getnext(scan, ForwardScanDirection)))
	{
		Form_pg_database row = (Form_pg_database) GETSTRUCT(tuple);
		Oid			oid = row->oid;
		bool		found;

		if (!is_wanted(row, names))
			continue;
		database = hash_search(databases, &oid, HASH_ENTER, &found);
		if (!found)
		{
			memset(database, 0, sizeof(Database));
			database->oid = oid;
		}
		database->listed = true;
		namestrcpy(&database->name, NameStr(row->datname));
	}
	table_endscan(scan);
	table_close(rel, AccessShareLock);
	CommitTransactionCommand();
}

/*
 * A template is there to be copied: what it holds runs in its copies.
 */
static bool
is_wanted(Form_pg_database row, List *names)
{
	ListCell   *lc;

	if (!pgtq_enabled || !row->datallowconn || row->datistemplate || row->datconnlimit < -1)
		return false;
	foreach(lc, names)
	{
		if (strcmp(lfirst(lc), NameStr(row->datname)) == 0)
			return true;
	}
	return names == NIL;
}

/* Which databases may have got the extension since we were last told. */
static void
take_rechecks(void)
{
	Oid			oids[MAX_RECHECKS];
	int			length;
	HASH_SEQ_STATUS seq;
	Database   *database;

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	length = shared->rechecks;
	memcpy(oids, shared->recheck, sizeof(oids));
	shared->rechecks = 0;
	LWLockRelease(shared->lock);
	if (length == 0)
		return;

	hash_seq_init(&seq, databases);
	while ((database = hash_seq_search(&seq)) != NULL)
	{
		bool		recheck = length < 0;

		for (int i = 0; i < length && !recheck; i++)
			recheck = oids[i] == database->oid;
		if (recheck)
		{
			database->absent = false;
			database->recheck = true;
			database->failures = 0;
			database->retry_at = 0;
		}
	}
}

/*
 * Starts the tickers that are missing, a few at a time, and ends those that
 * are not wanted.  Returns when to come back, if nobody wakes us.
 */
static int64
start_tickers(void)
{
	int64		now = clock_steady();
	int64		until = PG_INT64_MAX;
	int			starting = 0;
	bool		missing = false;
	HASH_SEQ_STATUS seq;
	Database   *database;

	hash_seq_init(&seq, databases);
	while ((database = hash_seq_search(&seq)) != NULL)
		starting += update_database(database);

	hash_seq_init(&seq, databases);
	while ((database = hash_seq_search(&seq)) != NULL)
	{
		if (!database->listed || database->absent || has_ticker(database))
			continue;
		if (slots_retry_at > now)
		{
			missing = true;
			until = Min(until, slots_retry_at);
		}
		else if (database->retry_at > now && !database->held)
			until = Min(until, database->retry_at);
		else if (starting < MAX_STARTING)
		{
			if (start_ticker(database))
				starting++;
			else if (database->held)
				until = Min(until, database->retry_at);
			else
			{
				missing = true;
				slots_retry_at = now + SLOTS_RETRY * USECS_PER_SEC;
				until = Min(until, slots_retry_at);
			}
		}
		else
			missing |= shared->slots_missing_since != 0;	/* not known yet */
	}
	tell_slots_missing(missing);
	return until;
}

/* What has become of a ticker; 1 if it is starting. */
static int
update_database(Database *database)
{
	DatabaseSlot *slot;
	pid_t		pid;
	int			starting = 0;

	if (database->handle != NULL && GetBackgroundWorkerPid(database->handle, &pid) == BGWH_STOPPED)
		ticker_has_ended(database);
	if (!has_ticker(database))
	{
		if (!database->listed)
		{
			shared_free_slot(database->oid);
			hash_search(databases, &database->oid, HASH_REMOVE, NULL);
		}
		return 0;
	}
	if (!database->listed)
		dismiss_ticker(database);
	slot = shared_slot(database->oid);
	LWLockAcquire(shared->lock, LW_SHARED);
	if (slot != NULL && slot->state == SLOT_STARTING)
		starting = 1;
	LWLockRelease(shared->lock);
	return starting;
}

/*
 * Is there a ticker, or was one asked for?  It may be of a launcher before us;
 * then we are not its parent, but it wakes us at its end all the same.
 */
static bool
has_ticker(Database *database)
{
	DatabaseSlot *slot = shared_slot(database->oid);
	bool		found = database->handle != NULL;

	if (!found && slot != NULL)
	{
		LWLockAcquire(shared->lock, LW_SHARED);
		found = slot->ticker_pid != 0;
		LWLockRelease(shared->lock);
	}
	return found;
}

static void
ticker_has_ended(Database *database)
{
	DatabaseSlot *slot = shared_slot(database->oid);
	SlotState	state = SLOT_STOPPED;
	int64		now = clock_steady();

	pfree(database->handle);
	database->handle = NULL;
	if (slot != NULL)
	{
		LWLockAcquire(shared->lock, LW_EXCLUSIVE);
		if (slot->started + LONGEST_BACKOFF * USECS_PER_SEC < GetCurrentTimestamp())
			database->failures = 0; /* it had been well for long */
		if (slot->state == SLOT_STARTING)
			slot->state = SLOT_STOPPED;
		state = slot->state;
		slot->leave = false;
		LWLockRelease(shared->lock);
	}
	if (state == SLOT_STOPPED)
	{
		database->retry_at = now + Min(1 << Min(database->failures, 10), LONGEST_BACKOFF) * USECS_PER_SEC;
		database->failures++;
		return;
	}
	database->failures = 0;
	database->retry_at = 0;
	if (state == SLOT_ABSENT && !database->recheck)
	{
		database->absent = true;
		shared_free_slot(database->oid);
	}
}

static void
dismiss_ticker(Database *database)
{
	DatabaseSlot *slot = shared_slot(database->oid);

	if (slot == NULL)
		return;
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	slot->leave = true;
	LWLockRelease(shared->lock);
	shared_set_latch(&slot->ticker_proc);
}

/*
 * False if it could not be started: because no worker slot was free, or, if it
 * is held, because a session wants nobody in the database now.
 */
static bool
start_ticker(Database *database)
{
	DatabaseSlot *slot = shared_take_slot(database->oid);

	database->held = (slot == NULL);
	if (slot == NULL)
	{
		/* whoever it is wakes us when it is done; unless it dies */
		database->retry_at = clock_steady() + USECS_PER_SEC;
		return false;
	}
	if (!worker_register(TICKER_TYPE, "pgtq_ticker_main", slot, database->oid,
						 NameStr(database->name), &database->handle))
	{
		LWLockAcquire(shared->lock, LW_EXCLUSIVE);
		slot->state = SLOT_STOPPED;
		LWLockRelease(shared->lock);
		database->handle = NULL;
		return false;
	}
	database->recheck = false;
	return true;
}

/* Says once that worker slots are missing, and once that they are not. */
static void
tell_slots_missing(bool missing)
{
	bool		before = shared->slots_missing_since != 0;

	if (missing == before)
		return;
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	shared->slots_missing_since = missing ? GetCurrentTimestamp() : 0;
	LWLockRelease(shared->lock);
	if (missing)
		ereport(WARNING,
				(errmsg("pgtq cannot start a ticker: no free slot for a background worker"),
				 errhint("Raise \"max_worker_processes\".")));
	else
		ereport(LOG, (errmsg("pgtq has background workers for all databases again")));
}
