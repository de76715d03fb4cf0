/* Turns parameters of `main` into constants from a weights file.
 *
 * The parameter's variable stays what it is and gets a binding at the start of the body: a copy of
 * the constant, or a match_cast to the declared type where that has symbols or unknown parts, which
 * then binds them. So no use has to be rewritten. */
#include <string.h>

#include "compiler/driver/safetensors.h"

static const rlxc_weight *find_weight(const rlxc_weights *weights, const char *param)
{
    uintptr_t index = (uintptr_t)rlxc_map_get(&weights->by_symbol, rlxc_key(param));
    return index != 0 ? &weights->tensors.items[index - 1] : NULL;
}

static bool is_ambiguous(const rlxc_weights *weights, const rlxc_weight *found)
{
    for (uint32_t i = 0; i < weights->tensors.count; i++)
        if (&weights->tensors.items[i] != found &&
            weights->tensors.items[i].symbol == found->symbol)
            return true;
    return false;
}

static rlxc_binding *bind(rlxc_context *ctx, const rlxc_weights *weights, rlxc_rvar *param,
                          const rlxc_weight *w)
{
    if (is_ambiguous(weights, w)) {
        rlxc_error(ctx, param->range, "parameter '%s': more than one tensor of %s has this name",
                   param->name, weights->path);
        return NULL;
    }
    rlxc_constant *c = rlxc_constant_new(ctx, w->dtype, w->ndim, w->shape, w->data, w->nbytes);
    c->name = w->name;
    const rlxc_sinfo *declared = param->sinfo != NULL ? param->sinfo : param->annotation;
    const rlxc_sinfo *actual = rlxc_atom_sinfo(ctx, NULL, rlxc_atom_constant(c));
    if (declared != NULL && !rlxc_sinfo_compatible(ctx, declared, actual)) {
        rlxc_error(ctx, param->range, "parameter '%s': expected %s, tensor '%s' of %s is %s",
                   param->name, rlxc_sinfo_text(ctx, declared), w->name, weights->path,
                   rlxc_sinfo_text(ctx, actual));
        return NULL;
    }
    bool same = declared == NULL || declared == actual;
    rlxc_binding *b = rlxc_binding_new(ctx, same ? RLXC_FORM_COPY : RLXC_FORM_MATCH_CAST, param);
    rlxc_atom atom = rlxc_atom_constant(c);
    b->args = rlxc_copy(ctx, &atom, sizeof atom);
    b->n_args = 1;
    b->range = param->range;
    if (!same) {
        b->sinfo_args = rlxc_copy(ctx, &declared, sizeof(const rlxc_sinfo *));
        b->n_sinfo_args = 1;
    }
    return b;
}

static void prepend_block(rlxc_context *ctx, rlxc_body *body, rlxc_binding_block *block)
{
    rlxc_body_push(ctx, body, block);
    for (uint32_t i = body->n_blocks - 1; i > 0; i--)
        body->blocks[i] = body->blocks[i - 1];
    body->blocks[0] = block;
}

bool rlxc_bind_weights(rlxc_context *ctx, rlxc_module *module, const rlxc_weights *weights)
{
    rlxc_global *global = rlxc_module_find(module, rlxc_intern_cstr(ctx, "main"));
    if (global == NULL || global->relax == NULL) {
        rlxc_error(ctx, (rlxc_range){0}, "--params needs a Relax function 'main'");
        return false;
    }
    rlxc_function *f = global->relax;
    int64_t first = -1;
    const rlxc_attr *num_input = rlxc_attrs_find(&f->attrs, rlxc_intern_cstr(ctx, "num_input"));
    if (num_input != NULL && !rlxc_attr_as_int(num_input, &first))
        first = -1;

    rlxc_binding_block *block = rlxc_block_new(ctx, false);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        rlxc_rvar *param = f->params[i];
        const rlxc_weight *w = first < 0 || i >= first ? find_weight(weights, param->name) : NULL;
        if (w == NULL && first >= 0 && i >= first)
            rlxc_error(ctx, param->range, "parameter '%s' has no tensor of its name in %s",
                       param->name, weights->path);
        rlxc_binding *binding = w != NULL ? bind(ctx, weights, param, w) : NULL;
        if (binding == NULL)
            f->params[kept++] = param;
        else
            rlxc_block_push(ctx, block, binding);
    }
    if (kept == f->n_params && !rlxc_failed(ctx))
        rlxc_warning(ctx, f->range, "no parameter of 'main' has a tensor of its name in %s",
                     weights->path);
    f->n_params = kept;
    if (block->n > 0)
        prepend_block(ctx, &f->body, block);
    return !rlxc_failed(ctx);
}
