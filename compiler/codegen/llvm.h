/* Private to compiler/codegen/llvm_*.c and native.c: the state of one native compilation.
 *
 * Each kernel becomes two LLVM functions: the exported one with the ABI of rlx/kernel.h, which
 * unpacks pointers and dims, and an internal "<symbol>.body" that takes them as parameters, so that
 * they can be marked noalias. Values are LLVM values of these types: bool i1 (i8 in memory),
 * integers iN, float32/64 as they are, floats of 8 and 16 bits as float holding an exact value
 * (every operation rounds), handles ptr. A TIR type with lanes is a vector. */
#ifndef RLXC_CODEGEN_LLVM_H
#define RLXC_CODEGEN_LLVM_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "compiler/codegen/codegen.h"
#include "compiler/codegen/param_checks.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/ir/sym.h"
#include "compiler/target/target.h"

enum {
    RLXC_MAX_LANES = 256,    /* of a vector */
    RLXC_UNROLL_LIMIT = 4096 /* limit of statements in the unrolled loops of a kernel */
};

typedef struct rlxc_llvm_part { /* a share of the kernels, compiled by one thread */
    LLVMContextRef lc;
    LLVMModuleRef module;
    uint32_t size;            /* number of instructions */
    const char *first, *last; /* kernels in it; NULL: none */
    LLVMMemoryBufferRef out;  /* the code, once it is compiled */
    char problem[400];        /* why it failed */
} rlxc_llvm_part;

typedef struct rlxc_llvm {
    rlxc_context *ctx;
    const rlxc_options *options;
    const char *triple, *layout; /* as LLVM spells them */
    RLXC_VEC(rlxc_llvm_part) parts;
    rlxc_map symbols;   /* symbols of the kernels in all parts */
    rlxc_map shared;    /* loop -> rlxc_shared_use */
    rlxc_map externals; /* name of a C function -> its type as text */

    /* The part being filled. */
    LLVMContextRef lc;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMTypeRef i1, i8, i16, i32, i64, half, f32, f64, ptr;

    /* The function being emitted. */
    const rlxc_prim_func *f;
    const struct rlxc_launch *launch; /* of |f|, which is a device's; NULL: of the CPU */
    const rlxc_stmt *check;           /* of the launch: the current statement, if it is one */
    LLVMValueRef checks;              /* memory for those that fail */
    const rlxc_target *target;        /* of |f|, or of |options| */
    rlxc_range range;                 /* of the current statement, for diagnostics */
    const char *symbol;
    LLVMValueRef fn, kernel_ctx;
    LLVMBasicBlockRef entry; /* allocas go here */
    rlxc_map vars;           /* variable -> LLVM value (buffers' data: their address) */
    rlxc_map wide;           /* loop variable narrower than 64 bits -> its i64 value */
    rlxc_map memo;           /* expression -> value, within one statement */
    RLXC_VEC(const rlxc_expr *) memo_log;
    rlxc_map built;      /* integer instructions of the kernel (llvm_fold.c) */
    rlxc_map runs_after; /* block -> a block that always runs before it */
    rlxc_bounds bounds;
    uint32_t stack_used, unrolled, n_parallel;
    bool reassoc;             /* the accumulation being emitted may be reordered */
    bool in_place;            /* see llvm_alias.c */
    LLVMMetadataRef accesses; /* the group of all such kernels */
    LLVMValueRef mask;        /* mask of the lanes in which vector accesses touch memory; NULL:
                               * all */
} rlxc_llvm;

/* --- llvm_expr.c --- */
LLVMValueRef rlxc_llvm_expr(rlxc_llvm *g, const rlxc_expr *e);
/* A scalar bool: the condition of a branch. */
LLVMValueRef rlxc_llvm_condition(rlxc_llvm *g, const rlxc_expr *e);
/* An index as i64 (or a vector of i64); arithmetic on narrower indices is assumed not to wrap. */
LLVMValueRef rlxc_llvm_index(rlxc_llvm *g, const rlxc_expr *e);
void rlxc_llvm_store(rlxc_llvm *g, const rlxc_buffer *buffer, const rlxc_expr *const *indices,
                     uint32_t n, LLVMValueRef value);
/* Drops memoised values back to |mark|, an earlier memo_log.count. */
void rlxc_llvm_memo_forget(rlxc_llvm *g, uint32_t mark);

/* --- llvm_lookup.c --- */
/* |buffer[index]| for a vector of indices of 8 bits in a table of 256 bytes, by shuffles; NULL: it
 * is something else, or the target has no such instruction. */
LLVMValueRef rlxc_llvm_lookup(rlxc_llvm *g, const rlxc_buffer *buffer, const rlxc_expr *index);

/* --- llvm_palette.c --- */

/* The elements of |buffer| at the vector |index| by permutations; NULL: by loads. */
LLVMValueRef rlxc_llvm_palette(rlxc_llvm *g, const rlxc_buffer *buffer, const rlxc_expr *index);

/* --- llvm_divide.c: integer division as TIR defines it: x / 0 = 0, MIN / -1 wraps, never traps ---
 */
LLVMValueRef rlxc_llvm_divide(rlxc_llvm *g, bool is_signed, bool remainder, LLVMValueRef a,
                              LLVMValueRef d);
/* Rounding down; the operands are known to be >= 0 if |nonneg|. */
LLVMValueRef rlxc_llvm_floor_divide(rlxc_llvm *g, bool is_signed, bool remainder, bool nonneg,
                                    LLVMValueRef a, LLVMValueRef d);

/* --- llvm_fold.c: integer instructions, which are built once --- */
typedef enum rlxc_llvm_op {
    RLXC_LLVM_ADD,
    RLXC_LLVM_NSW_ADD,
    RLXC_LLVM_SUB,
    RLXC_LLVM_NSW_SUB,
    RLXC_LLVM_MUL,
    RLXC_LLVM_NSW_MUL,
    RLXC_LLVM_SDIV,
    RLXC_LLVM_SREM,
    RLXC_LLVM_UDIV,
    RLXC_LLVM_UREM,
    RLXC_LLVM_AND,
    RLXC_LLVM_OR,
    RLXC_LLVM_XOR,
    RLXC_LLVM_OP_COUNT
} rlxc_llvm_op;
LLVMValueRef rlxc_llvm_integer(rlxc_llvm *g, rlxc_llvm_op op, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef rlxc_llvm_compare(rlxc_llvm *g, LLVMIntPredicate p, LLVMValueRef a, LLVMValueRef b);
LLVMValueRef rlxc_llvm_select(rlxc_llvm *g, LLVMValueRef cond, LLVMValueRef yes, LLVMValueRef no);
/* The address of element |offset| at |base|, in bounds. */
LLVMValueRef rlxc_llvm_at(rlxc_llvm *g, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef offset);
/* The same for an address that may be out of bounds. */
LLVMValueRef rlxc_llvm_near(rlxc_llvm *g, LLVMTypeRef type, LLVMValueRef base, LLVMValueRef offset);

/* --- llvm_address.c --- */
typedef struct rlxc_llvm_address { /* of an access: base + offset + more + lane * stride elements */
    LLVMValueRef base, offset;     /* the offset may be a vector, one for each lane, */
    LLVMValueRef stride;           /* which then is NULL, as for an access of one element */
    int64_t more;
    uint32_t lanes;
} rlxc_llvm_address;
/* False: an error is reported. */
bool rlxc_llvm_locate(rlxc_llvm *g, const rlxc_buffer *buffer, const rlxc_expr *const *indices,
                      uint32_t n, rlxc_llvm_address *out);
/* True if the lanes are neighbours in memory. */
bool rlxc_llvm_is_near(const rlxc_llvm_address *at);
/* Pointer to the first lane; to any lane. */
LLVMValueRef rlxc_llvm_start(rlxc_llvm *g, const rlxc_llvm_address *at, LLVMTypeRef type);
LLVMValueRef rlxc_llvm_lane(rlxc_llvm *g, const rlxc_llvm_address *at, LLVMTypeRef type,
                            uint32_t lane);
/* |block| runs only after |first|, so values computed in |first| can be used in it. */
void rlxc_llvm_runs_after(rlxc_llvm *g, LLVMBasicBlockRef block, LLVMBasicBlockRef first);
void rlxc_llvm_forget_built(rlxc_llvm *g); /* at the start of a kernel */

/* --- llvm_types.c --- */
LLVMTypeRef rlxc_llvm_type(rlxc_llvm *g, rlx_dtype t);   /* of a value */
LLVMTypeRef rlxc_llvm_memory(rlxc_llvm *g, rlx_dtype t); /* of an element in memory */
uint32_t rlxc_llvm_lanes(LLVMValueRef value);            /* 1 for scalars */
LLVMValueRef rlxc_llvm_splat(rlxc_llvm *g, LLVMValueRef value, uint32_t lanes);
/* Broadcasts the scalar one, so that both have the same number of lanes. */
void rlxc_llvm_unify(rlxc_llvm *g, LLVMValueRef *a, LLVMValueRef *b);
LLVMValueRef rlxc_llvm_int(rlxc_llvm *g, LLVMTypeRef type, int64_t value); /* splat for vectors */
LLVMValueRef rlxc_llvm_float(LLVMTypeRef type, double value);
LLVMValueRef rlxc_llvm_cast(rlxc_llvm *g, LLVMValueRef value, rlx_dtype from, rlx_dtype to);
/* The same type with another element, keeping the lanes of |like|. */
LLVMTypeRef rlxc_llvm_like(LLVMTypeRef element, LLVMValueRef like);

/* --- llvm_narrow.c --- */
/* A float as an integer of 8 or 16 bits, saturated; NaN becomes 0. */
LLVMValueRef rlxc_llvm_to_narrow(rlxc_llvm *g, LLVMValueRef value, rlx_dtype to, LLVMTypeRef type);
/* The cast |e|, if it is one of float32 to such a type; else NULL. */
LLVMValueRef rlxc_llvm_quantized(rlxc_llvm *g, const rlxc_expr *e);

/* --- llvm_floats.c --- */
/* Converts a float to a value of type |t|, rounded; float32 and float64 stay. */
LLVMValueRef rlxc_llvm_round(rlxc_llvm *g, LLVMValueRef value, rlx_dtype t);
/* Converts a float8 value to float; values of other types stay. */
LLVMValueRef rlxc_llvm_number(rlxc_llvm *g, LLVMValueRef value, rlx_dtype t);
LLVMValueRef rlxc_llvm_from_memory(rlxc_llvm *g, LLVMValueRef value, rlx_dtype t);
LLVMValueRef rlxc_llvm_to_memory(rlxc_llvm *g, LLVMValueRef value, rlx_dtype t);
/* A float64 as a float, rounded to odd: unless exact, the neighbour whose last bit is 1. So a later
 * rounding to a shorter type is correct. */
LLVMValueRef rlxc_llvm_to_odd(rlxc_llvm *g, LLVMValueRef value);
/* Lets comparisons, limits and roundings of 16-bit floats be those of floats. instcombine makes the
 * former from the latter, and x86 without AVX512-FP16 computes them lane by lane. */
void rlxc_llvm_widen_halves(LLVMModuleRef module, LLVMContextRef lc);

/* --- llvm_intrinsics.c --- */
LLVMValueRef rlxc_llvm_call(rlxc_llvm *g, const rlxc_expr *e);
/* llvm.|name|, overloaded on the type of args[0]. */
LLVMValueRef rlxc_llvm_intrinsic(rlxc_llvm *g, const char *name, LLVMValueRef *args, uint32_t n);
/* Sets the fast-math flags that all float arithmetic has (contraction to FMA), plus reassociation
 * where asked. */
LLVMValueRef rlxc_llvm_fast(rlxc_llvm *g, LLVMValueRef value, bool reassoc);

/* True if the function on this type is one of libm in CPU code. */
bool rlxc_llvm_needs_libm(const rlxc_intrinsic *row, rlx_dtype dtype);
/* Calls a pure function of libm; vectors element by element. */
LLVMValueRef rlxc_llvm_call_libm(rlxc_llvm *g, const char *symbol, LLVMValueRef *args, uint32_t n);

enum { RLXC_MAX_PICK = 64 }; /* vectors or lanes that one call of the language names */
/* --- llvm_vector.c, the rest of llvm_extern.c's rows */
LLVMValueRef rlxc_llvm_vector(rlxc_llvm *g, const rlxc_intrinsic *row, const rlxc_expr *e);

/* --- llvm_extern.c: calls of rows with lowering CALLEE */
LLVMValueRef rlxc_llvm_callee(rlxc_llvm *g, const rlxc_intrinsic *row, const rlxc_expr *e);
/* The declaration of a C function; NULL with a diagnostic if another call declares it differently.
 */
LLVMValueRef rlxc_llvm_external(rlxc_llvm *g, const char *name, LLVMTypeRef type);

typedef struct rlxc_llvm_arg { /* of a packed function */
    uint64_t kind;             /* rlx_kernel_arg_kind */
    LLVMValueRef value;
} rlxc_llvm_arg;
/* Argument |arg| of the call |e| as the kernel ABI passes it; false with a diagnostic if it cannot
 * be passed.
 */
bool rlxc_llvm_host_arg(rlxc_llvm *g, const rlxc_expr *e, const rlxc_expr *arg, rlxc_llvm_arg *out);
/* Calls a function of the host by name, through rlx_kernel_context.call_packed; gives the integer
 * it returns. The kernel fails if the call does. */
LLVMValueRef rlxc_llvm_call_host(rlxc_llvm *g, const char *name, const rlxc_llvm_arg *args,
                                 uint32_t n);

/* --- llvm_factors.c */
/* Emits 0.5 + 0.5 * erf(x) of float32, the weight of gelu; NULL if |e| has another form. */
LLVMValueRef rlxc_llvm_gelu_weight(rlxc_llvm *g, const rlxc_expr *e);
/* Emits operand |e| of |product|; a factor sigmoid(x), as in silu, gets a shorter form. */
LLVMValueRef rlxc_llvm_operand(rlxc_llvm *g, const rlxc_expr *product, const rlxc_expr *e);

/* --- llvm_check.c */
/* T.check_index(text, index, text, size): fails unless 0 <= index < size in all lanes. */
LLVMValueRef rlxc_llvm_check_index(rlxc_llvm *g, const rlxc_expr *e);
/* Returns from the kernel's body what |outside|, called with the body's parameters, returns, unless
 * low <= x < high for all elements. */
void rlxc_llvm_check_param(rlxc_llvm *g, const rlxc_param_check *check, LLVMValueRef outside);
/* The body of |outside|: fails with the first bad element. */
void rlxc_llvm_refuse_param(rlxc_llvm *g, const rlxc_param_check *check);

/* --- llvm_math.c, llvm_trig.c, llvm_arcs.c, llvm_wide.c: inline functions on scalars and vectors
 * of float; the first five of double too --- */
LLVMValueRef rlxc_llvm_exp(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_exp_nonpositive(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_log(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_tanh(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_sigmoid(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_erf(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_sin(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_cos(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_atan(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_asin(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_acos(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_sinh(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_cosh(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_tan(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_exp2(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_exp10(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_expm1(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_log2(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_log10(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_log1p(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_asinh(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_acosh(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_atanh(rlxc_llvm *g, LLVMValueRef x);
LLVMValueRef rlxc_llvm_pow(rlxc_llvm *g, LLVMValueRef x, LLVMValueRef y);
LLVMValueRef rlxc_llvm_atan2(rlxc_llvm *g, LLVMValueRef y, LLVMValueRef x);
LLVMValueRef rlxc_llvm_fmod(rlxc_llvm *g, LLVMValueRef x, LLVMValueRef y);

/* --- llvm_alias.c --- */
void rlxc_llvm_begin_in_place(rlxc_llvm *g);
void rlxc_llvm_in_place_access(rlxc_llvm *g, const rlxc_buffer *buffer, LLVMValueRef access);
void rlxc_llvm_say_loop(rlxc_llvm *g, const rlxc_stmt *loop, LLVMValueRef branch);
/* llvm_width.c: the lanes with which LLVM should vectorize |loop|; 0: as it likes. */
uint32_t rlxc_llvm_width(rlxc_llvm *g, const rlxc_stmt *loop);

/* --- llvm_unroll.c --- */
bool rlxc_llvm_stays_rolled(const rlxc_stmt *loop);

/* --- llvm_streams.c --- */
/* The annotation of a loop over the streams of a register tile; NULL for other loops. */
LLVMMetadataRef rlxc_llvm_streams(rlxc_llvm *g, const rlxc_stmt *loop);
/* Hides the start addresses of streams from LLVM's analysis in the loops with this annotation. */
void rlxc_llvm_hide_streams(LLVMModuleRef module, LLVMContextRef lc);
/* True if |block| is all of a loop with the mark; |kind| is LLVM's of loops' metadata. */
bool rlxc_llvm_is_streams(LLVMBasicBlockRef block, unsigned kind);

/* --- llvm_opaque.c --- */
/* Hides the origin of |pointer|, an instruction, from LLVM's loop analysis. */
LLVMValueRef rlxc_llvm_opaque(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef pointer);
/* Hides from LLVM's loop analysis what loops compute addresses from. */
void rlxc_llvm_hide_sums(LLVMModuleRef module, LLVMContextRef lc);

/* --- llvm_stmt.c --- */
void rlxc_llvm_stmt(rlxc_llvm *g, const rlxc_stmt *s);
/* if (fails) { ctx->fail(ctx, message); return 1; } */
void rlxc_llvm_fail_if(rlxc_llvm *g, LLVMValueRef fails, const char *message);

/* --- llvm_parallel.c --- */
/* A parallel loop: a function for a share of it, called through ctx->parallel_for. */
void rlxc_llvm_parallel(rlxc_llvm *g, const rlxc_stmt *loop);

/* --- llvm_share.c --- */
/* Calls the shared function of the loop in g->shared; false if there is none. */
bool rlxc_llvm_shared(rlxc_llvm *g, const rlxc_stmt *loop);

/* --- llvm_function.c --- */
void rlxc_llvm_function(rlxc_llvm *g, const rlxc_prim_func *f);
typedef struct rlxc_llvm_frame { /* the state to restore after emitting another function */
    LLVMValueRef fn, kernel_ctx;
    LLVMBasicBlockRef entry, at;
    rlxc_map vars, wide;
    uint32_t stack_used;
} rlxc_llvm_frame;
/* Starts emitting |fn|, with nothing in scope; leave returns to the previous function. */
rlxc_llvm_frame rlxc_llvm_enter(rlxc_llvm *g, LLVMValueRef fn);
void rlxc_llvm_leave(rlxc_llvm *g, const rlxc_llvm_frame *saved);
/* An internal function returning i32. */
LLVMValueRef rlxc_llvm_new_function(rlxc_llvm *g, const char *name, LLVMTypeRef *params,
                                    uint32_t n);
void rlxc_llvm_pointer_attributes(rlxc_llvm *g, LLVMValueRef fn, uint32_t param);
LLVMValueRef rlxc_llvm_slot(rlxc_llvm *g, LLVMValueRef array, uint32_t i); /* of 8 bytes */
LLVMValueRef rlxc_llvm_context_member(rlxc_llvm *g, int64_t offset);
void rlxc_llvm_bind(rlxc_llvm *g, const rlxc_expr *var, LLVMValueRef value);
/* Fixed attributes of every function: CPU, features, vector width. */
void rlxc_llvm_function_attributes(rlxc_llvm *g, LLVMValueRef fn);
void rlxc_llvm_attribute(rlxc_llvm *g, LLVMValueRef fn, LLVMAttributeIndex index, const char *name,
                         uint64_t value);
/* A loop over [min, min + extent): |body| emits one iteration with |var| bound. */
void rlxc_llvm_loop(rlxc_llvm *g, const rlxc_stmt *loop, LLVMValueRef begin, LLVMValueRef end);

/* --- native.c --- */
/* Starts a part with a module of g->triple and g->layout, which what follows is emitted into; close
 * ends that. */
bool rlxc_llvm_open_part(rlxc_llvm *g);
void rlxc_llvm_close_part(rlxc_llvm *g);

/* --- nvptx.c */
struct rlxc_device_code;
/* The images of rlxc_emit_cuda as LLVM's text or as PTX (RLXC_NATIVE_ASM). */
bool rlxc_nvptx_compile(rlxc_context *ctx, const rlxc_options *options, rlxc_native_form form,
                        struct rlxc_device_code *out);
/* --- nvptx_function.c: code of a device's threads, where g->launch is set */
void rlxc_nvptx_function(rlxc_llvm *g, const rlxc_prim_func *f, const struct rlxc_launch *launch);
/* Memory of a thread, or of its block; false with a diagnostic if the device has no such memory. */
bool rlxc_nvptx_allocate(rlxc_llvm *g, const rlxc_expr *var, const char *scope, rlx_dtype dtype,
                         const rlxc_expr *const *extents, uint32_t n);
/* The iteration of a bound loop that this thread runs. */
void rlxc_nvptx_bound_loop(rlxc_llvm *g, const rlxc_stmt *loop);
/* Ends the block with a fault of the kernel. */
/* Records that |check| of the launch failed, then ends the thread or continues at |next|. |x|, |y|:
 * the numbers in the message, or NULL. */
void rlxc_nvptx_fail(rlxc_llvm *g, const rlxc_stmt *check, LLVMValueRef x, LLVMValueRef y,
                     LLVMBasicBlockRef next);
/* Calls of rows with lowering DEVICE. */
LLVMValueRef rlxc_nvptx_call(rlxc_llvm *g, const rlxc_intrinsic *row, const rlxc_expr *e);
/* nvptx_mma.c: T.ptx_mma. */
LLVMValueRef rlxc_nvptx_mma(rlxc_llvm *g, const rlxc_expr *e);
/* nvptx_async.c: T.ptx_cp_async and its groups. */
LLVMValueRef rlxc_nvptx_async(rlxc_llvm *g, const rlxc_intrinsic *row, const rlxc_expr *e);

/* --- llvm_parts.c --- */
/* The target triple and data layout, interned; false with a diagnostic for a target LLVM lacks. */
bool rlxc_llvm_describe(rlxc_context *ctx, const rlxc_options *options, const char **triple,
                        const char **layout);
/* Compiles every part on options->jobs threads: modules become |out|. False with a diagnostic for
 * each part that LLVM rejected, in order. The caller drops the parts in any case. */
bool rlxc_llvm_emit_parts(rlxc_context *ctx, const rlxc_options *options, rlxc_native_form form,
                          rlxc_llvm_part *parts, uint32_t n);
void rlxc_llvm_drop_parts(rlxc_llvm_part *parts, uint32_t n);

/* --- link.c: no LLVM --- */
/* Links the objects, in this order, into one shared object. */
bool rlxc_link_shared(rlxc_context *ctx, const rlxc_options *options, const rlx_str *objects,
                      uint32_t n, const void **out_data, size_t *out_size);

#endif
