/* The members of rlxc_context, for the files of compiler/base and compiler/ir only.
 *
 * Each interning file (expr_*.c, sinfo.c, ...) keeps its own table here as an opaque pointer,
 * created on first use with rlxc_alloc. Nothing outside these two folders includes this header. */
#ifndef RLXC_BASE_CONTEXT_STATE_H
#define RLXC_BASE_CONTEXT_STATE_H

#include "compiler/base/context.h"

struct rlxc_expr_pool; /* expr.c */
struct rlxc_sym_cache; /* sym.c */

typedef struct rlxc_file {
    const char *path;
    const char *text;
    size_t length;
    const char *const *labels; /* by line, from line 1 */
    uint32_t n_labels;
} rlxc_file;

typedef struct rlxc_chunk {
    struct rlxc_chunk *next;
    size_t size; /* of the whole request to the allocator */
} rlxc_chunk;

typedef struct rlxc_intern_slot {
    const char *text; /* NULL: free */
    size_t length;
    uint32_t hash;
} rlxc_intern_slot;

typedef struct rlxc_cleanup {
    struct rlxc_cleanup *next;
    void (*fn)(void *user);
    void *user;
} rlxc_cleanup;

struct rlxc_context {
    const rlx_allocator *allocator;
    rlxc_cleanup *cleanups;
    rlxc_chunk *chunks;
    char *cursor, *end; /* free part of the current chunk */
    char *reserve;      /* serves small requests once the allocator refused */
    size_t reserve_used;
    bool out_of_memory;
    const char *doing, *doing_name; /* the stage when memory ran out */

    rlxc_intern_slot *interned;
    uint32_t n_interned, intern_capacity; /* capacity is a power of two */

    RLXC_VEC(rlxc_file) files; /* file index 1 is items[0] */
    RLXC_VEC(rlxc_diagnostic) diagnostics;
    uint32_t n_errors, n_warnings, max_errors;
    bool last_dropped; /* the last error or warning was dropped: drop its notes too */

    struct rlxc_expr_pool *exprs;
    struct rlxc_sym_cache *sym;
    void *sinfos;     /* sinfo.c's table */
    uint32_t next_id; /* of identity objects other than expressions: buffers, constants */
};

#endif
