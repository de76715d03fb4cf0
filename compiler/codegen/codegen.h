/* IR -> machine: PrimFuncs to a shared object through LLVM, Relax functions to bytecode through the
 * runtime's builder. */
#ifndef RLXC_CODEGEN_CODEGEN_H
#define RLXC_CODEGEN_CODEGEN_H

#include "compiler/passes/passes.h"
#include "rlx/builder.h"

typedef enum rlxc_native_form {
    RLXC_NATIVE_LLVM,
    RLXC_NATIVE_ASM,
    RLXC_NATIVE_OBJECT,
    RLXC_NATIVE_SHARED
} rlxc_native_form;

typedef struct rlxc_native {
    const void *data; /* arena; text forms are NUL-terminated */
    size_t size;
    const char *triple;
    const char *features; /* comma-separated CPU features that the code needs, by the runtime's
                           * names */
} rlxc_native;

/* The symbol a PrimFunc's kernel has in the shared object. */
const char *rlxc_kernel_symbol(rlxc_context *ctx, const rlxc_prim_func *f);
/* Compiles every PrimFunc of the module (after pass lower_tir) with the kernel ABI of rlx/kernel.h.
 */
bool rlxc_compile_native(rlxc_context *ctx, const rlxc_module *module, const rlxc_options *options,
                         rlxc_native_form form, rlxc_native *out);
/* Emits all Relax functions, kernel signatures, constants, code for devices and debug map into
 * |builder|. */
bool rlxc_emit_bytecode(rlxc_context *ctx, const rlxc_module *module, const rlxc_options *options,
                        rlx_exec_builder *builder);

/* The number of statements in |s|, counted for every loop iteration, at most |most|; a loop of
   unknown extent counts as |most|. */
int64_t rlxc_count_statements(const rlxc_stmt *s, int64_t most);

#endif
