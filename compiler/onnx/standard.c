/* Standard operators as parts of others (standard.h): runs their handlers on a synthetic node, in a
 * scope of its own. */
#include "compiler/onnx/standard.h"

static char *part_name(rlxc_ox *im, const char *prefix, uint32_t i)
{
    return (char *)(uintptr_t)rlxc_internf(im->ctx, "%s%u", prefix, i);
}

void rlxc_ox_standard_outputs(rlxc_ox *im, const char *op, const Onnx__NodeProto *like,
                              const rlxc_atom *in, uint32_t n_in, rlxc_atom *out, uint32_t n_out)
{
    bool known;
    const rlxc_ox_row *row = rlxc_ox_find_row("", op, &known);
    const Onnx__NodeProto *outer = im->node;
    Onnx__NodeProto node = *outer;
    rlxc_ox_scope scope = {.outer = im->scope, .frame = im->frame};
    char *none = part_name(im, "", 0) + 1;
    char **names = rlxc_alloc(im->ctx, ((size_t)n_in + n_out) * sizeof *names);
    if (like) {
        node.attribute = like->attribute;
        node.n_attribute = like->n_attribute;
    }
    im->scope = &scope;
    for (uint32_t i = 0; i < n_in; i++) {
        names[i] = none;
        if (in[i].kind == RLXC_ATOM_NONE)
            continue;
        names[i] = part_name(im, "x", i);
        rlxc_ox_define(im, names[i], rlxc_ox_tensor(im, in[i]));
    }
    for (uint32_t k = 0; k < n_out; k++)
        names[n_in + k] = part_name(im, "y", k);
    node.input = names;
    node.n_input = n_in;
    node.output = names + n_in;
    node.n_output = n_out;
    im->node = &node;
    if (rlxc_ox_good(im))
        row->fn(im, row);
    for (uint32_t k = 0; k < n_out; k++) {
        rlxc_ox_value *made = rlxc_ox_good(im) ? rlxc_ox_lookup(im, names[n_in + k]) : NULL;
        out[k] = made ? rlxc_ox_atom(im, made) : (rlxc_atom){0};
    }
    im->node = outer;
    im->scope = scope.outer;
}

rlxc_atom rlxc_ox_standard(rlxc_ox *im, const char *op, const rlxc_atom *in, uint32_t n)
{
    rlxc_atom y;
    rlxc_ox_standard_outputs(im, op, NULL, in, n, &y, 1);
    return y;
}

rlxc_atom rlxc_ox_optional_in(rlxc_ox *im, uint32_t i)
{
    return rlxc_ox_has(im, i) ? rlxc_ox_in(im, i) : (rlxc_atom){0};
}

rlxc_atom rlxc_ox_sum(rlxc_ox *im, rlxc_atom a, rlxc_atom b)
{
    const rlxc_atom in[2] = {a, b};
    return rlxc_ox_standard(im, "Add", in, 2);
}

rlxc_atom rlxc_ox_move_channels(rlxc_ox *im, rlxc_atom x, bool to_last)
{
    const uint32_t ndim = rlxc_ox_ndim(im, x);
    int64_t axes[RLXC_MAX_NDIM] = {0};
    if (ndim < 3)
        return x;
    for (uint32_t i = 1; i < ndim; i++)
        axes[i] = to_last ? i + 1 : i - 1;
    axes[to_last ? ndim - 1 : 1] = to_last ? 1 : ndim - 1;
    return rlxc_ox_transpose(im, x, axes, ndim);
}
