/*
 * src/jobs/record.h
 *		The row of a job that is run, and what becomes of it.
 */
#ifndef PGTQ_JOBS_RECORD_H
#define PGTQ_JOBS_RECORD_H

#include "datatype/timestamp.h"

/* columns of pgtq.job, see structure/job.sql */
enum
{
	Anum_jo_id = 1,
	Anum_jo_txid,
	Anum_jo_home,
	Anum_jo_role,
	Anum_jo_state,
	Anum_jo_due,
	Anum_jo_created,
	Anum_jo_expires,
	Anum_jo_attempt,
	Anum_jo_attempts,
	Anum_jo_backoff,
	Anum_jo_on_crash,
	Anum_jo_timeout,
	Anum_jo_group,
	Anum_jo_limit,
	Anum_jo_pause,
	Anum_jo_priority,
	Anum_jo_life,
	Anum_jo_count,
	Anum_jo_capture,
	Anum_jo_output_limit,
	Anum_jo_header,
	Anum_jo_delimiter,
	Anum_jo_quote,
	Anum_jo_escape,
	Anum_jo_null,
	Anum_jo_strings,
	Anum_jo_parent,
	Anum_jo_info,
	Anum_jo_schedule,
	Anum_jo_run,
	Anum_jo_pid,
	Anum_jo_started,
	Anum_jo_remote,
	Anum_jo_action,
	Natts_job = Anum_jo_action
};

typedef struct JobRow
{
	Datum		values[Natts_job];
	bool		nulls[Natts_job];
} JobRow;

typedef struct JobResult
{
	const char *error;			/* NULL: it ended well */
	char		sqlstate[6];
	bool		is_final;		/* not to be tried again */
	const char *output;			/* NULL: none */
	bool		output_cut;
} JobResult;

extern bool record_read(int64 id, Oid role, JobRow *row);
extern void record_end(JobRow *row, const JobResult *result);

#endif							/* PGTQ_JOBS_RECORD_H */
