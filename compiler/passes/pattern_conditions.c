/* The conditions of patterns, {KEY=VALUE}: a row each. */
#include <string.h>

#include "compiler/ir/op.h"
#include "compiler/ir/sym.h"
#include "compiler/passes/pattern_nodes.h"
#include "compiler/script/script.h"

/* --- what is checked at the value ------------------------------------------------------------- */

static const rlxc_sinfo *type_of(const rlxc_pattern_graph *g, rlxc_atom atom)
{
    return rlxc_atom_sinfo(g->ctx, g->module, atom);
}

static const rlxc_binding *made_by(const rlxc_pattern_graph *g, rlxc_atom atom)
{
    return atom.kind == RLXC_ATOM_VAR ? g->definition(g->user, atom.var) : NULL;
}

static bool is_constant(const rlxc_pattern_graph *g, const rlxc_condition *c, rlxc_atom atom,
                        rlxc_match *io_match)
{
    (void)g;
    (void)c;
    (void)io_match;
    return atom.kind == RLXC_ATOM_CONSTANT;
}

static bool is_param(const rlxc_pattern_graph *g, const rlxc_condition *c, rlxc_atom atom,
                     rlxc_match *io_match)
{
    (void)c;
    (void)io_match;
    return atom.kind == RLXC_ATOM_VAR && !g->definition(g->user, atom.var);
}

static bool has_dtype(const rlxc_pattern_graph *g, const rlxc_condition *c, rlxc_atom atom,
                      rlxc_match *io_match)
{
    const rlxc_sinfo *s = type_of(g, atom);
    (void)io_match;
    return s && (s->kind == RLXC_SINFO_TENSOR || s->kind == RLXC_SINFO_PRIM) &&
           rlx_dtype_eq(s->dtype, c->dtype);
}

static bool has_rank(const rlxc_pattern_graph *g, const rlxc_condition *c, rlxc_atom atom,
                     rlxc_match *io_match)
{
    const rlxc_sinfo *s = type_of(g, atom);
    (void)io_match;
    return s && (s->kind == RLXC_SINFO_TENSOR || s->kind == RLXC_SINFO_SHAPE) &&
           s->ndim == c->value.i;
}

/* Each dimension is a number, "_", or a name, which stands for one size everywhere. */
static bool has_shape(const rlxc_pattern_graph *g, const rlxc_condition *c, rlxc_atom atom,
                      rlxc_match *io_match)
{
    const rlxc_sinfo *s = type_of(g, atom);
    if (!s || (s->kind != RLXC_SINFO_TENSOR && s->kind != RLXC_SINFO_SHAPE) ||
        s->ndim != (int64_t)c->value.list.count || (s->ndim > 0 && !s->dims))
        return false;
    for (int32_t i = 0; i < s->ndim; i++) {
        const rlxc_attr *want = &c->value.list.items[i];
        int64_t size;
        if (want->kind == RLXC_ATTR_INT) {
            if (!rlxc_is_int(s->dims[i], &size) || size != want->i)
                return false;
        } else if (c->names[i] != RLXC_PATTERN_NO_NAME) {
            const rlxc_expr **known = &io_match->dims[c->names[i]];
            if (*known && !rlxc_prove_eq(g->ctx, *known, s->dims[i], NULL))
                return false;
            *known = s->dims[i];
        }
    }
    return true;
}

static bool has_type(const rlxc_pattern_graph *g, const rlxc_condition *c, rlxc_atom atom,
                     rlxc_match *io_match)
{
    const rlxc_sinfo *s = type_of(g, atom);
    rlxc_bindings found = {0};
    (void)io_match;
    if (!s || !rlxc_sinfo_match(g->ctx, c->type, s, &found))
        return false;
    const rlxc_sinfo *known =
        rlxc_sinfo_substitute(g->ctx, c->type, found.vars.items,
                              (const rlxc_expr *const *)found.values.items, found.vars.count);
    return rlxc_sinfo_subsumes(g->ctx, known, s);
}

static bool has_args(const rlxc_pattern_graph *g, const rlxc_condition *c, rlxc_atom atom,
                     rlxc_match *io_match)
{
    const rlxc_binding *b = made_by(g, atom);
    (void)io_match;
    return b && b->form == RLXC_FORM_CALL && b->n_args == c->value.i;
}

/* The attribute has this value; a list of one number equals the number. */
static bool equals(const rlxc_attr *want, const rlxc_attr *got)
{
    double a, b;
    rlx_dtype dtype;
    if (got->kind == RLXC_ATTR_LIST && want->kind == RLXC_ATTR_LIST) {
        bool same = got->list.count == want->list.count;
        for (uint32_t i = 0; same && i < got->list.count; i++)
            same = equals(&want->list.items[i], &got->list.items[i]);
        return same;
    }
    if (want->kind == RLXC_ATTR_NONE)
        return got->kind == RLXC_ATTR_NONE;
    if (want->kind == RLXC_ATTR_STRING && got->kind == RLXC_ATTR_DTYPE)
        return rlxc_dtype_parse(want->s, strlen(want->s), &dtype) &&
               rlx_dtype_eq(dtype, got->dtype);
    if (want->kind == RLXC_ATTR_STRING)
        return got->kind == RLXC_ATTR_STRING && strcmp(got->s, want->s) == 0;
    if (rlxc_attr_as_number(want, &a) && rlxc_attr_as_number(got, &b))
        return a == b;
    return rlxc_attr_equal(want, got);
}

static bool has_attr(const rlxc_pattern_graph *g, const rlxc_condition *c, rlxc_atom atom,
                     rlxc_match *io_match)
{
    const rlxc_binding *b = made_by(g, atom);
    const rlxc_attr *got =
        b && b->form == RLXC_FORM_CALL ? rlxc_attrs_find(&b->attrs, c->key) : NULL;
    (void)io_match;
    return got && equals(&c->value, got);
}

/* --- what is checked once all captures are known -----------------------------------------------
 */

static bool has_same_shape(const rlxc_pattern_graph *g, const rlxc_condition *c, rlxc_atom atom,
                           rlxc_match *io_match)
{
    const rlxc_atom other = io_match->atoms[c->names[0]];
    const rlxc_sinfo *a = type_of(g, atom);
    const rlxc_sinfo *b = other.kind == RLXC_ATOM_NONE ? NULL : type_of(g, other);
    if (!a || !b || a->kind != RLXC_SINFO_TENSOR || b->kind != RLXC_SINFO_TENSOR ||
        a->ndim != b->ndim || a->ndim < 0 || (a->ndim > 0 && (!a->dims || !b->dims)))
        return false;
    for (int32_t i = 0; i < a->ndim; i++)
        if (!rlxc_prove_eq(g->ctx, a->dims[i], b->dims[i], NULL))
            return false;
    return true;
}

/* How often the call that made the capture reads |atom|. */
static uint32_t reads(const rlxc_pattern_graph *g, const rlxc_condition *c, rlxc_atom atom,
                      const rlxc_match *m)
{
    const rlxc_binding *b = made_by(g, m->atoms[c->names[0]]);
    return b && atom.kind == RLXC_ATOM_VAR ? rlxc_pattern_reads(b, atom.var) : 0;
}

static bool is_used_by(const rlxc_pattern_graph *g, const rlxc_condition *c, rlxc_atom atom,
                       rlxc_match *io_match)
{
    return reads(g, c, atom, io_match) > 0;
}

static bool is_only_used_by(const rlxc_pattern_graph *g, const rlxc_condition *c, rlxc_atom atom,
                            rlxc_match *io_match)
{
    uint32_t n = reads(g, c, atom, io_match);
    return n > 0 && n == g->uses(g->user, atom.var);
}

/* --- the table -------------------------------------------------------------------------------- */

typedef enum value_kind { NO_VALUE, INTEGER, DTYPE, DIMS, TYPE, CAPTURE } value_kind;

static const struct row {
    const char *key;
    value_kind value;
    rlxc_condition_fn holds;
    bool late;
} rows[] = {
    {"constant", NO_VALUE, is_constant, false}, {"param", NO_VALUE, is_param, false},
    {"dtype", DTYPE, has_dtype, false},         {"rank", INTEGER, has_rank, false},
    {"shape", DIMS, has_shape, false},          {"type", TYPE, has_type, false},
    {"args", INTEGER, has_args, false},         {"same_shape", CAPTURE, has_same_shape, true},
    {"used_by", CAPTURE, is_used_by, true},     {"only_used_by", CAPTURE, is_only_used_by, true},
};

static const rlxc_sinfo *read_type(rlxc_context *ctx, const char *text)
{
    rlxc_var_list symbols = {0};
    const rlxc_fragment f = {ctx, rlxc_module_new(ctx), &symbols, true};
    return rlxc_parse_sinfo_text(&f, text);
}

/* NULL, or what is wrong. */
static const char *read_dims(rlxc_condition *io,
                             uint32_t (*name_index)(void *user, const char *name), void *user)
{
    if (io->value.kind != RLXC_ATTR_LIST || io->value.list.count > RLX_MAX_NDIM)
        return "shape needs a list of dimensions";
    for (uint32_t i = 0; i < io->value.list.count; i++) {
        const rlxc_attr *dim = &io->value.list.items[i];
        if (dim->kind != RLXC_ATTR_INT && dim->kind != RLXC_ATTR_STRING)
            return "a dimension is a number, a name or _";
        io->names[i] = dim->kind == RLXC_ATTR_STRING && strcmp(dim->s, "_") != 0
                           ? name_index(user, dim->s)
                           : RLXC_PATTERN_NO_NAME;
    }
    return NULL;
}

static const char *read_row(rlxc_context *ctx, const struct row *row, rlxc_condition *io,
                            uint32_t (*name_index)(void *user, const char *name), void *user)
{
    const bool is_text = io->value.kind == RLXC_ATTR_STRING;
    switch (row->value) {
    case NO_VALUE:
        return io->value.kind == RLXC_ATTR_NONE ? NULL : "the condition has no value";
    case INTEGER:
        return io->value.kind == RLXC_ATTR_INT ? NULL : "the condition needs a number";
    case DTYPE:
        return is_text && rlxc_dtype_parse(io->value.s, strlen(io->value.s), &io->dtype)
                   ? NULL
                   : "the condition needs an element type";
    case DIMS:
        return read_dims(io, name_index, user);
    case TYPE:
        io->type = is_text ? read_type(ctx, io->value.s) : NULL;
        return io->type ? NULL : "the condition needs a type as text";
    case CAPTURE:
        if (!is_text)
            return "the condition needs the name of a capture";
        io->names[0] = name_index(user, io->value.s);
        return NULL;
    }
    return NULL;
}

const char *rlxc_condition_resolve(rlxc_context *ctx, const char *key, rlxc_condition *io,
                                   uint32_t (*name_index)(void *user, const char *name), void *user)
{
    if (key[0] == '.') {
        io->key = rlxc_intern_cstr(ctx, key + 1);
        io->holds = has_attr;
        return NULL;
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].key, key) == 0) {
            io->holds = rows[i].holds;
            io->late = rows[i].late;
            return read_row(ctx, &rows[i], io, name_index, user);
        }
    return "there is no such condition; attributes begin with '.'";
}
