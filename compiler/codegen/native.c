/* A module's PrimFuncs -> native code in one of four forms: LLVM text, assembly, object, shared
 * object. Owns every LLVM handle of the compilation; nothing of LLVM survives the call.
 *
 * For a shared object the kernels are dealt out to parts, each an LLVM module in a context of its
 * own, which are compiled on several threads (llvm_parts.c) and joined by the linker. Where a part
 * ends follows from the kernels alone. The other forms are for reading and have one part. The
 * output depends on the module and the options but |jobs|. What LLVM rejects is our bug and is
 * reported as one. */
#include "compiler/codegen/llvm.h"
#include "compiler/target/target.h"

#include <string.h>

/* A part is full with this many instructions: less is not worth a module and a thread ... */
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

/* Goes on in a new module. */
static bool open_part(rlxc_llvm *g)
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

static void close_part(rlxc_llvm *g)
{
    if (g->b)
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

/* Every kernel into a part. */
static bool build(rlxc_llvm *g, const rlxc_module *module, bool many)
{
    uint64_t total = 0;
    LLVMValueRef last = NULL;
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_prim_func *f = module->globals.items[i]->prim;
        if (f)
            rlxc_map_set(g->ctx, &g->symbols, rlxc_key(rlxc_kernel_symbol(g->ctx, f)), g);
    }
    if (!open_part(g))
        return false;
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_prim_func *f = module->globals.items[i]->prim;
        if (!f)
            continue;
        rlxc_llvm_part *part = &g->parts.items[g->parts.count - 1];
        if (many && part->size > FULL + total / SHARE_OF_ALL) {
            total += part->size;
            last = NULL;
            close_part(g);
            if (!open_part(g))
                return false;
            part = &g->parts.items[g->parts.count - 1];
        }
        rlxc_llvm_function(g, f);
        if (rlxc_failed(g->ctx))
            return false;
        part->size += count_new(g, &last);
    }
    return true;
}

/* --- output ---------------------------------------------------------------------------------- */

/* Copies into the arena; text gets a NUL after its end. */
static bool keep(rlxc_context *ctx, LLVMMemoryBufferRef buffer, rlxc_native *out)
{
    size_t size = LLVMGetBufferSize(buffer);
    char *copy = rlxc_try_alloc(ctx, size + 1, 1);
    if (!copy)
        return false;
    memcpy(copy, LLVMGetBufferStart(buffer), size);
    out->data = copy;
    out->size = size;
    return true;
}

static bool link_parts(rlxc_llvm *g, rlxc_native *out)
{
    rlx_str *objects = rlxc_try_alloc(g->ctx, g->parts.count, sizeof *objects);
    for (uint32_t i = 0; objects && i < g->parts.count; i++) {
        LLVMMemoryBufferRef buffer = g->parts.items[i].out;
        objects[i] = (rlx_str){LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer)};
    }
    return objects &&
           rlxc_link_shared(g->ctx, g->options, objects, g->parts.count, &out->data, &out->size);
}

bool rlxc_compile_native(rlxc_context *ctx, const rlxc_module *module, const rlxc_options *options,
                         rlxc_native_form form, rlxc_native *out)
{
    rlxc_llvm g = {.ctx = ctx, .options = options};
    bool shared = form == RLXC_NATIVE_SHARED;
    *out = (rlxc_native){0};
    if (!rlxc_llvm_describe(ctx, options, &g.triple, &g.layout))
        return false;
    out->triple = g.triple;
    out->features = rlxc_target_required_features(ctx, options);
    g.has_f16c = rlxc_target_has_feature(options, "f16c");
    bool fine = build(&g, module, shared);
    close_part(&g);
    fine = fine && rlxc_llvm_emit_parts(ctx, options, form, g.parts.items, g.parts.count) &&
           (shared ? link_parts(&g, out) : keep(ctx, g.parts.items[0].out, out));
    rlxc_llvm_drop_parts(g.parts.items, g.parts.count);
    return fine && !rlxc_failed(ctx);
}
