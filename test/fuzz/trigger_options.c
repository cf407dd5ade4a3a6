/*
 * test/fuzz/trigger_options.c
 *		Arguments of CREATE TRIGGER, and lists of columns in them.
 */
#include "stubs.h"

#include "triggers/options.c"

#define MAX_STRINGS 24

static void
check_lists(char **names, int n)
{
	TupleDesc	desc = palloc0(offsetof(struct TupleDescData, attrs) + n * sizeof(FormData_pg_attribute));

	desc->natts = n - 1;
	for (int i = 1; i < n; i++)
		strlcpy(NameStr(TupleDescAttr(desc, i - 1)->attname), names[i], NAMEDATALEN);
	for (int i = 1; i < n; i++)
	{
		const char *name = NameStr(TupleDescAttr(desc, i - 1)->attname);
		bool		found = name_in_list(names[0], name, desc);
		const char *at = strstr(names[0], name);

		/* what is in a list is somewhere in its text; a list of one name has it */
		if (found && *name != '\0')
			CHECK(at != NULL);
		if (*name != '\0' && strcmp(names[0], name) == 0 && strpbrk(name, BLANKS ",") == NULL)
			CHECK(found);
	}
}

static void
check_arguments(char **args, int n, bool timer)
{
	Trigger		trigger = {.tgnargs = n, .tgargs = args};
	TriggerOptions options;

	if (setjmp(fuzz_error) != 0)
		return;
	(timer ? trigger_read_timer_options : trigger_read_options) (&trigger, &options);
	CHECK(strcmp(options.queue, args[0]) == 0);
	/* each argument is there, word for word */
	for (int i = 1; i < n; i++)
	{
		if (strncmp(args[i], "when=", 5) == 0)
			CHECK(strcmp(options.when, args[i] + 5) == 0);
		else if (strncmp(args[i], "pkey=", 5) == 0)
			CHECK(strcmp(options.pkey, args[i] + 5) == 0);
		else if (strcmp(args[i], "deny") == 0)
			CHECK(options.deny);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char	   *strings[MAX_STRINGS];
	int			n = fuzz_strings(data, size, strings, MAX_STRINGS);

	check_arguments(strings, n, false);
	check_arguments(strings, n, true);
	check_arguments(strings, 0, false);
	if (setjmp(fuzz_error) == 0)
		check_lists(strings, n);
	fuzz_free();
	return 0;
}
