/* Compiles PrimFuncs and calls them as the VM would, for numeric tests of the TIR passes and of
 * code generation. The fixture owns the compiler context and the loaded code. */
#ifndef RLX_TESTS_KERNEL_FIXTURE_H
#define RLX_TESTS_KERNEL_FIXTURE_H

#include "compiler/codegen/codegen.h"
#include "rlx/kernel.h"

typedef struct kernel_fixture {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_options options;
    void *handle;
    int fd;
    rlx_kernel_context kernel_ctx;
    char *scratch;
    size_t scratch_used, scratch_peak;
    int shares;           /* shares of parallel loops run so far */
    char failure[200];    /* message passed to fail() */
    int allocations_left; /* scratch_alloc fails when this reaches 0; negative: never fails */
} kernel_fixture;

/* Starts with an empty module; a NULL |cpu| is this machine's. False when the target cannot be
 * resolved. */
bool kernel_fixture_init(kernel_fixture *f, const rlx_allocator *allocator, int opt_level,
                         const char *cpu);
/* Like kernel_fixture_init, with a module parsed from TVMScript. */
bool kernel_fixture_parse(kernel_fixture *f, const rlx_allocator *allocator, int opt_level,
                          const char *cpu, const char *text);
/* Runs schedule (if opt_level > 0) and lower_tir, then compiles, links and loads. Functions of
 * devices are scheduled for them and then run here: their threads one after the other, from barrier
 * to barrier, as loops do it. */
bool kernel_fixture_build(kernel_fixture *f);
rlx_kernel_fn kernel_fixture_find(kernel_fixture *f, const char *name);
/* Calls the kernel and returns its status. */
int32_t kernel_fixture_call(kernel_fixture *f, const char *name, void *const *buffers,
                            const int64_t *dims);
void kernel_fixture_deinit(kernel_fixture *f);

#endif
