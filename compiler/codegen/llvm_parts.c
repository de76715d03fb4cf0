/* Modules of LLVM -> machine code, on several threads: a module with its context, a "part", is
 * optimised and emitted by one thread.
 *
 * A part's result depends on the part and the options alone, so the results do not depend on the
 * number of threads or on their timing. Threads touch LLVM and their part, never the compiler's
 * context: it is not thread-safe, and diagnostics come in the order of the parts. The largest part
 * is started first (the longest-processing-time rule: Graham, Bounds on Multiprocessing Timing
 * Anomalies, 1969). The caller works like the threads, and alone if no thread can be started. */
#include "compiler/codegen/child.h"
#include "compiler/codegen/llvm.h"
#include "compiler/target/target.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/Support.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STACK = 16 << 20
}; /* stack of a thread: LLVM recurses over expressions; only touched pages
    * cost memory */

static const rlxc_range nowhere;

typedef struct work {
    const rlxc_options *options;
    LLVMTargetRef target;
    rlxc_native_form form;
    rlxc_llvm_part **order; /* the largest first */
    uint32_t n;
    atomic_uint next;
} work;

/* Only the first problem of a part is kept. */
static void note(rlxc_llvm_part *part, const char *what, const char *message)
{
    if (part->problem[0] == '\0')
        snprintf(part->problem, sizeof part->problem, "%s: %s", what, message ? message : "");
}

/* Takes LLVM's diagnostics; without this handler it would print errors and end the process. */
static void on_diagnostic(LLVMDiagnosticInfoRef info, void *user)
{
    if (LLVMGetDiagInfoSeverity(info) != LLVMDSError)
        return;
    char *message = LLVMGetDiagInfoDescription(info);
    note(user, "LLVM", message);
    LLVMDisposeMessage(message);
}

static bool verify(rlxc_llvm_part *part)
{
    char *message = NULL;
    bool bad = LLVMVerifyModule(part->module, LLVMReturnStatusAction, &message) != 0;
    if (bad)
        note(part, "LLVM rejects the code", message);
    LLVMDisposeMessage(message);
    return !bad;
}

/* The work left for LLVM's passes at each level is known, because code generation emits all of
 * their input. Kernels call little and nothing is left to inline, so passes over the call graph
 * find nothing; tiles are vectors already, and arrays of accumulators go to registers at once.
 * LLVM's own lists for levels 2 and 3 take half as long again. Of the kernels of `make bench` one
 * is faster with the list of level 3 (GridSample, 5 %), and AveragePool 3x3 with stride 2 takes 2.1
 * times as long. gvn in place of the second early-cse, loop-load-elim and a third licm took 7 %
 * more and saved 0.2 % of the instructions. indvars took 7 to 12 % of the time: loops count from 0
 * in 64 bits as they come, and only a pooling of 9x21 pixels is slower without it.
 *
 * Level 1 is for short compile times: temporaries go to registers, and loop-invariant code is
 * hoisted.
 *
 * After each instcombine, some operations on 16-bit floats become those on floats again, before a
 * pass decides by what they cost. */
static bool optimize(rlxc_llvm_part *part, int level, LLVMTargetMachineRef machine)
{
    enum { MOST = 3 };
    static const char *const none[MOST] = {"default<O0>"};
    static const char *const few[MOST] = {
        "function(simplifycfg,sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
        "loop-mssa(loop-rotate<header-duplication>,licm),early-cse,simplifycfg)"};
    static const char *const all[MOST] = {
        "function(simplifycfg,sroa,early-cse<memssa>,simplifycfg,"
        "loop-mssa(loop-instsimplify,loop-rotate,licm,simple-loop-unswitch),"
        "instcombine<no-verify-fixpoint>,"
        "loop(loop-idiom,loop-deletion,loop-unroll-full),sroa,early-cse<memssa>,dse,"
        "loop-mssa(licm),simplifycfg)",
        "function(loop-vectorize,instcombine<no-verify-fixpoint>)",
        "function(slp-vectorizer,vector-combine,loop-unroll,early-cse,div-rem-pairs,simplifycfg)"};
    const char *const *passes = level < 1 ? none : level == 1 ? few : all;
    LLVMErrorRef error = NULL;
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMPassBuilderOptionsSetLoopVectorization(options, level >= 2);
    LLVMPassBuilderOptionsSetLoopInterleaving(options, level >= 2);
    LLVMPassBuilderOptionsSetSLPVectorization(options, level >= 2);
    LLVMPassBuilderOptionsSetLoopUnrolling(options, level >= 1);
    for (uint32_t i = 0; i < MOST && passes[i] && !error; i++) {
        error = LLVMRunPasses(part->module, passes[i], machine, options);
        if (!error)
            rlxc_llvm_widen_halves(part->module, part->lc);
    }
    LLVMDisposePassBuilderOptions(options);
    if (!error)
        return true;
    char *message = LLVMGetErrorMessage(error);
    note(part, "LLVM's passes", message);
    LLVMDisposeErrorMessage(message);
    return false;
}

static void emit(rlxc_llvm_part *part, LLVMTargetMachineRef machine, rlxc_native_form form)
{
    char *message = NULL;
    if (form == RLXC_NATIVE_LLVM) {
        message = LLVMPrintModuleToString(part->module);
        part->out = LLVMCreateMemoryBufferWithMemoryRangeCopy(message, strlen(message), "llvm");
    } else {
        LLVMCodeGenFileType type = form == RLXC_NATIVE_ASM ? LLVMAssemblyFile : LLVMObjectFile;
        if (LLVMTargetMachineEmitToMemoryBuffer(machine, part->module, type, &message, &part->out))
            note(part, "LLVM cannot emit code", message);
    }
    LLVMDisposeMessage(message);
}

static LLVMTargetMachineRef open_machine(const rlxc_options *o, LLVMTargetRef target)
{
    LLVMCodeGenOptLevel level = o->opt_level <= 1   ? LLVMCodeGenLevelNone
                                : o->opt_level == 2 ? LLVMCodeGenLevelDefault
                                                    : LLVMCodeGenLevelAggressive;
    return LLVMCreateTargetMachine(target, o->target->triple, o->target->level, o->target->features,
                                   level, LLVMRelocPIC, LLVMCodeModelDefault);
}

static void drop_module(rlxc_llvm_part *part)
{
    if (part->module)
        LLVMDisposeModule(part->module);
    if (part->lc)
        LLVMContextDispose(part->lc);
    part->module = NULL;
    part->lc = NULL;
}

/* Compiles parts that no other thread has started, until none is left. While there is more to do,
 * modules are freed at once, because they take most of the memory. The last ones are left to the
 * end of the process. */
static void *run(void *user)
{
    work *w = user;
    rlxc_child_does("generating code", NULL, NULL);
    LLVMTargetMachineRef machine = open_machine(w->options, w->target);
    for (uint32_t i; (i = atomic_fetch_add_explicit(&w->next, 1, memory_order_relaxed)) < w->n;) {
        rlxc_llvm_part *part = w->order[i];
        LLVMContextSetDiagnosticHandler(part->lc, on_diagnostic, part);
        rlxc_child_does("optimizing", part->first, part->last);
        if (!machine) {
            note(part, "LLVM", "no machine for this target");
        } else if (verify(part) && optimize(part, w->options->opt_level, machine)) {
            rlxc_child_does("emitting", part->first, part->last);
            if (w->options->opt_level > 1) {
                rlxc_llvm_hide_streams(part->module, part->lc);
                rlxc_llvm_hide_sums(part->module, part->lc);
            }
            emit(part, machine, w->form);
        }
        if (atomic_load_explicit(&w->next, memory_order_relaxed) < w->n)
            drop_module(part);
    }
    if (machine)
        LLVMDisposeTargetMachine(machine);
    return NULL;
}

static void run_on_threads(work *w, pthread_t *threads, uint32_t n)
{
    pthread_attr_t attributes;
    sigset_t all;
    uint32_t started = 0;
    sigfillset(&all); /* signals are for the caller's thread: rlx/file.h says why */
    if (n > 0 && pthread_attr_init(&attributes) == 0) {
        if (pthread_attr_setstacksize(&attributes, STACK) == 0 &&
            pthread_attr_setsigmask_np(&attributes, &all) == 0)
            while (started < n && pthread_create(&threads[started], &attributes, run, w) == 0)
                started++;
        pthread_attr_destroy(&attributes);
    }
    run(w);
    for (uint32_t i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
}

static int larger_first(const void *a, const void *b)
{
    const rlxc_llvm_part *x = *(rlxc_llvm_part *const *)a, *y = *(rlxc_llvm_part *const *)b;
    return x->size != y->size ? (x->size < y->size) - (x->size > y->size) : (x > y) - (x < y);
}

/* --- interface -------------------------------------------------- */

static bool find_target(rlxc_context *ctx, const rlxc_options *options, LLVMTargetRef *out)
{
    const char *triple = options->target->triple;
    char *message = NULL;
    rlxc_target_register();
    if (!LLVMGetTargetFromTriple(triple, out, &message))
        return true;
    rlxc_error(ctx, nowhere, "target %s: %s", triple, message ? message : "unknown");
    LLVMDisposeMessage(message);
    return false;
}

bool rlxc_llvm_describe(rlxc_context *ctx, const rlxc_options *options, const char **triple,
                        const char **layout)
{
    LLVMTargetRef target = NULL;
    if (!find_target(ctx, options, &target))
        return false;
    LLVMTargetMachineRef machine = open_machine(options, target);
    if (!machine) {
        rlxc_error(ctx, nowhere, "LLVM does not support target %s", options->target->triple);
        return false;
    }
    LLVMTargetDataRef data = LLVMCreateTargetDataLayout(machine);
    char *text = LLVMCopyStringRepOfTargetData(data);
    *layout = rlxc_intern_cstr(ctx, text);
    LLVMDisposeMessage(text);
    LLVMDisposeTargetData(data);
    text = LLVMGetTargetMachineTriple(machine);
    *triple = rlxc_intern_cstr(ctx, text);
    LLVMDisposeMessage(text);
    LLVMDisposeTargetMachine(machine);
    return true;
}

/* LLVM's options are global to the process, which is a child process (child.h). Rows that are no
 * whole number of vectors, of eight lanes or more, end with a vector of half the lanes: LLVM's own
 * limit is 16, and eight columns one by one took as long as the other 32 of 40. */
static void set_options(void)
{
    static const char *const words[] = {"rlxc", "-epilogue-vectorization-minimum-VF=8"};
    LLVMParseCommandLineOptions(2, words, NULL);
}

/* Level 1 selects instructions fast and schedules nothing, but allocates registers as level 2 does:
 * LLVM's fast allocator spills the sums of a tile in every step, and kernels take three to seven
 * times as long. */
static void set_options_of_level_1(void)
{
    static const char *const words[] = {"rlxc", "-optimize-regalloc", "-regalloc=greedy",
                                        "-enable-misched=false"};
    LLVMParseCommandLineOptions(sizeof words / sizeof *words, words, NULL);
}

bool rlxc_llvm_emit_parts(rlxc_context *ctx, const rlxc_options *options, rlxc_native_form form,
                          rlxc_llvm_part *parts, uint32_t n)
{
    work w = {.options = options, .form = form, .n = n};
    uint32_t jobs = options->jobs < n ? options->jobs : n, helpers = jobs > 1 ? jobs - 1 : 0;
    pthread_t *threads = rlxc_try_alloc(ctx, helpers, sizeof *threads);
    w.order = rlxc_try_alloc(ctx, n, sizeof(rlxc_llvm_part *));
    if (!threads || !w.order || !find_target(ctx, options, &w.target))
        return false;
    for (uint32_t i = 0; i < n; i++)
        w.order[i] = &parts[i];
    static pthread_once_t once = PTHREAD_ONCE_INIT, once_at_level_1 = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_options);
    if (options->opt_level == 1)
        pthread_once(&once_at_level_1, set_options_of_level_1);
    qsort(w.order, n, sizeof(rlxc_llvm_part *), larger_first);
    run_on_threads(&w, threads, helpers);
    bool fine = true;
    for (uint32_t i = 0; i < n; i++) {
        if (parts[i].problem[0] == '\0')
            continue;
        rlxc_internal(ctx, nowhere, "codegen", "%s", parts[i].problem);
        fine = false;
    }
    return fine;
}

void rlxc_llvm_drop_parts(rlxc_llvm_part *parts, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (parts[i].out)
            LLVMDisposeMemoryBuffer(parts[i].out);
        drop_module(&parts[i]);
        parts[i] = (rlxc_llvm_part){0};
    }
}
