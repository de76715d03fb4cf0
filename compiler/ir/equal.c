/* Equality of modules up to renaming of variables.
 *
 * Functions are paired by name and compared through their encodings (equal_encoder.h). Symbolic
 * dimensions are canonical sums whose order of terms depends on variable ids, which differ between
 * two modules; so each symbol is replaced by a numbered placeholder shared by both sides, and the
 * result is canonicalised again: equal dimensions are then one pointer. Boundaries between
 * neighbouring binding blocks, and empty blocks, have no meaning and are not compared; annotations
 * are compared where no type is inferred yet. */
#include "compiler/ir/equal_encoder.h"
#include "compiler/ir/op.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/sym.h"

enum { NO_TYPE = 2000, DATAFLOW_BEGIN, DATAFLOW_END, BODY_END, SYMBOL, NUMBER, DERIVED };

/* --- dimensions and types --------------------------------------------------------------------- */

static uint32_t symbol_number(rlxc_encoder *e, const rlxc_expr *var)
{
    uintptr_t known = (uintptr_t)rlxc_map_get(&e->symbol_numbers, rlxc_key(var));
    if (known)
        return (uint32_t)(known - 1);
    uint32_t number = e->symbols.count;
    RLXC_PUSH(e->ctx, &e->symbols, var);
    rlxc_map_set(e->ctx, &e->symbol_numbers, rlxc_key(var), (void *)((uintptr_t)number + 1));
    while (e->canonical->vars.count <= number && !rlxc_out_of_memory(e->ctx))
        RLXC_PUSH(e->ctx, &e->canonical->vars, rlxc_shape_var(e->ctx, "s"));
    return number;
}

static const rlxc_expr *stand_in(void *user, const rlxc_expr *x)
{
    rlxc_encoder *e = user;
    if (x->kind != RLXC_EXPR_VAR || !rlxc_dtype_eq(x->dtype, RLX_I64))
        return NULL;
    uint32_t number = symbol_number(e, x);
    return number < e->canonical->vars.count ? e->canonical->vars.items[number] : NULL;
}

static void encode_dim(rlxc_encoder *e, const rlxc_expr *x)
{
    if (x->kind == RLXC_EXPR_INT) {
        rlxc_encode(e, NUMBER);
        rlxc_encode_dtype(e, x->dtype);
        rlxc_encode(e, (uint64_t)x->i);
    } else if (x->kind == RLXC_EXPR_VAR) {
        rlxc_encode(e, SYMBOL);
        rlxc_encode_dtype(e, x->dtype);
        rlxc_encode(e, symbol_number(e, x));
    } else if (rlxc_dtype_eq(x->dtype, RLX_I64)) {
        rlxc_encode(e, DERIVED);
        rlxc_encode(e, rlxc_canonical(e->ctx, rlxc_expr_rewrite(e->ctx, x, stand_in, e), NULL)->id);
    } else {
        rlxc_encode_expr(e, x);
    }
}

/* Numbers the symbols that a type binds, before expressions over them are encoded. */
static void number_lone_symbols(rlxc_encoder *e, const rlxc_sinfo *s)
{
    if (s->value && s->value->kind == RLXC_EXPR_VAR)
        symbol_number(e, s->value);
    if (s->dims)
        for (int32_t i = 0; i < s->ndim; i++)
            if (s->dims[i]->kind == RLXC_EXPR_VAR)
                symbol_number(e, s->dims[i]);
    for (uint32_t i = 0; i < s->n_fields; i++)
        number_lone_symbols(e, s->fields[i]);
}

static void encode_sinfo(rlxc_encoder *e, const rlxc_sinfo *s)
{
    if (!s) {
        rlxc_encode(e, NO_TYPE);
        return;
    }
    rlxc_encode(e, (uint64_t)s->kind);
    switch (s->kind) {
    case RLXC_SINFO_OBJECT:
        break;
    case RLXC_SINFO_PRIM:
        rlxc_encode_dtype(e, s->dtype);
        rlxc_encode(e, s->value != NULL);
        if (s->value)
            encode_dim(e, s->value);
        break;
    case RLXC_SINFO_TENSOR:
        rlxc_encode_dtype(e, s->dtype);
        rlxc_encode_text(e, s->vdevice);
        /* fall through */
    case RLXC_SINFO_SHAPE:
        rlxc_encode(e, (uint64_t)(int64_t)s->ndim);
        rlxc_encode(e, s->dims != NULL);
        if (s->dims)
            for (int32_t i = 0; i < s->ndim; i++)
                encode_dim(e, s->dims[i]);
        break;
    case RLXC_SINFO_CALLABLE:
    case RLXC_SINFO_TUPLE:
        rlxc_encode(e, (uint64_t)s->opaque << 1 | (uint64_t)s->pure);
        rlxc_encode(e, s->n_fields);
        number_lone_symbols(e, s);
        for (uint32_t i = 0; i < s->n_fields; i++)
            encode_sinfo(e, s->fields[i]);
        encode_sinfo(e, s->ret);
        break;
    }
}

/* --- graph ------------------------------------------------------------------------------------ */

static void encode_rvar(rlxc_encoder *e, const rlxc_rvar *v)
{
    bool is_new;
    rlxc_encode(e, rlxc_encoder_number(e, v, &is_new));
}

static void encode_bound_rvar(rlxc_encoder *e, const rlxc_rvar *v)
{
    encode_rvar(e, v);
    rlxc_encode(e, v->is_dataflow);
    encode_sinfo(e, v->sinfo ? v->sinfo : v->annotation);
}

static void encode_atom(rlxc_encoder *e, rlxc_atom a)
{
    rlxc_encode(e, (uint64_t)a.kind);
    switch (a.kind) {
    case RLXC_ATOM_NONE:
        break;
    case RLXC_ATOM_VAR:
        encode_rvar(e, a.var);
        break;
    case RLXC_ATOM_CONSTANT:
        rlxc_encode_constant(e, a.constant);
        break;
    case RLXC_ATOM_SHAPE:
        rlxc_encode(e, a.n);
        for (uint32_t i = 0; i < a.n; i++)
            encode_dim(e, a.dims[i]);
        break;
    case RLXC_ATOM_PRIM:
        encode_dim(e, a.prim);
        break;
    case RLXC_ATOM_STRING:
    case RLXC_ATOM_GLOBAL:
    case RLXC_ATOM_EXTERN:
        rlxc_encode_text(e, a.text);
        break;
    case RLXC_ATOM_DTYPE:
        rlxc_encode_dtype(e, a.dtype);
        break;
    case RLXC_ATOM_TUPLE:
        rlxc_encode(e, a.n);
        for (uint32_t i = 0; i < a.n; i++)
            encode_atom(e, a.items[i]);
        break;
    }
}

static void encode_body(rlxc_encoder *e, const rlxc_body *body);
static void encode_function(rlxc_encoder *e, const rlxc_function *f);

static void encode_binding(rlxc_encoder *e, const rlxc_binding *b)
{
    RLXC_PUSH(e->ctx, &e->markers, (rlxc_marker){e->tokens.count, b->var});
    rlxc_encode(e, (uint64_t)b->form);
    rlxc_encode(e, b->op ? (uint64_t)b->op->index + 1 : 0);
    if (b->form == RLXC_FORM_CALL && !b->op)
        encode_atom(e, b->callee);
    rlxc_encode(e, b->n_args);
    for (uint32_t i = 0; i < b->n_args; i++)
        encode_atom(e, b->args[i]);
    rlxc_encode(e, b->index);
    rlxc_encode_attrs(e, &b->attrs);
    rlxc_encode(e, b->n_sinfo_args);
    for (uint32_t i = 0; i < b->n_sinfo_args; i++) {
        number_lone_symbols(e, b->sinfo_args[i]);
        encode_sinfo(e, b->sinfo_args[i]);
    }
    if (b->form == RLXC_FORM_IF) {
        encode_body(e, b->then);
        encode_body(e, b->otherwise);
    }
    if (b->form == RLXC_FORM_FUNCTION) {
        /* A local function may call itself: its variable is numbered before its body. */
        encode_rvar(e, b->var);
        encode_function(e, b->function);
    }
    encode_bound_rvar(e, b->var);
}

static void encode_body(rlxc_encoder *e, const rlxc_body *body)
{
    for (uint32_t i = 0; i < body->n_blocks && !rlxc_out_of_memory(e->ctx); i++) {
        const rlxc_binding_block *block = body->blocks[i];
        if (block->n == 0)
            continue;
        if (block->is_dataflow)
            rlxc_encode(e, DATAFLOW_BEGIN);
        for (uint32_t k = 0; k < block->n; k++)
            encode_binding(e, block->bindings[k]);
        if (block->is_dataflow)
            rlxc_encode(e, DATAFLOW_END);
    }
    rlxc_encode(e, BODY_END);
    RLXC_PUSH(e->ctx, &e->markers, (rlxc_marker){e->tokens.count, NULL});
    encode_atom(e, body->result);
}

static void encode_function(rlxc_encoder *e, const rlxc_function *f)
{
    for (uint32_t i = 0; i < f->n_params; i++) {
        const rlxc_rvar *p = f->params[i];
        if (p->sinfo || p->annotation)
            number_lone_symbols(e, p->sinfo ? p->sinfo : p->annotation);
    }
    rlxc_encode(e, f->n_params);
    for (uint32_t i = 0; i < f->n_params; i++)
        encode_bound_rvar(e, f->params[i]);
    encode_sinfo(e, f->ret);
    rlxc_encode_attrs(e, &f->attrs);
    rlxc_encode(e, f->is_pure);
    encode_body(e, &f->body);
}

/* --- modules ---------------------------------------------------------------------------------- */

static bool say(rlxc_context *ctx, const char **out_why, const char *function, const char *what,
                const char *name)
{
    if (out_why)
        *out_why = name ? rlxc_internf(ctx, "function '%s': %s '%s'", function, what, name)
                        : rlxc_internf(ctx, "function '%s': %s", function, what);
    return false;
}

static bool same_relax(rlxc_encoder *x, rlxc_encoder *y, const rlxc_function *a,
                       const rlxc_function *b, const char **out_why)
{
    uint32_t at;
    rlxc_encoder_reset(x);
    rlxc_encoder_reset(y);
    encode_function(x, a);
    encode_function(y, b);
    if (a->is_private != b->is_private)
        return say(x->ctx, out_why, a->name, "one is private", NULL);
    if (rlxc_encoders_equal(x, y, &at))
        return true;
    if (at >= x->tokens.count || at >= y->tokens.count ||
        x->tokens.items[at] == y->tokens.items[at])
        return say(x->ctx, out_why, a->name, "length or constants differ", NULL);
    uint32_t found = UINT32_MAX;
    for (uint32_t i = 0; i < x->markers.count && x->markers.items[i].at <= at; i++)
        found = i;
    if (found == UINT32_MAX)
        return say(x->ctx, out_why, a->name, "signatures differ", NULL);
    const rlxc_rvar *var = x->markers.items[found].var;
    return say(x->ctx, out_why, a->name, var ? "differs in or after binding" : "results differ",
               var ? var->name : NULL);
}

static bool same_prim(rlxc_encoder *x, rlxc_encoder *y, const rlxc_prim_func *a,
                      const rlxc_prim_func *b, const char **out_why)
{
    uint32_t at;
    rlxc_encoder_reset(x);
    rlxc_encoder_reset(y);
    rlxc_encode_prim_func(x, a);
    rlxc_encode_prim_func(y, b);
    if (a->is_private != b->is_private)
        return say(x->ctx, out_why, a->name, "one is private", NULL);
    return rlxc_encoders_equal(x, y, &at) ||
           say(x->ctx, out_why, a->name, "the PrimFuncs differ", NULL);
}

static bool same_vdevices(const rlxc_module *a, const rlxc_module *b)
{
    if (a->vdevices.count != b->vdevices.count)
        return false;
    for (uint32_t i = 0; i < a->vdevices.count; i++) {
        const rlxc_vdevice *x = &a->vdevices.items[i], *y = &b->vdevices.items[i];
        if (x->index != y->index || x->scope != y->scope ||
            !rlxc_attr_equal(&x->target, &y->target))
            return false;
    }
    return true;
}

bool rlxc_module_equal(rlxc_context *ctx, const rlxc_module *a, const rlxc_module *b,
                       const char **out_why)
{
    const char *why = NULL;
    if (a->globals.count != b->globals.count)
        why = "the modules differ in their number of functions";
    else if (!rlxc_attrs_equal(&a->attrs, &b->attrs))
        why = "the modules' attributes differ";
    else if (!same_vdevices(a, b))
        why = "the modules' virtual devices differ";
    if (why) {
        if (out_why)
            *out_why = why;
        return false;
    }
    rlxc_var_list canonical = {0};
    rlxc_encoder x = {.ctx = ctx, .canonical = &canonical};
    rlxc_encoder y = {.ctx = ctx, .canonical = &canonical};
    for (uint32_t i = 0; i < a->globals.count; i++) {
        const rlxc_global *f = a->globals.items[i];
        const rlxc_global *g = rlxc_module_find(b, f->name);
        if (!g || (f->relax == NULL) != (g->relax == NULL))
            return say(ctx, out_why, f->name, "missing in the other module", NULL);
        bool same = f->relax ? same_relax(&x, &y, f->relax, g->relax, out_why)
                             : same_prim(&x, &y, f->prim, g->prim, out_why);
        if (!same)
            return false;
        if (rlxc_out_of_memory(ctx)) {
            if (out_why)
                *out_why = "out of memory";
            return false;
        }
    }
    return true;
}
