/* Nodes whose code depends on facts known only at run time: the rank of an input, or the length of
 * a vector that decides shapes (the shape of a Reshape, axes, starts and ends).
 *
 * A node that does not need the fact is imported normally. Any other is imported once for each rank
 * up to MOST_RANK, or length up to MOST_LENGTH. The actual value must be among those that fit,
 * which is checked before the node. If one fits, it is a fact from there on; if several fit, they
 * go into the branches of a chain of Ifs, and the rank of the results may again be known only at
 * run time. Several such vectors are first assumed to have the same length; if none fits, they are
 * treated one by one. The pass split_ranks does the same for operators that the importer emits. */
#include <string.h>

#include "compiler/onnx/loop.h"
#include "compiler/onnx/object.h"

enum { MOST_RANK = 6, MOST_LENGTH = 2 * MOST_RANK, EXAMPLE = 2, MOST_TEXT = 60 };

/* One rank or length that fits: the node's results for it, and their code. */
typedef struct rank_case {
    int32_t number;
    rlxc_body *body;
    rlxc_ox_value **values;
} rank_case;

typedef struct split_node {
    const rlxc_ox_row *row;
    bool length, together; /* not the rank; of all such vectors */
    const char *name;      /* of the input */
    rlxc_ox_value *of;     /* the input, checked */
    uint32_t n;            /* outputs that are wanted */
    uint32_t *outputs;     /* their places */
} split_node;

/* True if the rank of |v|, or the |length| of a vector, is unknown. */
static bool is_open(const rlxc_ox_value *v, bool length)
{
    const rlxc_sinfo *s =
        v && v->kind == RLXC_OX_TENSOR && v->atom.kind == RLXC_ATOM_VAR ? v->atom.var->sinfo : NULL;
    int64_t known;
    if (!s || s->kind != RLXC_SINFO_TENSOR)
        return false;
    return length ? s->ndim == 1 && !(s->dims && rlxc_is_int(s->dims[0], &known))
                  : s->ndim == RLXC_UNKNOWN_NDIM;
}

/* The first input of the node from |first| on for which it is unknown, or NULL. */
static const char *find_open(rlxc_ox *im, size_t first, bool length)
{
    if (length && first == 0 && im->node->n_input > 1)
        first = 1; /* beside others, the first is what is worked on */
    for (size_t i = first; i < im->node->n_input; i++)
        if (im->node->input[i] && *im->node->input[i] &&
            is_open(rlxc_ox_lookup(im, im->node->input[i]), length))
            return im->node->input[i];
    return NULL;
}

/* The other vectors of unknown length have |length| elements, too. */
static void define_others(rlxc_ox *im, const split_node *s, const rlxc_expr *length)
{
    for (size_t i = 0; i < im->node->n_input; i++) {
        const char *name = find_open(im, i, true);
        if (!name || strcmp(name, s->name) == 0 || name != im->node->input[i])
            continue;
        rlxc_ox_value *v = rlxc_ox_lookup(im, name);
        v = rlxc_copy(im->ctx, v, sizeof *v);
        v->atom = rlxc_ox_state_dims(im, v->atom, &length, 1);
        rlxc_ox_define(im, name, v);
    }
}

/* Sets the input's rank or length to |number| in the current scope. */
static void define_in_case(rlxc_ox *im, const split_node *s, int32_t number)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM];
    const rlxc_sinfo *t = s->of->atom.var->sinfo;
    const int32_t rank = s->length ? 1 : number;
    for (int32_t i = 0; i < rank; i++)
        dims[i] = s->length ? rlxc_ox_i(im, number)
                            : rlxc_fresh_shape_var(im->ctx, rlxc_internf(im->ctx, "d%d", i));
    rlxc_ox_value *v = rlxc_copy(im->ctx, s->of, sizeof *v);
    v->atom = rlxc_ox_match(im, s->of->atom,
                            rlxc_sinfo_tensor(im->ctx, t->dtype, rank, dims, t->vdevice));
    if (v->atom.kind == RLXC_ATOM_VAR)
        v->atom.var->given = s->of->atom.var->given;
    rlxc_ox_define(im, s->name, v);
    if (s->together)
        define_others(im, s, dims[0]);
}

/* Imports the node for that rank or length of its input, in a separate branch; false if it fails.
 * Later nodes are not part of the branch. */
static bool import_case(rlxc_ox *im, const split_node *s, int32_t number, rank_case *out)
{
    const rlxc_said said = rlxc_said_so_far(im->ctx);
    const uint32_t n_failed = im->n_failed, n_imported = im->n_imported, errors = im->errors;
    rlxc_ox_rest *rest = im->rest, none = {rest->graph, rest->next, rest->next};
    rlxc_ox_branch b;
    rlxc_ox_begin_branch(im, &b);
    im->rest = &none;
    define_in_case(im, s, number);
    rlxc_ox_run_row(im, s->row);
    out->number = number;
    out->values = rlxc_alloc(im->ctx, (s->n + 1) * sizeof *out->values);
    for (uint32_t i = 0; i < s->n && rlxc_ox_good(im); i++) {
        out->values[i] = rlxc_ox_lookup(im, im->node->output[s->outputs[i]]);
        im->failed = !out->values[i] || out->values[i]->kind == RLXC_OX_FAILED;
    }
    const bool ok = rlxc_ox_good(im);
    im->rest = rest;
    out->body = rlxc_ox_end_branch(im, &b, NULL, 0);
    im->errors = errors;
    if (!ok) {
        rlxc_take_back(im->ctx, said);
        im->n_failed = n_failed;
        im->n_imported = n_imported;
        im->failed = false;
    }
    return ok;
}

/* Emits the selection of the node's results in the cases from |c| on by the rank. */
static void choose_case(rlxc_ox *im, const split_node *s, rank_case *c, uint32_t n_cases,
                        rlxc_ox_value **out)
{
    const rlxc_atom asked[2] = {s->of->atom, rlxc_atom_prim(rlxc_ox_i(im, c->number))};
    const char *test = s->length ? "rlx.has_last_dim" : "rlx.has_rank";
    const rlxc_atom cond =
        rlxc_ox_builtin(im, test, asked, 2, rlxc_sinfo_tensor(im->ctx, RLX_B8, 0, NULL, NULL));
    rlxc_body *bodies[2] = {c[0].body, c[1].body};
    rlxc_ox_value **others = c[1].values;
    rlxc_ox_end_with(im, bodies[0], c[0].values, s->n);
    if (n_cases > 2) {
        rlxc_ox_branch b;
        rlxc_ox_begin_branch(im, &b);
        others = rlxc_alloc(im->ctx, (s->n + 1) * sizeof *others);
        choose_case(im, s, c + 1, n_cases - 1, others);
        bodies[1] = rlxc_ox_end_branch(im, &b, NULL, 0);
    }
    if (im->failed)
        return;
    rlxc_ox_end_with(im, bodies[1], others, s->n);
    rlxc_ox_choose(im, cond, bodies, c[0].values, others, s->n, out);
}

/* The input in |s|, checked to be one of the |n| cases. */
static void check_input(rlxc_ox *im, split_node *s, const rank_case *c, uint32_t n)
{
    int64_t set = 0;
    for (uint32_t i = 0; i < n; i++)
        set |= (int64_t)1 << c[i].number;
    char shown[MOST_TEXT];
    rlx_name_text(rlx_str_from(s->name), shown, sizeof shown);
    const rlxc_atom args[3] = {
        s->of->atom, rlxc_atom_prim(rlxc_ox_i(im, set)),
        rlxc_atom_string(im->ctx, rlxc_internf(im->ctx, "input '%s'", shown))};
    const rlxc_rvar *before = s->of->atom.var;
    s->of = rlxc_copy(im->ctx, s->of, sizeof *s->of);
    s->of->atom = rlxc_ox_builtin(im, s->length ? "rlx.check_last_dim" : "rlx.check_rank", args, 3,
                                  before->sinfo);
    if (s->of->atom.kind == RLXC_ATOM_VAR)
        s->of->atom.var->given = before->given;
}

/* True if the node can be imported without known ranks, or lengths of vectors. */
static bool fits_as_it_is(rlxc_ox *im, const rlxc_ox_row *row, bool length)
{
    const rlxc_said said = rlxc_said_so_far(im->ctx);
    const uint32_t n_failed = im->n_failed, errors = im->errors;
    rlxc_ox_rest *rest = im->rest, none = {rest->graph, rest->next, rest->next};
    rlxc_ox_branch b;
    rlxc_ox_begin_branch(im, &b);
    im->rest = &none;
    im->any_rank = !length;
    row->fn(im, row);
    const bool ok = rlxc_ox_good(im);
    im->any_rank = false;
    im->rest = rest;
    (void)rlxc_ox_end_branch(im, &b, NULL, 0);
    rlxc_take_back(im->ctx, said);
    im->n_failed = n_failed;
    im->errors = errors;
    im->failed = false;
    return ok;
}

/* Imports the node in each case; false if none fits, and nothing is imported. */
static bool by_cases(rlxc_ox *im, const split_node *node)
{
    rank_case cases[MOST_LENGTH + 1];
    split_node s = *node;
    uint32_t n = 0;
    for (int32_t k = 0; k <= (s.length ? MOST_LENGTH : MOST_RANK) && !rlxc_out_of_memory(im->ctx);
         k++)
        n += (k <= MOST_RANK || n <= 1) && import_case(im, node, k, &cases[n]);
    if (n == 0)
        return false;
    check_input(im, &s, cases, n);
    if (n == 1 && !im->failed) {
        define_in_case(im, &s, cases[0].number);
        rlxc_ox_run_row(im, s.row);
    }
    if (n == 1 || im->failed)
        return true;
    rlxc_ox_value **out = rlxc_alloc(im->ctx, (s.n + 1) * sizeof *out);
    choose_case(im, &s, cases, n, out);
    for (uint32_t i = 0; i < s.n && !im->failed; i++)
        rlxc_ox_set_value(im, s.outputs[i], out[i]);
    return true;
}

void rlxc_ox_run_row(rlxc_ox *im, const rlxc_ox_row *row)
{
    split_node s = {.row = row};
    if (!im->any_rank)
        s.name = find_open(im, 0, false);
    if (!im->any_rank && !s.name) {
        s.name = find_open(im, 0, true);
        s.length = true;
    }
    if (!s.name || fits_as_it_is(im, row, s.length)) {
        row->fn(im, row);
        return;
    }
    s.of = rlxc_ox_lookup(im, s.name);
    s.outputs = rlxc_alloc(im->ctx, (im->node->n_output + 1) * sizeof *s.outputs);
    for (uint32_t i = 0; i < im->node->n_output; i++)
        if (rlxc_ox_wants(im, i))
            s.outputs[s.n++] = i;
    s.together = s.length;
    if (by_cases(im, &s))
        return;
    s.together = false;
    if (s.length && by_cases(im, &s))
        return;
    if (!s.length) /* the handler reports why */
        define_in_case(im, &s, EXAMPLE);
    if (!s.length)
        rlxc_ox_run_row(im, row);
    else
        row->fn(im, row);
}
