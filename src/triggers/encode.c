/*
 * src/triggers/encode.c
 *		Writing values the way events have them.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/json.h"

#include "triggers/trigger.h"

static void append_int64(StringInfo buf, int64 value);

/*
 * A value as JSON.  Numbers other than integers are strings, so that nobody
 * reads them as floats and loses digits.
 */
void
append_json_value(StringInfo buf, TriggerColumn *column, Datum value, bool isnull)
{
	char		datetime[MAXDATELEN + 1];

	if (isnull)
	{
		appendBinaryStringInfo(buf, "null", 4);
		return;
	}
	switch (column->json)
	{
		case JSON_BOOLEAN:
			appendStringInfoString(buf, DatumGetBool(value) ? "true" : "false");
			break;
		case JSON_INT2:
			append_int64(buf, DatumGetInt16(value));
			break;
		case JSON_INT4:
			append_int64(buf, DatumGetInt32(value));
			break;
		case JSON_INT8:
			append_int64(buf, DatumGetInt64(value));
			break;
		case JSON_DATETIME:
			/* ISO 8601, whatever DateStyle says */
			JsonEncodeDateTime(datetime, value, column->type, NULL);
			appendStringInfoChar(buf, '"');
			appendStringInfoString(buf, datetime);
			appendStringInfoChar(buf, '"');
			break;
		case JSON_STRING:
			escape_json(buf, column_text(column, value));
			break;
	}
}

static void
append_int64(StringInfo buf, int64 value)
{
	char		digits[MAXINT8LEN + 1];

	appendBinaryStringInfo(buf, digits, pg_lltoa(value, digits));
}

/* Letters, digits, _ . - as they are, a blank as +, other bytes as %xx. */
void
append_url(StringInfo buf, const char *str)
{
	static const char hex[] = "0123456789abcdef";
	char	   *dst;

	/* room for the worst case, so that the loop need not look */
	enlargeStringInfo(buf, strlen(str) * 3);
	dst = buf->data + buf->len;
	for (; *str != '\0'; str++)
	{
		unsigned char c = (unsigned char) *str;

		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
			c == '_' || c == '.' || c == '-')
			*dst++ = c;
		else if (c == ' ')
			*dst++ = '+';
		else
		{
			*dst++ = '%';
			*dst++ = hex[c >> 4];
			*dst++ = hex[c & 15];
		}
	}
	*dst = '\0';
	buf->len = dst - buf->data;
}

/* A row as name=value&name=value; a name without = is NULL. */
void
append_url_row(StringInfo buf, TriggerCall *call, const Datum *values, const bool *nulls, bool backup)
{
	bool		first = true;

	for (int i = 0; i < call->info->ncolumns; i++)
	{
		TriggerColumn *column = &call->info->columns[i];

		if (column->ignored || column->magic != NO_FIELD)
			continue;
		if (!first)
			appendStringInfoChar(buf, '&');
		first = false;
		appendStringInfoString(buf, backup ? column->backup_label : column->label);
		if (!nulls[column->index])
		{
			appendStringInfoChar(buf, '=');
			append_url(buf, column_text(column, values[column->index]));
		}
	}
}

/* A column's name, encoded. */
char *
url_label(const char *column)
{
	StringInfoData buf;

	initStringInfo(&buf);
	append_url(&buf, column);
	return buf.data;
}
