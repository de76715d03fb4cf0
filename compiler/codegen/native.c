/* A module's PrimFuncs -> native code in one of four forms: LLVM text, assembly, object, shared
 * object. Owns every LLVM handle of the compilation; nothing of LLVM survives the call.
 *
 * The output depends on the module and the options alone. What LLVM rejects is our bug and is
 * reported as one. */
#include "compiler/codegen/llvm.h"
#include "compiler/target/target.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

static const rlxc_range nowhere;

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

static bool open_target(rlxc_llvm *g, LLVMTargetMachineRef *out)
{
    const rlxc_options *o = g->options;
    const char *triple = o->triple ? o->triple : "x86_64-pc-linux-gnu";
    LLVMTargetRef target = NULL;
    char *message = NULL;
    rlxc_target_register();
    if (LLVMGetTargetFromTriple(triple, &target, &message)) {
        rlxc_error(g->ctx, nowhere, "target %s: %s", triple, message ? message : "unknown");
        LLVMDisposeMessage(message);
        return false;
    }
    LLVMCodeGenOptLevel level = o->opt_level <= 0   ? LLVMCodeGenLevelNone
                                : o->opt_level == 1 ? LLVMCodeGenLevelLess
                                : o->opt_level == 2 ? LLVMCodeGenLevelDefault
                                                    : LLVMCodeGenLevelAggressive;
    *out =
        LLVMCreateTargetMachine(target, triple, rlxc_target_isa(o), o->features ? o->features : "",
                                level, LLVMRelocPIC, LLVMCodeModelDefault);
    if (!*out)
        rlxc_error(g->ctx, nowhere, "target %s: LLVM has no machine for it", triple);
    return *out != NULL;
}

static bool optimize(rlxc_llvm *g, LLVMTargetMachineRef machine)
{
    static const char *const pipelines[] = {"default<O0>", "default<O1>", "default<O2>",
                                            "default<O3>"};
    int level = g->options->opt_level;
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, level >= 2);
    LLVMPassBuilderOptionsSetLoopInterleaving(options, level >= 2);
    LLVMPassBuilderOptionsSetSLPVectorization(options, level >= 2);
    LLVMPassBuilderOptionsSetLoopUnrolling(options, level >= 1);
    LLVMErrorRef error = LLVMRunPasses(g->module,
                                       pipelines[level < 0   ? 0
                                                 : level > 3 ? 3
                                                             : level],
                                       machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return true;
    char *message = LLVMGetErrorMessage(error);
    rlxc_internal(g->ctx, nowhere, "codegen", "LLVM's passes: %s", message);
    LLVMDisposeErrorMessage(message);
    return false;
}

static bool verify(rlxc_llvm *g)
{
    char *message = NULL;
    bool bad = LLVMVerifyModule(g->module, LLVMReturnStatusAction, &message) != 0;
    if (bad)
        rlxc_internal(g->ctx, nowhere, "codegen", "LLVM rejects the code: %.300s", message);
    LLVMDisposeMessage(message);
    return !bad;
}

/* Copies into the arena; text gets a NUL after its end. */
static bool keep(rlxc_llvm *g, const char *data, size_t size, rlxc_native *out)
{
    char *copy = rlxc_try_alloc(g->ctx, size + 1, 1);
    if (!copy)
        return false;
    memcpy(copy, data, size);
    out->data = copy;
    out->size = size;
    return true;
}

static bool write_form(rlxc_llvm *g, LLVMTargetMachineRef machine, rlxc_native_form form,
                       rlxc_native *out)
{
    if (form == RLXC_NATIVE_LLVM) {
        char *text = LLVMPrintModuleToString(g->module);
        bool fine = keep(g, text, strlen(text), out);
        LLVMDisposeMessage(text);
        return fine;
    }
    char *message = NULL;
    LLVMMemoryBufferRef buffer = NULL;
    LLVMCodeGenFileType type = form == RLXC_NATIVE_ASM ? LLVMAssemblyFile : LLVMObjectFile;
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, g->module, type, &message, &buffer)) {
        rlxc_internal(g->ctx, nowhere, "codegen", "LLVM cannot emit code: %s", message);
        LLVMDisposeMessage(message);
        return false;
    }
    const char *data = LLVMGetBufferStart(buffer);
    size_t size = LLVMGetBufferSize(buffer);
    bool fine;
    if (form == RLXC_NATIVE_SHARED)
        fine = rlxc_link_shared(g->ctx, g->options, data, size, &out->data, &out->size);
    else
        fine = keep(g, data, size, out);
    LLVMDisposeMemoryBuffer(buffer);
    return fine;
}

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

static bool compile(rlxc_llvm *g, const rlxc_module *module, LLVMTargetMachineRef machine,
                    rlxc_native_form form, rlxc_native *out)
{
    char *triple = LLVMGetTargetMachineTriple(machine);
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    LLVMSetTarget(g->module, triple);
    LLVMSetModuleDataLayout(g->module, layout);
    LLVMDisposeTargetData(layout);
    out->triple = rlxc_intern_cstr(g->ctx, triple);
    LLVMDisposeMessage(triple);
    out->features = rlxc_target_required_features(g->ctx, g->options);
    for (uint32_t i = 0; i < module->globals.count; i++) {
        const rlxc_prim_func *f = module->globals.items[i]->prim;
        if (f)
            rlxc_llvm_function(g, f);
        if (rlxc_failed(g->ctx))
            return false;
    }
    return verify(g) && optimize(g, machine) && write_form(g, machine, form, out);
}

bool rlxc_compile_native(rlxc_context *ctx, const rlxc_module *module, const rlxc_options *options,
                         rlxc_native_form form, rlxc_native *out)
{
    rlxc_llvm g = {.ctx = ctx, .options = options};
    LLVMTargetMachineRef machine = NULL;
    *out = (rlxc_native){0};
    if (!open_target(&g, &machine))
        return false;
    g.lc = LLVMContextCreate();
    g.module = LLVMModuleCreateWithNameInContext("rlx", g.lc);
    g.b = LLVMCreateBuilderInContext(g.lc);
    g.has_f16c = rlxc_target_has_feature(options, "f16c");
    common_types(&g);
    bool fine = compile(&g, module, machine, form, out);
    LLVMDisposeBuilder(g.b);
    LLVMDisposeModule(g.module);
    LLVMContextDispose(g.lc);
    LLVMDisposeTargetMachine(machine);
    return fine && !rlxc_failed(ctx);
}
