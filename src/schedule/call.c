/*
 * src/schedule/call.c
 *		Calls of the SQL functions that schedule what is not plain.
 *
 * They are told the role that schedules.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "common/call.h"
#include "schedule/call.h"

#define MAX_ARGS 18

/* arguments of an SQL function, as they are collected */
typedef struct Call
{
	int			nargs;
	Oid			types[MAX_ARGS];
	Datum		values[MAX_ARGS];
	char		nulls[MAX_ARGS];
} Call;

static void add(Call *call, Oid type, Datum value, bool isnull);
static void add_arg(Call *call, Oid type, FunctionCallInfo fcinfo, int arg);
static void add_text(Call *call, const char *value);
static void add_null(Call *call, Oid type);
static Datum run(FunctionCallInfo fcinfo, const char *function, Call *call, bool byval, int typlen);

/* Like _refuse_replica(): what needs a trigger there is refused here, too. */
void
call_refuse_replica(void)
{
	if (SessionReplicationRole == SESSION_REPLICATION_ROLE_REPLICA)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("timers cannot be changed under session_replication_role = replica"),
				 errhint("What is replicated has its timers where it comes from; else SET session_replication_role = origin.")));
}

/* schedule_at() or schedule_in(), the time being known. */
Datum
call_schedule(FunctionCallInfo fcinfo, Datum at, bool at_isnull)
{
	Call		call = {0};

	add(&call, OIDOID, ObjectIdGetDatum(GetUserId()), false);
	add_arg(&call, TEXTOID, fcinfo, 4);
	add(&call, TIMESTAMPTZOID, at, at_isnull);
	add(&call, BOOLOID, BoolGetDatum(true), false);
	add_text(&call, "timer");
	add_arg(&call, TEXTOID, fcinfo, 1);
	for (int i = 0; i < 4; i++)
		add_null(&call, TEXTOID);
	add_arg(&call, INT8OID, fcinfo, 2);
	add_arg(&call, INT4OID, fcinfo, 3);
	add_arg(&call, INT4OID, fcinfo, 8);
	add_arg(&call, INTERVALOID, fcinfo, 9);
	add_arg(&call, INTERVALOID, fcinfo, 10);
	add_arg(&call, TEXTOID, fcinfo, 5);
	add_arg(&call, TEXTOID, fcinfo, 6);
	add_arg(&call, INTERVALOID, fcinfo, 7);
	return run(fcinfo, "_schedule", &call, true, sizeof(int64));
}

/* insert_event_at() or insert_event_in(), the time being known. */
Datum
call_insert_event(FunctionCallInfo fcinfo, Datum at, bool at_isnull)
{
	Call		call = {0};

	add(&call, OIDOID, ObjectIdGetDatum(GetUserId()), false);
	add_arg(&call, TEXTOID, fcinfo, 0);
	add(&call, TIMESTAMPTZOID, at, at_isnull);
	add(&call, BOOLOID, BoolGetDatum(false), false);
	for (int arg = 2; arg < 8; arg++)
		add_arg(&call, TEXTOID, fcinfo, arg);
	add_null(&call, INT8OID);
	add_null(&call, INT4OID);
	add_null(&call, INT4OID);
	add_null(&call, INTERVALOID);
	add_null(&call, INTERVALOID);
	add_arg(&call, TEXTOID, fcinfo, 8);
	add_text(&call, "keep");
	add_null(&call, INTERVALOID);
	return run(fcinfo, "_schedule", &call, true, sizeof(int64));
}

Datum
call_schedule_many(FunctionCallInfo fcinfo)
{
	Call		call = {0};

	add(&call, OIDOID, ObjectIdGetDatum(GetUserId()), false);
	add_arg(&call, TEXTOID, fcinfo, 4);
	add_arg(&call, TIMESTAMPTZARRAYOID, fcinfo, 0);
	add_arg(&call, TEXTARRAYOID, fcinfo, 1);
	add_arg(&call, INT8ARRAYOID, fcinfo, 2);
	add_arg(&call, INT4OID, fcinfo, 3);
	add_arg(&call, INT4OID, fcinfo, 7);
	add_arg(&call, INTERVALOID, fcinfo, 8);
	add_arg(&call, INTERVALOID, fcinfo, 9);
	add_arg(&call, TEXTARRAYOID, fcinfo, 5);
	add_arg(&call, TEXTOID, fcinfo, 6);
	return run(fcinfo, "_schedule_many", &call, false, -1);
}

static void
add(Call *call, Oid type, Datum value, bool isnull)
{
	call->types[call->nargs] = type;
	call->values[call->nargs] = value;
	call->nulls[call->nargs] = isnull ? 'n' : ' ';
	call->nargs++;
}

static void
add_arg(Call *call, Oid type, FunctionCallInfo fcinfo, int arg)
{
	add(call, type, PG_GETARG_DATUM(arg), PG_ARGISNULL(arg));
}

static void
add_text(Call *call, const char *value)
{
	add(call, TEXTOID, CStringGetTextDatum(value), false);
}

static void
add_null(Call *call, Oid type)
{
	add(call, type, (Datum) 0, true);
}

/* Calls it, and returns what it returns. */
static Datum
run(FunctionCallInfo fcinfo, const char *function, Call *call, bool byval, int typlen)
{
	return call_as_owner(function, call->nargs, call->types, call->values, call->nulls,
						 byval, typlen, &fcinfo->isnull);
}
