/* Private to compiler/codegen/c_*.c: a Relax function that becomes C.
 *
 * c_graph.c      the function and what it says of itself in the header
 * c_signature.c  its parameters and results
 * c_steps.c      what it needs of the arena, and when
 * c_body.c       its bindings
 * c_pools.c      where memory pools hold what it needs
 * c_call.c       calls of kernels
 * c_builtin.c    calls of builtins that are a line of C
 * c_values.c     what its variables stand for
 * c_data.c       sizes that only data determines */
#ifndef RLXC_CODEGEN_C_GRAPH_H
#define RLXC_CODEGEN_C_GRAPH_H

#include "compiler/codegen/c.h"

typedef struct rlxc_c_value rlxc_c_value;
struct rlxc_c_value {
    enum { RLXC_C_NOTHING, RLXC_C_TENSOR, RLXC_C_TUPLE, RLXC_C_NUMBER } kind;
    const char *text; /* a pointer to the first element; a number */
    const rlxc_c_value *items;
    uint32_t n;
    bool is_const;
    const rlxc_sinfo *type; /* its type if it is not a tuple, as far as it is known; may be NULL */
};

typedef struct rlxc_c_graph {
    rlxc_c_module *m;
    rlxc_cl *g;
    rlxc_context *ctx;
    const rlxc_function *f;
    const char *name;             /* in C */
    rlxc_var_list symbols;        /* of the parameters */
    rlxc_var_list sizes, extents; /* what tensors' sizes depend on; the dimensions among them */
    rlxc_var_list inner;          /* symbols that data determines, or that the body introduces */
    rlxc_map limits;              /* inner symbol -> its upper bound, over |symbols| */
    rlxc_map types;    /* variable -> its type, with dimensions in place of unknown ones */
    rlxc_map values;   /* variable -> value */
    rlxc_map storages; /* variable of a planned storage -> part + 1 */
    rlxc_map parts;    /* binding -> part + 1: of a tensor, or scratch memory of a call */
    rlxc_map direct;   /* variable of a tensor that is a result -> name of its parameter */
    RLXC_VEC(const rlxc_expr *) checked; /* sizes that are known not to overflow here */
    rlxc_c_plan plan;
    const char *pools[RLXC_MAX_POOLS]; /* names of the parameters */
    uint64_t pool_bytes[RLXC_MAX_POOLS];
    uint32_t step;
    rlxc_text text;
    bool fails;
} rlxc_c_graph;

typedef struct rlxc_c_result {
    const char *name;         /* the pointer that the caller passes */
    const char *room, *shape; /* parameters of a tensor whose dimensions the type does not say */
    const rlxc_sinfo *type;
} rlxc_c_result;

typedef struct rlxc_c_signature {
    rlxc_text declared, doc; /* "const float *x, int64_t n"; what they are */
    uint32_t n;
    RLXC_VEC(const char *) names;
    RLXC_VEC(rlxc_c_result) results;
} rlxc_c_signature;

/* --- c_values.c */
void rlxc_c_refuse(rlxc_c_graph *w, rlxc_range range, const char *what);
rlxc_c_value *rlxc_c_set(rlxc_c_graph *w, const rlxc_rvar *var, rlxc_c_value v);
rlxc_c_value rlxc_c_value_of(rlxc_c_graph *w, rlxc_atom atom, rlxc_range range);
/* The pointer to the elements of |atom|, which must be a tensor. */
const char *rlxc_c_tensor(rlxc_c_graph *w, rlxc_atom atom, rlxc_range range);
const rlxc_sinfo *rlxc_c_type_of(rlxc_c_graph *w, rlxc_atom atom);
/* A new pointer of the result's type. */
void rlxc_c_define(rlxc_c_graph *w, const rlxc_binding *b, const char *at, bool is_const);
const char *rlxc_c_part_text(rlxc_c_graph *w, uint32_t part);

/* --- c_call.c */
typedef struct rlxc_c_site { /* a call of a PrimFunc */
    const rlxc_prim_func *f; /* NULL: it is none */
    const rlxc_atom *args;   /* numbers of a shape one by one */
    uint32_t n;
} rlxc_c_site;
rlxc_c_site rlxc_c_site_of(rlxc_c_graph *w, const rlxc_binding *b);
/* The values of |k|'s dims in the call; false with a diagnostic if one is not determined. */
bool rlxc_c_find_dims(rlxc_c_graph *w, const rlxc_c_kernel *k, const rlxc_c_site *site,
                      rlxc_range range, const rlxc_expr **out);
void rlxc_c_call_kernel(rlxc_c_graph *w, const rlxc_binding *b, const rlxc_c_site *site);

/* --- c_builtin.c */
/* Emits |b|, a call of an extern function; false where it has no form. */
bool rlxc_c_call_builtin(rlxc_c_graph *w, const rlxc_binding *b);

/* --- c_steps.c */
bool rlxc_c_is_alloc(const rlxc_binding *b);
bool rlxc_c_is_in_storage(const rlxc_binding *b);
/* Notes the symbols of the tensors of |type|, which may be NULL. */
void rlxc_c_note_sizes(rlxc_c_graph *w, const rlxc_sinfo *type);
/* For rlxc_each_binding; |user| is the graph. */
bool rlxc_c_note_binding(void *user, rlxc_binding *b);

/* --- c_graph.c */
/* The range of |symbol|: a size is not negative. */
rlxc_bound rlxc_c_range_of(rlxc_c_graph *w, const rlxc_expr *symbol);
/* Returns |failure| unless |name| is within |b|. */
void rlxc_c_check_range(rlxc_c_graph *w, const char *name, rlxc_bound b, const char *failure);

/* --- c_data.c */
/* Records the facts in |b| about symbols that are not the caller's. */
void rlxc_c_note_data(rlxc_c_graph *w, const rlxc_binding *b);
/* True if |e| has no symbol that is not bound yet. */
bool rlxc_c_is_known(rlxc_c_graph *w, const rlxc_expr *e);
/* The maximum of |e|, over the caller's symbols; NULL if it is not known. */
const rlxc_expr *rlxc_c_limit(rlxc_c_graph *w, const rlxc_expr *e);
/* |symbol| has the value |value| from here on, the text of |is| unless that is NULL. The emitted
 * code fails if the value is outside its bounds. */
void rlxc_c_bind_inner(rlxc_c_graph *w, const rlxc_expr *symbol, const rlxc_expr *is,
                       const char *value);
/* The text of the size |e|, after code that returns |failure| where computing it may overflow. */
const char *rlxc_c_size(rlxc_c_graph *w, const rlxc_expr *e, const char *failure);
/* The same where the function fails with E_SHAPE. */
const char *rlxc_c_body_size(rlxc_c_graph *w, const rlxc_expr *e);
/* Emits the code that a part of the arena needs before its first use. */
void rlxc_c_begin_part(rlxc_c_graph *w, uint32_t part);

/* --- c_body.c */
void rlxc_c_body(rlxc_c_graph *w, const rlxc_body *b);

/* --- c_pools.c */
/* Chooses pool and offset of each part of a static plan, and adds the parameters. */
void rlxc_c_place_in_pools(rlxc_c_graph *w, rlxc_c_signature *s);
/* Emits a check that each pool's pointer is present and aligned. */
void rlxc_c_check_pools(rlxc_c_graph *w);

/* --- c_signature.c */
/* A parameter more, near the name |hint|; |doc| may be NULL. */
const char *rlxc_c_declare(rlxc_c_graph *w, rlxc_c_signature *s, const char *type, const char *hint,
                           const char *doc);
rlxc_c_value rlxc_c_parameter(rlxc_c_graph *w, rlxc_c_signature *s, const rlxc_sinfo *type,
                              const char *name, rlxc_range range);
void rlxc_c_results(rlxc_c_graph *w, rlxc_c_signature *s, const rlxc_sinfo *type, const char *name);
/* The variables that are results themselves: they are computed directly into the caller's
   memory. */
void rlxc_c_find_direct(rlxc_c_graph *w, const rlxc_c_signature *s);
/* Copies results that were computed elsewhere, and writes shapes and numbers. */
void rlxc_c_copy_results(rlxc_c_graph *w, const rlxc_c_signature *s, const rlxc_c_value *v,
                         uint32_t *io_next);

#endif
