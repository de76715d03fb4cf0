/* Private to compiler/codegen/opencl*.c and c_*.c: the text of one program, in OpenCL C or C99.
 *
 * For OpenCL each launch becomes a kernel of OpenCL C 1.2; for C (is_c) each PrimFunc a function of
 * C99, with c_text.c for what is spelled another way. Most vectors of TIR are taken apart into
 * lanes first (opencl_lanes.c; opencl_vectors.c says which are not), so that values are scalars:
 * bool; integers of their type; float32 and float64; floats of 16 bits as a float with an exact
 * value, rounded after every operation; floats of 8 bits, which are mostly moved, as their bits.
 * Memory holds what the host's memory holds. */
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
    bool is_one; /* |name| is a variable for the only element */
} rlxc_cl_memory;

typedef struct rlxc_cl_registers { /* an array of a thread that is accessed at constants */
    rlx_dtype dtype;               /* of an element */
    uint32_t lanes;                /* of its vectors; 0: no access so far, 1: none has lanes */
    bool bad;                      /* some access has another form: it stays an array */
    const char *name;              /* number of its variables, NAME_0 ... NAME_(n - 1); NULL:
                                    * none */
    uint32_t n;
} rlxc_cl_registers;

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
    rlxc_map vars;      /* variable -> rlxc_cl_var */
    rlxc_map registers; /* data of a buffer -> rlxc_cl_registers */
    rlxc_map memory;    /* data of a buffer -> rlxc_cl_memory */
    rlxc_map memo;      /* expression -> its text, within one statement */
    RLXC_VEC(const rlxc_expr *) memo_log;
    rlxc_bounds bounds;
    const char *checks; /* memory for checks that fail */

    /* C99. */
    bool is_c;
    const char *prefix; /* of all names of file scope */
    const char *refuse; /* what a function returns if a check fails */
    rlxc_map globals;   /* interned: names of file scope */
    rlxc_map names;     /* of the function being written */
    rlxc_map places; /* data of a temporary -> its offset in the scratch memory, as an expression;
                      * others are arrays */
    const char *scratch;
    RLXC_VEC(const char *) locals; /* interned: names of declared variables, in order */
} rlxc_cl;

/* --- opencl_types.c */
const char *rlxc_cl_type(const rlxc_cl *g, rlx_dtype t); /* of a value: "float" */
const char *rlxc_cl_memory_type(const rlxc_cl *g,
                                rlx_dtype t); /* of an element in memory: "ushort" */
/* Why no value or element can have the type; NULL if it can. */
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

/* --- c_text.c: the spelling of C99 */
const char *rlxc_c_int(rlxc_cl *g, rlx_dtype t, int64_t value);
const char *rlxc_c_float(rlxc_cl *g, bool wide, double value);
/* The number |value| as an integer of type |to|: the nearest if it does not fit. */
const char *rlxc_c_saturate(rlxc_cl *g, rlx_dtype to, const char *value);
/* The bits of |value|, an element of type |from|, as one of |to|. */
const char *rlxc_c_reinterpret(rlxc_cl *g, const char *value, rlx_dtype from, rlx_dtype to);
/* |text| without parentheses around all of it; as it is in OpenCL. */
const char *rlxc_c_bare(rlxc_cl *g, const char *text);
/* A name like |hint| that nothing else in the function has, or in the file. */
const char *rlxc_c_name(rlxc_cl *g, const char *hint);
const char *rlxc_c_global_name(rlxc_cl *g, const char *hint);
/* Begins a function. */
void rlxc_c_forget_names(rlxc_cl *g);
/* True if |name| is a word of |text|. */
bool rlxc_c_uses(const rlxc_text *text, const char *name);
/* Adds the words of |text|, interned, to the keys of |words|. */
void rlxc_c_note_words(const rlxc_text *text, rlxc_map *words);
/* Notes a variable that the function being written declares; nothing if that is not C. */
void rlxc_c_local(rlxc_cl *g, const char *name);
/* Adds "(void)x;" for noted variables of a function's body that nothing reads: C compilers would
 * warn. */
void rlxc_c_mark_unread(rlxc_cl *g, rlxc_text *io_text);
/* The functions that |texts| call. */
void rlxc_c_helpers(rlxc_text *out, const rlxc_text *const *texts, uint32_t n);

/* --- c_kernel.c */
/* Declares the temporary |var| if it is in the scratch memory. */
bool rlxc_c_place(rlxc_cl *g, const rlxc_expr *var, rlx_dtype t);

/* --- opencl_expr.c */
const char *rlxc_cl_expr(rlxc_cl *g, const rlxc_expr *e);
/* An index: arithmetic on it does not wrap, and is of type int where the values are known to fit.
 */
const char *rlxc_cl_index(rlxc_cl *g, const rlxc_expr *e);
/* The same as an int, in which the value of |e| fits. */
const char *rlxc_cl_int_index(rlxc_cl *g, const rlxc_expr *e);
/* The element of |buffer| at |indices|: "a_1[i_2 + 4]"; NULL with a diagnostic. */
const char *rlxc_cl_element(rlxc_cl *g, const rlxc_buffer *buffer, const rlxc_expr *const *indices,
                            uint32_t n);
/* The element's offset from the start of the buffer's memory, in elements. */
const rlxc_expr *rlxc_cl_offset(rlxc_context *ctx, const rlxc_buffer *buffer,
                                const rlxc_expr *const *indices, uint32_t n);
const char *rlxc_cl_element_at(rlxc_cl *g, const rlxc_buffer *buffer, const rlxc_expr *offset);
/* A new constant with this value, named in the statements. */
const char *rlxc_cl_named(rlxc_cl *g, const char *type, const char *value);
void rlxc_cl_memo_forget(rlxc_cl *g, uint32_t mark);
/* Reports that the expression cannot be written, and returns a placeholder text. */
const char *rlxc_cl_problem(rlxc_cl *g, const char *what);

/* --- opencl_call.c */
/* "f" for functions of C that have one for float. */
const char *rlxc_cl_suffix(const rlxc_cl *g, rlx_dtype t);
const char *rlxc_cl_call(rlxc_cl *g, const rlxc_expr *e);
/* Why OpenCL C has no such function, or NULL; |what| names the function. */
const char *rlxc_cl_lacks_call(const rlxc_expr *e);

/* True if OpenCL C has the function for vectors, too. */
bool rlxc_cl_has_vectors(const rlxc_expr *e);

/* --- opencl_stmt.c */
/* Gives the data |data| of a buffer a pointer |name| to elements of type |t|. */
void rlxc_cl_set_memory(rlxc_cl *g, const rlxc_expr *data, const char *name, const char *space,
                        rlx_dtype t, bool is_const);
/* The elements of |data| as the initializer of an array. */
void rlxc_cl_elements(rlxc_cl *g, rlxc_text *out, rlx_dtype t, const void *data, size_t nbytes);
void rlxc_cl_stmt(rlxc_cl *g, const rlxc_stmt *s);
void rlxc_cl_line(rlxc_cl *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A name that nothing else in the program has. */
const char *rlxc_cl_name(rlxc_cl *g, const char *hint);
void rlxc_cl_bind(rlxc_cl *g, const rlxc_expr *var, const char *name, bool is_int);
/* True if all values of the integer |e| fit in an int. */
bool rlxc_cl_fits_int(rlxc_cl *g, const rlxc_expr *e);

/* --- opencl_vectors.c */
/* A type whose values may be vectors. */
bool rlxc_cl_is_vector(rlx_dtype t);
/* True if the store is written with vectors; the others must have none. */
bool rlxc_cl_keeps_vectors(rlxc_context *ctx, const rlxc_stmt *store);
const char *rlxc_cl_vector(rlxc_cl *g, const rlxc_expr *e);
void rlxc_cl_store_vector(rlxc_cl *g, const rlxc_stmt *s);
/* Fills |g->registers| from the statements of a launch. */
void rlxc_cl_find_registers(rlxc_cl *g, const rlxc_stmt *body);
/* Declares variables for the array of |count| elements; false: it must be an array. */
bool rlxc_cl_declare_registers(rlxc_cl *g, const rlxc_expr *data, const char *name, int64_t count);
/* The element as a component of a variable, "acc_1_0.s3"; NULL if it is not one. */
const char *rlxc_cl_register(rlxc_cl *g, const rlxc_buffer *b, const rlxc_expr *offset);

/* --- opencl_lanes.c: no vectors in the result but, with |keeps_some|, in stores that
 * rlxc_cl_keeps_vectors likes. */
const rlxc_stmt *rlxc_cl_without_vectors(rlxc_context *ctx, const rlxc_prim_func *f,
                                         const rlxc_stmt *s, bool keeps_some);

#endif
