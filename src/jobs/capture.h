/*
 * src/jobs/capture.h
 *		The rows that a job returns, as text or json.
 */
#ifndef PGTQ_JOBS_CAPTURE_H
#define PGTQ_JOBS_CAPTURE_H

#include "lib/stringinfo.h"

#include "jobs/record.h"

typedef struct Capture
{
	bool		is_json;
	bool		header;
	bool		strings;
	char	   *delimiter;
	char	   *quote;
	char	   *escape;
	char	   *null;
	int			limit;

	StringInfoData out;
	bool		any;			/* out is something, even if that is empty */
	bool		cut;
	int			kept;			/* of out, what ended well */
	bool		kept_any;
	bool		open;			/* there are rows of this statement; json: its bracket is open */
} Capture;

extern Capture *capture_new(const JobRow *row);
extern void capture_line(Capture *capture, const char *line, int length);
extern void capture_value(const Capture *capture, StringInfo line, const char *value, bool bare);
extern bool capture_is_bare(const Capture *capture, Oid type, const char *value);
extern void capture_end_rows(Capture *capture);
extern void capture_keep(Capture *capture);
extern const char *capture_end(Capture *capture, bool *cut);

#endif							/* PGTQ_JOBS_CAPTURE_H */
