/*
 * src/jobs/capture.c
 *		The rows that a job returns, as text or json.
 *
 * Runs in the session of a job, and in the worker of remote jobs.  Whole rows are
 * kept, up to the job's limit; what a statement returned before it failed is
 * dropped.  Where the rows come from is not known here, see receiver.c and
 * src/remote/rows.c.  _job_row() and _run_statement() write the same in the PL
 * build.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "jobs/capture.h"

/* room for the brackets of json */
#define BRACKETS 4

/* For a job; in the memory context that lasts as long as it.  NULL: it wants nothing to be kept. */
Capture *
capture_new(const JobRow *row)
{
	const Datum *values = row->values;
	Capture    *capture;

	if (row->nulls[Anum_jo_capture - 1])
		return NULL;
	capture = palloc0(sizeof(Capture));
	capture->is_json = strcmp(TextDatumGetCString(values[Anum_jo_capture - 1]), "json") == 0;
	capture->header = DatumGetBool(values[Anum_jo_header - 1]);
	capture->strings = DatumGetBool(values[Anum_jo_strings - 1]);
	capture->delimiter = TextDatumGetCString(values[Anum_jo_delimiter - 1]);
	capture->quote = TextDatumGetCString(values[Anum_jo_quote - 1]);
	capture->escape = TextDatumGetCString(values[Anum_jo_escape - 1]);
	capture->null = TextDatumGetCString(values[Anum_jo_null - 1]);
	capture->limit = DatumGetInt32(values[Anum_jo_output_limit - 1]);
	initStringInfo(&capture->out);
	return capture;
}

/* A row; or text's header before it. */
void
capture_line(Capture *capture, const char *line, int length)
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

/* Text: a value, which is not null; or a column's name. */
void
capture_value(const Capture *capture, StringInfo line, const char *value, bool bare)
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

/* Text: json would write it without quotes, so we may, too. */
bool
capture_is_bare(const Capture *capture, Oid type, const char *value)
{
	if (!capture->strings)
		return false;
	if (type == BOOLOID)
		return true;
	return (type == INT2OID || type == INT4OID || type == INT8OID ||
			type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID) &&
		(isdigit((unsigned char) value[0]) || (value[0] == '-' && isdigit((unsigned char) value[1])));
}

/* The rows of a statement end.  Json has a list even of no rows. */
void
capture_end_rows(Capture *capture)
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

/* A statement has ended well. */
void
capture_keep(Capture *capture)
{
	if (capture == NULL)
		return;
	capture->kept = capture->out.len;
	capture->kept_any = capture->any;
}

/* What was kept; NULL: nothing. */
const char *
capture_end(Capture *capture, bool *cut)
{
	*cut = capture != NULL && capture->cut;
	if (capture == NULL || !capture->kept_any)
		return NULL;
	capture->out.data[capture->kept] = '\0';
	return capture->is_json ? psprintf("[%s]", capture->out.data) : capture->out.data;
}
