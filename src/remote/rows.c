/*
 * src/remote/rows.c
 *		The rows that another server returns.
 *
 * Runs in the worker of remote jobs.  The other server may send anything.  As
 * text its rows are written as receiver.c writes those of a job that runs here.
 * As json the built-in numbers, booleans and json are written as such, all else
 * as a string of what the other server has sent.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/jsonapi.h"
#include "mb/pg_wchar.h"
#include "utils/json.h"
#include "utils/memutils.h"

#include "remote/rows.h"

static void append_header(const Capture *capture, StringInfo line, const PGresult *result);
static void append_row(const Capture *capture, StringInfo line, const PGresult *result, int row);
static void append_json(StringInfo line, const PGresult *result, int row);
static void append_json_value(StringInfo line, Oid type, const char *value);
static bool is_too_long(const Capture *capture, const PGresult *result);
static bool all_is_valid(const PGresult *result);

/*
 * Keeps the rows of a result, one or none, in single-row mode.  False if there is
 * something in it that our encoding does not know.
 */
bool
rows_capture(Capture *capture, const PGresult *result, MemoryContext context)
{
	MemoryContext old;
	StringInfoData line;
	bool		valid = true;

	if (capture == NULL || capture->cut)
		return true;
	old = MemoryContextSwitchTo(context);
	initStringInfo(&line);
	for (int row = 0; row < PQntuples(result) && valid; row++)
	{
		if (is_too_long(capture, result))
		{
			capture->cut = true;
			break;
		}
		valid = all_is_valid(result);
		if (!valid)
			break;
		if (!capture->is_json && !capture->open && capture->header && PQnfields(result) > 1)
		{
			append_header(capture, &line, result);
			capture_line(capture, line.data, line.len);
			resetStringInfo(&line);
		}
		if (capture->is_json)
			append_json(&line, result, row);
		else
			append_row(capture, &line, result, row);
		capture_line(capture, line.data, line.len);
		resetStringInfo(&line);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(context);
	return valid;
}

static void
append_header(const Capture *capture, StringInfo line, const PGresult *result)
{
	for (int i = 0; i < PQnfields(result); i++)
	{
		if (i > 0)
			appendStringInfoString(line, capture->delimiter);
		capture_value(capture, line, PQfname(result, i), false);
	}
}

static void
append_row(const Capture *capture, StringInfo line, const PGresult *result, int row)
{
	for (int i = 0; i < PQnfields(result); i++)
	{
		const char *value = PQgetvalue(result, row, i);

		if (i > 0)
			appendStringInfoString(line, capture->delimiter);
		if (PQgetisnull(result, row, i))
			appendStringInfoString(line, capture->null);
		else
			capture_value(capture, line, value, capture_is_bare(capture, PQftype(result, i), value));
	}
}

static void
append_json(StringInfo line, const PGresult *result, int row)
{
	appendStringInfoChar(line, '{');
	for (int i = 0; i < PQnfields(result); i++)
	{
		if (i > 0)
			appendStringInfoChar(line, ',');
		escape_json(line, PQfname(result, i));
		appendStringInfoChar(line, ':');
		if (PQgetisnull(result, row, i))
			appendStringInfoString(line, "null");
		else
			append_json_value(line, PQftype(result, i), PQgetvalue(result, row, i));
	}
	appendStringInfoChar(line, '}');
}

static void
append_json_value(StringInfo line, Oid type, const char *value)
{
	switch (type)
	{
		case BOOLOID:
			appendStringInfoString(line, value[0] == 't' ? "true" : "false");
			break;
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			if (IsValidJsonNumber(value, strlen(value)))
				appendStringInfoString(line, value);
			else
				escape_json(line, value);
			break;
		case JSONOID:
		case JSONBOID:
			appendStringInfoString(line, value);
			break;
		default:
			escape_json(line, value);
	}
}

/* Then it must not be put together: nothing may be longer than a gigabyte here, and libpq takes what comes. */
static bool
is_too_long(const Capture *capture, const PGresult *result)
{
	size_t		length = 0;

	for (int i = 0; i < PQnfields(result); i++)
	{
		length += strlen(PQfname(result, i));
		for (int row = 0; row < PQntuples(result); row++)
			length += PQgetlength(result, row, i);
	}
	return length > (size_t) capture->limit + MaxAllocSize / 64;
}

static bool
all_is_valid(const PGresult *result)
{
	for (int i = 0; i < PQnfields(result); i++)
	{
		if (!text_is_valid(PQfname(result, i)))
			return false;
		for (int row = 0; row < PQntuples(result); row++)
			if (!text_is_valid(PQgetvalue(result, row, i)))
				return false;
	}
	return true;
}

/* In our encoding, which the other server was asked to send. */
bool
text_is_valid(const char *text)
{
	return pg_verify_mbstr(GetDatabaseEncoding(), text, strlen(text), true);
}
