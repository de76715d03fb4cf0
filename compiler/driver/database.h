/* The database of tuned schedules: JSON lines, one for each function that was tuned. A line holds
 * the hash of the function before any rule (names excluded), the target, the values of symbolic
 * dimensions, the steps as text ("" where the rules' own are the best), whether everything was
 * tried, the times with and without them in nanoseconds, the machine, and the compiler's version.
 * Steps name the function's blocks by position, "#0", "#1" and so on, so that equal functions of
 * several models share a line. Lines are appended as results are found; the last line for a
 * function wins. An incomplete last line, which an interrupted run may leave, is ignored. */
#ifndef RLXC_DRIVER_DATABASE_H
#define RLXC_DRIVER_DATABASE_H

#include "compiler/kernels/rules.h"

typedef struct rlxc_database_entry {
    uint64_t hash;
    const char *function, *target, *dims, *steps, *machine, *version;
    double default_ns, tuned_ns;
    bool complete; /* no alternative is left to be measured */
} rlxc_database_entry;

typedef struct rlxc_database {
    rlxc_context *ctx;
    RLXC_VEC(rlxc_database_entry) entries; /* entries of this machine, version and target */
    uint32_t used;                         /* functions that rlxc_database_find gave steps for */
} rlxc_database;

/* The name of this machine's processor; in the arena. */
const char *rlxc_machine_name(rlxc_context *ctx);
/* Reads the file; a missing file counts as empty if |may_miss|. Skips entries of another machine,
 * version or target, with a warning that counts them. False with diagnostics. */
bool rlxc_database_read(rlxc_context *ctx, const char *path, const char *target, bool may_miss,
                        rlxc_database *out);
/* The last entry for a function; NULL: none. */
const rlxc_database_entry *rlxc_database_entry_of(const rlxc_database *db, uint64_t hash);
/* The names of the function's blocks in order; blocks that share a name are renamed first. */
const char *const *rlxc_block_names(rlxc_context *ctx, rlxc_prim_func *f, uint32_t *out_n);
/* A copy of the list that names blocks by position. */
const rlxc_schedule_steps *rlxc_steps_by_position(rlxc_context *ctx,
                                                  const rlxc_schedule_steps *list,
                                                  const char *const *blocks, uint32_t n);
/* rlxc_rule_steps.stored; |user| is a rlxc_database. NULL also for an entry without steps; with
 * diagnostics for steps that are none for the function. */
rlxc_schedule_steps *rlxc_database_find(void *user, rlxc_context *ctx, rlxc_prim_func *f);
/* The entry as a line of the file. */
const char *rlxc_database_line(rlxc_context *ctx, const rlxc_database_entry *e);
/* Appends a line, on a line of its own; "" only creates the file. False with diagnostics. */
bool rlxc_database_append(rlxc_context *ctx, const char *path, const char *line);

#endif
