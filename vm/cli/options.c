/* Command lines: one parser for every command, over its table of options. */
#include "vm/cli/cli.h"

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

/* Levenshtein distance, of words short enough for one row on the stack. */
static size_t distance(const char *a, const char *b)
{
    enum { LONGEST = 64 };
    size_t row[LONGEST + 1], n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            row[j] = best;
        }
    }
    return row[m];
}

const char *cli_nearest(const char *word, const char *const *words, size_t n)
{
    const char *best = NULL;
    size_t least = strlen(word) / 2 + 1;
    for (size_t i = 0; i < n; i++) {
        size_t d = distance(word, words[i]);
        if (d < least) {
            least = d;
            best = words[i];
        }
    }
    return best;
}

static void print_help(const char *usage, const cli_option *options, size_t n)
{
    printf("usage: %s\n\n", usage);
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

static int unknown(const cli_option *options, size_t n, const char *given)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t count = n < MOST ? n : MOST;
    for (size_t i = 0; i < count; i++)
        names[i] = options[i].name;
    const char *near = cli_nearest(given, names, count);
    if (near)
        cli_complain("unknown option %s; did you mean %s?", given, near);
    else
        cli_complain("unknown option %s; --help lists the options", given);
    return CLI_USAGE;
}

int cli_parse(const char *usage, const cli_option *options, size_t n, int argc, char **argv,
              cli_set_fn set, void *user, bool *out_help)
{
    *out_help = false;
    for (int i = 0; i < argc; i++) {
        const char *arg = argv[i];
        if (strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0) {
            print_help(usage, options, n);
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
            return unknown(options, n, arg);
        const char *value = equals ? equals + 1 : NULL;
        if (option->value[0] == '\0' && value) {
            cli_complain("option %s takes no value", option->name);
            return CLI_USAGE;
        }
        if (option->value[0] != '\0' && !value) {
            if (i + 1 == argc) {
                cli_complain("option %s needs a value: %s", option->name, option->value);
                return CLI_USAGE;
            }
            value = argv[++i];
        }
        if (!set(user, option, value))
            return CLI_USAGE;
    }
    return CLI_OK;
}

/* --- the options of a call --- */

const cli_option cli_call_options[] = {
    {"-f", "NAME", "the function to call (default main)"},
    {"--input", "[NAME=]VALUE",
     "F.npy, shape:2,3, int:5, float:0.5; NAME.0=... for fields of a tuple"},
    {"--random", "", "seeded random tensors for parameters without --input"},
    {"--dim", "n=128", "the value of a symbol, for --random"},
    {"--seed", "S", "of --random (default 0)"},
    {"--threads", "T", "threads of a kernel's parallel loops (default 1)"},
};
const size_t cli_call_option_count = sizeof cli_call_options / sizeof *cli_call_options;

bool cli_parse_u64(const char *option, const char *text, uint64_t least, uint64_t most,
                   uint64_t *out)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || value < least || value > most) {
        cli_complain("option %s wants a number from %llu to %llu, not '%s'", option,
                     (unsigned long long)least, (unsigned long long)most, text);
        return false;
    }
    *out = value;
    return true;
}

static char *copy_text(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

/* NAME=TEXT where the part before '=' is a name and not the start of a path or a value. */
bool cli_add_pair(cli_pair *pairs, uint32_t *count, const char *option, const char *text)
{
    if (*count == CLI_MAX_PAIRS) {
        cli_complain("option %s is given more than %d times", option, CLI_MAX_PAIRS);
        return false;
    }
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '/' || text[i] == ':')
            length = 0;
    }
    cli_pair *pair = &pairs[(*count)++];
    *pair = (cli_pair){NULL, length ? equals + 1 : text};
    if (length && !(pair->name = copy_text(text, length))) {
        cli_complain("out of memory");
        return false;
    }
    return true;
}

bool cli_call_set(cli_call *call, const cli_option *option, const char *value)
{
    uint64_t number;
    if (!option) {
        if (call->file) {
            cli_complain("more than one file: %s and %s", call->file, value);
            return false;
        }
        call->file = value;
        return true;
    }
    if (strcmp(option->name, "-f") == 0) {
        call->function = value;
    } else if (strcmp(option->name, "--input") == 0) {
        return cli_add_pair(call->inputs, &call->n_inputs, "--input", value);
    } else if (strcmp(option->name, "--dim") == 0) {
        return cli_add_pair(call->dims, &call->n_dims, "--dim", value);
    } else if (strcmp(option->name, "--random") == 0) {
        call->random = true;
    } else if (strcmp(option->name, "--seed") == 0) {
        return cli_parse_u64("--seed", value, 0, UINT64_MAX, &call->seed);
    } else if (strcmp(option->name, "--threads") == 0) {
        if (!cli_parse_u64("--threads", value, 1, 1024, &number))
            return false;
        call->threads = (uint32_t)number;
    }
    return true;
}

static void free_pairs(cli_pair *pairs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        free(pairs[i].name);
}

void cli_call_deinit(cli_call *call)
{
    free_pairs(call->inputs, call->n_inputs);
    free_pairs(call->outputs, call->n_outputs);
    free_pairs(call->dims, call->n_dims);
}
