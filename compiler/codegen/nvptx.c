/* Launches -> PTX, the assembly of NVIDIA's GPUs, through LLVM.
 *
 * Statements and expressions are those of the CPU's code (llvm_stmt.c, llvm_expr.c); what differs
 * is in nvptx_function.c. Each architecture gets a module and an image of its own: a driver takes
 * the text for its GPU's architecture or an older one. LLVM runs in a child process, as for the
 * CPU. */
#include <stdlib.h>
#include <string.h>

#include "compiler/codegen/child.h"
#include "compiler/codegen/device.h"
#include "compiler/codegen/llvm.h"

/* From the best to the most general. |features|: the version of PTX that has the architecture. The
 * GPUs between them, and newer ones, take the text for the nearest architecture below. */
static const struct architecture {
    int number;
    const char *name, *features, *format;
} architectures[] = {
    {90, "sm_90", "+ptx78", "ptx-sm_90"},
    {80, "sm_80", "+ptx70", "ptx"},
};
enum { N_ARCHITECTURES = sizeof architectures / sizeof *architectures };

typedef struct job {
    rlxc_context *ctx;
    const rlxc_options *options;
    const rlxc_device_code *code;
    rlxc_native_form form;
} job;

/* Emits all launches for one architecture. */
static bool generate_one(const job *j, const struct architecture *arch, rlxc_child *child)
{
    rlxc_context *ctx = j->ctx;
    rlxc_target target = *j->code->target;
    rlxc_options options = *j->options;
    target.level = target.cpu = target.device.arch = arch->name;
    target.features = arch->features;
    options.target = &target;
    rlxc_llvm g = {.ctx = ctx, .options = &options, .target = &target};
    if (!rlxc_llvm_describe(ctx, &options, &g.triple, &g.layout) || !rlxc_llvm_open_part(&g))
        return false;
    rlxc_llvm_part *part = &g.parts.items[0];
    for (uint32_t i = 0; i < j->code->n_kernels && !rlxc_failed(ctx); i++) {
        const rlxc_device_kernel *k = &j->code->kernels[i];
        rlxc_child_does("building", k->f->name, k->f->name);
        part->first = part->first ? part->first : k->f->name;
        part->last = k->f->name;
        for (uint32_t n = 0; n < k->n_launches && !rlxc_failed(ctx); n++)
            rlxc_nvptx_function(&g, k->f, &k->launches[n]);
    }
    rlxc_llvm_close_part(&g);
    if (rlxc_failed(ctx) || !rlxc_llvm_emit_parts(ctx, &options, j->form, part, 1))
        return false;
    rlxc_child_does("handing over code", NULL, NULL);
    if (rlxc_child_put(child, LLVMGetBufferStart(part->out), LLVMGetBufferSize(part->out)))
        return true;
    rlxc_set_out_of_memory(ctx);
    return false;
}

static bool generate(void *user, rlxc_child *child)
{
    const job *j = user;
    const long target = strtol(j->code->target->device.arch + strlen("sm_"), NULL, 10);
    for (uint32_t i = 0; i < N_ARCHITECTURES; i++) {
        if (!generate_one(j, &architectures[i], child))
            return false; /* nothing is freed: the process ends */
        if (architectures[i].number <= target)
            break; /* code for older ones may lack what the target has */
    }
    return true;
}

bool rlxc_nvptx_compile(rlxc_context *ctx, const rlxc_options *options, rlxc_native_form form,
                        rlxc_device_code *out)
{
    job j = {ctx, options, out, form};
    rlxc_items items;
    if (!rlxc_in_child(ctx, generate, &j, &items))
        return false;
    rlxc_device_image *images = rlxc_try_alloc(ctx, items.count, sizeof *images);
    for (uint32_t i = 0; images && i < items.count; i++)
        images[i] =
            (rlxc_device_image){architectures[i].format, items.items[i].data, items.items[i].len};
    out->images = images;
    out->n_images = images ? items.count : 0;
    return images && !rlxc_failed(ctx);
}

bool rlxc_emit_cuda(rlxc_context *ctx, const rlxc_options *options, rlxc_device_code *out)
{
    return rlxc_nvptx_compile(ctx, options, RLXC_NATIVE_ASM, out);
}
