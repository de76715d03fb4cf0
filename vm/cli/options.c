/* Command lines: one parser for every command, over its table of options.
 *
 * Short options take their value as the next argument, long ones also after '='. Values stay where
 * argv has them; names.c takes NAME=VALUE apart. */
#include "vm/cli/cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void cli_complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("rlx: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

int cli_fail(const rlx_error *err)
{
    cli_complain("%s", err->message);
    return CLI_FAILED;
}

enum { LONGEST_WORD = 64 };

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The number of insertions, deletions, replacements and swaps of neighbours that turn |a| into |b|
 * (Damerau's distance without overlapping swaps). */
static size_t distance(rlx_str a, rlx_str b)
{
    size_t rows[3][LONGEST_WORD + 1], n = a.len, m = b.len;
    if (n > LONGEST_WORD || m > LONGEST_WORD)
        return LONGEST_WORD;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = last[j - 1] + (a.data[i - 1] != b.data[j - 1]);
            best = least_of(best, least_of(last[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a.data[i - 1] == b.data[j - 2] && a.data[i - 2] == b.data[j - 1])
                best = least_of(best, before[j - 2] + 1);
            now[j] = best;
        }
    }
    return rows[n % 3][m];
}

uint32_t cli_nearest_name(rlx_str word, const rlx_str *names, uint32_t n)
{
    uint32_t best = RLX_NONE;
    size_t least = word.len / 2 + 1;
    for (uint32_t i = 0; i < n; i++) {
        size_t d = distance(word, names[i]);
        if (d < least) {
            least = d;
            best = i;
        }
    }
    return best;
}

const char *cli_nearest(const char *word, const char *const *words, size_t n)
{
    rlx_str names[CLI_MAX_OPTIONS + 1];
    if (n > CLI_MAX_OPTIONS + 1)
        n = CLI_MAX_OPTIONS + 1;
    for (size_t i = 0; i < n; i++)
        names[i] = rlx_str_from(words[i]);
    const uint32_t near = cli_nearest_name(rlx_str_from(word), names, (uint32_t)n);
    return near == RLX_NONE ? NULL : words[near];
}

static const cli_option call_options[] = {
    {"-f", "NAME", "the function to call (default main)"},
    {"--input", "[NAME=]VALUE",
     "F.npy, shape:2,3, int:5 or float:0.5; NAME.0=... for fields of a tuple"},
    {"--random", "", "seeded random values for parameters without --input"},
    {"--dim", "n=128", "value of a symbolic dimension, for random inputs"},
    {"--seed", "S", "seed of the random inputs (default 0)"},
    {"--threads", "T", "threads of a kernel's parallel loops (default 1)"},
    {"--params", "F.safetensors",
     "weights, for a file compiled with --lift-params (default: FILE.safetensors)"},
    {"--native-file", "F.so", "write the kernels to this file, so that perf can show their names"},
    {"--huge-pages", "",
     "read constants into huge pages instead of mapping them: slower load, faster run"},
    {"--device-graphs", "",
     "submit the launches of a call to a GPU together, from the second call with the same sizes "
     "on"},
    {"--plugin", "F.so", "shared library that adds section loaders or devices; may be repeated"},
    {"--require-key", "F.pub",
     "refuse a file not signed by this key (repeat it to accept several keys)"},
    {"--no-native", "",
     "refuse a file with native code, which would run with your full permissions"},
    {"--max-bytes", "N[KMGT]",
     "limit for inputs and allocations of calls (default: the available memory)"},
    {"--max-seconds", "S", "exit with status 1 if loading and calling take longer than S seconds"},
};
enum { N_CALL_OPTIONS = sizeof call_options / sizeof *call_options };

static void print_help(const cli_command *command, const cli_option *options, size_t n)
{
    printf("usage: %s\n\n%s\n\n", command->usage, command->about);
    for (size_t i = 0; i < n; i++) {
        int width = printf("  %s %s", options[i].name, options[i].value);
        printf("%*s%s\n", width < 28 ? 28 - width : 1, "", options[i].help);
    }
}

static const cli_option *find(const cli_option *options, size_t n, const char *name, size_t length)
{
    for (size_t i = 0; i < n; i++) {
        if (strlen(options[i].name) == length && memcmp(options[i].name, name, length) == 0)
            return &options[i];
    }
    return NULL;
}

static int unknown(const cli_option *options, size_t n, const char *given, size_t length)
{
    const char *names[CLI_MAX_OPTIONS + 1];
    char word[64];
    for (size_t i = 0; i < n; i++)
        names[i] = options[i].name;
    names[n] = "--help";
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word), given);
    const char *near = cli_nearest(word, names, n + 1);
    if (near)
        cli_complain("unknown option %s; did you mean %s?", word, near);
    else
        cli_complain("unknown option %s; --help lists the options", word);
    return CLI_USAGE;
}

/* The value of |option| at argument |*at|: the text after '=', or the next argument. */
static int take_value(const cli_option *option, const char *equals, int argc, char **argv, int *at,
                      const char **out)
{
    *out = equals ? equals + 1 : NULL;
    if (option->value[0] == '\0') {
        if (!equals)
            return CLI_OK;
        cli_complain("option %s takes no value", option->name);
        return CLI_USAGE;
    }
    if (*out)
        return CLI_OK;
    if (*at + 1 == argc) {
        cli_complain("option %s needs a value: %s", option->name, option->value);
        return CLI_USAGE;
    }
    *out = argv[++*at];
    return CLI_OK;
}

int cli_parse(const cli_command *command, int argc, char **argv, cli_set_fn set, void *user,
              bool *out_help)
{
    cli_option options[CLI_MAX_OPTIONS];
    size_t n = 0;
    for (size_t i = 0; command->call_options && i < N_CALL_OPTIONS; i++)
        options[n++] = call_options[i];
    for (size_t i = 0; i < command->n_options && n < CLI_MAX_OPTIONS; i++)
        options[n++] = command->options[i];
    *out_help = false;
    for (int i = 0; i < argc; i++) {
        const char *arg = argv[i], *value;
        if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) {
            print_help(command, options, n);
            *out_help = true;
            return CLI_OK;
        }
        if (arg[0] != '-' || arg[1] == '\0') {
            if (!set(user, NULL, arg))
                return CLI_USAGE;
            continue;
        }
        const char *equals = arg[1] == '-' ? strchr(arg, '=') : NULL;
        size_t length = equals ? (size_t)(equals - arg) : strlen(arg);
        const cli_option *option = find(options, n, arg, length);
        if (!option)
            return unknown(options, n, arg, length);
        int status = take_value(option, equals, argc, argv, &i, &value);
        if (status != CLI_OK)
            return status;
        if (!set(user, option, value))
            return CLI_USAGE;
    }
    return CLI_OK;
}

/* --- values of options --- */

bool cli_parse_u64(const char *option, const char *text, uint64_t least, uint64_t most,
                   uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno == ERANGE || value < least ||
        value > most) {
        cli_complain("option %s needs a number from %llu to %llu, not '%s'", option,
                     (unsigned long long)least, (unsigned long long)most, text);
        return false;
    }
    *out = value;
    return true;
}

bool cli_parse_bytes(const char *option, const char *text, uint64_t *out)
{
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    if (*text < '0' || *text > '9' || errno == ERANGE || value == 0 || end[unit != NULL] != '\0' ||
        value > UINT64_MAX >> shift) {
        cli_complain("option %s needs a number of bytes above 0, such as 500000 or 512M, not '%s'",
                     option, text);
        return false;
    }
    *out = (uint64_t)value << shift;
    return true;
}

bool cli_parse_seconds(const char *option, const char *text, double *out)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0) || value > 1e9) {
        cli_complain("option %s needs a number of seconds above 0, not '%s'", option, text);
        return false;
    }
    *out = value;
    return true;
}

bool cli_parse_i64(const char *text, const char *end, int64_t *out)
{
    char *stop;
    errno = 0;
    long long value = strtoll(text, &stop, 10);
    if (stop == text || stop != end || errno == ERANGE)
        return false;
    *out = value;
    return true;
}

bool cli_add_named(const char **list, uint32_t *count, const char *option, const char *text)
{
    if (*count == CLI_MAX_NAMED) {
        cli_complain("option %s is given more than %d times", option, CLI_MAX_NAMED);
        return false;
    }
    list[(*count)++] = text;
    return true;
}

bool cli_set_file(const char **file, const char *value)
{
    if (*file) {
        cli_complain("more than one file: %s and %s", *file, value);
        return false;
    }
    *file = value;
    return true;
}

bool cli_call_set(cli_call *call, const cli_option *option, const char *value)
{
    uint64_t number;
    if (!option)
        return cli_set_file(&call->file, value);
    if (strcmp(option->name, "-f") == 0) {
        call->function = value;
    } else if (strcmp(option->name, "--input") == 0) {
        return cli_add_named(call->inputs, &call->n_inputs, "--input", value);
    } else if (strcmp(option->name, "--dim") == 0) {
        return cli_add_named(call->dims, &call->n_dims, "--dim", value);
    } else if (strcmp(option->name, "--random") == 0) {
        call->random = true;
    } else if (strcmp(option->name, "--seed") == 0) {
        return cli_parse_u64("--seed", value, 0, UINT64_MAX, &call->seed);
    } else if (strcmp(option->name, "--threads") == 0) {
        if (!cli_parse_u64("--threads", value, 1, 1024, &number))
            return false;
        call->threads = (uint32_t)number;
    } else if (strcmp(option->name, "--native-file") == 0) {
        call->native_file = value;
    } else if (strcmp(option->name, "--params") == 0) {
        call->weights = value;
    } else if (strcmp(option->name, "--huge-pages") == 0) {
        call->huge_pages = true;
    } else if (strcmp(option->name, "--device-graphs") == 0) {
        call->device_graphs = true;
    } else if (strcmp(option->name, "--require-key") == 0) {
        return cli_add_named(call->keys, &call->n_keys, option->name, value);
    } else if (strcmp(option->name, "--plugin") == 0) {
        return cli_add_named(call->plugins, &call->n_plugins, option->name, value);
    } else if (strcmp(option->name, "--no-native") == 0) {
        call->no_native = true;
    } else if (strcmp(option->name, "--max-bytes") == 0) {
        return cli_parse_bytes(option->name, value, &call->max_bytes);
    } else if (strcmp(option->name, "--max-seconds") == 0) {
        return cli_parse_seconds(option->name, value, &call->max_seconds);
    }
    return true;
}
