/*
 * test/fuzz/trigger_expression.c
 *		The query that is made of the expressions of a trigger: each is in it as it is.
 */
#include "stubs.h"

#include "triggers/expression.c"

const char *
quote_identifier(const char *ident)
{
	return ident;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char	   *strings[N_FIELDS + 1];
	int			n = fuzz_strings(data, size, strings, N_FIELDS + 1);
	FormData_pg_class form = {0};
	RelationData rel = {.rd_rel = &form};
	TriggerData tg = {.tg_relation = &rel};
	TriggerCall call = {.tg = &tg};
	Expression	expression = {.n = n - 1};
	char	   *at;

	strlcpy(NameStr(form.relname), strings[0], NAMEDATALEN);
	for (int i = 1; i < n; i++)
	{
		expression.sql[i - 1] = strings[i];
		expression.type[i - 1] = (i % 2) ? "text" : NULL;
	}
	if (setjmp(fuzz_error) == 0)
	{
		at = query_text(&call, &expression);
		CHECK(strncmp(at, "select _e.* ", 12) == 0);
		for (int i = 1; i < n; i++)
		{
			at = strstr(at, strings[i]);
			CHECK(at != NULL);
			at += strlen(strings[i]);
		}
		CHECK(strstr(at, " from (select ($3).*) as ") != NULL);
	}
	fuzz_free();
	return 0;
}
