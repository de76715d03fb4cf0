/* Memory pools in `rlx dump --memory`. The file's metadata states them: "pool.sram" is
 * "name=sram,size=65536,...,targets=cpu,scope=global.sram,kind=workspace,used=49152". */
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

const char *cli_pool_text(const rlx_executable *exe, uint32_t device, char *buffer, size_t size)
{
    rlx_device_row row = {.kind = RLX_STR("cpu"), .scope = RLX_STR("global")};
    rlx_str text;
    char name[CLI_NAME_SHOWN];
    buffer[0] = '\0';
    if (device > 0 && !rlx_executable_device(exe, device, &row))
        return buffer;
    for (uint32_t i = 0; i < rlx_executable_metadata_count(exe); i++)
        if (pool_at(exe, i, &text) && rlx_str_eq(value_of(text, "scope"), row.scope) &&
            has_word(value_of(text, "targets"), row.kind))
            snprintf(buffer, size, " in pool %s",
                     cli_name_text(value_of(text, "name"), name, sizeof name));
    return buffer;
}

void cli_print_pools(const rlx_executable *exe)
{
    rlx_str text;
    char name[CLI_NAME_SHOWN], bytes[VALUE];
    for (uint32_t i = 0; i < rlx_executable_metadata_count(exe); i++) {
        if (!pool_at(exe, i, &text))
            continue;
        printf("pool %s: ", cli_name_text(value_of(text, "name"), name, sizeof name));
        const uint64_t room = number_of(text, "size"), used = number_of(text, "used");
        if (room == 0)
            puts("no limit");
        else
            printf("%llu of %llu bytes (%s) at most, callees included: %.1f %%\n",
                   (unsigned long long)used, (unsigned long long)room,
                   cli_bytes_text(room, bytes, sizeof bytes), 100.0 * (double)used / (double)room);
    }
}
