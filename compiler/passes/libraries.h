/* Code generators that are built in: calls that match their patterns are computed by a library of
 * the machine that runs the file, through a section of the file (docs/generators.md). */
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

extern const rlxc_library rlxc_cblas;

#endif
