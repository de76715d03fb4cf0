/* The compiler as a library (librlxc): text or ONNX in; executables, files or text out.

   A compiler owns everything made with it: modules, functions, types, texts. All of it stays valid
   until rlx_compiler_destroy, and none of it is freed before. Executables are independent of it.
   rlx/ir.h inspects, changes and builds modules.

   Errors in a model are a list of diagnostics with source locations (rlx_compiler_diagnostic); the
   rlx_error of the failed call has the first one. After an error the compiler can still be used for
   other modules; after NOMEM only rlx_compiler_destroy is valid.

   Threads: a compiler and what it owns belong to one thread at a time; several compilers may work
   in several threads at once. Code generation runs in child processes (fork), so a fault in LLVM
   does not end the host. The host's allocator must therefore be usable after fork while other
   threads allocate: those of glibc and mimalloc are, AddressSanitizer's in GCC 12 is not (the child
   may wait forever). Nothing here prints. Only what looks at this machine reads environment
   variables: RLX_CPU_FEATURES (rlx/cpu.h) and the names of drivers' libraries (docs/devices.md).

   Structs of options begin with their size in bytes, so that later versions can add fields: use
   their init functions, or set |size| and zero the rest. A size below that of the struct's first
   version is an error, as are fields past this library's version that are not zero
   (INVALID_ARG). */
#ifndef RLX_COMPILER_H
#define RLX_COMPILER_H

#include <rlx/executable.h>
#include <rlx/ir.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- the compiler ---------------------------------------------------------------------------- */

typedef struct rlx_compiler_options {
    size_t size;                    /* of this struct */
    const rlx_allocator *allocator; /* NULL: the default; must outlive the compiler */
    bool strict_weights;            /* unmatched weights and parameters are errors */
    /* Bound weights, and initializers of ONNX models, leave the executable: rlx_ir_module_emit_file
     * writes them to PATH.safetensors, and other weights of the same types can take their place
     * (docs/weights.md). Other ways of emitting keep them in the executable, unless
     * rlx_compile_options.lifted_path says where they go. */
    bool lift_params;
} rlx_compiler_options;

/* |options| may be NULL. Errors: INVALID_ARG, NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_compiler_create(const rlx_compiler_options *options,
                                                     rlx_compiler **out, rlx_error *err);
/* Frees all modules and texts of |c|, and drops its tensors and mapped files. NULL is ignored. */
RLX_API void rlx_compiler_destroy(rlx_compiler *c);

/* --- diagnostics ----------------------------------------------------------------------------- */

typedef enum rlx_severity {
    RLX_SEVERITY_ERROR,
    RLX_SEVERITY_WARNING,
    RLX_SEVERITY_NOTE, /* belongs to the error or warning before it */
} rlx_severity;

typedef struct rlx_diagnostic {
    rlx_severity severity;
    const char *file;              /* as given when it was read; "" if unknown */
    uint32_t line, column;         /* from 1, in bytes; 0: unknown */
    uint32_t end_line, end_column; /* exclusive */
    const char *label;             /* node of an ONNX model, "node 'a' (Add)"; NULL: none */
    const char *message;
} rlx_diagnostic;

/* Diagnostics since creation or the last clear, in the order they were made. At most 20 errors of
   one call are kept. */
RLX_API uint32_t rlx_compiler_diagnostic_count(const rlx_compiler *c);
/* False past the end. */
RLX_API bool rlx_compiler_diagnostic(const rlx_compiler *c, uint32_t i, rlx_diagnostic *out);
/* All diagnostics as text with source lines and carets, and a line if memory ran out. Empty if
 * there are none; never NULL. */
RLX_API const char *rlx_compiler_diagnostics_text(rlx_compiler *c);
RLX_API void rlx_compiler_clear_diagnostics(rlx_compiler *c);
/* Adds a diagnostic without a place; for passes and programs. An error makes the call that runs the
   pass fail. Errors: INVALID_ARG, NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_compiler_report(rlx_compiler *c, rlx_severity severity,
                                                     const char *message, rlx_error *err);

/* --- modules --------------------------------------------------------------------------------- */

/* Parses TVMScript. |path| names the text in messages. Copies both. Errors: INVALID_ARG,
   INVALID_MODULE, NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_compiler_parse(rlx_compiler *c, const char *path,
                                                    const char *text, size_t length,
                                                    rlx_ir_module **out, rlx_error *err);
/* Imports an ONNX model. The bytes are not copied: they must stay unchanged until the compiler is
   destroyed. External data is read from the folder of |path|. Errors: INVALID_ARG, INVALID_MODULE,
   NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_compiler_import_onnx(rlx_compiler *c, const char *path,
                                                          const void *bytes, size_t size,
                                                          rlx_ir_module **out, rlx_error *err);
/* Reads a file: ONNX if its name ends in ".onnx", else TVMScript. An ONNX file is mapped and must
 * not be truncated before the compiler is destroyed. Errors: IO, INVALID_ARG, INVALID_MODULE,
   NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_compiler_read(rlx_compiler *c, const char *path,
                                                   rlx_ir_module **out, rlx_error *err);
/* A module without functions, to be filled by rlx_ir_builder. Errors: INVALID_ARG, NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_compiler_new_module(rlx_compiler *c, rlx_ir_module **out,
                                                         rlx_error *err);
RLX_API rlx_compiler *rlx_ir_module_compiler(const rlx_ir_module *m);

/* Makes parameters constants: in every exported function that the module does not call, each
   parameter with the name of a tensor becomes that tensor. The function attribute num_input = k
   keeps the first k parameters as inputs. A later parameter without a tensor, and a tensor without
   a parameter, is a warning, or with strict_weights an error. The file (safetensors) is mapped
   until the compiler is destroyed. After an error the module cannot be used further. Errors:
   INVALID_ARG, INVALID_MODULE (also a file that cannot be read), NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_module_bind_file(rlx_ir_module *m, const char *path,
                                                         rlx_error *err);
/* As above with tensors in memory, which are retained until the compiler is destroyed and must not
 * change; rlx_tensor_from_dlpack (rlx/value.h) wraps any DLPack tensor without a copy. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_module_bind_tensors(rlx_ir_module *m,
                                                            const rlx_named_tensor *tensors,
                                                            uint32_t n, rlx_error *err);

/* Schedules the PrimFuncs that the text names with its steps instead of those that the rules
   choose. The text is Python or TVM's trace JSON (docs/schedules.md). Call this before the module
   is lowered; a second call replaces the steps of the first. The text is copied. Errors:
   INVALID_ARG, INVALID_MODULE, NOMEM; of a file also IO. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_module_set_schedule(rlx_ir_module *m, const char *path,
                                                            const char *text, size_t length,
                                                            rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_ir_module_read_schedule(rlx_ir_module *m, const char *path,
                                                             rlx_error *err);

/* The module as TVMScript that parses to an equal module. The text of a module without functions
   does not parse. NULL for NULL and when memory runs out. */
RLX_API const char *rlx_ir_module_print(rlx_ir_module *m);
/* Its PrimFuncs alone. */
RLX_API const char *rlx_ir_module_print_prims(rlx_ir_module *m);
/* Errors: INVALID_MODULE with a diagnostic for each violation of the IR's invariants. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_module_check(rlx_ir_module *m, rlx_error *err);
/* Errors: INVALID_ARG if |path| is a file that the compiler has mapped, so that writing to it would
   destroy an input. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_module_check_output(const rlx_ir_module *m,
                                                            const char *path, rlx_error *err);

/* --- passes ---------------------------------------------------------------------------------- */

enum { RLX_PASS_ON_REQUEST = 4 }; /* rlx_pass_info.opt_level */

typedef struct rlx_pass_info {
    const char *name, *doc;
    int opt_level; /* the lowest -O at which it runs; RLX_PASS_ON_REQUEST: only if options name
                    * it */
    bool added;    /* by rlx_compiler_add_pass */
} rlx_pass_info;

/* The pipeline in order, with the passes added to |c|. NULL: the built-in ones. */
RLX_API uint32_t rlx_compiler_pass_count(const rlx_compiler *c);
RLX_API bool rlx_compiler_pass(const rlx_compiler *c, uint32_t i, rlx_pass_info *out);

typedef struct rlx_pass_desc {
    size_t size; /* of this struct */
    const char *name, *doc;
    const char *before, *after; /* the pass before or after which it runs; exactly one is given */
    /* Inspects or changes the module through rlx/ir.h; the module is then checked to be well
       formed. On failure it fills |err| and returns the code; the compilation fails, and the module
       cannot be used further. It must not compile |m| or run passes on it. */
    rlx_status (*run)(void *user, rlx_ir_module *m, rlx_error *err);
    void *user;
} rlx_pass_desc;
/* Adds a pass to the pipeline of every later compilation of |c|. It runs at every -O, even if the
 * pass it is attached to does not. Passes added at one place run in the order they were added.
 * Texts
   are copied. After pass `legalize` a pass may not add operators that legalize lowers. Errors:
   INVALID_ARG (names, the struct), NOT_FOUND (no such pass to attach to), LIMIT (64), NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_compiler_add_pass(rlx_compiler *c, const rlx_pass_desc *pass,
                                                       rlx_error *err);

/* --- targets --------------------------------------------------------------------------------- */

/* Gives a target a name that rlx_compile_options.target can then use. |text| is a triple, or TVM's
 * text such as "llvm -mcpu=x86-64-v3". Copies both. Errors: INVALID_ARG
   (a name that is taken, a target that is unknown), LIMIT (64), NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_compiler_add_target(rlx_compiler *c, const char *name,
                                                         const char *text, rlx_error *err);

/* --- code generators ------------------------------------------------------------------------- */

typedef struct rlx_fusion_desc {
    size_t size;         /* of this struct */
    const char *name;    /* the generator, a dot, the pattern: "dnnl.conv2d_relu" */
    const char *pattern; /* docs/patterns.md */
    bool lift_constants; /* constants become operands of the function instead of staying in it */
    /* Returns false to reject a match; may be NULL. */
    bool (*check)(void *user, rlx_ir_module *m, const rlx_ir_match *match);
    void *user;
    bool alone;  /* the function is not merged with its neighbours of the same generator */
    bool shared; /* values inside the match may be used outside: the function returns a tuple of
                  * them and its last value, in evaluation order */
} rlx_fusion_desc;
/* In every later compilation of |c|, each match becomes a function with the attribute Composite =
   |name| (pass fuse_ops_by_pattern). Fusions are tried in the order they were added. Texts are
   copied. Errors: INVALID_ARG (the struct, a malformed pattern), LIMIT (256), NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_compiler_add_fusion(rlx_compiler *c,
                                                         const rlx_fusion_desc *fusion,
                                                         rlx_error *err);
typedef struct rlx_ir_section rlx_ir_section; /* being written */
typedef struct rlx_ir_taken {                 /* a function that leaves the module */
    const char *symbol; /* what the runtime calls: attribute global_symbol, or its name */
    const rlx_ir_function *function; /* one of the two */
    const rlx_ir_prim *prim;
} rlx_ir_taken;
typedef struct rlx_generator_desc {
    size_t size;      /* of this struct */
    const char *name; /* "dnnl" */
    /* Called once for a module that has functions or PrimFuncs marked Codegen = |name|; fails as a
       pass does. It may change the module; functions that it unmarks are compiled as usual. The
       others leave the module: their calls become call_dps_packed of a registered runtime function,
       named by the attribute global_symbol, else like the function. NULL: all marked functions
       leave. */
    rlx_status (*run)(void *user, rlx_ir_module *m, rlx_error *err);
    void *user;
    /* Called after |run| with the functions that stayed marked, if there are any. Writes their code
       with rlx_ir_section_write as one section of the file. The runtime's loader for sections of
       kind |name| (rlx_registry_add_section) must then provide functions with these symbols. They
       receive the operands, for a PrimFunc with tir_vars a shape of those, and the tensors for the
       results. Equal modules must give equal bytes. NULL: the host registers the functions
       itself. */
    rlx_status (*emit)(void *user, rlx_ir_module *m, const rlx_ir_taken *functions, uint32_t n,
                       rlx_ir_section *out, rlx_error *err);
    const char *format; /* of the section's bytes, informative; NULL: |name| */
} rlx_generator_desc;
/* Appends bytes. Errors: INVALID_ARG, NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_section_write(rlx_ir_section *s, const void *data,
                                                      size_t size, rlx_error *err);
/* A marked function without a generator of that name is an error (docs/generators.md). The name is
   copied. Errors: INVALID_ARG (the struct, a name that is taken), LIMIT (16), NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_compiler_add_generator(rlx_compiler *c,
                                                            const rlx_generator_desc *generator,
                                                            rlx_error *err);
/* Name and description of built-in generator |i|. If rlx_compile_options.codegens names it, a
   library on the machine that runs the file computes the calls that match its patterns. False past
   the end. */
RLX_API bool rlx_compiler_codegen(uint32_t i, const char **out_name, const char **out_doc);
/* Removes the attributes Codegen and Composite. Errors: INVALID_ARG, NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_function_unmark(rlx_ir_module *m, rlx_ir_function *f,
                                                        rlx_error *err);

/* A plugin is a shared library with a function rlx_plugin_compiler, which adds passes, targets,
 * fusions and generators to |c|. It is not linked with this library; it finds the library's
 * functions in the program. It stays loaded until the process ends. |path| is passed to dlopen.
 * Errors: INVALID_ARG, NOT_FOUND (no such library, or it lacks the function), those of the
 * function. */
typedef rlx_status rlx_plugin_compiler_fn(rlx_compiler *c, rlx_error *err);
RLX_NODISCARD RLX_API rlx_status rlx_compiler_load_plugin(rlx_compiler *c, const char *path,
                                                          rlx_error *err);

/* --- compiling ------------------------------------------------------------------------------- */

typedef struct rlx_dim_bound { /* range of a symbolic dimension */
    const char *name;
    int64_t min, max; /* 0 <= min <= max */
} rlx_dim_bound;

enum { RLX_ALL_ROWS = 255 }; /* rlx_compile_options.rounded_rows */

typedef struct rlx_compile_options {
    size_t size;          /* of this struct */
    const char *target;   /* triple, TVM's text, or a name of rlx_compiler_add_target; NULL: this
                             machine */
    const char *cpu;      /* "native", "x86-64-v3", "znver4" ...; NULL: as the target says */
    int opt_level;        /* 0 to 3 */
    uint32_t jobs;        /* threads that generate code, at most 256; 0: one per CPU */
    bool check;           /* check after every pass that the module is well formed and that its text
                           * parses to an equal module */
    bool lenient;         /* omit the run-time checks of values (docs/values.md) */
    bool explain;         /* record which rule took each block (rlx_ir_module_explanation) */
    bool no_winograd;     /* compile 3x3 convolutions without minimal filtering and its extra
                           * rounding */
    uint8_t row_bits;     /* activation precision of one row times 4- or 8-bit weights: 8, 12, 16 or
                           * 24 bits, or 32: not rounded. 0: the module's attribute "rlx.row_bits",
                           * which applies to all rows; without it, 16 */
    uint8_t rounded_rows; /* round products of up to this many rows like that, which is faster than
                           * converting the weights to floats: at most 32, or RLX_ALL_ROWS; 0: 1 */
    rlx_dtype mixed;      /* RLX_F16 or RLX_BF16: products and convolutions round their operands to
                           * this type; bits 0: no rounding */
    const rlx_dim_bound *bounds; /* at most 32 */
    uint32_t n_bounds;
    const char *const *passes; /* passes on request, at most 8 */
    uint32_t n_passes;
    const char *const *links; /* objects, archives or libraries with functions of T.call_extern, at
                                 most 16 */
    uint32_t n_links;
    /* Called after each pass of the pipeline with its duration; it may print and inspect |m|. If it
     * returns false, the compiling call returns CANCELLED and the module stays as the pass left it.
     * May be NULL. */
    bool (*after_pass)(void *user, rlx_ir_module *m, const rlx_pass_info *pass, double seconds);
    void *user;
    const char *database;       /* tuned schedules (rlx_ir_module_tune); entries of another machine,
                                 * version or target are ignored with a warning that says how
                                 * many */
    bool no_compression;        /* do not compress code and tables in files: for runtimes built
                                 * without zstd */
    const char *default_device; /* "opencl:0": the device of tensors to which the module assigns
                                 * none: a name in its table of virtual devices, or a kind and a
                                 * number; NULL: the CPU */
    bool device_binaries;       /* build the device kernels now, with this machine's drivers; files
                                 * keep the portable form as well, for other machines */
    const char *device_target;  /* "opencl -device=cpu -vector-width=512": the target of
                                 * |default_device| if that is a kind and a number; NULL: only its
                                 * kind is known */
    bool allow_tf32;            /* tensor cores of CUDA devices may multiply float32: they round
                                 * the factors to 10 bits of the mantissa (docs/devices.md) */
    const char *memory_layout;  /* how planned memory with constant sizes is laid out:
                                 * "hill_climb,steps=N" (docs/memory.md); NULL: auto */
    const char *const *codegens; /* built-in code generators (rlx_compiler_codegen), at most 8 */
    uint32_t n_codegens;
    const char *const *pools; /* "name=sram,size=256K": a memory pool for planned memory or, with
                               * "kind=constants", for constants, in order of preference
                               * (docs/memory.md); at most 16 */
    uint32_t n_pools;
    bool weights_apart;      /* RLX_EMIT_C to a file NAME.c writes the weights to NAME.weights; the
                              * functions take their bytes as a parameter (docs/c.md) */
    const char *lifted_path; /* the file for lifted weights (rlx_compiler_options.lift_params), also
                              * of executables in memory; rlx_ir_module_load maps it unless its load
                              * options name other weights. NULL: beside the executable's file;
                              * weights of an executable in memory stay in it */
} rlx_compile_options;

/* -O2 for this machine. */
static inline void rlx_compile_options_init(rlx_compile_options *o)
{
    memset(o, 0, sizeof *o);
    o->size = sizeof *o;
    o->opt_level = 2;
}

typedef enum rlx_emit_form {
    RLX_EMIT_EXECUTABLE, /* a .rlx file */
    RLX_EMIT_RELAX,      /* the module as TVMScript, as it is now */
    RLX_EMIT_TIR,        /* the PrimFuncs after all passes, as TVMScript */
    RLX_EMIT_LLVM,       /* LLVM's text */
    RLX_EMIT_ASSEMBLY,   /* of the target */
    RLX_EMIT_OBJECT,     /* an ELF object file */
    RLX_EMIT_BYTECODE,   /* rlx's assembly text, without the constants' data */
    RLX_EMIT_SCHEDULE,   /* the steps that the rules chose, as text; this call must be the one that
                          * lowers the module */
    RLX_EMIT_OPENCL,     /* the OpenCL C of the kernels for OpenCL devices */
    RLX_EMIT_PTX,        /* the PTX of the kernels for CUDA devices: for each architecture, after a
                            line "// image FORMAT" */
    RLX_EMIT_C,          /* the module as C99 for any machine (docs/c.md); |target|, |cpu| and
                          * |opt_level| have no effect. A file NAME.c gets NAME.h beside it; in
                          * memory, both are one text */
} rlx_emit_form;

/* In the calls below |options| may be NULL: the defaults of rlx_compile_options_init. The first
 * call that runs the pipeline on a module lowers it in place; later calls generate code from the
 * lowered form with the options of the first. Errors of all: INVALID_ARG, INVALID_MODULE (also a
 * module that an earlier failure left unfinished), CANCELLED, NOMEM. */

/* Runs the whole pipeline. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_module_lower(rlx_ir_module *m,
                                                     const rlx_compile_options *options,
                                                     rlx_error *err);
/* The scheduling rule that took each block of the PrimFuncs, and why the others did not, as text.
 * Empty unless the module was lowered with the option explain; never NULL. */
RLX_API const char *rlx_ir_module_explanation(const rlx_ir_module *m);
/* Runs passes by name, one after the other; the pipeline can still run afterwards. Errors:
   INVALID_ARG (no earlier pass provides what a pass needs), NOT_FOUND (an unknown pass). */
RLX_NODISCARD RLX_API rlx_status rlx_ir_module_run_passes(rlx_ir_module *m,
                                                          const char *const *names, uint32_t n,
                                                          const rlx_compile_options *options,
                                                          rlx_error *err);
/* Compiles into memory of the compiler's allocator; free it with rlx_free(allocator, data, size,
   64). Text is not NUL-terminated. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_module_emit(rlx_ir_module *m,
                                                    const rlx_compile_options *options,
                                                    rlx_emit_form form, void **out_data,
                                                    size_t *out_size, rlx_error *err);
/* Compiles into a file, which is created or replaced once it is complete. Also: IO. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_module_emit_file(rlx_ir_module *m,
                                                         const rlx_compile_options *options,
                                                         rlx_emit_form form, const char *path,
                                                         rlx_error *err);
/* Compiles one model for several CPU levels into one file: |modules| are of one compiler and hold
   the same model, read once for each, and modules[i] is compiled for cpus[i] instead of
   options->cpu, in any order. Loading takes the best that the machine can run (rlx/executable.h).
   Constants that are equal at several levels are stored once. At most RLX_MAX_LEVELS. Also:
   IO, LIMIT. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_modules_emit_levels(rlx_ir_module *const *modules,
                                                            const char *const *cpus, uint32_t n,
                                                            const rlx_compile_options *options,
                                                            const char *path, rlx_error *err);
/* Compiles and loads in this process, without a file. |load| may be NULL; its trust_native is taken
   as true. Needs options of this machine's target. The executable outlives the compiler. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_module_load(rlx_ir_module *m,
                                                    const rlx_compile_options *options,
                                                    const rlx_load_options *load,
                                                    rlx_executable **out, rlx_error *err);

/* --- tuning ---------------------------------------------------------------------------------- */

typedef struct rlx_tune_options {
    size_t size;          /* of this struct */
    double seconds;       /* for all functions together; above 0 */
    const char *database; /* results are appended to this file (docs/schedules.md); or NULL */
    const char *csv;      /* a table of all times is written to this file; or NULL */
    /* Called with a line of text for each function that was tuned; or NULL. */
    void (*line)(void *user, const char *text);
    void *user;
} rlx_tune_options;

/* Lowers the module and measures alternatives to the schedules that the rules chose. Each PrimFunc
   is measured alone, in this process, with random inputs; symbolic dimensions have the largest
   value of their bound, or 128. A schedule that takes 3 % less time in alternating runs, and no
   more time at small values of symbolic dimensions, is appended to the database at once. Functions
   whose alternatives have all been tried, according to the database, are not measured again.
   Functions that cannot run alone are named in a warning. Needs options of this machine's target;
   options->database is not used. Errors: INVALID_ARG (also a module that is lowered),
   INVALID_MODULE, IO, NOMEM. */
RLX_NODISCARD RLX_API rlx_status rlx_ir_module_tune(rlx_ir_module *m,
                                                    const rlx_compile_options *options,
                                                    const rlx_tune_options *tune, rlx_error *err);

/* --- tables and programs --------------------------------------------------------------------- */

typedef struct rlx_operator_info {
    const char *name;   /* as after "R." */
    const char *inputs; /* "x, weight, bias?" */
    const char *attrs;  /* "axis=-1:int" */
    const char *doc;
} rlx_operator_info;
RLX_API uint32_t rlx_compiler_operator_count(void);
RLX_API bool rlx_compiler_operator(uint32_t i, rlx_operator_info *out); /* false past the end */

/* The number of insertions, deletions and replacements that turn one name into the other, for "did
 * you mean"; SIZE_MAX for names of more than 48 bytes. Threads: safe. */
RLX_API size_t rlx_compiler_name_distance(rlx_str a, rlx_str b);
/* For programs that run under memory limits: calls |fn|, which must not return, when a C++
 * allocation fails in this process. NULL restores the default. Affects the whole process; may be
   called before main. */
RLX_API void rlx_compiler_on_no_memory(void (*fn)(void));

#ifdef __cplusplus
}
#endif

#endif
