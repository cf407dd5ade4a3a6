/*
 * src/remote/options.h
 *		How a connection for a job is made, and whether it may be.
 */
#ifndef PGTQ_REMOTE_OPTIONS_H
#define PGTQ_REMOTE_OPTIONS_H

typedef struct RemoteOptions
{
	int			count;
	const char **keywords;		/* count, and a NULL */
	const char **values;
	bool		needs_password; /* the server must have asked for it */
	int			timeout;		/* seconds, to connect */

	const char *error;			/* NULL: it may be */
	int			sqlerrcode;
	const char *hint;
} RemoteOptions;

extern RemoteOptions *remote_options(Oid role, const char *remote);
extern RemoteOptions *remote_options_copy(const RemoteOptions *options);
extern RemoteOptions *remote_options_at(const RemoteOptions *options, const char *host, const char *hostaddr, const char *port);
extern bool remote_options_equal(const RemoteOptions *a, const RemoteOptions *b);

#endif							/* PGTQ_REMOTE_OPTIONS_H */
