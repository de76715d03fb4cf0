/* RNN, GRU and LSTM: the input's part of all gates at once, then step by step. Common cells with
 * small weights are one operator, nn.recurrent. Of others, short sequences of known length are
 * unrolled, and the rest become a loop. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "compiler/onnx/check.h"
#include "compiler/onnx/handlers.h"
#include "compiler/onnx/loop.h"
#include "compiler/onnx/quantize.h"
#include "compiler/ops/compose.h"

enum {
    MAX_UNROLLED_TURNS = 12,
    NAME_SHOWN = 64,
    MAX_KERNEL_WEIGHTS = 1 << 14 /* elements of nn.recurrent's weights: 64 KiB of float32 */
};

typedef struct cell {
    char kind; /* 'R', 'G', 'L' */
    uint32_t gates;
    const char *activations[3];
    double alpha[3], beta[3];
    double clip; /* 0: none */
    bool linear_before_reset, input_forget, backwards;
    bool quantized;           /* the state, before it is multiplied: DynamicQuantizeLSTM */
    rlxc_atom input;          /* (time, batch, gates * hidden): x W^T + biases */
    rlxc_atom recurrent;      /* R^T (hidden, gates * hidden), in a loop without after_reset's */
    rlxc_atom after_reset;    /* GRU that resets first: R^T of the hidden gate alone */
    rlxc_atom recurrent_bias; /* GRU: that of the hidden gate (1, hidden) */
    rlxc_atom peephole[3];    /* LSTM: i, o, f, each (1, hidden) */
    rlxc_atom lengths;        /* (batch, 1) int64, or none */
    rlxc_atom last;           /* of a backwards direction: the number of the last step */
    const rlxc_expr *time, *hidden;
    /* loop */
    rlxc_ox_value *brought[9];
} cell;

/* Activation |k| of |x|. Gates are clipped first; the state of an LSTM is not, as in ONNX Runtime.
 */
static rlxc_atom activate(rlxc_ox *im, const cell *c, uint32_t k, rlxc_atom x)
{
    rlx_dtype t = rlxc_ox_type(im, x);
    const bool is_gate = k < 2;
    if (c->clip > 0 && is_gate) {
        x = rlxc_ox_op2(im, "minimum", x, rlxc_ox_number(im, t, c->clip));
        x = rlxc_ox_op2(im, "maximum", x, rlxc_ox_number(im, t, -c->clip));
    }
    return rlxc_ox_activation(im, c->activations[k], x, c->alpha[k], c->beta[k]);
}

static rlxc_atom gate(rlxc_ox *im, const cell *c, rlxc_atom x, uint32_t k)
{
    const rlxc_expr *begin = rlxc_mul(im->ctx, c->hidden, rlxc_ox_i(im, k));
    return rlxc_ox_slice(im, x, rlxc_ox_ndim(im, x) - 1, begin, rlxc_add(im->ctx, begin, c->hidden),
                         1);
}

static rlxc_atom mixed(rlxc_ox *im, rlxc_atom z, rlxc_atom a, rlxc_atom b)
{
    rlxc_atom rest = rlxc_ox_op2(im, "subtract", rlxc_ox_number(im, rlxc_ox_type(im, z), 1), z);
    return rlxc_ox_op2(im, "add", rlxc_ox_op2(im, "multiply", rest, a),
                       rlxc_ox_op2(im, "multiply", z, b));
}

static rlxc_atom with_peephole(rlxc_ox *im, rlxc_atom x, rlxc_atom p, rlxc_atom state)
{
    return p.kind == RLXC_ATOM_NONE
               ? x
               : rlxc_ox_op2(im, "add", x, rlxc_ox_op2(im, "multiply", p, state));
}

/* One step, from the input's part |x| (batch, gates * hidden). */
static void step(rlxc_ox *im, const cell *c, rlxc_atom x, rlxc_atom h, rlxc_atom cs,
                 rlxc_atom *out_h, rlxc_atom *out_c)
{
    rlxc_atom all =
        rlxc_ox_op2(im, "matmul", c->quantized ? rlxc_ox_as_quantized(im, h) : h, c->recurrent);
    *out_c = cs;
    if (c->kind == 'R') {
        *out_h = activate(im, c, 0, rlxc_ox_op2(im, "add", x, all));
    } else if (c->kind == 'G') { /* z, r, h */
        rlxc_atom z =
            activate(im, c, 0, rlxc_ox_op2(im, "add", gate(im, c, x, 0), gate(im, c, all, 0)));
        rlxc_atom r =
            activate(im, c, 0, rlxc_ox_op2(im, "add", gate(im, c, x, 1), gate(im, c, all, 1)));
        rlxc_atom part;
        if (c->linear_before_reset) {
            part = rlxc_ox_op2(im, "add", gate(im, c, all, 2), c->recurrent_bias);
            part = rlxc_ox_op2(im, "multiply", r, part);
        } else {
            part = rlxc_ox_op2(im, "matmul", rlxc_ox_op2(im, "multiply", r, h), c->after_reset);
            part = rlxc_ox_op2(im, "add", part, c->recurrent_bias);
        }
        rlxc_atom n = activate(im, c, 1, rlxc_ox_op2(im, "add", gate(im, c, x, 2), part));
        *out_h = mixed(im, z, n, h);
    } else { /* i, o, f, c */
        rlxc_atom sum = rlxc_ox_op2(im, "add", x, all);
        rlxc_atom i =
            activate(im, c, 0, with_peephole(im, gate(im, c, sum, 0), c->peephole[0], cs));
        rlxc_atom f =
            activate(im, c, 0, with_peephole(im, gate(im, c, sum, 2), c->peephole[2], cs));
        rlxc_atom g = activate(im, c, 1, gate(im, c, sum, 3));
        if (c->input_forget)
            f = rlxc_ox_op2(im, "subtract", rlxc_ox_number(im, rlxc_ox_type(im, i), 1), i);
        *out_c = rlxc_ox_op2(im, "add", rlxc_ox_op2(im, "multiply", f, cs),
                             rlxc_ox_op2(im, "multiply", i, g));
        rlxc_atom o =
            activate(im, c, 0, with_peephole(im, gate(im, c, sum, 1), c->peephole[1], *out_c));
        *out_h = rlxc_ox_op2(im, "multiply", o, activate(im, c, 2, *out_c));
    }
}

/* Beyond a sequence's end the states stay and the output is 0. |t| (int64 scalar) is the step. */
static void masked_step(rlxc_ox *im, const cell *c, rlxc_atom t, rlxc_atom h, rlxc_atom cs,
                        rlxc_atom *out_h, rlxc_atom *out_c, rlxc_atom *out_y)
{
    rlxc_atom at = c->backwards ? rlxc_ox_op2(im, "subtract", c->last, t) : t;
    step(im, c, rlxc_ox_take_inside(im, c->input, at, 0), h, cs, out_h, out_c);
    *out_y = *out_h;
    if (c->lengths.kind == RLXC_ATOM_NONE)
        return;
    rlxc_atom live = rlxc_ox_op2(im, "less", at, c->lengths);
    *out_y = rlxc_ox_op3(im, "where", live, *out_h, rlxc_ox_number(im, rlxc_ox_type(im, h), 0));
    *out_h = rlxc_ox_op3(im, "where", live, *out_h, h);
    *out_c = rlxc_ox_op3(im, "where", live, *out_c, cs);
}

static rlxc_atom bring(rlxc_ox *im, rlxc_atom a, rlxc_ox_value *v)
{
    return a.kind == RLXC_ATOM_NONE ? a : rlxc_ox_atom(im, rlxc_ox_capture(im, im->frame, v));
}

/* States of the loop: h, c, the outputs so far. */
static void turn(rlxc_ox *im, void *user, rlxc_atom i, const rlxc_atom *state, rlxc_atom *next,
                 rlxc_atom *go)
{
    const cell *outer = user;
    cell c = *outer;
    rlxc_atom y;
    (void)go;
    c.input = bring(im, c.input, c.brought[0]);
    c.recurrent = bring(im, c.recurrent, c.brought[1]);
    c.recurrent_bias = bring(im, c.recurrent_bias, c.brought[2]);
    c.lengths = bring(im, c.lengths, c.brought[3]);
    for (uint32_t k = 0; k < 3; k++)
        c.peephole[k] = bring(im, c.peephole[k], c.brought[4 + k]);
    c.after_reset = bring(im, c.after_reset, c.brought[7]);
    c.last = bring(im, c.last, c.brought[8]);
    c.hidden = rlxc_ox_inner_expr(im, im->frame, c.hidden);
    masked_step(im, &c, i, state[0], state[1], &next[0], &next[1], &y);
    next[2] = rlxc_ox_collect(im, state[2], y);
}

static void run_loop(rlxc_ox *im, cell *c, rlxc_atom h, rlxc_atom cs, rlxc_atom *out_h,
                     rlxc_atom *out_c, rlxc_atom *out_y)
{
    const rlxc_atom known[9] = {c->input,       c->recurrent,   c->recurrent_bias,
                                c->lengths,     c->peephole[0], c->peephole[1],
                                c->peephole[2], c->after_reset, c->last};
    const bool objects[3] = {false, false, true};
    const rlxc_ox_loop l = {.body = turn, .user = c, .objects = objects};
    for (uint32_t k = 0; k < sizeof known / sizeof *known; k++)
        c->brought[k] = rlxc_ox_tensor(im, known[k]);
    rlxc_atom init[3] = {h, cs, rlxc_ox_nothing_collected(im)}, out[3];
    rlxc_atom limit = rlxc_ox_scalar(im, c->time, RLX_I64);
    if (!rlxc_ox_run_loop(im, &l, limit, rlxc_ox_number(im, RLX_B8, 1), init, 3, out))
        return;
    *out_h = out[0];
    *out_c = out[1];
    *out_y = rlxc_ox_collected(im, out[2], rlxc_ox_info(im, h), c->time, c->backwards);
}

static void run_steps(rlxc_ox *im, cell *c, rlxc_atom h, rlxc_atom cs, rlxc_atom *out_h,
                      rlxc_atom *out_c, rlxc_atom *out_y)
{
    int64_t turns;
    const int64_t zero[1] = {0};
    if (c->kind == 'G' && !c->linear_before_reset) {
        const rlxc_expr *both = rlxc_mul(im->ctx, c->hidden, rlxc_ox_i(im, 2));
        c->after_reset = gate(im, c, c->recurrent, 2);
        c->recurrent = rlxc_ox_slice(im, c->recurrent, 1, rlxc_ox_i(im, 0), both, 1);
    }
    if (c->backwards)
        c->last = rlxc_ox_scalar(im, rlxc_sub(im->ctx, c->time, rlxc_ox_i(im, 1)), RLX_I64);
    if (!rlxc_is_int(c->time, &turns) || turns > MAX_UNROLLED_TURNS || turns == 0) {
        run_loop(im, c, h, cs, out_h, out_c, out_y);
        return;
    }
    rlxc_atom y[MAX_UNROLLED_TURNS];
    for (int64_t t = 0; t < turns && !im->failed; t++) {
        rlxc_atom *to = &y[c->backwards ? turns - 1 - t : t];
        masked_step(im, c, rlxc_ox_number(im, RLX_I64, (double)t), h, cs, &h, &cs, to);
        *to = rlxc_ox_expand_dims(im, *to, zero, 1);
    }
    *out_h = h;
    *out_c = cs;
    *out_y = im->failed ? (rlxc_atom){0} : rlxc_ox_concat(im, y, (uint32_t)turns, 0);
}

/* The cell as nn.recurrent names it; NULL if it has none, or if products apart from it are
 * faster. */
static const char *kernel_of(const cell *c)
{
    static const char *const usual[] = {"Sigmoid", "Tanh", "Tanh"};
    int64_t hidden;
    if (c->clip > 0 || c->input_forget || c->peephole[0].kind != RLXC_ATOM_NONE ||
        !rlxc_is_int(c->hidden, &hidden) || hidden < 1 || hidden > MAX_KERNEL_WEIGHTS ||
        hidden * hidden * c->gates > MAX_KERNEL_WEIGHTS)
        return NULL;
    if (c->kind == 'R')
        return strcmp(c->activations[0], "Tanh") == 0   ? "rnn_tanh"
               : strcmp(c->activations[0], "Relu") == 0 ? "rnn_relu"
                                                        : NULL;
    for (uint32_t k = 0; k < c->gates - 1; k++)
        if (strcmp(c->activations[k], usual[k]) != 0)
            return NULL;
    return c->kind == 'L' ? "lstm" : c->linear_before_reset ? "gru_reset_after" : "gru";
}

/* States of kind NONE are zeros. */
static void run_direction(rlxc_ox *im, cell *c, const rlxc_expr *batch, rlxc_atom h, rlxc_atom cs,
                          rlxc_atom *out_h, rlxc_atom *out_c, rlxc_atom *out_y)
{
    const rlxc_expr *dims[2] = {batch, c->hidden};
    const char *kernel = kernel_of(c);
    if (!kernel) {
        const rlx_dtype t = rlxc_ox_type(im, c->input);
        h = h.kind == RLXC_ATOM_NONE ? rlxc_ox_full(im, t, 0, dims, 2) : h;
        cs = cs.kind == RLXC_ATOM_NONE ? rlxc_ox_full(im, t, 0, dims, 2) : cs;
        run_steps(im, c, h, cs, out_h, out_c, out_y);
        return;
    }
    rlxc_atom args[6] = {c->input, c->recurrent, h, cs};
    uint32_t n = 2;
    if (c->recurrent_bias.kind != RLXC_ATOM_NONE)
        args[4] = rlxc_ox_reshape(im, c->recurrent_bias, &c->hidden, 1);
    if (c->lengths.kind != RLXC_ATOM_NONE)
        args[5] = rlxc_ox_reshape(im, c->lengths, &batch, 1);
    for (uint32_t k = 2; k < 6; k++) {
        if (args[k].kind == RLXC_ATOM_NONE)
            args[k] = rlxc_atom_tuple(im->ctx, NULL, 0);
        else
            n = k + 1;
    }
    rlxc_attrs attrs = rlxc_one_attr(im->ctx, "cell", rlxc_attr_string(im->ctx, kernel));
    if (c->backwards)
        attrs = rlxc_and_attr(im->ctx, attrs, "reverse", rlxc_attr_bool(true));
    if (c->quantized)
        attrs = rlxc_and_attr(im->ctx, attrs, "quantize", rlxc_attr_bool(true));
    rlxc_atom all = rlxc_ox_opv(im, "nn.recurrent", args, n, attrs);
    *out_y = rlxc_ox_field(im, all, 0);
    *out_h = rlxc_ox_field(im, all, 1);
    *out_c = c->kind == 'L' ? rlxc_ox_field(im, all, 2) : *out_h;
}

/* Row |d| of the first dimension, which is dropped. */
static rlxc_atom direction_of(rlxc_ox *im, rlxc_atom x, uint32_t d)
{
    return rlxc_ox_take_inside(im, x, rlxc_ox_number(im, RLX_I64, d), 0);
}

typedef struct activation_kind {
    const char *name;
    bool has_alpha, has_beta;
    double alpha, beta; /* defaults */
} activation_kind;

/* The activation |name|, in any case; fails the node if unknown. */
static const activation_kind *find_activation(rlxc_ox *im, const char *name)
{
    static const activation_kind kinds[] = {
        {"Relu", false, false, 1, 0},        {"Tanh", false, false, 1, 0},
        {"Sigmoid", false, false, 1, 0},     {"Affine", true, true, 1, 0},
        {"LeakyRelu", true, false, 0.01, 0}, {"ThresholdedRelu", true, false, 1, 0},
        {"ScaledTanh", true, true, 1, 1},    {"HardSigmoid", true, true, 0.2, 0.5},
        {"Elu", true, false, 1, 0},          {"Softsign", false, false, 1, 0},
        {"Softplus", false, false, 1, 0}};
    const size_t n = sizeof kinds / sizeof *kinds;
    rlxc_text text = {.ctx = im->ctx};
    for (size_t i = 0; i < n; i++) {
        if (strcasecmp(kinds[i].name, name) == 0)
            return &kinds[i];
        rlxc_text_printf(&text, "%s%s", i ? ", " : "", kinds[i].name);
    }
    char shown[NAME_SHOWN];
    rlxc_ox_fail(im, "activation '%s' is not one of %s",
                 rlx_name_text(rlx_str_from(name), shown, sizeof shown),
                 rlxc_intern(im->ctx, text.data, text.length));
    return &kinds[0];
}

static void read_activations(rlxc_ox *im, cell *c, uint32_t direction)
{
    static const char *const defaults[3][3] = {
        {"Tanh", "Tanh", "Tanh"}, {"Sigmoid", "Tanh", "Tanh"}, {"Sigmoid", "Tanh", "Tanh"}};
    uint32_t per = c->kind == 'R' ? 1 : c->kind == 'G' ? 2 : 3;
    const Onnx__AttributeProto *names = rlxc_ox_attr(im, "activations"),
                               *alphas = rlxc_ox_attr(im, "activation_alpha"),
                               *betas = rlxc_ox_attr(im, "activation_beta");
    uint32_t a = 0, b = 0;
    for (uint32_t k = 0; k < 3; k++)
        c->activations[k] = defaults[c->kind == 'R' ? 0 : c->kind == 'G' ? 1 : 2][k];
    const uint32_t all = per * (rlxc_ox_is(im, "direction", "forward", "bidirectional") ? 2 : 1);
    if (names && names->n_strings != all) {
        rlxc_ox_fail(im, "%zu activations, expected %u", names->n_strings, all);
        return;
    }
    for (uint32_t k = 0; k < (direction + 1) * per; k++) {
        const char *name = c->activations[k % per];
        if (names && k < names->n_strings)
            name =
                rlxc_intern(im->ctx, (const char *)names->strings[k].data, names->strings[k].len);
        const activation_kind *kind = find_activation(im, name);
        double alpha = kind->alpha, beta = kind->beta;
        if (kind->has_alpha && alphas && a < alphas->n_floats)
            alpha = (double)alphas->floats[a++];
        if (kind->has_beta && betas && b < betas->n_floats)
            beta = (double)betas->floats[b++];
        if (k / per == direction) {
            c->activations[k % per] = kind->name;
            c->alpha[k % per] = alpha;
            c->beta[k % per] = beta;
        }
    }
}

static const int64_t SWAP[3] = {1, 0, 2}; /* of layout 1: the batch before the time */

/* |a|, whose dimensions are |first|, |second| and, of three, |third|. */
static rlxc_atom sized(rlxc_ox *im, rlxc_atom a, uint32_t first, const rlxc_expr *second,
                       const rlxc_expr *third)
{
    const rlxc_expr *dims[RLXC_MAX_NDIM] = {rlxc_ox_i(im, first),
                                            rlxc_canonical(im->ctx, second, NULL), third};
    return rlxc_ox_ndim(im, a) == 2 + (third != NULL) ? rlxc_ox_state_dims(im, a, dims, 7) : a;
}

/* Adds the bias of direction |d|, input 3, to the input's part. */
static void add_bias(rlxc_ox *im, cell *c, rlx_dtype t, uint32_t d, uint32_t directions)
{
    const rlxc_expr *hidden = c->hidden, *row_dims[2] = {rlxc_ox_i(im, 1), hidden};
    if (c->kind == 'G')
        c->recurrent_bias = rlxc_ox_full(im, t, 0, row_dims, 2);
    if (!rlxc_ox_has(im, 3))
        return;
    const rlxc_expr *half = rlxc_mul(im->ctx, hidden, rlxc_ox_i(im, c->gates));
    const rlxc_expr *all = rlxc_mul(im->ctx, half, rlxc_ox_i(im, 2));
    rlxc_atom b = direction_of(im, sized(im, rlxc_ox_in(im, 3), directions, all, NULL), d);
    rlxc_atom wb = rlxc_ox_slice(im, b, 0, rlxc_ox_i(im, 0), half, 1),
              rb = rlxc_ox_slice(im, b, 0, half, all, 1);
    if (c->kind == 'G') { /* the hidden gate's second bias stays separate */
        const rlxc_expr *two = rlxc_mul(im->ctx, hidden, rlxc_ox_i(im, 2));
        rlxc_atom low = rlxc_ox_slice(im, rb, 0, rlxc_ox_i(im, 0), two, 1);
        rlxc_atom high = rlxc_ox_slice(im, rb, 0, two, half, 1);
        c->recurrent_bias = rlxc_ox_reshape(im, high, row_dims, 2);
        const rlxc_atom parts[2] = {low,
                                    rlxc_ox_op2(im, "multiply", high, rlxc_ox_number(im, t, 0))};
        rb = rlxc_ox_concat(im, parts, 2, 0);
    }
    c->input = rlxc_ox_op2(im, "add", c->input, rlxc_ox_op2(im, "add", wb, rb));
}

/* The peepholes of direction |d|, input 7 of an LSTM. */
static void read_peepholes(rlxc_ox *im, cell *c, uint32_t d, uint32_t directions)
{
    const rlxc_expr *row_dims[2] = {rlxc_ox_i(im, 1), c->hidden};
    for (uint32_t k = 0; c->kind == 'L' && rlxc_ox_has(im, 7) && k < 3; k++) {
        rlxc_atom p = sized(im, rlxc_ox_in(im, 7), directions,
                            rlxc_mul(im->ctx, c->hidden, rlxc_ox_i(im, 3)), NULL);
        p = gate(im, c, direction_of(im, p, d), k);
        c->peephole[k] = rlxc_ox_reshape(im, p, row_dims, 2);
    }
}

/* State |k| before the first step: input 5 + |k|; kind NONE if there is none. */
static rlxc_atom initial_state(rlxc_ox *im, const cell *c, const rlxc_expr *batch, bool layout,
                               uint32_t d, uint32_t k)
{
    const rlxc_expr *dims[2] = {batch, c->hidden};
    if (!rlxc_ox_has(im, 5 + k) || (k == 1 && c->kind != 'L'))
        return (rlxc_atom){0};
    rlxc_atom s = rlxc_ox_in(im, 5 + k);
    s = direction_of(im, layout ? rlxc_ox_transpose(im, s, SWAP, 3) : s, d);
    return rlxc_ox_reshape(im, s, dims, 2);
}

/* The outputs, from those of each direction. */
static void set_results(rlxc_ox *im, char kind, bool layout, uint32_t directions, rlxc_atom *ys,
                        rlxc_atom *hs, rlxc_atom *cs)
{
    const int64_t one[1] = {1}, zero[1] = {0};
    for (uint32_t d = 0; d < directions; d++) {
        ys[d] = rlxc_ox_expand_dims(im, ys[d], one, 1);
        hs[d] = rlxc_ox_expand_dims(im, hs[d], zero, 1);
        cs[d] = rlxc_ox_expand_dims(im, cs[d], zero, 1);
    }
    rlxc_atom y = rlxc_ox_concat(im, ys, directions, 1), h = rlxc_ox_concat(im, hs, directions, 0),
              cell_state = rlxc_ox_concat(im, cs, directions, 0);
    if (layout) {
        const int64_t order[4] = {2, 0, 1, 3};
        y = rlxc_ox_transpose(im, y, order, 4);
        h = rlxc_ox_transpose(im, h, SWAP, 3);
        cell_state = rlxc_ox_transpose(im, cell_state, SWAP, 3);
    }
    rlxc_ox_set(im, 0, y);
    rlxc_ox_set(im, 1, h);
    if (kind == 'L')
        rlxc_ox_set(im, 2, cell_state);
}

void rlxc_ox_import_rnn(rlxc_ox *im, const rlxc_ox_row *row)
{
    const int64_t turned[2] = {1, 0};
    char kind = row->arg[0];
    const uint32_t gates = kind == 'R' ? 1 : kind == 'G' ? 3 : 4;
    rlxc_atom x = rlxc_ox_in(im, 0), w = rlxc_ox_in(im, 1), r = rlxc_ox_in(im, 2);
    rlx_dtype t = rlxc_ox_type(im, x);
    bool layout = rlxc_ox_int(im, "layout", 0) != 0;
    const char *way = rlxc_ox_str(im, "direction", "forward");
    uint32_t directions = strcmp(way, "bidirectional") == 0 ? 2 : 1;
    if (rlxc_ox_ndim(im, x) != 3 || rlxc_ox_ndim(im, w) != 3 || rlxc_ox_ndim(im, r) != 3) {
        rlxc_ox_fail(im, "expected X, W and R of three dimensions");
        return;
    }
    const bool quantized = strcmp(im->node->op_type, "DynamicQuantizeLSTM") == 0;
    const int64_t stated = rlxc_ox_int(im, "hidden_size", 0);
    int64_t width;
    if (rlxc_ox_attr(im, "hidden_size") &&
        (stated < 1 || (rlxc_ox_static_dim(im, r, 2, &width) && width != stated && !quantized))) {
        rlxc_ox_fail(im, "hidden_size is %lld, which differs from the length of the state",
                     (long long)stated);
        return;
    }
    const rlxc_expr *hidden =
        stated > 0 && !quantized ? rlxc_ox_i(im, stated) : rlxc_ox_dim(im, r, 2);
    const rlxc_expr *rows = rlxc_mul(im->ctx, hidden, rlxc_ox_i(im, gates));
    if (!quantized) {
        w = sized(im, w, directions, rows, rlxc_ox_dim(im, w, 2));
        r = sized(im, r, directions, rows, hidden);
    }
    if (layout)
        x = rlxc_ox_transpose(im, x, SWAP, 3);
    rlxc_atom hs[2], cs[2], ys[2], lengths = {0};
    const rlxc_expr *batch = rlxc_ox_dim(im, x, 1);
    const rlxc_expr *column[2] = {batch, rlxc_ox_i(im, 1)};
    if (rlxc_ox_has(im, 4)) {
        rlxc_atom given = rlxc_ox_in(im, 4);
        rlxc_ox_check_elements(im, given, rlxc_ox_i(im, 0),
                               rlxc_add(im->ctx, rlxc_ox_dim(im, x, 0), rlxc_ox_i(im, 1)),
                               "length");
        lengths = rlxc_ox_reshape(im, rlxc_ox_cast(im, given, RLX_I64), column, 2);
    }
    for (uint32_t d = 0; d < directions && !im->failed; d++) {
        cell c = {.kind = kind,
                  .quantized = quantized,
                  .gates = gates,
                  .clip = rlxc_ox_float(im, "clip", 0),
                  .linear_before_reset = rlxc_ox_int(im, "linear_before_reset", 0) != 0,
                  .input_forget = rlxc_ox_int(im, "input_forget", 0) != 0,
                  .backwards = d == 1 || strcmp(way, "reverse") == 0,
                  .lengths = lengths,
                  .time = rlxc_ox_dim(im, x, 0),
                  .hidden = hidden};
        read_activations(im, &c, d);
        c.recurrent = rlxc_ox_transpose(im, direction_of(im, r, d), turned, 2);
        c.input =
            rlxc_ox_op2(im, "matmul", x, rlxc_ox_transpose(im, direction_of(im, w, d), turned, 2));
        add_bias(im, &c, t, d, directions);
        read_peepholes(im, &c, d, directions);
        run_direction(im, &c, batch, initial_state(im, &c, batch, layout, d, 0),
                      initial_state(im, &c, batch, layout, d, 1), &hs[d], &cs[d], &ys[d]);
    }
    if (im->failed)
        return;
    set_results(im, kind, layout, directions, ys, hs, cs);
}
