/* Built-in code generators: a library on the machine that runs the file computes the calls that
 * match their patterns, through a section of the file (docs/generators.md). */
#ifndef RLXC_PASSES_LIBRARIES_H
#define RLXC_PASSES_LIBRARIES_H

#include "compiler/passes/composite.h"

typedef struct rlxc_library {
    const char *doc;
    const rlxc_fusion *fusions;
    uint32_t n_fusions;
    rlxc_generator generator; /* its name is the library's */
} rlxc_library;

/* All rows. */
const rlxc_library *const *rlxc_libraries(uint32_t *out_n);

extern const rlxc_library rlxc_cblas, rlxc_dnnl;

/* --- sections of rows (rlx/loaders.h) --------------------------------------------------------- */

typedef struct rlxc_library_reading { /* a function that leaves, which is one match */
    rlxc_context *ctx;
    const rlxc_function *outer, *composite;
    const rlxc_binding *call; /* of |composite| in |outer| */
    const rlxc_rvar *last;    /* the result so far; NULL: none yet */
} rlxc_library_reading;

typedef struct rlxc_library_rows {
    const char *what; /* for messages: "product of matrices" */
    size_t bytes;     /* size of the struct that |read| fills, which is zeroed first; it begins with
                       * the row, whose operands are all RLX_NO_OPERAND if |prepare| sets them */
    uint32_t n_words; /* of the row */
    void (*prepare)(void *row);
    /* Takes the next binding of the match, and sets reading.last. */
    bool (*read)(void *row, rlxc_library_reading *r, const rlxc_binding *b);
} rlxc_library_rows;

/* Fills format, data and size. */
bool rlxc_library_write(rlxc_context *ctx, const rlxc_library_rows *rows, const rlxc_taken *taken,
                        uint32_t n, rlxc_section *out);
/* The number of the operand of the function that leaves; RLX_NO_OPERAND: |atom| is none. */
uint32_t rlxc_library_operand(const rlxc_library_reading *r, rlxc_atom atom);
bool rlxc_library_is_last(const rlxc_library_reading *r, rlxc_atom atom);
/* True if |b| copies the last result, or is its first activation, whose number is then stored. */
bool rlxc_library_activation(const rlxc_library_reading *r, const rlxc_binding *b,
                             uint32_t *io_number);
/* |atom|'s type if it is a tensor of float32 and |ndim| dimensions, which are known, and on no
 * device; else NULL. */
const rlxc_sinfo *rlxc_library_tensor(rlxc_context *ctx, rlxc_atom atom, int32_t ndim);
/* The call of |op| in a match; NULL: there is none. */
const rlxc_binding *rlxc_library_inside(const rlxc_match *match, const char *op);

#endif
