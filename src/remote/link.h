/*
 * src/remote/link.h
 *		A connection to another server, which runs one text at a time.
 */
#ifndef PGTQ_REMOTE_LINK_H
#define PGTQ_REMOTE_LINK_H

#include "libpq-fe.h"
#include "nodes/pg_list.h"

#include "jobs/capture.h"
#include "remote/options.h"

typedef enum LinkState
{
	LINK_CLOSED,				/* it could not be made, or was lost: see error */
	LINK_CONNECTING,
	LINK_IDLE,					/* see error for how its last text ended; NULL: well */
	LINK_RUNNING
} LinkState;

typedef struct Link
{
	LinkState	state;
	PGconn	   *conn;
#ifdef LIBPQ_HAS_ASYNC_CANCEL
	PGcancelConn *cancel;		/* instead of it: of a canceller */
#endif
	RemoteOptions *options;
	int64		connect_by;		/* by clock_steady() */
	uint32		wants;			/* WL_SOCKET_* */
	bool		is_ready;		/* it is to be looked at */

	List	   *statements;		/* in run_context, as is what follows */
	ListCell   *next;			/* to be sent; NULL: none */
	Capture    *capture;
	bool		stop;			/* send no more */
	bool		answered;		/* what was sent last has a result */
	char		sqlstate[6];
	const char *error;
	bool		lost;			/* the connection, while it ran: nobody knows how far it came */
	struct Link *canceller;		/* asks the other server to stop what runs */

	MemoryContext context;		/* for as long as the connection, ... */
	MemoryContext run_context;	/* a text ... */
	MemoryContext row_context;	/* and a row */
} Link;

extern Link *link_open(const RemoteOptions *options);
extern void link_work(Link *link);
extern void link_run(Link *link, List *statements, Capture *capture);
extern void link_reset(Link *link);
extern void link_cancel(Link *link);
extern void link_break(Link *link, const char *reason);
extern bool link_is_usable(const Link *link);
extern pgsocket link_socket(const Link *link);
extern void link_close(Link *link);

#endif							/* PGTQ_REMOTE_LINK_H */
