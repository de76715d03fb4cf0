/* A module's PrimFuncs for the CPU -> native code in one of four forms: LLVM text, assembly,
 * object, shared object. LLVM runs in a child process (child.c), which hands over the triple and
 * each part's code; nothing of LLVM is in this process.
 *
 * For a shared object the kernels are distributed over parts, each an LLVM module in a context of
 * its own, which are compiled on several threads (llvm_parts.c) and joined by the linker. The
 * division into parts depends on the kernels alone. The other forms are for reading and have one
 * part. The output depends on the module and the options except |jobs|. Code that LLVM rejects is a
 * bug of the compiler and is reported as one. */
#include "compiler/codegen/child.h"
#include "compiler/codegen/llvm.h"
#include "compiler/codegen/share.h"
#include "compiler/ir/device.h"

#include <string.h>

/* A part is full with this many instructions: fewer do not pay for a module and a thread ... */
enum { FULL = 300 };
/* ... and with this share of all before it, so that no model has thousands. */
enum { SHARE_OF_ALL = 256 };

const char *rlxc_kernel_symbol(rlxc_context *ctx, const rlxc_prim_func *f)
{
    rlxc_text text = {.ctx = ctx};
    rlxc_text_puts(&text, "rlx_");
    for (const char *c = f->name; *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
                     (*c >= '0' && *c <= '9') || *c == '_';
        if (plain)
            rlxc_text_add(&text, c, 1);
        else
            rlxc_text_printf(&text, "$%02x", (unsigned)(unsigned char)*c);
    }
    return rlxc_intern(ctx, text.data, text.length);
}

/* --- parts ----------------------------------------------------------------------------------- */

static void common_types(rlxc_llvm *g)
{
    g->i1 = LLVMInt1TypeInContext(g->lc);
    g->i8 = LLVMInt8TypeInContext(g->lc);
    g->i16 = LLVMInt16TypeInContext(g->lc);
    g->i32 = LLVMInt32TypeInContext(g->lc);
    g->i64 = LLVMInt64TypeInContext(g->lc);
    g->half = LLVMHalfTypeInContext(g->lc);
    g->f32 = LLVMFloatTypeInContext(g->lc);
    g->f64 = LLVMDoubleTypeInContext(g->lc);
    g->ptr = LLVMPointerTypeInContext(g->lc, 0);
}

bool rlxc_llvm_open_part(rlxc_llvm *g)
{
    rlxc_llvm_part part = {.lc = LLVMContextCreate()};
    part.module = LLVMModuleCreateWithNameInContext("rlx", part.lc);
    uint32_t before = g->parts.count;
    RLXC_PUSH(g->ctx, &g->parts, part);
    if (g->parts.count == before) {
        rlxc_llvm_drop_parts(&part, 1);
        return false;
    }
    g->lc = part.lc;
    g->accesses = NULL; /* of the context before */
    g->module = part.module;
    g->b = LLVMCreateBuilderInContext(g->lc);
    LLVMSetTarget(g->module, g->triple);
    LLVMSetDataLayout(g->module, g->layout);
    common_types(g);
    return true;
}

void rlxc_llvm_close_part(rlxc_llvm *g)
{
    LLVMDisposeBuilder(g->b);
    g->b = NULL;
}

/* Instructions of the functions added since |last| (NULL: of all); *last becomes the newest. */
static uint32_t count_new(rlxc_llvm *g, LLVMValueRef *last)
{
    uint32_t n = 0;
    LLVMValueRef f = *last ? LLVMGetNextFunction(*last) : LLVMGetFirstFunction(g->module);
    for (; f; f = LLVMGetNextFunction(f)) {
        *last = f;
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
                n++;
    }
    return n;
}

/* Assigns every kernel to a part. */
static bool build(rlxc_llvm *g, const rlxc_module *module, bool many)
{
    uint64_t total = 0;
    LLVMValueRef last = NULL;
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_prim_func *f = module->globals.items[i]->prim;
        if (f && !rlxc_prim_is_device(f))
            rlxc_map_set(g->ctx, &g->symbols, rlxc_key(rlxc_kernel_symbol(g->ctx, f)), g);
    }
    rlxc_share_loops(g->ctx, module, g->options->opt_level, &g->shared);
    if (!rlxc_llvm_open_part(g))
        return false;
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_prim_func *f = module->globals.items[i]->prim;
        if (!f || rlxc_prim_is_device(f))
            continue;
        rlxc_llvm_part *part = &g->parts.items[g->parts.count - 1];
        if (many && part->size > FULL + total / SHARE_OF_ALL) {
            total += part->size;
            last = NULL;
            rlxc_llvm_close_part(g);
            if (!rlxc_llvm_open_part(g))
                return false;
            part = &g->parts.items[g->parts.count - 1];
        }
        g->target = rlxc_prim_target(g->ctx, f, g->options->target);
        rlxc_child_does("building", f->name, f->name);
        part->first = part->first ? part->first : f->name;
        part->last = f->name;
        rlxc_llvm_function(g, f);
        if (rlxc_failed(g->ctx))
            return false;
        part->size += count_new(g, &last);
    }
    return true;
}

/* --- in the child ---------------------------------------------------------------------------- */

typedef struct job {
    rlxc_context *ctx;
    const rlxc_module *module;
    const rlxc_options *options;
    rlxc_native_form form;
} job;

static bool generate(void *user, rlxc_child *child)
{
    const job *j = user;
    rlxc_llvm g = {.ctx = j->ctx, .options = j->options};
    if (!rlxc_llvm_describe(j->ctx, j->options, &g.triple, &g.layout))
        return false;
    if (!build(&g, j->module, j->form == RLXC_NATIVE_SHARED))
        return false;
    rlxc_llvm_close_part(&g);
    if (!rlxc_llvm_emit_parts(j->ctx, j->options, j->form, g.parts.items, g.parts.count))
        return false;
    rlxc_child_does("handing over code", NULL, NULL);
    bool fine = rlxc_child_put(child, g.triple, strlen(g.triple));
    for (uint32_t i = 0; fine && i < g.parts.count; i++) {
        LLVMMemoryBufferRef code = g.parts.items[i].out;
        fine = rlxc_child_put(child, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
    }
    if (!fine)
        rlxc_set_out_of_memory(j->ctx);
    return fine; /* nothing is freed: the process ends */
}

/* For all functions, including those with a target of their own. */
static const char *needed_features(rlxc_context *ctx, const rlxc_module *module,
                                   const rlxc_target *target)
{
    rlxc_text all = {.ctx = ctx};
    rlxc_text_puts(&all, target->features);
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_prim_func *f = module->globals.items[i]->prim;
        const rlxc_target *own = f ? rlxc_prim_target(ctx, f, target) : target;
        if (own != target)
            rlxc_text_printf(&all, ",%s", own->features);
    }
    return rlxc_target_required_features(ctx, all.data ? all.data : "");
}

bool rlxc_compile_native(rlxc_context *ctx, const rlxc_module *module, const rlxc_options *options,
                         rlxc_native_form form, rlxc_native *out)
{
    job j = {ctx, module, options, form};
    rlxc_items items;
    *out = (rlxc_native){0};
    if (!rlxc_in_child(ctx, generate, &j, &items))
        return false;
    out->triple = items.items[0].data;
    out->features = needed_features(ctx, module, options->target);
    if (form == RLXC_NATIVE_SHARED)
        return rlxc_link_shared(ctx, options, items.items + 1, items.count - 1, &out->data,
                                &out->size);
    out->data = items.items[1].data;
    out->size = items.items[1].len;
    return !rlxc_failed(ctx);
}
