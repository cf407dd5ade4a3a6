/*
 * src/jobs/capture.c
 *		The rows that a job returns, as text or json.
 *
 * Runs in the session of a job.  Whole rows are kept, up to the job's limit; what
 * a statement returned before it failed is dropped.  _job_row() and
 * _run_statement() write the same in the PL build.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "jobs/capture.h"

/* room for the brackets of json */
#define BRACKETS 4

typedef struct Column
{
	FmgrInfo	output;
	bool		is_boolean;
	bool		is_number;
} Column;

typedef struct Capture
{
	DestReceiver receiver;		/* must be first */
	bool		is_json;
	bool		header;
	bool		strings;
	char	   *delimiter;
	char	   *quote;
	char	   *escape;
	char	   *null;
	int			limit;

	StringInfoData out;
	bool		any;			/* out is something, even if that is empty */
	bool		cut;
	int			kept;			/* of out, what ended well */
	bool		kept_any;
	bool		open;			/* json: the bracket of this statement's rows */
	TupleDesc	desc;			/* a slot's own may lack the names */
	Column	   *columns;
	MemoryContext context;		/* for a statement, and a row */
} Capture;

static Capture *capture = NULL;

static void startup(DestReceiver *self, int operation, TupleDesc desc);
static bool receive(TupleTableSlot *slot, DestReceiver *self);
static void finish_rows(DestReceiver *self);
static void destroy(DestReceiver *self);
static void add_line(const char *line, int length);
static void append_header(StringInfo line);
static void append_row(StringInfo line, TupleTableSlot *slot);
static void append_value(StringInfo line, const char *value, bool bare);
static bool is_bare(const Column *column, const char *value);

/* For a job; in the memory context that lasts as long as it.  NULL: it wants nothing to be kept. */
DestReceiver *
capture_begin(const JobRow *row)
{
	const Datum *values = row->values;

	capture = NULL;
	if (row->nulls[Anum_jo_capture - 1])
		return NULL;
	capture = palloc0(sizeof(Capture));
	capture->receiver.rStartup = startup;
	capture->receiver.receiveSlot = receive;
	capture->receiver.rShutdown = finish_rows;
	capture->receiver.rDestroy = destroy;
	capture->receiver.mydest = DestTuplestore;	/* not the client */
	capture->is_json = strcmp(TextDatumGetCString(values[Anum_jo_capture - 1]), "json") == 0;
	capture->header = DatumGetBool(values[Anum_jo_header - 1]);
	capture->strings = DatumGetBool(values[Anum_jo_strings - 1]);
	capture->delimiter = TextDatumGetCString(values[Anum_jo_delimiter - 1]);
	capture->quote = TextDatumGetCString(values[Anum_jo_quote - 1]);
	capture->escape = TextDatumGetCString(values[Anum_jo_escape - 1]);
	capture->null = TextDatumGetCString(values[Anum_jo_null - 1]);
	capture->limit = DatumGetInt32(values[Anum_jo_output_limit - 1]);
	initStringInfo(&capture->out);
	capture->context = AllocSetContextCreate(CurrentMemoryContext, "pgtq capture", ALLOCSET_DEFAULT_SIZES);
	return &capture->receiver;
}

/* A statement has ended well. */
void
capture_keep(void)
{
	if (capture == NULL)
		return;
	capture->kept = capture->out.len;
	capture->kept_any = capture->any;
}

/* What was kept; NULL: nothing. */
const char *
capture_end(bool *cut)
{
	*cut = capture != NULL && capture->cut;
	if (capture == NULL || !capture->kept_any)
		return NULL;
	capture->out.data[capture->kept] = '\0';
	return capture->is_json ? psprintf("[%s]", capture->out.data) : capture->out.data;
}

/* The rows of a statement begin. */
static void
startup(DestReceiver *self, int operation, TupleDesc desc)
{
	MemoryContext old;

	MemoryContextReset(capture->context);
	old = MemoryContextSwitchTo(capture->context);
	capture->open = false;
	capture->desc = CreateTupleDescCopy(desc);
	if (capture->is_json)
		BlessTupleDesc(capture->desc);
	capture->columns = palloc0(sizeof(Column) * desc->natts);
	for (int i = 0; i < desc->natts; i++)
	{
		Column	   *column = &capture->columns[i];
		Oid			type = getBaseType(TupleDescAttr(desc, i)->atttypid);
		Oid			function;
		bool		is_varlena;

		getTypeOutputInfo(TupleDescAttr(desc, i)->atttypid, &function, &is_varlena);
		fmgr_info_cxt(function, &column->output, capture->context);
		column->is_boolean = type == BOOLOID;
		column->is_number = type == INT2OID || type == INT4OID || type == INT8OID ||
			type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID;
	}
	MemoryContextSwitchTo(old);
}

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	MemoryContext rows;
	MemoryContext old;
	StringInfoData line;

	if (capture->cut)
		return true;
	rows = AllocSetContextCreate(capture->context, "pgtq row", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(rows);
	slot_getallattrs(slot);
	initStringInfo(&line);
	if (!capture->is_json && !capture->open && capture->header && capture->desc->natts > 1)
	{
		append_header(&line);
		add_line(line.data, line.len);
		resetStringInfo(&line);
	}
	append_row(&line, slot);
	MemoryContextSwitchTo(old);
	add_line(line.data, line.len);
	MemoryContextDelete(rows);
	return true;
}

/* Json has a list even of no rows. */
static void
finish_rows(DestReceiver *self)
{
	if (capture->is_json && (capture->open || !capture->cut))
	{
		if (!capture->open)
			appendStringInfoString(&capture->out, capture->any ? ",[" : "[");
		appendStringInfoChar(&capture->out, ']');
		capture->any = true;
	}
	capture->open = false;
}

static void
destroy(DestReceiver *self)
{
}

/* A row; or text's header before it. */
static void
add_line(const char *line, int length)
{
	if (capture->cut || capture->out.len + length + BRACKETS > capture->limit)
	{
		capture->cut = true;
		return;
	}
	if (capture->is_json)
		appendStringInfoString(&capture->out, capture->open ? "," : (capture->any ? ",[" : "["));
	else if (capture->any)
		appendStringInfoChar(&capture->out, '\n');
	appendBinaryStringInfo(&capture->out, line, length);
	capture->any = capture->open = true;
}

static void
append_header(StringInfo line)
{
	for (int i = 0; i < capture->desc->natts; i++)
	{
		if (i > 0)
			appendStringInfoString(line, capture->delimiter);
		append_value(line, NameStr(TupleDescAttr(capture->desc, i)->attname), false);
	}
}

static void
append_row(StringInfo line, TupleTableSlot *slot)
{
	if (capture->is_json)
	{
		HeapTuple	tuple = heap_form_tuple(capture->desc, slot->tts_values, slot->tts_isnull);

		appendStringInfoString(line, TextDatumGetCString(DirectFunctionCall1(row_to_json, HeapTupleGetDatum(tuple))));
		return;
	}
	for (int i = 0; i < capture->desc->natts; i++)
	{
		Column	   *column = &capture->columns[i];
		char	   *value;

		if (i > 0)
			appendStringInfoString(line, capture->delimiter);
		if (slot->tts_isnull[i])
		{
			appendStringInfoString(line, capture->null);
			continue;
		}
		value = OutputFunctionCall(&column->output, slot->tts_values[i]);
		append_value(line, value, is_bare(column, value));
	}
}

static void
append_value(StringInfo line, const char *value, bool bare)
{
	if (bare || capture->quote[0] == '\0')
	{
		appendStringInfoString(line, value);
		return;
	}
	appendStringInfoString(line, capture->quote);
	while (*value != '\0')
	{
		int			length = pg_mblen(value);

		if (capture->escape[0] != '\0' &&
			((strncmp(value, capture->quote, length) == 0 && capture->quote[length] == '\0') ||
			 (strncmp(value, capture->escape, length) == 0 && capture->escape[length] == '\0')))
			appendStringInfoString(line, capture->escape);
		appendBinaryStringInfo(line, value, length);
		value += length;
	}
	appendStringInfoString(line, capture->quote);
}

/* Json would write it without quotes. */
static bool
is_bare(const Column *column, const char *value)
{
	if (!capture->strings)
		return false;
	return column->is_boolean ||
		(column->is_number && (isdigit((unsigned char) value[0]) || (value[0] == '-' && isdigit((unsigned char) value[1]))));
}
