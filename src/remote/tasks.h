/*
 * src/remote/tasks.h
 *		What the worker of remote jobs reads and writes in the database.
 */
#ifndef PGTQ_REMOTE_TASKS_H
#define PGTQ_REMOTE_TASKS_H

#include "common/shared.h"
#include "jobs/capture.h"
#include "nodes/pg_list.h"
#include "remote/options.h"

/* what is to be run */
typedef struct RemoteText
{
	List	   *statements;
	Capture    *capture;
	int			timeout;		/* milliseconds; 0: none */
	bool		found;			/* the row is there */
} RemoteText;

/* what became of a job */
typedef struct RemoteEnd
{
	int64		id;
	const char *sqlstate;		/* NULL: it is done */
	const char *error;
	const char *output;
	bool		output_cut;
	bool		is_final;		/* not to be tried again */
	bool		lost;			/* tried again only if its submitter chose so */
} RemoteEnd;

extern bool remote_read_options(DatabaseSlot *slot, int64 id, Oid role, RemoteOptions **options);
extern bool remote_read_text(DatabaseSlot *slot, int64 id, Oid role, MemoryContext context, RemoteText *text);
extern bool remote_note_end(DatabaseSlot *slot, RemoteEnd *end);

#endif							/* PGTQ_REMOTE_TASKS_H */
