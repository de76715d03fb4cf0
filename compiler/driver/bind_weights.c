/* Turns parameters of functions into constants from a weights file.
 *
 * Every exported function gets the tensors that match its parameters, except functions that the
 * module itself calls: their callers pass the arguments. A tensor used by several functions becomes
 * one constant.
 *
 * The parameter's variable stays what it is and gets a binding at the start of the body: a copy of
 * the constant, or a match_cast to the declared type where that has symbols or unknown parts, which
 * then binds them. So no use has to be rewritten. */
#include <string.h>

#include "compiler/driver/safetensors.h"
#include "compiler/ir/lifted.h"
#include "compiler/ir/names.h"
#include "rlx/checked.h"
#include "rlx/packed.h"

enum { MOST_LISTED = 10, NAME_SHOWN = 80 };

typedef struct binder {
    rlxc_context *ctx;
    const rlxc_weights *weights;
    const rlxc_constant **constants; /* by tensor; set on first use */
    rlxc_map called;                 /* names of functions that the module calls */
    uint32_t n_bound;
} binder;

/* Lists names in a message: "'a', 'b' and 3 more". */
typedef struct listing {
    rlxc_text text;
    uint32_t n;
} listing;

static void list(listing *l, const char *name)
{
    char shown[NAME_SHOWN];
    if (l->n++ < MOST_LISTED)
        rlxc_text_printf(&l->text, "%s'%s'", l->n > 1 ? ", " : "",
                         rlx_name_text(rlx_str_from(name), shown, sizeof shown));
}

static const char *listed(listing *l)
{
    if (l->n > MOST_LISTED)
        rlxc_text_printf(&l->text, " and %u more", l->n - MOST_LISTED);
    return l->text.data ? l->text.data : "";
}

/* The tensor with the parameter's name, else the first whose name becomes the same identifier;
 * |*out_unsure| is set if there are others. */
static const rlxc_weight *find_weight(const binder *b, const rlxc_function *f,
                                      const rlxc_rvar *param, bool *out_unsure)
{
    const rlxc_weights *weights = b->weights;
    const char *given = rlxc_given_name(b->ctx, f, RLXC_PARAM_NAMES, param->name);
    const rlxc_weight *found = NULL;
    const uintptr_t first =
        (uintptr_t)rlxc_map_get(&weights->by_symbol, rlxc_key(rlxc_weight_symbol(b->ctx, given)));
    *out_unsure = false;
    for (uint32_t i = (uint32_t)first; first != 0 && i <= weights->tensors.count; i++) {
        const rlxc_weight *w = &weights->tensors.items[i - 1];
        if (w->symbol != weights->tensors.items[first - 1].symbol)
            continue;
        if (strcmp(w->name, given) == 0) {
            *out_unsure = false;
            return w;
        }
        *out_unsure = found != NULL;
        found = found ? found : w;
    }
    return found;
}

/* Converts |w|, which is |given|, to packed elements of |type|, which is smaller than a byte; NULL
 * after an error. */
static const rlxc_constant *packed(binder *b, const rlxc_rvar *param, const rlxc_weight *w,
                                   rlx_dtype type, const rlxc_constant *given)
{
    const unsigned char *bytes = w->data;
    size_t size = 0;
    rlx_nbytes(w->shape, w->ndim, type, &size);
    unsigned char *data = rlxc_try_alloc(b->ctx, size + 1, 1);
    if (!data)
        return NULL;
    memset(data, 0, size);
    for (size_t i = 0; i < w->nbytes; i++) {
        const int64_t value = type.code == RLX_INT ? (int8_t)bytes[i] : bytes[i];
        if (!rlx_packed_fits(type, value)) {
            rlxc_error(
                b->ctx, param->range,
                "parameter '%s': element %zu of tensor '%s' of %s is %lld, which is not a valid %s",
                param->name, i, w->name, b->weights->path, (long long)value,
                rlxc_dtype_name(b->ctx, type));
            return NULL;
        }
        rlx_packed_set(type, data, i, value);
    }
    rlxc_constant *made = given->lifted
                              ? rlxc_constant_cast(b->ctx, given, type)
                              : rlxc_constant_new(b->ctx, type, w->ndim, w->shape, NULL, 0);
    made->name = w->name;
    made->data = data;
    made->nbytes = size;
    return made;
}

/* |w| for a parameter of type |declared|, or NULL after an error. safetensors has no types smaller
 * than a byte, so byte integers represent them. */
static const rlxc_constant *constant_of(binder *b, const rlxc_rvar *param, const rlxc_weight *w,
                                        const rlxc_sinfo *declared)
{
    const size_t at = (size_t)(w - b->weights->tensors.items);
    const rlxc_constant *known = b->constants[at];
    const bool pack = declared && declared->kind == RLXC_SINFO_TENSOR &&
                      rlx_dtype_is_packed(declared->dtype) &&
                      rlxc_dtype_eq(w->dtype, RLX_DTYPE(declared->dtype.code, 8));
    const rlx_dtype type = pack ? declared->dtype : w->dtype;
    if (!known || !rlxc_dtype_eq(known->dtype, type)) {
        rlxc_constant *given =
            rlxc_constant_new(b->ctx, w->dtype, w->ndim, w->shape, w->data, w->nbytes);
        given->name = w->name;
        given->lifted = b->weights->lift;
        known = pack ? packed(b, param, w, type, given) : given;
        b->constants[at] = known;
    }
    return known;
}

static rlxc_binding *bind(binder *all, rlxc_rvar *param, const rlxc_weight *w, bool unsure)
{
    rlxc_context *ctx = all->ctx;
    const rlxc_weights *weights = all->weights;
    if (unsure) {
        rlxc_error(ctx, param->range, "parameter '%s': %s has several tensors with this name",
                   param->name, weights->path);
        return NULL;
    }
    const rlxc_sinfo *declared = param->sinfo != NULL ? param->sinfo : param->annotation;
    const rlxc_constant *c = constant_of(all, param, w, declared);
    if (c == NULL)
        return NULL;
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

typedef void (*reporter)(rlxc_context *, rlxc_range, const char *, ...)
    __attribute__((format(printf, 3, 4)));

static reporter reporter_of(const binder *b)
{
    return b->weights->strict ? rlxc_error : rlxc_warning;
}

/* Parameters from num_input on that have no tensor. */
static void report_missing(const binder *b, const rlxc_function *f, listing *missing)
{
    const char *outcome = b->weights->strict ? ""
                          : missing->n == 1  ? ": it stays an input"
                                             : " and stay inputs";
    if (missing->n == 1)
        reporter_of(b)(b->ctx, f->range, "no tensor named %s in %s for a parameter of '%s'%s",
                       listed(missing), b->weights->path, f->name, outcome);
    else if (missing->n > 1)
        reporter_of(b)(b->ctx, f->range, "%u parameters of '%s' have no tensor in %s%s: %s",
                       missing->n, f->name, b->weights->path, outcome, listed(missing));
}

static void bind_function(binder *b, rlxc_function *f)
{
    int64_t first = -1;
    const rlxc_attr *num_input = rlxc_attrs_find(&f->attrs, "num_input");
    if (num_input != NULL && !rlxc_attr_as_int(num_input, &first))
        first = -1;
    rlxc_binding_block *block = rlxc_block_new(b->ctx, false);
    listing missing = {.text = {.ctx = b->ctx}};
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        rlxc_rvar *param = f->params[i];
        bool unsure = false;
        const rlxc_weight *w = first < 0 || i >= first ? find_weight(b, f, param, &unsure) : NULL;
        if (w == NULL && first >= 0 && i >= first)
            list(&missing, rlxc_given_name(b->ctx, f, RLXC_PARAM_NAMES, param->name));
        rlxc_binding *binding = w != NULL ? bind(b, param, w, unsure) : NULL;
        if (binding == NULL)
            f->params[kept++] = param;
        else
            rlxc_block_push(b->ctx, block, binding);
    }
    f->n_params = kept;
    b->n_bound += block->n;
    if (block->n > 0)
        prepend_block(b->ctx, &f->body, block);
    report_missing(b, f, &missing);
}

static void report_unused(const binder *b)
{
    listing unused = {.text = {.ctx = b->ctx}};
    for (uint32_t i = 0; i < b->weights->tensors.count; i++)
        if (!b->constants[i])
            list(&unused, b->weights->tensors.items[i].name);
    if (b->n_bound == 0)
        reporter_of(b)(b->ctx, (rlxc_range){0},
                       "no parameter has the name of a tensor in %s, which has %u: %s",
                       b->weights->path, unused.n, listed(&unused));
    else if (unused.n > 0)
        reporter_of(b)(b->ctx, (rlxc_range){0}, "%s: %u of %u tensors match no parameter: %s",
                       b->weights->path, unused.n, b->weights->tensors.count, listed(&unused));
}

static void note_call(void *user, rlxc_atom atom)
{
    binder *b = user;
    if (atom.kind == RLXC_ATOM_GLOBAL)
        rlxc_map_set(b->ctx, &b->called, rlxc_key(atom.text), b);
}

bool rlxc_bind_weights(rlxc_context *ctx, rlxc_module *module, const rlxc_weights *weights)
{
    binder b = {.ctx = ctx, .weights = weights};
    b.constants = rlxc_try_alloc(ctx, (size_t)weights->tensors.count + 1, sizeof(void *));
    if (!b.constants)
        return false;
    for (uint32_t i = 0; i < module->globals.count; i++)
        if (module->globals.items[i]->relax)
            rlxc_body_visit(&module->globals.items[i]->relax->body, note_call, &b);
    for (uint32_t i = 0; i < module->globals.count; i++) {
        rlxc_function *f = module->globals.items[i]->relax;
        if (f && !f->is_private &&
            !rlxc_map_get(&b.called, rlxc_key(module->globals.items[i]->name)))
            bind_function(&b, f);
    }
    if (!rlxc_failed(ctx) || weights->strict)
        report_unused(&b);
    return !rlxc_failed(ctx);
}
