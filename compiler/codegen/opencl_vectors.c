/* Vectors that stay vectors: stores of 2, 4, 8 or 16 neighbours of float32 or float64 whose value
 * is arithmetic of such vectors and of scalars; and arrays of a thread that are accessed at
 * constants only, whose vectors become variables. A driver for a CPU makes vector instructions of
 * them, and keeps variables in registers, where it leaves an array in memory. All other vectors are
 * taken apart into lanes (opencl_lanes.c). */
#include <string.h>

#include "compiler/codegen/opencl.h"

enum { MOST_VARIABLES = 64 };

bool rlxc_cl_is_vector(rlx_dtype t)
{
    return (t.lanes == 2 || t.lanes == 4 || t.lanes == 8 || t.lanes == 16) && t.code == RLX_FLOAT &&
           (t.bits == 32 || t.bits == 64);
}

/* --- what stays ------------------------------------------------------------------------------- */

/* The offset of the first of |lanes| neighbours; NULL: the access is another one. */
static const rlxc_expr *first_of(rlxc_context *ctx, const rlxc_buffer *b,
                                 const rlxc_expr *const *indices, uint32_t n, uint32_t lanes)
{
    const rlxc_expr *first[RLXC_MAX_NDIM];
    if (n == 0 || n > RLXC_MAX_NDIM || n != b->ndim || b->dtype.lanes != 1 ||
        (b->strides && !rlxc_is_const(b->strides[n - 1], 1)))
        return NULL;
    for (uint32_t i = 0; i + 1 < n; i++) {
        if (indices[i]->dtype.lanes != 1)
            return NULL;
        first[i] = indices[i];
    }
    const rlxc_expr *last = indices[n - 1];
    if (last->kind != RLXC_EXPR_RAMP || !rlxc_is_const(last->ramp.stride, 1) ||
        last->dtype.lanes != lanes || last->ramp.base->dtype.lanes != 1)
        return NULL;
    first[n - 1] = last->ramp.base;
    return rlxc_cl_offset(ctx, b, first, n);
}

static bool may_stay(rlxc_context *ctx, const rlxc_expr *e, rlx_dtype t)
{
    if (!rlxc_dtype_eq(e->dtype, t))
        return false;
    switch ((rlxc_expr_kind)e->kind) {
    case RLXC_EXPR_BROADCAST:
        return e->ramp.base->dtype.lanes == 1;
    case RLXC_EXPR_ADD:
    case RLXC_EXPR_SUB:
    case RLXC_EXPR_MUL:
    case RLXC_EXPR_DIV:
        return may_stay(ctx, e->bin.a, t) && may_stay(ctx, e->bin.b, t);
    case RLXC_EXPR_LOAD:
        return e->load.buffer->dtype.code == t.code && e->load.buffer->dtype.bits == t.bits &&
               first_of(ctx, e->load.buffer, e->load.indices, e->load.n, t.lanes);
    case RLXC_EXPR_CALL:
        for (uint32_t i = 0; i < e->call.n; i++)
            if (!may_stay(ctx, e->call.args[i], t))
                return false;
        return rlxc_cl_has_vectors(e);
    case RLXC_EXPR_MOD:
    case RLXC_EXPR_FLOORDIV:
    case RLXC_EXPR_FLOORMOD:
    case RLXC_EXPR_MIN:
    case RLXC_EXPR_MAX:
    case RLXC_EXPR_EQ:
    case RLXC_EXPR_NE:
    case RLXC_EXPR_LT:
    case RLXC_EXPR_LE:
    case RLXC_EXPR_GT:
    case RLXC_EXPR_GE:
    case RLXC_EXPR_AND:
    case RLXC_EXPR_OR:
    case RLXC_EXPR_NOT:
    case RLXC_EXPR_CAST:
    case RLXC_EXPR_SELECT:
    case RLXC_EXPR_LET:
    case RLXC_EXPR_RAMP:
        RLXC_LEAF_EXPRS(RLXC_EXPR_CASE)
        return false;
    }
    return false;
}

bool rlxc_cl_keeps_vectors(rlxc_context *ctx, const rlxc_stmt *s)
{
    const rlx_dtype t = s->store.value->dtype;
    const rlxc_buffer *b = s->store.buffer;
    return rlxc_cl_is_vector(t) && b->dtype.code == t.code && b->dtype.bits == t.bits &&
           first_of(ctx, b, s->store.indices, s->store.n, t.lanes) &&
           may_stay(ctx, s->store.value, t);
}

/* --- arrays of a thread as variables ---------------------------------------------------------- */

typedef struct search {
    rlxc_cl *g;
    rlxc_map arrays; /* data -> rlxc_cl_registers of arrays of the thread */
} search;

static rlxc_cl_registers *array_of(search *u, const rlxc_expr *data)
{
    rlxc_cl_registers *row = rlxc_map_get(&u->arrays, rlxc_key(data));
    if (!row) {
        row = rlxc_alloc(u->g->ctx, sizeof *row);
        *row = (rlxc_cl_registers){0};
        rlxc_map_set(u->g->ctx, &u->arrays, rlxc_key(data), row);
    }
    return row;
}

/* Notes an access of |lanes| lanes. */
static void note(search *u, const rlxc_buffer *b, const rlxc_expr *const *indices, uint32_t n,
                 uint32_t lanes)
{
    rlxc_context *ctx = u->g->ctx;
    rlxc_cl_registers *row = array_of(u, b->data);
    int64_t at = 0;
    const rlxc_expr *offset = lanes > 1           ? first_of(ctx, b, indices, n, lanes)
                              : b->ndim == n && n ? rlxc_cl_offset(ctx, b, indices, n)
                                                  : NULL;
    if (!offset || !rlxc_is_int(rlxc_canonical(ctx, offset, NULL), &at) || at < 0 ||
        (row->lanes && !rlxc_dtype_eq(row->dtype, b->dtype)) ||
        (lanes > 1 && (at % lanes != 0 || (row->lanes > 1 && row->lanes != lanes)))) {
        row->bad = true;
        return;
    }
    row->dtype = b->dtype;
    if (lanes > row->lanes)
        row->lanes = lanes;
}

static bool note_node(void *user, const rlxc_expr *e)
{
    search *u = user;
    if (e->kind == RLXC_EXPR_LOAD)
        note(u, e->load.buffer, e->load.indices, e->load.n, e->dtype.lanes);
    else if (e->kind == RLXC_EXPR_VAR && rlxc_dtype_is_handle(e->dtype))
        array_of(u, e)->bad = true; /* its address is used */
    return true;
}

static bool note_stmt(void *user, const rlxc_stmt *s)
{
    search *u = user;
    if (s->kind == RLXC_STMT_STORE)
        note(u, s->store.buffer, s->store.indices, s->store.n, s->store.value->dtype.lanes);
    rlxc_stmt_nodes(u->g->ctx, s, note_node, u);
    return true;
}

void rlxc_cl_find_registers(rlxc_cl *g, const rlxc_stmt *body)
{
    search u = {.g = g};
    rlxc_stmt_visit(body, note_stmt, &u);
    g->registers = u.arrays;
}

/* The variables of the array |data| of |count| elements, declared; false: it stays an array. */
bool rlxc_cl_declare_registers(rlxc_cl *g, const rlxc_expr *data, const char *name, int64_t count)
{
    rlxc_cl_registers *row = rlxc_map_get(&g->registers, rlxc_key(data));
    if (!row || row->bad || row->lanes < 2 || count % row->lanes != 0 ||
        count / row->lanes > MOST_VARIABLES)
        return false;
    rlx_dtype t = row->dtype;
    t.lanes = (uint16_t)row->lanes;
    row->name = name;
    row->n = (uint32_t)(count / row->lanes);
    for (uint32_t i = 0; i < row->n; i++)
        rlxc_cl_line(g, "%s %s_%u;", rlxc_cl_type(g, t), name, i);
    return true;
}

const char *rlxc_cl_register(rlxc_cl *g, const rlxc_buffer *b, const rlxc_expr *offset)
{
    static const char digits[] = "0123456789abcdef";
    const rlxc_cl_registers *row = rlxc_map_get(&g->registers, rlxc_key(b->data));
    int64_t at;
    if (!row || !row->name || !rlxc_is_int(rlxc_canonical(g->ctx, offset, NULL), &at) || at < 0 ||
        at / row->lanes >= row->n)
        return NULL;
    return rlxc_internf(g->ctx, "%s_%u.s%c", row->name, (unsigned)(at / row->lanes),
                        digits[at % row->lanes]);
}

/* --- text ------------------------------------------------------------------------------------- */

/* A vector of memory: its variable, with |*out_address| NULL; else the address of its first
 * element. */
static const char *place(rlxc_cl *g, const rlxc_buffer *b, const rlxc_expr *const *indices,
                         uint32_t n, uint32_t lanes, const char **out_address)
{
    const rlxc_cl_registers *row = rlxc_map_get(&g->registers, rlxc_key(b->data));
    const rlxc_expr *offset = first_of(g->ctx, b, indices, n, lanes);
    int64_t at;
    *out_address = NULL;
    if (offset && row && row->name && rlxc_is_int(rlxc_canonical(g->ctx, offset, NULL), &at) &&
        at >= 0 && at / row->lanes < row->n)
        return rlxc_internf(g->ctx, "%s_%u", row->name, (unsigned)(at / row->lanes));
    const char *element = offset ? rlxc_cl_element_at(g, b, offset) : NULL;
    *out_address = element ? rlxc_internf(g->ctx, "&%s", element) : "0";
    return "0";
}

const char *rlxc_cl_vector(rlxc_cl *g, const rlxc_expr *e)
{
    rlxc_context *ctx = g->ctx;
    const char *address, *a;
    switch ((rlxc_expr_kind)e->kind) {
    case RLXC_EXPR_BROADCAST:
        return rlxc_internf(ctx, "(%s)(%s)", rlxc_cl_type(g, e->dtype),
                            rlxc_cl_expr(g, e->ramp.base));
    case RLXC_EXPR_ADD:
    case RLXC_EXPR_SUB:
    case RLXC_EXPR_MUL:
    case RLXC_EXPR_DIV:
        a = rlxc_cl_expr(g, e->bin.a);
        return rlxc_internf(ctx, "(%s %c %s)", a,
                            e->kind == RLXC_EXPR_ADD   ? '+'
                            : e->kind == RLXC_EXPR_SUB ? '-'
                            : e->kind == RLXC_EXPR_MUL ? '*'
                                                       : '/',
                            rlxc_cl_expr(g, e->bin.b));
    case RLXC_EXPR_LOAD:
        a = place(g, e->load.buffer, e->load.indices, e->load.n, e->dtype.lanes, &address);
        if (!address)
            return a;
        return rlxc_cl_named(
            g, rlxc_cl_type(g, e->dtype),
            rlxc_internf(ctx, "vload%u(0, %s)", (unsigned)e->dtype.lanes, address));
    case RLXC_EXPR_CALL:
        return rlxc_cl_call(g, e);
    case RLXC_EXPR_VAR:
    case RLXC_EXPR_INT:
    case RLXC_EXPR_FLOAT:
    case RLXC_EXPR_STRING:
    case RLXC_EXPR_MOD:
    case RLXC_EXPR_FLOORDIV:
    case RLXC_EXPR_FLOORMOD:
    case RLXC_EXPR_MIN:
    case RLXC_EXPR_MAX:
    case RLXC_EXPR_EQ:
    case RLXC_EXPR_NE:
    case RLXC_EXPR_LT:
    case RLXC_EXPR_LE:
    case RLXC_EXPR_GT:
    case RLXC_EXPR_GE:
    case RLXC_EXPR_AND:
    case RLXC_EXPR_OR:
    case RLXC_EXPR_NOT:
    case RLXC_EXPR_CAST:
    case RLXC_EXPR_SELECT:
    case RLXC_EXPR_LET:
    case RLXC_EXPR_RAMP:
        break;
    }
    return rlxc_cl_problem(g, "a vector is left in an expression");
}

void rlxc_cl_store_vector(rlxc_cl *g, const rlxc_stmt *s)
{
    const char *address, *value = rlxc_cl_expr(g, s->store.value);
    const char *at = place(g, s->store.buffer, s->store.indices, s->store.n,
                           s->store.value->dtype.lanes, &address);
    if (address)
        rlxc_cl_line(g, "vstore%u(%s, 0, %s);", (unsigned)s->store.value->dtype.lanes, value,
                     address);
    else
        rlxc_cl_line(g, "%s = %s;", at, value);
}
