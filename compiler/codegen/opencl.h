/* Private to compiler/codegen/opencl*.c: the text of one OpenCL program.
 *
 * Each launch becomes a kernel of OpenCL C 1.2. Vectors of TIR are taken apart into lanes first
 * (opencl_lanes.c), so that all values are scalars: bool; integers of their type; float32 and
 * float64; floats of 16 bits as a float with an exact value, rounded after every operation; floats
 * of 8 bits, which are mostly moved, as their bits. Memory holds what the host's memory holds. */
#ifndef RLXC_CODEGEN_OPENCL_H
#define RLXC_CODEGEN_OPENCL_H

#include "compiler/codegen/device_launch.h"
#include "compiler/ir/intrinsics.h"
#include "compiler/ir/sym.h"
#include "compiler/target/target.h"

/* Functions of the program that calls need (opencl_helpers.def), in the order of their text. */
typedef enum rlxc_cl_helper {
#define RLXC_CL_HELPER(id, needs, text) RLXC_CL_##id,
#include "compiler/codegen/opencl_helpers.def"
#undef RLXC_CL_HELPER
    RLXC_CL_N_HELPERS
} rlxc_cl_helper;

typedef struct rlxc_cl_var {
    const char *name;
    bool is_int; /* its type is int, whatever that of the variable: its values fit */
} rlxc_cl_var;

typedef struct rlxc_cl_memory {
    const char *name, *space; /* "__global", "__local", "__constant"; "": of a thread */
    rlx_dtype dtype;          /* of the elements that |name| points to */
    bool is_const;
} rlxc_cl_memory;

typedef struct rlxc_cl {
    rlxc_context *ctx;
    const rlxc_target *target;
    bool used[RLXC_CL_N_HELPERS];
    rlxc_text constants; /* of program scope */

    /* The launch being written. */
    const rlxc_prim_func *f;
    const rlxc_launch *launch;
    rlxc_range range;
    rlxc_text *out;    /* where statements go */
    rlxc_text *shared; /* declarations of __local memory, which OpenCL wants at the start */
    uint32_t depth, n_names;
    uint64_t local_bytes, shared_bytes;
    rlxc_map vars;   /* variable -> rlxc_cl_var */
    rlxc_map memory; /* data of a buffer -> rlxc_cl_memory */
    rlxc_map memo;   /* expression -> its text, within one statement */
    RLXC_VEC(const rlxc_expr *) memo_log;
    rlxc_bounds bounds;
    bool has_barrier;
} rlxc_cl;

/* --- opencl_types.c */
const char *rlxc_cl_type(rlx_dtype t);        /* of a value: "float" */
const char *rlxc_cl_memory_type(rlx_dtype t); /* of an element in memory: "ushort" */
/* NULL, or why no value or element can have the type. */
const char *rlxc_cl_lacks_type(const rlxc_target *target, rlx_dtype t);
const char *rlxc_cl_cast(rlxc_cl *g, const char *value, rlx_dtype from, rlx_dtype to);
const char *rlxc_cl_from_memory(rlxc_cl *g, const char *value, rlx_dtype t);
const char *rlxc_cl_to_memory(rlxc_cl *g, const char *value, rlx_dtype t);
/* A value to compute with: floats of 8 bits become a float. */
const char *rlxc_cl_number(rlxc_cl *g, const char *value, rlx_dtype t);
/* Rounds the float |value| to type |t|. */
const char *rlxc_cl_round(rlxc_cl *g, const char *value, rlx_dtype t);
const char *rlxc_cl_int(rlxc_cl *g, rlx_dtype t, int64_t value);
const char *rlxc_cl_float(rlxc_cl *g, rlx_dtype t, double value);
/* Arithmetic |op| ("+") on integers, which wraps. */
const char *rlxc_cl_wrap(rlxc_cl *g, rlx_dtype t, const char *op, const char *a, const char *b);

/* --- opencl_expr.c */
const char *rlxc_cl_expr(rlxc_cl *g, const rlxc_expr *e);
/* An index: arithmetic on it does not wrap, and is of type int where the values are known to fit.
 */
const char *rlxc_cl_index(rlxc_cl *g, const rlxc_expr *e);
/* The element of |buffer| at |indices|: "a_1[i_2 + 4]"; NULL with a diagnostic. */
const char *rlxc_cl_element(rlxc_cl *g, const rlxc_buffer *buffer, const rlxc_expr *const *indices,
                            uint32_t n);
/* A new constant with this value, named in the statements. */
const char *rlxc_cl_named(rlxc_cl *g, const char *type, const char *value);
void rlxc_cl_memo_forget(rlxc_cl *g, uint32_t mark);
/* Reports that the expression cannot be written; gives a text in its place. */
const char *rlxc_cl_problem(rlxc_cl *g, const char *what);

/* --- opencl_call.c */
const char *rlxc_cl_call(rlxc_cl *g, const rlxc_expr *e);
/* NULL, or why OpenCL C has no such function; |what| names it. */
const char *rlxc_cl_lacks_call(const rlxc_expr *e);

/* --- opencl_stmt.c */
void rlxc_cl_stmt(rlxc_cl *g, const rlxc_stmt *s);
void rlxc_cl_line(rlxc_cl *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A name that nothing else in the program has. */
const char *rlxc_cl_name(rlxc_cl *g, const char *hint);
void rlxc_cl_bind(rlxc_cl *g, const rlxc_expr *var, const char *name, bool is_int);
/* True if all values of the integer |e| fit in an int. */
bool rlxc_cl_fits_int(rlxc_cl *g, const rlxc_expr *e);

/* --- opencl_lanes.c: no statement of the result has a vector. */
const rlxc_stmt *rlxc_cl_without_vectors(rlxc_context *ctx, const rlxc_prim_func *f,
                                         const rlxc_stmt *s);

#endif
