/*
 * src/remote/link.c
 *		A connection to another server, which runs one text at a time.
 *
 * Runs in the worker of remote jobs, which has many of these and waits for all of
 * them at once.  So nothing in here waits: whoever is told by the socket calls
 * link_work(), and that goes on as far as it can.  (One thing does wait: libpq
 * looks up the name of a host before it connects.  A server with hostaddr has
 * none.)
 *
 * To stop what runs, another link is made, the canceller.  From PostgreSQL 17 on
 * libpq can send a cancel request without waiting.  Before, it has PQcancel() only,
 * which waits for the network; so the canceller is a connection as any other, to
 * the very address of the first, and calls pg_cancel_backend() there: a role may do
 * that to its own sessions.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/latch.h"
#include "utils/errcodes.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "common/now.h"
#include "remote/link.h"
#include "remote/rows.h"

/* results that are taken from one connection before others have their turn */
#define RESULTS_AT_ONCE 1000

/* bytes of an error message that are kept */
#define ERROR_LENGTH_KEPT 8192

static Link *new_link(const RemoteOptions *options);
static void poll_connection(Link *link);
static PostgresPollingStatusType poll_socket(Link *link);
static void connected(Link *link);
static void receive(Link *link);
static bool take_result(Link *link, PGresult *result);
static void send_next(Link *link);
static void send_rest(Link *link);
static void fail(Link *link, const char *sqlstate, const char *error);
static void lose(Link *link);
static void disconnect(Link *link);
static void work_canceller(Link *link);
static const char *clean_text(const char *text);
static void ignore_notice(void *arg, const PGresult *result);

/* Begins to connect.  NULL if we have too many files open. */
Link *
link_open(const RemoteOptions *options)
{
	Link	   *link = new_link(options);

	if (link == NULL)
		return NULL;
	link->conn = PQconnectStartParams(options->keywords, options->values, 0);
	if (link->conn == NULL || PQstatus(link->conn) == CONNECTION_BAD)
		lose(link);
	else
		PQsetNoticeReceiver(link->conn, ignore_notice, NULL);
	return link;
}

static Link *
new_link(const RemoteOptions *options)
{
	MemoryContext context;
	MemoryContext old;
	Link	   *link;

	if (!AcquireExternalFD())
		return NULL;
	context = AllocSetContextCreate(TopMemoryContext, "pgtq link", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(context);
	link = palloc0(sizeof(Link));
	link->context = context;
	link->run_context = AllocSetContextCreate(context, "pgtq link run", ALLOCSET_SMALL_SIZES);
	link->row_context = AllocSetContextCreate(context, "pgtq link row", ALLOCSET_SMALL_SIZES);
	link->options = remote_options_copy(options);
	MemoryContextSwitchTo(old);

	link->state = LINK_CONNECTING;
	link->connect_by = clock_steady() + options->timeout * USECS_PER_SEC;
	link->wants = WL_SOCKET_WRITEABLE;
	return link;
}

/* Goes on as far as it can. */
void
link_work(Link *link)
{
	bool		was_ready = link->is_ready;

	link->is_ready = false;
	if (link->state == LINK_CONNECTING && was_ready)
		poll_connection(link);
	else if (link->state == LINK_CONNECTING && clock_steady() >= link->connect_by)
		link_break(link, "timeout expired");
	else if (link->state >= LINK_IDLE && was_ready)
		receive(link);
	if (link->canceller != NULL)
		work_canceller(link);
}

static void
poll_connection(Link *link)
{
	switch (poll_socket(link))
	{
		case PGRES_POLLING_READING:
			link->wants = WL_SOCKET_READABLE;
			break;
		case PGRES_POLLING_WRITING:
			link->wants = WL_SOCKET_WRITEABLE;
			break;
		case PGRES_POLLING_OK:
			connected(link);
			break;
		default:
			lose(link);
	}
}

static PostgresPollingStatusType
poll_socket(Link *link)
{
#ifdef LIBPQ_HAS_ASYNC_CANCEL
	if (link->cancel != NULL)
	{
		PostgresPollingStatusType status = PQcancelPoll(link->cancel);

		/* once it is sent there is nothing left for it to do */
		return status == PGRES_POLLING_OK ? PGRES_POLLING_FAILED : status;
	}
#endif
	return PQconnectPoll(link->conn);
}

pgsocket
link_socket(const Link *link)
{
#ifdef LIBPQ_HAS_ASYNC_CANCEL
	if (link->cancel != NULL)
		return PQcancelSocket(link->cancel);
#endif
	return PQsocket(link->conn);
}

/* See options.c for who has to use a password. */
static void
connected(Link *link)
{
	if (link->options->needs_password && !PQconnectionUsedPassword(link->conn))
	{
		fail(link, "2F003", "password is required: the other server has not asked for one,"
			 " and only a superuser's job may connect as what this server is");
		disconnect(link);
		return;
	}
	if (PQsetnonblocking(link->conn, 1) != 0)
	{
		lose(link);
		return;
	}
	link->state = LINK_IDLE;
	link->wants = WL_SOCKET_READABLE;
}

/* Begins to run statements, which are, as the capture, in run_context. */
void
link_run(Link *link, List *statements, Capture *capture)
{
	link->statements = statements;
	link->capture = capture;
	link->next = list_head(statements);
	link->stop = link->lost = false;
	link->sqlstate[0] = '\0';
	link->error = NULL;
	link->state = LINK_RUNNING;
	send_next(link);
}

/* Begins to forget what the text has set, prepared, locked or created as temporary. */
void
link_reset(Link *link)
{
	MemoryContext old;

	MemoryContextReset(link->run_context);
	old = MemoryContextSwitchTo(link->run_context);
	link_run(link, list_make1("discard all"), NULL);
	MemoryContextSwitchTo(old);
}

static void
send_next(Link *link)
{
	const char *statement;

	if (link->stop && link->next != NULL && link->error == NULL)
		fail(link, "57014", "canceling statement due to user request");
	if (link->next == NULL && link->error == NULL && PQtransactionStatus(link->conn) != PQTRANS_IDLE)
		fail(link, "2D000", "the job has left a transaction open; it was rolled back");
	if (link->next == NULL || link->error != NULL)
	{
		link->state = LINK_IDLE;
		return;
	}
	link->answered = false;
	statement = lfirst(link->next);
	link->next = lnext(link->statements, link->next);
	if (PQsendQuery(link->conn, statement) == 0 ||
		PQsetSingleRowMode(link->conn) == 0)
		lose(link);
	else
		send_rest(link);
}

/* What the socket did not take. */
static void
send_rest(Link *link)
{
	link->wants = WL_SOCKET_READABLE;
	if (PQflush(link->conn) > 0)
		link->wants |= WL_SOCKET_WRITEABLE;
}

static void
receive(Link *link)
{
	PGnotify   *notify;

	send_rest(link);
	(void) PQconsumeInput(link->conn);	/* if it fails, so does what follows */
	for (int n = 0; link->state == LINK_RUNNING && !PQisBusy(link->conn); n++)
	{
		PGresult   *result;

		if (n == RESULTS_AT_ONCE)
		{
			link->is_ready = true;
			return;
		}
		result = PQgetResult(link->conn);
		if (result == NULL)
		{
			if (!link->answered)
				fail(link, "08P01", "the other server has not answered");
			else if (link->error == NULL)
				capture_keep(link->capture);
			send_next(link);
		}
		else if (!take_result(link, result))
			break;
	}
	if (link->state == LINK_CLOSED)
		return;
	if (PQstatus(link->conn) == CONNECTION_BAD)
		lose(link);
	while (link->state != LINK_CLOSED && (notify = PQnotifies(link->conn)) != NULL)
		PQfreemem(notify);
}

/* Frees it, too.  False: there is no use in going on. */
static bool
take_result(Link *link, PGresult *result)
{
	const char *sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	link->answered = true;
	switch (PQresultStatus(result))
	{
		case PGRES_COMMAND_OK:
		case PGRES_EMPTY_QUERY:
			break;
		case PGRES_SINGLE_TUPLE:
		case PGRES_TUPLES_OK:
			if (link->error == NULL && !rows_capture(link->capture, result, link->row_context))
				fail(link, "22021", "the other server has sent something that is not valid in the encoding of this database");
			if (PQresultStatus(result) == PGRES_TUPLES_OK && link->capture != NULL)
				capture_end_rows(link->capture);
			break;
		case PGRES_COPY_IN:
		case PGRES_COPY_OUT:
		case PGRES_COPY_BOTH:
			fail(link, "0A000", "a job cannot COPY from or to a client");
			disconnect(link);
			break;
		default:
			if (PQstatus(link->conn) == CONNECTION_BAD)
				lose(link);
			else if (link->error == NULL)
				fail(link, sqlstate ? sqlstate : "XX000", message ? message : PQresultErrorMessage(result));
	}
	PQclear(result);
	return link->state == LINK_RUNNING;
}

/* Notes what became of the text. */
static void
fail(Link *link, const char *sqlstate, const char *error)
{
	MemoryContext old = MemoryContextSwitchTo(link->run_context);

	strlcpy(link->sqlstate, text_is_valid(sqlstate) ? sqlstate : "XX000", sizeof(link->sqlstate));
	link->error = clean_text(error);
	MemoryContextSwitchTo(old);
}

/* The connection has failed. */
static void
lose(Link *link)
{
	link_break(link, link->conn ? PQerrorMessage(link->conn) : "out of memory");
}

/* Ends the connection, whatever it does. */
void
link_break(Link *link, const char *reason)
{
	char	   *text = MemoryContextStrdup(link->run_context, clean_text(reason));

	if (link->state == LINK_CONNECTING)
		fail(link, "08001", psprintf("could not connect: %s", text));
	else if (link->state == LINK_RUNNING)
	{
		link->lost = true;
		fail(link, "08006", psprintf("its connection was lost while it ran; how far it came is not known: %s", text));
	}
	disconnect(link);
}

static void
disconnect(Link *link)
{
	if (link->state != LINK_CLOSED)
		ReleaseExternalFD();
	if (link->conn != NULL)
		PQfinish(link->conn);
	link->conn = NULL;
#ifdef LIBPQ_HAS_ASYNC_CANCEL
	if (link->cancel != NULL)
		PQcancelFinish(link->cancel);
	link->cancel = NULL;
#endif
	link->state = LINK_CLOSED;
	link->wants = 0;
}

/* Asks the other server to stop what runs, and sends no more. */
void
link_cancel(Link *link)
{
	link->stop = true;
	if (link->state != LINK_RUNNING || link->canceller != NULL)
		return;
#ifdef LIBPQ_HAS_ASYNC_CANCEL
	link->canceller = new_link(link->options);
	if (link->canceller == NULL)
		return;
	link->canceller->cancel = PQcancelCreate(link->conn);
	if (link->canceller->cancel == NULL || PQcancelStart(link->canceller->cancel) == 0)
		disconnect(link->canceller);
#else
	link->canceller = link_open(remote_options_at(link->options, PQhost(link->conn), PQhostaddr(link->conn), PQport(link->conn)));
#endif
}

static void
work_canceller(Link *link)
{
	Link	   *canceller = link->canceller;
	bool		has_asked = canceller->statements != NIL;

	link_work(canceller);
	if (link->state == LINK_RUNNING && canceller->state == LINK_IDLE && !has_asked)
	{
		MemoryContext old = MemoryContextSwitchTo(canceller->run_context);
		char	   *sql = psprintf("select pg_catalog.pg_cancel_backend(%d)", PQbackendPID(link->conn));

		link_run(canceller, list_make1(sql), NULL);
		MemoryContextSwitchTo(old);
	}
	else if (link->state != LINK_RUNNING || canceller->state == LINK_IDLE || canceller->state == LINK_CLOSED)
	{
		link_close(canceller);
		link->canceller = NULL;
	}
}

/* May it run another text?  Not if it was cancelled: that may come late. */
bool
link_is_usable(const Link *link)
{
	return link->state == LINK_IDLE && !link->stop && PQtransactionStatus(link->conn) == PQTRANS_IDLE;
}

void
link_close(Link *link)
{
	if (link->canceller != NULL)
		link_close(link->canceller);
	disconnect(link);
	MemoryContextDelete(link->context);
}

/* What another server says, in our encoding and not too long; in the current memory context. */
static const char *
clean_text(const char *text)
{
	int			length = strlen(text);

	if (!text_is_valid(text))
		return "(a message that is not valid in the encoding of this database)";
	while (length > 0 && isspace((unsigned char) text[length - 1]))
		length--;
	return pnstrdup(text, pg_mbcliplen(text, length, ERROR_LENGTH_KEPT));
}

static void
ignore_notice(void *arg, const PGresult *result)
{
}
