/* JSON to a stream: commas, quotes and escapes in one place.
 *
 * Values are written immediately; |key| is NULL inside arrays and for the outermost value. Floats
 * that JSON cannot represent (NaN, infinities) become null. */
#ifndef RLX_CLI_JSON_H
#define RLX_CLI_JSON_H

#include <rlx/base.h>
#include <stdio.h>

enum { CLI_JSON_DEPTH = 16 };

typedef struct cli_json {
    FILE *file;
    uint32_t depth;
    bool started[CLI_JSON_DEPTH]; /* the object or array at this depth has a member */
} cli_json;

void cli_json_open(cli_json *j, const char *key, char bracket); /* '{' or '[' */
void cli_json_close(cli_json *j, char bracket);                 /* '}' or ']' */
void cli_json_text(cli_json *j, const char *key, rlx_str text);
void cli_json_u64(cli_json *j, const char *key, uint64_t value);
void cli_json_i64(cli_json *j, rlx_str key, int64_t value);
void cli_json_bool(cli_json *j, const char *key, bool value);
void cli_json_double(cli_json *j, const char *key, double value);

#endif
