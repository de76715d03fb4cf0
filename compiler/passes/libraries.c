/* The table of built-in code generators, and what they share: sections of rows. */
#include "compiler/passes/libraries.h"

#include <string.h>

#include "compiler/analysis/alias.h"
#include "rlx/loaders.h"

static const rlxc_library *const all[] = {&rlxc_cblas, &rlxc_dnnl};

const rlxc_library *const *rlxc_libraries(uint32_t *out_n)
{
    *out_n = sizeof all / sizeof *all;
    return all;
}

/* --- matches ---------------------------------------------------------------------------------- */

const rlxc_sinfo *rlxc_library_tensor(rlxc_context *ctx, rlxc_atom atom, int32_t ndim)
{
    const rlxc_sinfo *s = rlxc_atom_sinfo(ctx, NULL, atom);
    return s && s->kind == RLXC_SINFO_TENSOR && s->ndim == ndim && s->dims && !s->vdevice &&
                   rlxc_dtype_eq(s->dtype, RLX_F32)
               ? s
               : NULL;
}

const rlxc_binding *rlxc_library_inside(const rlxc_match *match, const char *op)
{
    for (uint32_t i = 0; i < match->n_inside; i++)
        if (rlxc_is_op(match->inside[i], op))
            return match->inside[i];
    return NULL;
}

/* --- functions that leave --------------------------------------------------------------------- */

uint32_t rlxc_library_operand(const rlxc_library_reading *r, rlxc_atom atom)
{
    for (uint32_t i = 0; atom.kind == RLXC_ATOM_VAR && i < r->composite->n_params; i++) {
        if (r->composite->params[i] != atom.var || i >= r->call->n_args)
            continue;
        const rlxc_atom given = r->call->args[i];
        for (uint32_t k = 0; given.kind == RLXC_ATOM_VAR && k < r->outer->n_params; k++)
            if (r->outer->params[k] == given.var)
                return k;
    }
    return RLX_NO_OPERAND;
}

bool rlxc_library_is_last(const rlxc_library_reading *r, rlxc_atom atom)
{
    return r->last && atom.kind == RLXC_ATOM_VAR && atom.var == r->last;
}

bool rlxc_library_activation(const rlxc_library_reading *r, const rlxc_binding *b,
                             uint32_t *io_number)
{
#define RLX_ACTIVATION(number, name, op) {number, op},
    static const struct {
        uint32_t number;
        const char *op;
    } activations[] = {
#include "rlx/activations.def"
    };
    if (b->n_args == 0 || !rlxc_library_is_last(r, b->args[0]))
        return false;
    if (b->form == RLXC_FORM_COPY)
        return true;
    for (size_t i = 0; i < sizeof activations / sizeof *activations; i++)
        if (rlxc_is_op(b, activations[i].op) && *io_number == 0) {
            *io_number = activations[i].number;
            return true;
        }
    return false;
}

/* Finds the one call of the one local function that |f| consists of. */
static bool find_call(rlxc_library_reading *r, const rlxc_function *f)
{
    const rlxc_rvar *local = NULL;
    r->outer = f;
    for (uint32_t i = 0; i < f->body.n_blocks; i++)
        for (uint32_t k = 0; k < f->body.blocks[i]->n; k++) {
            const rlxc_binding *b = f->body.blocks[i]->bindings[k];
            if (b->form == RLXC_FORM_FUNCTION && !local) {
                local = b->var;
                r->composite = b->function;
            } else if (b->form == RLXC_FORM_CALL && !b->op && !r->call &&
                       b->callee.kind == RLXC_ATOM_VAR && b->callee.var == local) {
                r->call = b;
            } else if (b->form != RLXC_FORM_COPY) {
                return false;
            }
        }
    return r->call != NULL;
}

static bool read_function(rlxc_context *ctx, const rlxc_library_rows *rows, const rlxc_function *f,
                          void *row)
{
    rlxc_library_reading r = {.ctx = ctx};
    if (!f || !find_call(&r, f))
        return false;
    const rlxc_body *body = &r.composite->body;
    for (uint32_t i = 0; i < body->n_blocks; i++)
        for (uint32_t k = 0; k < body->blocks[i]->n; k++)
            if (!rows->read(row, &r, body->blocks[i]->bindings[k]))
                return false;
    return rlxc_library_is_last(&r, body->result);
}

static void put_word(uint8_t *p, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(word >> 8 * i);
}

bool rlxc_library_write(rlxc_context *ctx, const rlxc_library_rows *rows, const rlxc_taken *taken,
                        uint32_t n, rlxc_section *out)
{
    size_t size = 4;
    for (uint32_t i = 0; i < n; i++)
        size += (size_t)rows->n_words * 4 + strlen(taken[i].symbol);
    uint8_t *data = rlxc_alloc(ctx, size), *at = data + 4;
    put_word(data, n);
    for (uint32_t i = 0; i < n; i++) {
        const rlxc_function *f = taken[i].global->relax;
        uint32_t *row = rlxc_alloc(ctx, rows->bytes);
        rows->prepare(row);
        if (!read_function(ctx, rows, f, row)) {
            rlxc_error(ctx, f ? f->range : taken[i].global->prim->range,
                       "code generator \"%s\": '%s' is not one %s", out->kind,
                       taken[i].global->name, rows->what);
            return false;
        }
        row[0] = (uint32_t)strlen(taken[i].symbol);
        row[1] = f->n_params;
        for (uint32_t k = 0; k < rows->n_words; k++, at += 4)
            put_word(at, row[k]);
        memcpy(at, taken[i].symbol, row[0]);
        at += row[0];
    }
    *out = (rlxc_section){out->kind, "rows", data, size};
    return true;
}
