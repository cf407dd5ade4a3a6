/*
 * src/jobs/receiver.c
 *		Where the rows of statements that run in a session of a job go.
 *
 * Runs in the session of a job.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/tuptable.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "jobs/receiver.h"

typedef struct Column
{
	FmgrInfo	output;
	Oid			type;
} Column;

typedef struct Receiver
{
	DestReceiver receiver;		/* must be first */
	Capture    *capture;
	TupleDesc	desc;			/* a slot's own may lack the names */
	Column	   *columns;
	MemoryContext context;		/* for a statement, and a row */
} Receiver;

static void startup(DestReceiver *self, int operation, TupleDesc desc);
static bool receive(TupleTableSlot *slot, DestReceiver *self);
static void finish_rows(DestReceiver *self);
static void destroy(DestReceiver *self);
static void append_header(const Receiver *my, StringInfo line);
static void append_row(Receiver *my, StringInfo line, TupleTableSlot *slot);

DestReceiver *
receiver_new(Capture *capture)
{
	Receiver   *my = palloc0(sizeof(Receiver));

	my->receiver.rStartup = startup;
	my->receiver.receiveSlot = receive;
	my->receiver.rShutdown = finish_rows;
	my->receiver.rDestroy = destroy;
	my->receiver.mydest = DestTuplestore;	/* not the client */
	my->capture = capture;
	my->context = AllocSetContextCreate(CurrentMemoryContext, "pgtq capture", ALLOCSET_DEFAULT_SIZES);
	return &my->receiver;
}

/* The rows of a statement begin. */
static void
startup(DestReceiver *self, int operation, TupleDesc desc)
{
	Receiver   *my = (Receiver *) self;
	MemoryContext old;

	MemoryContextReset(my->context);
	old = MemoryContextSwitchTo(my->context);
	my->capture->open = false;
	my->desc = CreateTupleDescCopy(desc);
	if (my->capture->is_json)
		BlessTupleDesc(my->desc);
	my->columns = palloc0(sizeof(Column) * desc->natts);
	for (int i = 0; i < desc->natts; i++)
	{
		Column	   *column = &my->columns[i];
		Oid			function;
		bool		is_varlena;

		getTypeOutputInfo(TupleDescAttr(desc, i)->atttypid, &function, &is_varlena);
		fmgr_info_cxt(function, &column->output, my->context);
		column->type = getBaseType(TupleDescAttr(desc, i)->atttypid);
	}
	MemoryContextSwitchTo(old);
}

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	Receiver   *my = (Receiver *) self;
	Capture    *capture = my->capture;
	MemoryContext rows;
	MemoryContext old;
	StringInfoData line;

	if (capture->cut)
		return true;
	rows = AllocSetContextCreate(my->context, "pgtq row", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(rows);
	slot_getallattrs(slot);
	initStringInfo(&line);
	if (!capture->is_json && !capture->open && capture->header && my->desc->natts > 1)
	{
		append_header(my, &line);
		capture_line(capture, line.data, line.len);
		resetStringInfo(&line);
	}
	append_row(my, &line, slot);
	MemoryContextSwitchTo(old);
	capture_line(capture, line.data, line.len);
	MemoryContextDelete(rows);
	return true;
}

static void
finish_rows(DestReceiver *self)
{
	capture_end_rows(((Receiver *) self)->capture);
}

static void
destroy(DestReceiver *self)
{
}

static void
append_header(const Receiver *my, StringInfo line)
{
	for (int i = 0; i < my->desc->natts; i++)
	{
		if (i > 0)
			appendStringInfoString(line, my->capture->delimiter);
		capture_value(my->capture, line, NameStr(TupleDescAttr(my->desc, i)->attname), false);
	}
}

static void
append_row(Receiver *my, StringInfo line, TupleTableSlot *slot)
{
	if (my->capture->is_json)
	{
		HeapTuple	tuple = heap_form_tuple(my->desc, slot->tts_values, slot->tts_isnull);

		appendStringInfoString(line, TextDatumGetCString(DirectFunctionCall1(row_to_json, HeapTupleGetDatum(tuple))));
		return;
	}
	for (int i = 0; i < my->desc->natts; i++)
	{
		Column	   *column = &my->columns[i];
		char	   *value;

		if (i > 0)
			appendStringInfoString(line, my->capture->delimiter);
		if (slot->tts_isnull[i])
		{
			appendStringInfoString(line, my->capture->null);
			continue;
		}
		value = OutputFunctionCall(&column->output, slot->tts_values[i]);
		capture_value(my->capture, line, value, capture_is_bare(my->capture, column->type, value));
	}
}
