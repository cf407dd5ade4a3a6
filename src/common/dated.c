/*
 * src/common/dated.c
 *		SQL whose meaning depends on when it is read.
 *
 * Runs anywhere.  The analysis of a text makes constants of its literals:
 * 'today' becomes the day on which that was done, for as long as its plan is kept.
 * A text with such a word must be analyzed each time it is run.
 */
#include "postgres.h"

#include "common/dated.h"

static bool is_word_character(char c);

/*
 * Is there a word, in a literal or anywhere, that is read as a time?  A call of
 * now() is none.
 */
bool
sql_is_dated(const char *sql)
{
	static const char *const words[] = {"now", "today", "tomorrow", "yesterday"};

	for (const char *p = sql; *p != '\0'; p++)
	{
		if (p > sql && is_word_character(p[-1]))
			continue;
		for (int i = 0; i < (int) lengthof(words); i++)
		{
			size_t		length = strlen(words[i]);

			if (pg_strncasecmp(p, words[i], length) == 0 && p[length] != '(' && !is_word_character(p[length]))
				return true;
		}
	}
	return false;
}

static bool
is_word_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || IS_HIGHBIT_SET(c);
}
