/*
 * src/remote/options.c
 *		How a connection for a job is made, and whether it may be.
 *
 * Runs when a job is submitted, to tell early, and in the worker of remote jobs
 * when it runs, which is what counts; both in a transaction.
 *
 * The worker connects from where the server connects from, with its files and
 * its system user.  So the rules are those of dblink and postgres_fdw:
 *
 * - a superuser may connect as he likes;
 * - everybody else must use a password from his own user mapping (or PUBLIC's),
 *	 and the other server must have asked for it.  A passfile, an environment, or
 *	 a server that trusts this one, is nothing that belongs to him;
 * - but for a user mapping of postgres_fdw that says password_required 'false',
 *	 which its validator lets superusers set only.
 *
 * A connection string names files and services of this machine, so it is for
 * superusers; and it can be read in pgtq.jobs, so it must have no password.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_foreign_server.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_user_mapping.h"
#include "datatype/timestamp.h"
#include "commands/defrem.h"
#include "fmgr.h"
#include "foreign/foreign.h"
#include "libpq-fe.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

#include "compat.h"
#include "remote/options.h"

PG_FUNCTION_INFO_V1(pgtq_check_connection);

/* seconds, unless connect_timeout says otherwise; and what libpq takes for the least */
#define CONNECT_TIMEOUT 30
#define LEAST_TIMEOUT 2

static void of_string(RemoteOptions *options, const char *string);
static void of_server(RemoteOptions *options, Oid role, const char *name);
static bool is_checked_by_postgres_fdw(const ForeignDataWrapper *wrapper);
static bool take_options(RemoteOptions *options, List *list, const PQconninfoOption *known, bool of_mapping, bool checked);
static bool may_have(const PQconninfoOption *known, const char *name, bool of_mapping, bool checked);
static void add(RemoteOptions *options, const char *keyword, const char *value);
static void refuse(RemoteOptions *options, int sqlerrcode, const char *error, const char *hint);

/*
 * _check_connection(role, remote)
 */
Datum
pgtq_check_connection(PG_FUNCTION_ARGS)
{
	RemoteOptions *options = remote_options(PG_GETARG_OID(0), text_to_cstring(PG_GETARG_TEXT_PP(1)));

	if (options->error != NULL)
		ereport(ERROR,
				(errcode(options->sqlerrcode),
				 errmsg("%s", options->error),
				 options->hint ? errhint("%s", options->hint) : 0));
	PG_RETURN_VOID();
}

/* For a role and a remote, in the current memory context. */
RemoteOptions *
remote_options(Oid role, const char *remote)
{
	RemoteOptions *options = palloc0(sizeof(RemoteOptions));
	bool		is_superuser = superuser_arg(role);

	options->needs_password = !is_superuser;
	options->timeout = CONNECT_TIMEOUT;
	add(options, "fallback_application_name", "pgtq remote job");
	if (strchr(remote, '=') == NULL && strstr(remote, "://") == NULL)
		of_server(options, role, remote);
	else if (is_superuser)
		of_string(options, remote);
	else
		refuse(options, ERRCODE_INSUFFICIENT_PRIVILEGE,
			   "only a superuser may give a connection string as remote", NULL);
	add(options, "client_encoding", GetDatabaseEncodingName());
	return options;
}

/* The ones of a connection string. */
static void
of_string(RemoteOptions *options, const char *string)
{
	char	   *error = NULL;
	PQconninfoOption *parsed = PQconninfoParse(string, &error);

	if (parsed == NULL)
	{
		refuse(options, ERRCODE_INVALID_PARAMETER_VALUE,
			   psprintf("invalid connection string: %s", error ? pchomp(error) : "out of memory"), NULL);
		PQfreemem(error);
		return;
	}
	for (PQconninfoOption *option = parsed; option->keyword != NULL; option++)
	{
		if (option->val == NULL)
			continue;
		if (strchr(option->dispchar, '*') != NULL)
			refuse(options, ERRCODE_INVALID_PARAMETER_VALUE,
				   psprintf("a connection string for remote must not have a %s", option->keyword),
				   "It could be read in pgtq.jobs. Use a foreign server and a user mapping, or a passfile.");
		else if (strcmp(option->keyword, "client_encoding") != 0)
			add(options, option->keyword, option->val);
	}
	PQconninfoFree(parsed);
}

/* The ones of a foreign server and the user mapping of a role. */
static void
of_server(RemoteOptions *options, Oid role, const char *name)
{
	ForeignServer *server = GetForeignServerByName(name, true);
	UserMapping *mapping;
	bool		checked;
	bool		has_password;
	PQconninfoOption *known;

	if (server == NULL)
	{
		refuse(options, ERRCODE_UNDEFINED_OBJECT, psprintf("foreign server \"%s\" does not exist", name), NULL);
		return;
	}
	if (!may_use_server(server->serverid, role))
	{
		refuse(options, ERRCODE_INSUFFICIENT_PRIVILEGE, psprintf("permission denied for foreign server \"%s\"", name), NULL);
		return;
	}
	if (!SearchSysCacheExists2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(role), ObjectIdGetDatum(server->serverid)) &&
		!SearchSysCacheExists2(USERMAPPINGUSERSERVER, ObjectIdGetDatum(InvalidOid), ObjectIdGetDatum(server->serverid)))
	{
		refuse(options, ERRCODE_UNDEFINED_OBJECT,
			   psprintf("user mapping not found for \"%s\", server \"%s\"", GetUserNameFromId(role, true), name), NULL);
		return;
	}
	mapping = GetUserMapping(role, server->serverid);
	checked = is_checked_by_postgres_fdw(GetForeignDataWrapper(server->fdwid));
	known = PQconndefaults();
	if (known == NULL)
	{
		refuse(options, ERRCODE_OUT_OF_MEMORY, "out of memory", NULL);
		return;
	}
	(void) take_options(options, server->options, known, false, checked);
	has_password = take_options(options, mapping->options, known, true, checked);
	PQconninfoFree(known);
	if (options->needs_password && !has_password)
		refuse(options, ERRCODE_S_R_E_PROHIBITED_SQL_STATEMENT_ATTEMPTED, "password is required",
			   psprintf("The user mapping for server \"%s\" must have a password, unless the role is a superuser.", name));
}

/* Its validator looks at who sets what; a wrapper of somebody else may have one that does not, or none. */
static bool
is_checked_by_postgres_fdw(const ForeignDataWrapper *wrapper)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(wrapper->fdwvalidator));
	Form_pg_proc function;
	bool		isnull;
	bool		is_its;

	if (!HeapTupleIsValid(tuple))
		return false;
	function = (Form_pg_proc) GETSTRUCT(tuple);
	is_its = function->prolang == ClanguageId &&
		strcmp(TextDatumGetCString(SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &isnull)),
			   "postgres_fdw_validator") == 0;
	ReleaseSysCache(tuple);
	return is_its;
}

/* Those that libpq knows; others are for the wrapper.  Is there a password among them? */
static bool
take_options(RemoteOptions *options, List *list, const PQconninfoOption *known, bool of_mapping, bool checked)
{
	bool		has_password = false;
	ListCell   *lc;

	foreach(lc, list)
	{
		DefElem    *def = lfirst_node(DefElem, lc);

		if (of_mapping && checked && strcmp(def->defname, "password_required") == 0)
			options->needs_password &= defGetBoolean(def);
		else if (may_have(known, def->defname, of_mapping, checked))
		{
			add(options, def->defname, defGetString(def));
			if (strcmp(def->defname, "password") == 0 && defGetString(def)[0] != '\0')
				has_password = true;
		}
	}
	return has_password;
}

/*
 * As in dblink: who and his secrets are of the mapping, which its owner may
 * change; everything else is of the server.  A certificate is a file that we can
 * read, and he perhaps not.
 */
static bool
may_have(const PQconninfoOption *known, const char *name, bool of_mapping, bool checked)
{
	while (known->keyword != NULL && strcmp(known->keyword, name) != 0)
		known++;
	if (known->keyword == NULL || strchr(known->dispchar, 'D') != NULL ||
		strcmp(name, "client_encoding") == 0 || strcmp(name, "fallback_application_name") == 0)
		return false;
	if (strcmp(name, "user") == 0 || strchr(known->dispchar, '*') != NULL)
		return of_mapping;
	if (strcmp(name, "sslcert") == 0 || strcmp(name, "sslkey") == 0)
		return !of_mapping || checked;
	return !of_mapping;
}

static void
add(RemoteOptions *options, const char *keyword, const char *value)
{
	int			n = options->count++;

	/* room for a NULL, too */
	options->keywords = n ? repalloc(options->keywords, sizeof(char *) * (n + 2)) : palloc(sizeof(char *) * 2);
	options->values = n ? repalloc(options->values, sizeof(char *) * (n + 2)) : palloc(sizeof(char *) * 2);
	options->keywords[n] = pstrdup(keyword);
	options->values[n] = pstrdup(value);
	options->keywords[n + 1] = options->values[n + 1] = NULL;
	if (strcmp(keyword, "connect_timeout") == 0 && strtol(value, NULL, 10) > 0)
		options->timeout = (int) Min(Max(strtol(value, NULL, 10), LEAST_TIMEOUT), SECS_PER_DAY);
}

static void
refuse(RemoteOptions *options, int sqlerrcode, const char *error, const char *hint)
{
	if (options->error != NULL)
		return;
	options->sqlerrcode = sqlerrcode;
	options->error = error;
	options->hint = hint;
}

/* Would it be the same connection? */
bool
remote_options_equal(const RemoteOptions *a, const RemoteOptions *b)
{
	if (a->count != b->count || a->needs_password != b->needs_password)
		return false;
	for (int i = 0; i < a->count; i++)
		if (strcmp(a->keywords[i], b->keywords[i]) != 0 || strcmp(a->values[i], b->values[i]) != 0)
			return false;
	return true;
}

RemoteOptions *
remote_options_copy(const RemoteOptions *options)
{
	RemoteOptions *copy = palloc0(sizeof(RemoteOptions));

	copy->needs_password = options->needs_password;
	copy->timeout = options->timeout;
	for (int i = 0; i < options->count; i++)
		add(copy, options->keywords[i], options->values[i]);
	return copy;
}

/* The same, but for one of the hosts, at the address that its name had. */
RemoteOptions *
remote_options_at(const RemoteOptions *options, const char *host, const char *hostaddr, const char *port)
{
	RemoteOptions *copy = remote_options_copy(options);

	/* what comes last counts */
	add(copy, "host", host ? host : "");
	add(copy, "hostaddr", hostaddr && host && !is_absolute_path(host) ? hostaddr : "");
	add(copy, "port", port ? port : "");
	return copy;
}
