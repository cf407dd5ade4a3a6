/*
 * src/ticker/maintenance.c
 *		The maintenance worker: rotation and its like, out of the ticker's way.
 *
 * A background worker that a ticker starts when there is something to do, and
 * that ends when it is done.  It takes ACCESS EXCLUSIVE on tables that are to
 * be truncated; the functions wait 100 ms for it, and try again next time.
 *
 * It is a superuser, and calls nothing but functions of ours.  What
 * queue_extra_maint names is left to whoever named it.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "ticker/ticker.h"
#include "ticker/worker.h"

/* a function that has more to do says so; but not for ever */
#define MAX_CALLS 100

typedef struct Operation
{
	char	   *function;
	char	   *argument;		/* may be NULL */
	bool		again;
} Operation;

static DatabaseSlot *slot;
static MemoryContext context;

static void detach(int code, Datum arg);
static void list_task(void *arg);
static void operation_task(void *arg);

void
pgtq_maintenance_main(Datum arg)
{
	Oid			database;
	List	   *operations = NIL;
	ListCell   *lc;

	slot = worker_slot(arg, &database);
	if (!worker_begin(MAINTENANCE_TYPE, slot, database, &slot->maintenance_pid, NULL, detach))
		proc_exit(0);

	context = AllocSetContextCreate(TopMemoryContext, "pgtq maintenance", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(context);
	worker_run(slot, "looking for maintenance to do", list_task, &operations);
	foreach(lc, operations)
	{
		Operation  *operation = lfirst(lc);

		operation->again = true;
		for (int i = 0; i < MAX_CALLS && operation->again; i++)
		{
			CHECK_FOR_INTERRUPTS();
			if (!worker_run(slot, operation->function, operation_task, operation))
				break;
		}
	}
	pg_atomic_fetch_add_u64(&slot->counters.maintenance_runs, 1);
	pgstat_report_stat(true);
	proc_exit(0);
}

static void
detach(int code, Datum arg)
{
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	if (slot->maintenance_pid == MyProcPid)
		slot->maintenance_pid = 0;
	LWLockRelease(shared->lock);
}

/* What is to be called; and a word about what is not. */
static void
list_task(void *arg)
{
	List	  **operations = arg;
	MemoryContext old;

	if (SPI_execute("select func_name, func_arg from pgtq._maintenance_due()", false, 0) != SPI_OK_SELECT)
		elog(ERROR, "_maintenance_due() failed");
	old = MemoryContextSwitchTo(context);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		Operation  *operation = palloc0(sizeof(Operation));

		operation->function = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1);
		operation->argument = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 2);
		*operations = lappend(*operations, operation);
	}
	MemoryContextSwitchTo(old);

	if (SPI_execute("select queue_name from pgtq.queue where queue_extra_maint <> '{}'", false, 1) == SPI_OK_SELECT &&
		SPI_processed > 0)
		ereport(DEBUG1,
				(errmsg("functions of extra_maint are not called by the maintenance worker"),
				 errdetail("One of the queues that have them: %s",
						   SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1))));
}

/*
 * Calls one function.  Its name comes from _maintenance_due(), so it is one of
 * ours; it returns an integer, other than 0 if it wants to be called again.
 */
static void
operation_task(void *arg)
{
	Operation  *operation = arg;
	Oid			types[1] = {TEXTOID};
	Datum		values[1] = {(Datum) 0};
	int			nargs = operation->argument ? 1 : 0;
	char	   *query = psprintf("select %s(%s)", operation->function, nargs ? "$1" : "");
	bool		isnull;

	operation->again = false;
	if (nargs)
		values[0] = CStringGetTextDatum(operation->argument);
	if (SPI_execute_with_args(query, nargs, types, values, NULL, false, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "%s() returned no row", operation->function);
	operation->again = DatumGetInt32(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull)) != 0;
}
