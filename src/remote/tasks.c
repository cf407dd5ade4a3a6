/*
 * src/remote/tasks.c
 *		What the worker of remote jobs reads and writes in the database.
 *
 * Each is a transaction that may fail; then it is tried again later.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "jobs/record.h"
#include "jobs/worker.h"
#include "remote/statements.h"
#include "remote/tasks.h"
#include "ticker/worker.h"

typedef struct Reading
{
	int64		id;
	Oid			role;
	MemoryContext context;		/* for what is read */
	RemoteOptions *options;
	RemoteText *text;
} Reading;

static void options_task(void *arg);
static void text_task(void *arg);
static void end_task(void *arg);

/* Where a job is to be sent, as its role may now; into the current memory context. */
bool
remote_read_options(DatabaseSlot *slot, int64 id, Oid role, RemoteOptions **options)
{
	Reading		reading = {.id = id, .role = role, .context = CurrentMemoryContext};
	bool		done = worker_run(slot, "reading where a job is sent to", options_task, &reading);

	*options = reading.options;
	return done;
}

static void
options_task(void *arg)
{
	static SPIPlanPtr plan = NULL;
	Reading    *reading = arg;
	Oid			types[1] = {INT8OID};
	Datum		values[1] = {Int64GetDatum(reading->id)};
	char	   *remote;

	worker_plan(&plan, "select jo_remote from pgtq.job where jo_id = $1", 1, types);
	if (SPI_execute_plan(plan, values, NULL, false, 1) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "job " INT64_FORMAT " has gone", reading->id);
	remote = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	MemoryContextSwitchTo(reading->context);
	reading->options = remote_options(reading->role, remote);
}

/* What a job is that is running, for the first time; into a memory context. */
bool
remote_read_text(DatabaseSlot *slot, int64 id, Oid role, MemoryContext context, RemoteText *text)
{
	Reading		reading = {.id = id, .role = role, .context = context, .text = text};

	MemoryContextReset(context);
	memset(text, 0, sizeof(RemoteText));
	return worker_run(slot, "reading a job", text_task, &reading);
}

static void
text_task(void *arg)
{
	Reading    *reading = arg;
	RemoteText *result = reading->text;
	JobRow		row;

	MemoryContextSwitchTo(reading->context);
	result->found = record_read(reading->id, reading->role, &row);
	if (!result->found)
		return;
	result->statements = split_statements(TextDatumGetCString(row.values[Anum_jo_action - 1]));
	result->capture = capture_new(&row);
	result->timeout = row.nulls[Anum_jo_timeout - 1] ? pgtq_job_timeout : DatumGetInt32(row.values[Anum_jo_timeout - 1]);
}

/* The row goes, or the job is planned anew, and the history gets one. */
bool
remote_note_end(DatabaseSlot *slot, RemoteEnd *end)
{
	return worker_run(slot, "noting the end of a job", end_task, end);
}

static void
end_task(void *arg)
{
	static SPIPlanPtr plan = NULL;
	RemoteEnd  *end = arg;
	Oid			types[7] = {INT8OID, TEXTOID, TEXTOID, TEXTOID, BOOLOID, BOOLOID, BOOLOID};
	Datum		values[7] = {Int64GetDatum(end->id), 0, 0, 0, BoolGetDatum(end->output_cut), BoolGetDatum(end->is_final), BoolGetDatum(end->lost)};
	char		nulls[] = " nnn   ";

	if (end->sqlstate != NULL)
	{
		values[1] = CStringGetTextDatum(end->sqlstate);
		values[2] = CStringGetTextDatum(end->error);
		nulls[1] = nulls[2] = ' ';
	}
	if (end->output != NULL)
	{
		values[3] = CStringGetTextDatum(end->output);
		nulls[3] = ' ';
	}
	worker_plan(&plan, "select pgtq._end_job(j, $2, $3, $4, $5, not $6 and (not $7 or j.jo_on_crash = 'retry'))"
				" from pgtq.job j where j.jo_id = $1 and j.jo_state > 0", 7, types);
	if (SPI_execute_plan(plan, values, nulls, false, 0) != SPI_OK_SELECT)
		elog(ERROR, "_end_job() failed");
	ForceSyncCommit();
}
