/* Inside of the `rlx` program: commands, options, inputs and results. It uses the public headers
 * only. */
#ifndef RLX_CLI_H
#define RLX_CLI_H

#include <stdio.h>

#include <rlx/rlx.h>

#include "vm/cli/json.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* --- command lines (options.c) --- */

/* How often an option that names something may be repeated. */
enum { CLI_MAX_NAMED = 1024, CLI_MAX_OPTIONS = 32 };

/* The options shared by commands that call a function. */
typedef struct cli_call {
    const char *file, *function;
    const char *inputs[CLI_MAX_NAMED], *outputs[CLI_MAX_NAMED], *dims[CLI_MAX_NAMED];
    uint32_t n_inputs, n_outputs, n_dims;
    bool random;
    uint64_t seed;
    uint32_t threads;                /* 0: not given */
    const char *native_file;         /* rlx_load_options.native_file */
    const char *weights;             /* as above */
    const char *trace;               /* a file that the command writes */
    bool huge_pages;                 /* as above, from the command's own option */
    bool device_graphs;              /* rlx_vm_options.device_graphs */
    bool quiet;                      /* drop what the function prints */
    bool no_native;                  /* refuse files with machine code */
    const char *keys[CLI_MAX_NAMED]; /* refuse files not signed with one of these */
    uint32_t n_keys;                 /* 0: no signature required */
    const char *plugins[CLI_MAX_NAMED];
    uint32_t n_plugins;
    uint64_t max_bytes; /* for the arguments and the VM; 0: the memory available on the
                         * system */
    double max_seconds; /* of loading, reading and calling; 0: no limit */
} cli_call;

/* An option: its spelling, its value's name ("" for a flag) and help. */
typedef struct cli_option {
    const char *name, *value, *help;
} cli_option;

/* Parses |argc|/|argv|. For each option calls |set| with its row and value (NULL for flags);
 * anything else goes to |set| with a NULL row. A command stops with CLI_USAGE when set returns
 * false. --help prints |usage|, |about| and the rows. */
typedef bool (*cli_set_fn)(void *user, const cli_option *option, const char *value);
typedef struct cli_command {
    const char *usage, *about;
    const cli_option *options;
    size_t n_options;
    bool call_options; /* the options of a call come first */
} cli_command;
int cli_parse(const cli_command *command, int argc, char **argv, cli_set_fn set, void *user,
              bool *out_help);

/* Handles the file and the options of every call; false if |option| was refused. */
bool cli_call_set(cli_call *call, const cli_option *option, const char *value);
/* Sets the only file of a command; reports a second one and returns false. */
bool cli_set_file(const char **file, const char *value);
/* Appends |text|; reports and returns false if there are too many. */
bool cli_add_named(const char **list, uint32_t *count, const char *option, const char *text);
/* Parses a number in [least, most]; otherwise reports and returns false. */
bool cli_parse_u64(const char *option, const char *text, uint64_t least, uint64_t most,
                   uint64_t *out);
/* As cli_parse_u64, with a suffix K, M, G or T (powers of 1024); at least 1. */
bool cli_parse_bytes(const char *option, const char *text, uint64_t *out);
/* Parses a positive number of seconds; otherwise reports and returns false. */
bool cli_parse_seconds(const char *option, const char *text, double *out);
bool cli_parse_i64(const char *text, const char *end, int64_t *out);

/* "rlx: " + message to stderr. */
void cli_complain(const char *format, ...) RLX_PRINTF(1, 2);
int cli_fail(const rlx_error *err); /* prints the error; CLI_FAILED */
/* The one of |words| nearest to |word|, or NULL if none is near. */
const char *cli_nearest(const char *word, const char *const *words, size_t n);

/* The index of the name nearest to |word|, or RLX_NONE if none is near. */
uint32_t cli_nearest_name(rlx_str word, const rlx_str *names, uint32_t n);

/* --- names of the model (names.c) --- */

/* NAME=VALUE or NAME.0.1=VALUE */
typedef struct cli_named {
    uint32_t index; /* of the name */
    rlx_str path;   /* ".0.1", or empty */
    const char *value;
} cli_named;

/* True if |text| begins with one of |names|; finds the longest. */
bool cli_split(const char *text, const rlx_str *names, uint32_t n, cli_named *out);
/* Removes the first number from a path, ".1.2" or "1.2". */
uint64_t cli_next_field(rlx_str *path);
/* The name for messages, quoted if it is not plain. */
const char *cli_name_text(rlx_str name, char *buffer, size_t size);
/* "rlx: " + message, then the name nearest to |given| and the list of names. */
void cli_complain_of_name(rlx_str given, const rlx_str *names, uint32_t n, const char *format, ...)
    RLX_PRINTF(4, 5);

/* --- calls (session.c, inputs.c, random.c) --- */

/* The known values of a function's slots; the first slots are its symbols. */
typedef struct cli_symbols {
    const rlx_executable *exe;
    uint32_t function, n, n_symbols;
    rlx_str *names; /* of the symbols; empty if the file has none */
    int64_t *values;
    bool *bound;
} cli_symbols;

/* CLI_OK, or an exit status with a message; needs deinit in both cases. */
int cli_symbols_init(cli_symbols *out, const rlx_executable *exe, uint32_t function);
/* Binds the values of --dim; sets found[i] for each row that is a symbol of the function. CLI_USAGE
 * with a message if a row is not SYMBOL=NUMBER. */
int cli_symbols_bind(cli_symbols *s, const char *const *dims, uint32_t n_dims, bool *found);
/* The SYMBOL of SYMBOL=NUMBER. */
rlx_str cli_symbol_of(const char *dim);
void cli_symbols_deinit(cli_symbols *s);
/* The name for messages; "s3" if the file has none. */
enum { CLI_NAME_SHOWN = 96 };
const char *cli_symbol_name(const cli_symbols *s, uint32_t symbol, char *buffer, size_t size);
/* The lowest slot without a value that |expr| needs; RLX_NONE when it can be evaluated. */
uint32_t cli_symbols_missing(const cli_symbols *s, uint32_t expr);
/* "  n=128" for each symbol that has a value; an object of them. */
void cli_symbols_print(const cli_symbols *s, FILE *file);
void cli_symbols_json(const cli_symbols *s, cli_json *j, const char *key);

/* Bytes of arguments. */
typedef struct cli_budget {
    uint64_t limit, taken; /* limit 0: none but the system's */
    uint64_t unasked;      /* bytes taken since the system was asked */
} cli_budget;
/* To be called before |bytes| bytes are taken for |what|. Errors: LIMIT. */
rlx_status cli_take_bytes(cli_budget *budget, uint64_t bytes, const char *what, rlx_error *err);

/* Ends the session's call after some time (watch.c). */
typedef struct cli_watch cli_watch;
/* Raises |cancel| after |seconds|; if the VM does not stop, because a kernel or a read goes on,
 * ends the process half a second later. NULL with a message if it cannot be started. */
cli_watch *cli_watch_start(double seconds, rlx_atomic_bool *cancel);
/* Stops the watch. NULL is ignored. */
void cli_watch_stop(cli_watch *watch);

/* An executable, a VM and the arguments of one call, ready to be made. */
typedef struct cli_session {
    rlx_executable *exe;
    rlx_vm *vm;
    const char **files; /* files that are read: the module, keys, inputs */
    uint32_t n_files;
    uint32_t function;
    rlx_value *args;
    uint32_t n_args;
    cli_symbols symbols;
    cli_budget budget;
    rlx_atomic_bool cancel;
    cli_watch *watch; /* NULL: no limit of time */
    double max_seconds;
} cli_session;

/* Loads |file|, which must be signed with one of the |n_keys| keys in the files |keys| (0: need not
 * be); CLI_OK, or CLI_FAILED with a message (sign.c). */
int cli_load(const char *file, const char *const *keys, uint32_t n_keys,
             const rlx_load_options *options, rlx_executable **out);
/* Loads the file, finds the function, builds the arguments. Prints errors; returns CLI_OK or the
 * exit status. Call cli_close in both cases. */
int cli_open(const cli_call *call, cli_session *out);
void cli_close(cli_session *session);
/* Call after the last call of the function: ends the time limit. */
void cli_calls_done(cli_session *session);
/* As cli_fail for the error of a call; reports an expired time limit as such. */
int cli_call_failed(const cli_session *session, const rlx_error *err);
/* RLX_NONE with a message if |exe| has no exported function of that name. */
uint32_t cli_find_function(const char *file, const rlx_executable *exe, const char *name);

/* Errors: INVALID_ARG if |path| is a file that the session reads. */
rlx_status cli_check_output(const cli_session *session, const char *path, rlx_error *err);

/* Builds one argument per parameter of the session's function. */
int cli_make_args(const cli_call *call, cli_session *session);
/* The value of |text| of --input, for a parameter of |type|. */
rlx_status cli_read_value(const char *text, const rlx_type_info *type, rlx_value *out,
                          rlx_error *err);
/* A random value of |type|; *out_usage is set if the user has to supply more. */
rlx_status cli_random_value(const cli_symbols *symbols, cli_budget *budget, uint64_t *state,
                            const char *name, const rlx_type_info *type, rlx_value *out,
                            bool *out_usage, rlx_error *err);

/* --- results (values.c) --- */

/* Writes |v| to |path| (tuples to path.0, ...: "out.npy" gives out.0.npy). A tuple that |is_field|
 * of the results is a sequence, and goes to one file if that is a .pb. */
rlx_status cli_write_value(rlx_value v, bool is_field, const char *path, rlx_error *err);
/* Writes nothing, but fails if cli_write_value would overwrite a file that |session| reads. */
rlx_status cli_check_value(const cli_session *session, rlx_value v, bool is_field, const char *path,
                           rlx_error *err);
/* One line per value: kind, dtype, shape, first elements. */
void cli_print_value(FILE *file, const char *name, rlx_value v);
/* "1.234 us": nanoseconds in a suitable unit. */
const char *cli_time_text(double ns, char *buffer, size_t size);
/* "12.5 KiB" */
const char *cli_bytes_text(uint64_t bytes, char *buffer, size_t size);
/* " on opencl:0", with a scope other than "global" in parentheses; "" for the host. */
const char *cli_device_text(const rlx_executable *exe, uint32_t device, char *buffer, size_t size);
/* "model.py:12:9" or "node 'a' (Add)", or "" if unknown. */
const char *cli_place_text(const rlx_executable *exe, uint32_t function, uint32_t pc, char *buffer,
                           size_t size);

/* --- commands --- */

int cli_command_run(int argc, char **argv);
int cli_command_time(int argc, char **argv);
int cli_command_profile(int argc, char **argv);
int cli_command_dump(int argc, char **argv);
int cli_command_verify(int argc, char **argv);
int cli_command_keygen(int argc, char **argv);
int cli_command_sign(int argc, char **argv);
int cli_command_asm(int argc, char **argv);
int cli_command_devices(int argc, char **argv);
/* rlx dump --devices; prints nothing if the file has none. */
void cli_dump_devices(const rlx_executable *exe);
/* rlx dump --memory: the plan of every function, and its other allocations. |svg|: a file for the
 * picture of the first plan; may be NULL. */
int cli_dump_memory(const rlx_executable *exe, const char *const *dims, uint32_t n_dims,
                    const char *svg);

#endif
