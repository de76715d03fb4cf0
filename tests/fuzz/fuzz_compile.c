/* Fuzz target: any bytes as TVMScript through all passes and bytecode emission, without LLVM. The
 * emitted file must pass the runtime's verifier; it then runs with kernels that touch exactly the
 * bytes that their signatures promise. The text determines the optimisation level, whether the
 * module is checked after each pass, and whether it runs on a device. */
#include <stdio.h>
#include <stdlib.h>

#include "compiler/codegen/codegen.h"
#include "compiler/driver/compile.h"
#include "compiler/target/target.h"
#include "fuzz_memory.h"
#include "mutate_text.h"
#include "run_any.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void compile(rlxc_context *ctx, const char *text, size_t size, rlx_exec_builder *builder)
{
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += (unsigned char)text[i];
    rlxc_options options = {.opt_level = (int)(sum % 4),
                            .check = sum / 4 % 4 == 0,
                            .default_device = sum / 16 % 4 == 0 ? "opencl:0" : NULL,
                            .device_refuses = rlxc_try_device,
                            .target = rlxc_target_new(ctx, "llvm", "x86-64-v3")};
    if (!options.target)
        return;
    rlxc_module *module = rlxc_read_module(ctx, "fuzz.py", text, size);
    if (!module || !rlxc_lower_module(ctx, module, &options, NULL) ||
        !rlxc_emit_bytecode(ctx, module, &options, builder))
        return;
    rlx_executable *exe;
    rlx_error err;
    rlx_status status = rlx_exec_builder_load(builder, NULL, &exe, &err);
    if (status == RLX_OK) {
        fuzz_run_all(exe);
        rlx_executable_release(exe);
    } else if (status != RLX_E_LIMIT && status != RLX_E_NOT_FOUND && status != RLX_E_NOMEM) {
        fprintf(stderr, "the verifier refuses what the compiler wrote: %s\n", err.message);
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rlx_exec_builder *builder;
    rlxc_context *ctx = rlxc_context_create(&fuzz_allocator);
    char *text = malloc(size + 1); /* the parser keeps pointers into it */
    if (!ctx || !text || rlx_exec_builder_create(NULL, &builder, NULL) != RLX_OK)
        abort();
    if (size > 0)
        memcpy(text, data, size);
    compile(ctx, text, size, builder);
    rlxc_render_diagnostics(ctx);
    size_t count;
    const rlxc_diagnostic *said = rlxc_diagnostics(ctx, &count);
    for (size_t i = 0; i < count; i++)
        if (strncmp(said[i].message, "internal error in ", 18) == 0) {
            fprintf(stderr, "a diagnostic that blames the compiler: %s\n", said[i].message);
            abort();
        }
    rlx_exec_builder_destroy(builder);
    rlxc_context_destroy(ctx);
    free(text);
    return 0;
}
