/* Shared by the files that read TIR statements: the PrimFunc and the block being read. */
#ifndef RLXC_SCRIPT_PARSE_TIR_H
#define RLXC_SCRIPT_PARSE_TIR_H

#include "compiler/ir/thread_reduce.h"
#include "compiler/script/parse.h"

typedef struct rlxc_stmts {
    RLXC_VEC(const rlxc_stmt *) list;
} rlxc_stmts;

/* A block being parsed; the function's outermost level is one too. */
typedef struct rlxc_block_parts {
    const char *name;
    RLXC_VEC(rlxc_axis) axes;
    RLXC_VEC(const rlxc_expr *) values;
    RLXC_VEC(rlxc_region) reads;
    RLXC_VEC(rlxc_region) writes;
    RLXC_VEC(rlxc_buffer *) allocs;
    RLXC_VEC(rlxc_match_region) matches;
    bool has_reads, has_writes;
    rlxc_attrs annotations;
    const rlxc_expr *predicate;
    const rlxc_stmt *init;
} rlxc_block_parts;

typedef struct rlxc_tir_loop { /* the innermost one around a statement */
    rlxc_loop_kind kind;
    rlxc_buffer *flag; /* the variable that break and continue store to; NULL: none so far */
} rlxc_tir_loop;

typedef struct rlxc_tir_thread { /* a loop around a statement that is bound to threads, or virtual
                                  */
    const rlxc_expr *var, *min, *extent;
    const char *tag;     /* "threadIdx.x"; NULL: virtual */
    rlxc_tir_loop *loop; /* around it */
} rlxc_tir_thread;

typedef struct rlxc_tir_parser {
    rlxc_parser *p;
    rlxc_prim_func *function;
    rlxc_block_parts *block;
    uint32_t n_blocks;
    uint32_t n_loops; /* around this statement, inside its block */
    rlxc_tir_loop *loop;
    RLXC_VEC(rlxc_tir_thread) threads;
    const rlxc_reducer *reducer; /* of T.tvm_thread_allreduce; NULL: none is stated */
    rlxc_stmts *pointers;        /* where a buffer may bind its pointer; NULL: it must be a name */
} rlxc_tir_parser;

/* --- parse_block.c */

/* Makes the statement of a finished block. */
const rlxc_stmt *rlxc_tir_block(rlxc_tir_parser *t, const rlxc_block_parts *parts,
                                const rlxc_stmt *body, rlxc_range range);
/* T.match_buffer, T.alloc_buffer, T.decl_buffer, T.Buffer; the shape is the first positional
 * argument after |skip|; |region| gives it if it is omitted. */
rlxc_buffer *rlxc_tir_buffer(rlxc_tir_parser *t, const rlxc_py *call, uint32_t skip,
                             const char *name, const rlxc_region *region);
bool rlxc_tir_region(rlxc_tir_parser *t, const rlxc_py *e, rlxc_region *out);
/* T.axis.*(...): defines the names of |target|. False if it is not an axis; errors are reported. */
bool rlxc_tir_axis(rlxc_tir_parser *t, const rlxc_py *target, const rlxc_py *call);
/* name = T.match_buffer(...) of a parameter or a region. */
void rlxc_tir_match_buffer(rlxc_tir_parser *t, const char *name, const rlxc_py *call);
/* T.reads, T.writes, T.where, T.block_attr. False: something else. */
bool rlxc_tir_block_statement(rlxc_tir_parser *t, const rlxc_py *call, const char *path);

/* --- parse_tir_stmt.c */

void rlxc_tir_simple(rlxc_tir_parser *t, rlxc_stmts *out);
/* name = T.something(...) that declares; false for a plain value. */
bool rlxc_tir_declaration(rlxc_tir_parser *t, rlxc_stmts *out, const char *name,
                          const rlxc_py *call);
void rlxc_tir_let(rlxc_tir_parser *t, rlxc_stmts *out, const char *name, const rlxc_expr *value,
                  rlxc_range range);
void rlxc_tir_assertion(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *cond,
                        const rlxc_py *message, rlxc_range range);
void rlxc_tir_attribute(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *call);
/* |value| converted to the type that |buffer| takes at these indices; NULL after an error. */
const rlxc_expr *rlxc_tir_stored(rlxc_tir_parser *t, const rlxc_buffer *buffer,
                                 const rlxc_expr *const *indices, const rlxc_expr *value,
                                 rlxc_range range);
void rlxc_tir_define(rlxc_tir_parser *t, const char *name, const rlxc_expr *var);
/* Declares |buffer|; |owns|: with memory of its own. */
void rlxc_tir_declare(rlxc_tir_parser *t, rlxc_stmts *out, rlxc_buffer *buffer, bool owns,
                      rlxc_range range);

/* --- parse_access.c */

/* B.vstore(indices, value[, predicate=mask]); false: something else. */
bool rlxc_tir_vector_store(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *call);
/* name = value, where |name| is a buffer of one element; false: something else. */
bool rlxc_tir_scalar_store(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *target,
                           const rlxc_py *value, rlxc_range range);
/* name op= value likewise. */
bool rlxc_tir_scalar_update(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py_stmt *stmt);

/* --- parse_tir_loop.c: each at its word */

void rlxc_tir_for(rlxc_tir_parser *t, rlxc_stmts *out);
void rlxc_tir_if(rlxc_tir_parser *t, rlxc_stmts *out);
void rlxc_tir_while(rlxc_tir_parser *t, rlxc_stmts *out);

/* --- parse_threads.c */

/* "threadIdx.x" as a kind of loop and, unless the threads are virtual, an axis; false with a
 * diagnostic. */
bool rlxc_tir_thread_tag(rlxc_tir_parser *t, const rlxc_py *e, rlxc_loop_kind *kind,
                         const char **out);
/* Enters a loop of threads; the caller leaves it by dropping the last of t->threads. */
void rlxc_tir_begin_thread(rlxc_tir_parser *t, const rlxc_expr *var, const rlxc_expr *min,
                           const rlxc_expr *extent, const char *tag);
/* Launches that |out| has from |from| on get the statements after them as their bodies. */
void rlxc_tir_end_launches(rlxc_tir_parser *t, rlxc_stmts *out, uint32_t from);
/* name = T.launch_thread(...) or T.env_thread(...); false: something else. */
bool rlxc_tir_thread_declaration(rlxc_tir_parser *t, rlxc_stmts *out, const char *name,
                                 const rlxc_py *call, const char *path);
/* T.launch_thread(...) [as name], T.tvm_thread_allreduce(...); false: something else. */
bool rlxc_tir_thread_statement(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *call,
                               const char *path, const char *as);
/* T.attr of threads and reducers, with three arguments; false: something else. */
bool rlxc_tir_thread_attribute(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *call);

/* --- parse_tir_jump.c */

/* break (|ends|) or continue. */
void rlxc_tir_jump(rlxc_tir_parser *t, rlxc_stmts *out, bool ends, rlxc_range range);
/* The body of |loop| once it is parsed. */
const rlxc_stmt *rlxc_tir_end_jumps(rlxc_tir_parser *t, const rlxc_tir_loop *loop,
                                    const rlxc_stmt *body);
/* The condition of a while loop. */
const rlxc_expr *rlxc_tir_goes_on(rlxc_tir_parser *t, const rlxc_tir_loop *loop,
                                  const rlxc_expr *cond);
/* The statements to put before |loop|. */
void rlxc_tir_begin_jumps(rlxc_tir_parser *t, const rlxc_tir_loop *loop, rlxc_stmts *out,
                          rlxc_range range);

/* --- parse_tir.c */

/* T.LetStmt, T.let and T.Bind with a variable of their own. */
void rlxc_tir_bind(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_py *call, const char *path,
                   const char *as);
/* A block's statements as one statement, with a scope of its own; at the colon. */
const rlxc_stmt *rlxc_tir_body(rlxc_tir_parser *t);
const rlxc_expr *rlxc_tir_condition(rlxc_tir_parser *t, const rlxc_py *e); /* a scalar as bool */
const rlxc_expr *rlxc_tir_as_condition(rlxc_tir_parser *t, const rlxc_py *e, const rlxc_expr *cond);

void rlxc_tir_statements(rlxc_tir_parser *t, rlxc_py_block *block, rlxc_stmts *out);
const rlxc_stmt *rlxc_tir_seq(rlxc_tir_parser *t, const rlxc_stmts *stmts);
void rlxc_tir_push(rlxc_tir_parser *t, rlxc_stmts *out, const rlxc_stmt *stmt, rlxc_range range);
rlxc_stmt *rlxc_tir_new(rlxc_tir_parser *t, rlxc_stmt_kind kind);

#endif
