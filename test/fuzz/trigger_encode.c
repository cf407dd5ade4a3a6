/*
 * test/fuzz/trigger_encode.c
 *		URL encoding: what is written is safe in a URL, and decodes to what was there.
 */
#include "stubs.h"

#include "triggers/encode.c"

static int
hex_digit(char c)
{
	CHECK((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
	return (c <= '9') ? c - '0' : c - 'a' + 10;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char	   *string;
	const char *at;
	const char *end;
	StringInfoData buf;

	if (setjmp(fuzz_error) == 0)
	{
		fuzz_strings(data, size, &string, 1);
		initStringInfo(&buf);
		append_url(&buf, string);
		CHECK(strcmp(buf.data, url_label(string)) == 0);
		CHECK(strspn(buf.data, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-+%") == (size_t) buf.len);
		at = buf.data;
		end = buf.data + buf.len;
		for (const char *c = string; *c != '\0'; c++)
		{
			CHECK(at < end);
			if (*at == '%')
			{
				CHECK(end - at >= 3);
				CHECK((unsigned char) *c == hex_digit(at[1]) * 16 + hex_digit(at[2]));
				at += 3;
			}
			else
				CHECK((*at++ == '+') ? *c == ' ' : at[-1] == *c);
		}
		CHECK(at == end);
	}
	fuzz_free();
	return 0;
}
