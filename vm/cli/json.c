/* The JSON emitter. */
#include "vm/cli/json.h"

#include <math.h>

static void put_text(FILE *file, rlx_str text)
{
    fputc('"', file);
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20)
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

/* The text before a value: a comma after its predecessor, its key. */
static void begin_named(cli_json *j, rlx_str key)
{
    if (j->started[j->depth])
        fputs(", ", j->file);
    j->started[j->depth] = true;
    if (key.data) {
        put_text(j->file, key);
        fputs(": ", j->file);
    }
}

static void begin(cli_json *j, const char *key)
{
    begin_named(j, key ? rlx_str_from(key) : (rlx_str){NULL, 0});
}

void cli_json_open(cli_json *j, const char *key, char bracket)
{
    begin(j, key);
    fputc(bracket, j->file);
    j->depth++;
    j->started[j->depth] = false;
}

void cli_json_close(cli_json *j, char bracket)
{
    fputc(bracket, j->file);
    j->depth--;
}

void cli_json_text(cli_json *j, const char *key, rlx_str text)
{
    begin(j, key);
    put_text(j->file, text);
}

void cli_json_u64(cli_json *j, const char *key, uint64_t value)
{
    begin(j, key);
    fprintf(j->file, "%llu", (unsigned long long)value);
}

void cli_json_i64(cli_json *j, rlx_str key, int64_t value)
{
    begin_named(j, key);
    fprintf(j->file, "%lld", (long long)value);
}

void cli_json_double(cli_json *j, const char *key, double value)
{
    begin(j, key);
    if (isfinite(value))
        fprintf(j->file, "%.12g", value);
    else
        fputs("null", j->file);
}

void cli_json_bool(cli_json *j, const char *key, bool value)
{
    begin(j, key);
    fputs(value ? "true" : "false", j->file);
}
