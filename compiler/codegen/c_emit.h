/* A module as C99: a header and a source that need nothing but the C library. */
#ifndef RLXC_CODEGEN_C_EMIT_H
#define RLXC_CODEGEN_C_EMIT_H

#include "compiler/passes/passes.h"
#include "compiler/target/target.h"

typedef struct rlxc_c_files {
    const char *header, *source; /* arena */
    const void *weights;         /* of a file of their own; NULL: they are in the source */
    size_t weights_bytes;
} rlxc_c_files;

/* The options for lowering a module that becomes C, from |options|. */
void rlxc_c_options(rlxc_options *options);
/* The exported functions of a module lowered with rlxc_c_options. |name| is the prefix of all names
 * and the name of the header, NAME.h; with |weights_apart| the weights are in NAME.weights. False
 * with a diagnostic that names what cannot be written in C. */
bool rlxc_emit_c(rlxc_context *ctx, const rlxc_module *module, const char *name, bool weights_apart,
                 rlxc_c_files *out);

#endif
