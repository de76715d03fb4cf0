/* What the loaders of sections have in common (private): a library of this machine, whose functions
 * are found by name, and a section of rows (rlx/loaders.h).
 *
 * Sections are bytes of files, and tensors may have any shapes: both are checked before the
 * library, which may check nothing, sees them. */
#ifndef RLX_LOADER_H
#define RLX_LOADER_H

#include <rlx/loaders.h>

enum { LOADER_MOST_WORDS = 20, LOADER_MOST_NAMES = 24 };

typedef struct loader { /* a kind of section */
    const char *kind, *what;
    const char *variable;     /* of the environment: a library to open instead of |files| */
    const char *files[2];     /* tried in this order; the second may be NULL */
    const char *const *names; /* functions of the library */
    uint32_t n_names;
    uint32_t n_words; /* of a row */
    /* The row, whose symbol fits, can be run. */
    bool (*is_row)(const uint32_t *row);
    rlx_packed_fn run; /* its user is a loader_function */
} loader;

typedef struct loader_function {
    const void *library; /* pointers to the functions, in the order of |names| */
    rlx_str symbol;      /* in the section */
    uint32_t row[LOADER_MOST_WORDS];
} loader_function;

/* As rlx_registry_add_section. */
rlx_status loader_add(rlx_registry *r, const loader *kind, rlx_error *err);
/* SHAPE with the function's name. */
rlx_status loader_wrong(const loader_function *f, const char *why, rlx_error *err);
/* Checks the number of arguments, and that the operands |used| (RLX_NO_OPERAND: none), and the
 * result behind all operands, are tensors of float32 in the host's memory. */
rlx_status loader_check_args(const loader_function *f, const rlx_value *args, uint32_t n,
                             const uint32_t *used, uint32_t n_used, rlx_error *err);
/* The tensor of an operand; NULL for RLX_NO_OPERAND. */
const rlx_tensor *loader_operand(const rlx_value *args, uint32_t operand);

#endif
