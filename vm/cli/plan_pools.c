/* Memory pools in `rlx dump --memory`. The file's metadata states them: "pool.sram" is
 * "name=sram,size=65536,...,targets=cpu,scope=global.sram,kind=workspace,used=49152". Which
 * constants lie in a pool for constants is read from the instructions that load them. */
#include "vm/cli/plan.h"

#include <stdlib.h>
#include <string.h>

enum { VALUE = 32 };

/* What stands behind |key| and '='; empty: nothing. */
static rlx_str value_of(rlx_str text, const char *key)
{
    const size_t n = strlen(key);
    while (text.len > 0) {
        const char *comma = memchr(text.data, ',', text.len);
        const size_t length = comma ? (size_t)(comma - text.data) : text.len;
        if (length > n && memcmp(text.data, key, n) == 0 && text.data[n] == '=')
            return (rlx_str){text.data + n + 1, length - n - 1};
        text.data += length + (comma ? 1 : 0);
        text.len -= length + (comma ? 1 : 0);
    }
    return (rlx_str){"", 0};
}

/* The number that is the value of |key|; 0 if there is none. */
static uint64_t number_of(rlx_str text, const char *key)
{
    const rlx_str value = value_of(text, key);
    char digits[VALUE];
    if (value.len == 0 || value.len >= sizeof digits)
        return 0;
    memcpy(digits, value.data, value.len);
    digits[value.len] = '\0';
    return strtoull(digits, NULL, 10);
}

/* One of the words between '+' is |word|. */
static bool has_word(rlx_str words, rlx_str word)
{
    size_t from = 0;
    for (size_t i = 0; i <= words.len; i++) {
        if (i < words.len && words.data[i] != '+')
            continue;
        if (rlx_str_eq((rlx_str){words.data + from, i - from}, word))
            return true;
        from = i + 1;
    }
    return false;
}

/* The |i|-th entry of the metadata, if it is a pool. */
static bool pool_at(const rlx_executable *exe, uint32_t i, rlx_str *out)
{
    rlx_str key;
    return rlx_executable_metadata(exe, i, &key, out) && key.len > 5 &&
           memcmp(key.data, "pool.", 5) == 0 && value_of(*out, "name").len > 0;
}

static bool holds_constants(rlx_str pool)
{
    return rlx_str_eq(value_of(pool, "kind"), RLX_STR("constants"));
}

/* Memory of the file's device |row| is |pool|'s. */
static bool is_row_of(rlx_str pool, const rlx_device_row *row)
{
    return rlx_str_eq(value_of(pool, "scope"), row->scope) &&
           has_word(value_of(pool, "targets"), row->kind);
}

const char *cli_pool_text(const rlx_executable *exe, uint32_t device, char *buffer, size_t size)
{
    rlx_device_row row = {.kind = RLX_STR("cpu"), .scope = RLX_STR("global")};
    rlx_str text;
    char name[CLI_NAME_SHOWN];
    buffer[0] = '\0';
    if (device > 0 && !rlx_executable_device(exe, device, &row))
        return buffer;
    for (uint32_t i = 0; i < rlx_executable_metadata_count(exe); i++)
        if (pool_at(exe, i, &text) && !holds_constants(text) && is_row_of(text, &row))
            snprintf(buffer, size, " in pool %s",
                     cli_name_text(value_of(text, "name"), name, sizeof name));
    return buffer;
}

/* Sets |loaded| of each constant that |f| loads into |pool|, which may be the host's memory. */
static void find_loaded(const rlx_executable *exe, uint32_t f, rlx_str pool, bool *loaded)
{
    rlx_instruction in;
    const rlx_device_row host = {.kind = RLX_STR("cpu"), .scope = RLX_STR("global")};
    for (uint32_t pc = 0; rlx_function_instruction(exe, f, pc, &in); pc += in.n_words) {
        rlx_device_row row = host;
        const bool loads =
            in.op == RLX_OP_LOAD_CONST || (in.op == RLX_OP_LOAD_CONST_ON &&
                                           rlx_executable_device(exe, in.operands[2].value, &row));
        if (loads && is_row_of(pool, &row))
            loaded[in.operands[1].value] = true;
    }
}

static bool print_constants(const rlx_executable *exe, rlx_str pool)
{
    const uint32_t n = rlx_executable_constant_count(exe);
    bool *loaded = calloc((size_t)n + 1, sizeof *loaded);
    char text[VALUE];
    for (uint32_t f = 0; loaded && f < rlx_executable_function_count(exe); f++)
        find_loaded(exe, f, pool, loaded);
    for (uint32_t c = 0; loaded && c < n; c++) {
        const rlx_value v = rlx_executable_constant(exe, c);
        if (!loaded[c] || v.kind != RLX_KIND_TENSOR)
            continue;
        printf("  c%-5u %12zu bytes  %s (", c, rlx_tensor_nbytes(v.as.tensor),
               rlx_dtype_name(rlx_tensor_dtype(v.as.tensor), text));
        for (uint32_t d = 0; d < rlx_tensor_ndim(v.as.tensor); d++)
            printf("%s%lld", d ? ", " : "", (long long)rlx_tensor_dims(v.as.tensor)[d]);
        puts(")");
    }
    free(loaded);
    return loaded != NULL;
}

static void print_pool(rlx_str text)
{
    const uint64_t room = number_of(text, "size"), used = number_of(text, "used");
    const bool constants = holds_constants(text);
    char name[CLI_NAME_SHOWN], bytes[VALUE];
    printf("pool %s: ", cli_name_text(value_of(text, "name"), name, sizeof name));
    if (room > 0)
        printf("%llu of %llu bytes (%s) %s: %.1f %%\n", (unsigned long long)used,
               (unsigned long long)room, cli_bytes_text(room, bytes, sizeof bytes),
               constants ? "of constants" : "at most", 100.0 * (double)used / (double)room);
    else if (constants)
        printf("no limit, %llu bytes of constants\n", (unsigned long long)used);
    else
        puts("no limit");
}

bool cli_print_pools(const rlx_executable *exe)
{
    rlx_str text;
    bool done = true;
    for (uint32_t i = 0; done && i < rlx_executable_metadata_count(exe); i++) {
        if (!pool_at(exe, i, &text))
            continue;
        print_pool(text);
        done = !holds_constants(text) || print_constants(exe, text);
    }
    return done;
}
