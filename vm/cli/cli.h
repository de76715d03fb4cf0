/* Inside of the `rlx` program: commands, options, inputs and results. It uses the public headers
 * only. */
#ifndef RLX_CLI_H
#define RLX_CLI_H

#include <stdio.h>

#include <rlx/rlx.h>

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* What the commands that call a function share: which, with what, how. */
typedef struct cli_pair { /* NAME=TEXT or TEXT alone (name NULL) */
    char *name;
    const char *text;
} cli_pair;

enum { CLI_MAX_PAIRS = 1024 };

typedef struct cli_call {
    const char *file, *function;
    cli_pair inputs[CLI_MAX_PAIRS], outputs[CLI_MAX_PAIRS], dims[CLI_MAX_PAIRS];
    uint32_t n_inputs, n_outputs, n_dims;
    bool random;
    uint64_t seed;
    uint32_t threads;
} cli_call;

/* An option: its spelling, what it takes ("" for a flag) and help. */
typedef struct cli_option {
    const char *name, *value, *help;
} cli_option;

/* Takes |argc|/|argv| apart. For each option found calls |set| with its row and value (NULL for
 * flags); anything else goes to |set| with a NULL row. A command stops with CLI_USAGE when set
 * returns false. --help prints the rows. */
typedef bool (*cli_set_fn)(void *user, const cli_option *option, const char *value);
int cli_parse(const char *usage, const cli_option *options, size_t n_options, int argc, char **argv,
              cli_set_fn set, void *user, bool *out_help);

/* The options of every command that calls a function; |set| handles them. */
extern const cli_option cli_call_options[];
extern const size_t cli_call_option_count;
bool cli_call_set(cli_call *call, const cli_option *option, const char *value);
void cli_call_deinit(cli_call *call);
/* Adds NAME=TEXT or TEXT; complains and returns false when there are too many. */
bool cli_add_pair(cli_pair *pairs, uint32_t *count, const char *option, const char *text);
/* A number in [least, most]; complains and returns false otherwise. */
bool cli_parse_u64(const char *option, const char *text, uint64_t least, uint64_t most,
                   uint64_t *out);

/* An executable, a VM and the arguments of one call, ready to be made. */
typedef struct cli_session {
    rlx_executable *exe;
    rlx_vm *vm;
    uint32_t function;
    rlx_value *args;
    uint32_t n_args;
} cli_session;

/* Loads the file, finds the function, builds the arguments. Prints what is wrong; CLI_OK or the
 * exit status. */
int cli_open(const cli_call *call, cli_session *out);
void cli_close(cli_session *session);

/* "rlx: " + message to stderr. */
void cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
int cli_fail(const rlx_error *err); /* prints the error; CLI_FAILED */
/* Says which of |words| is nearest to |word|, NULL when none is near. */
const char *cli_nearest(const char *word, const char *const *words, size_t n);

/* Builds one argument per parameter of |function|. */
int cli_make_args(const cli_call *call, cli_session *session);

/* Writes |v| to |path| (tuples to path.0, ...: "out.npy" gives out.0.npy). */
rlx_status cli_write_value(rlx_value v, const char *path, rlx_error *err);
/* One line a value: kind, dtype, shape, first elements. */
void cli_print_value(FILE *file, const char *name, rlx_value v);

int cli_command_run(int argc, char **argv);
int cli_command_time(int argc, char **argv);
int cli_command_profile(int argc, char **argv);
int cli_command_dump(int argc, char **argv);
int cli_command_verify(int argc, char **argv);
int cli_command_asm(int argc, char **argv);

#endif
