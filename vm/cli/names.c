/* Names from a model: finding one at the start of an option's value, printing one, and listing
 * them.
 *
 * Names may contain anything, including '=', '.', ':' and '/'. So NAME=VALUE is split by the known
 * names: the longest of them that |text| begins with and that '=' follows, or a path of numbers
 * (".0.1", for fields of tuples) and then '='. */
#include "vm/cli/cli.h"

#include <string.h>

enum { MOST_LISTED = 16, NAME_SHOWN = 80 };

/* The end of ".0.1" at |text|, which may be empty. */
static const char *skip_path(const char *text)
{
    while (text[0] == '.' && text[1] >= '0' && text[1] <= '9') {
        text++;
        while (*text >= '0' && *text <= '9')
            text++;
    }
    return text;
}

bool cli_split(const char *text, const rlx_str *names, uint32_t n, cli_named *out)
{
    const size_t length = strlen(text);
    size_t longest = 0;
    bool found = false;
    for (uint32_t i = 0; i < n; i++) {
        const size_t size = names[i].len;
        if (size == 0 || size >= length || (found && size <= longest) ||
            memcmp(text, names[i].data, size) != 0)
            continue;
        const char *end = skip_path(text + size);
        if (*end != '=')
            continue;
        longest = size;
        found = true;
        *out = (cli_named){i, {text + size, (size_t)(end - text) - size}, end + 1};
    }
    return found;
}

uint64_t cli_next_field(rlx_str *path)
{
    uint64_t field = 0;
    size_t at = path->len > 0 && path->data[0] == '.';
    for (; at < path->len && path->data[at] >= '0' && path->data[at] <= '9'; at++)
        field = field < UINT32_MAX ? field * 10 + (uint64_t)(path->data[at] - '0') : field;
    path->data += at;
    path->len -= at;
    return field;
}

const char *cli_name_text(rlx_str name, char *buffer, size_t size)
{
    if (rlx_name_is_plain(name))
        return rlx_name_text(name, buffer, size);
    rlx_name_text(name, buffer + 1, size - 2);
    const size_t length = strlen(buffer + 1);
    buffer[0] = buffer[length + 1] = '\'';
    buffer[length + 2] = '\0';
    return buffer;
}

void cli_complain_of_name(rlx_str given, const rlx_str *names, uint32_t n, const char *format, ...)
{
    char shown[NAME_SHOWN];
    va_list args;
    va_start(args, format);
    fputs("rlx: ", stderr);
    vfprintf(stderr, format, args);
    va_end(args);
    const uint32_t near = cli_nearest_name(given, names, n);
    if (near != RLX_NONE)
        fprintf(stderr, "; did you mean %s%s%s? (it has ",
                rlx_name_is_plain(names[near]) ? "'" : "",
                cli_name_text(names[near], shown, sizeof shown),
                rlx_name_is_plain(names[near]) ? "'" : "");
    else
        fputs(n ? "; it has " : "; it has none", stderr);
    for (uint32_t i = 0; i < n && i < MOST_LISTED; i++)
        fprintf(stderr, i ? ", %s" : "%s", cli_name_text(names[i], shown, sizeof shown));
    if (n > MOST_LISTED)
        fprintf(stderr, " and %u more", n - MOST_LISTED);
    fputs(near != RLX_NONE ? ")\n" : "\n", stderr);
}
