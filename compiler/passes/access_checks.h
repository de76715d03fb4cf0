/* Checks of the accesses in one expression (pass check_bounds), as statements before the one that
 * evaluates it. */
#ifndef RLXC_PASSES_ACCESS_CHECKS_H
#define RLXC_PASSES_ACCESS_CHECKS_H

#include "compiler/analysis/reach.h"
#include "compiler/ir/tir.h"

typedef struct rlxc_memory { /* the memory behind a data pointer */
    const rlxc_buffer *of;   /* the buffer that covers it, or NULL */
    const char *name;
    const rlxc_expr *bytes;
} rlxc_memory;

typedef struct rlxc_stmts {
    RLXC_VEC(const rlxc_stmt *) items;
} rlxc_stmts;

typedef struct rlxc_access_checks { /* of one function; zero but for ctx and reach.ctx */
    rlxc_context *ctx;
    rlxc_reach reach;  /* facts at the current statement */
    rlxc_range range;  /* of the current statement */
    rlxc_map memories; /* data variable -> rlxc_memory */
    rlxc_map matches;  /* matched buffer -> rlxc_match_region */
    rlxc_map seen;     /* expressions and accesses already checked before the current statement */
    RLXC_VEC(const void *) log; /* of |seen| */
    rlxc_stmts *out;            /* receives the checks */
    const rlxc_expr *mask;      /* lanes that are accessed; NULL: all */
    uint32_t n;                 /* number of checks so far */
} rlxc_access_checks;

/* Appends the checks of |e| (may be NULL) to w->out, in the order of its reads. */
void rlxc_check_expr(rlxc_access_checks *w, const rlxc_expr *e);
void rlxc_check_exprs(rlxc_access_checks *w, const rlxc_expr *const *items, uint32_t n);
/* Appends the checks of an access whose indices are checked already. */
void rlxc_check_access(rlxc_access_checks *w, const char *what, const rlxc_buffer *b,
                       const rlxc_expr *const *indices, uint32_t n);
/* Records that |data| points to |bytes| bytes named |name|, covered by the buffer |of| (may be
 * NULL). */
void rlxc_note_memory(rlxc_access_checks *w, const rlxc_expr *data, const rlxc_buffer *of,
                      const char *name, const rlxc_expr *bytes);
/* Records the memory of a buffer with storage of its own. */
void rlxc_note_buffer(rlxc_access_checks *w, const rlxc_buffer *b);
/* The same for a temporary, whose strides say how much is allocated. */
void rlxc_note_temporary(rlxc_access_checks *w, const rlxc_buffer *b);
/* The size in bytes of |n| extents of elements of type |t|. */
const rlxc_expr *rlxc_bytes_of_shape(rlxc_context *ctx, rlx_dtype t,
                                     const rlxc_expr *const *extents, uint32_t n);
const rlxc_stmt *rlxc_stmts_seq(rlxc_context *ctx, const rlxc_stmts *s);

#endif
