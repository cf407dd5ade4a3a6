/*
 * test/fuzz/stubs.h
 *		What a source file of ours needs of the server, to be run by libFuzzer without one.
 *
 * Each harness includes the file under test, so that its static functions can be
 * reached.  Memory comes from malloc, so that the address sanitizer sees where
 * each piece ends; what a call leaves is freed after it, as a memory context
 * would be.  An ereport(ERROR) ends the call and is counted, as it is a proper answer.
 */
#ifndef PGTQ_FUZZ_STUBS_H
#define PGTQ_FUZZ_STUBS_H

#include "postgres.h"

#include <setjmp.h>

#include "lib/stringinfo.h"

MemoryContext CurrentMemoryContext = NULL;
sigjmp_buf *PG_exception_stack = NULL;
ErrorContextCallback *error_context_stack = NULL;

static jmp_buf fuzz_error;
static int	fuzz_sqlstate;
static void *fuzz_chunks[1 << 16];
static int	fuzz_nchunks = 0;

#define CHECK(condition) \
	do { if (!(condition)) { fprintf(stderr, "broken: %s\n", #condition); abort(); } } while (0)

void *
palloc(Size size)
{
	CHECK(fuzz_nchunks < (int) lengthof(fuzz_chunks));
	return fuzz_chunks[fuzz_nchunks++] = malloc(size ? size : 1);
}

void *
palloc0(Size size)
{
	return memset(palloc(size), 0, size);
}

void *
repalloc(void *old, Size size)
{
	int			i = fuzz_nchunks;

	while (i > 0 && fuzz_chunks[i - 1] != old)
		i--;
	CHECK(i > 0);
	return fuzz_chunks[i - 1] = realloc(old, size);
}

void
pfree(void *old)
{
	int			i = fuzz_nchunks;

	while (i > 0 && fuzz_chunks[i - 1] != old)
		i--;
	CHECK(i > 0);
	free(old);
	fuzz_chunks[i - 1] = fuzz_chunks[--fuzz_nchunks];
}

char *
pstrdup(const char *in)
{
	return strcpy(palloc(strlen(in) + 1), in);
}

static void
fuzz_free(void)
{
	while (fuzz_nchunks > 0)
		free(fuzz_chunks[--fuzz_nchunks]);
}

bool
errstart(int elevel, const char *domain)
{
	fuzz_sqlstate = 0;
	return elevel >= ERROR;
}

bool
errstart_cold(int elevel, const char *domain)
{
	return errstart(elevel, domain);
}

void
errfinish(const char *filename, int lineno, const char *funcname)
{
	CHECK(fuzz_sqlstate != 0 && fuzz_sqlstate != ERRCODE_INTERNAL_ERROR);
	longjmp(fuzz_error, 1);
}

int
errcode(int sqlerrcode)
{
	fuzz_sqlstate = sqlerrcode;
	return 0;
}

int errmsg(const char *fmt,...) { return 0; }
int errdetail(const char *fmt,...) { return 0; }
int errhint(const char *fmt,...) { return 0; }

/* The input, cut at each zero byte: a list of C strings, each in memory of its own. */
static int
fuzz_strings(const uint8_t *data, size_t size, char **strings, int limit)
{
	int			n = 0;

	while (n < limit)
	{
		size_t		len = strnlen((const char *) data, size);

		strings[n] = palloc(len + 1);
		memcpy(strings[n], data, len);
		strings[n++][len] = '\0';
		if (len == size)
			break;
		data += len + 1;
		size -= len + 1;
	}
	return n;
}

#endif							/* PGTQ_FUZZ_STUBS_H */
