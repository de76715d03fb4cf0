/* The database of tuned schedules: JSON lines, one for each function that the tuner found better
 * steps for. A line holds the hash of the function before any rule (names excluded), the target,
 * the values of symbolic dimensions, the steps as text, the times with and without them in
 * nanoseconds, the machine, and the compiler's version. Lines are appended; the last line for a
 * function wins. */
#ifndef RLXC_DRIVER_DATABASE_H
#define RLXC_DRIVER_DATABASE_H

#include "compiler/kernels/rules.h"

typedef struct rlxc_database_entry {
    uint64_t hash;
    const char *function, *target, *dims, *steps, *machine, *version;
    double default_ns, tuned_ns;
} rlxc_database_entry;

typedef struct rlxc_database {
    rlxc_context *ctx;
    RLXC_VEC(rlxc_database_entry) entries; /* entries of this machine, version and target */
} rlxc_database;

/* The name of this machine's processor; in the arena. */
const char *rlxc_machine_name(rlxc_context *ctx);
/* Reads the file; a missing file counts as empty if |may_miss|. Entries of another machine, version
 * or target are left out, with a warning that counts them. False with diagnostics. */
bool rlxc_database_read(rlxc_context *ctx, const char *path, const char *target, bool may_miss,
                        rlxc_database *out);
/* rlxc_rule_steps.stored; |user| is a rlxc_database. */
rlxc_schedule_steps *rlxc_database_find(void *user, rlxc_context *ctx, const rlxc_prim_func *f);
/* The entry as a line of the file. */
const char *rlxc_database_line(rlxc_context *ctx, const rlxc_database_entry *e);

#endif
