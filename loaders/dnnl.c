/* Sections "dnnl": convolutions of float32 images by oneDNN 2 (rlx/loaders.h).
 *
 * Images and weights stay in their plain layouts. A primitive is made for each call; oneDNN keeps
 * those of earlier calls. */
#include "loaders/loader.h"

#include <limits.h>
#include <string.h>

/* oneDNN's C interface, version 2: descriptions are structs, of which only oneDNN reads the
 * contents, in more room than they take (696 and 5976 bytes in 2.6). */
typedef union description {
    char bytes[2048];
    int64_t align;
} description;
typedef union operation {
    char bytes[16384];
    int64_t align;
} operation;
typedef struct argument {
    int which;
    void *memory;
} argument;
enum { NCHW = 5, OIHW = 5, GOIHW = 7, A = 2, FLOAT32 = 3, CPU = 1, IN_ORDER = 1 };
enum { FORWARD_INFERENCE = 96, CONVOLUTION_AUTO = 3, MOST_DIMS = 12 };
enum { SRC = 1, WEIGHTS = 33, BIAS = 41, DST = 17 };

typedef struct dnnl { /* in the order of the names; all return a status, 0 for success */
    int (*engine_create)(void **engine, int kind, size_t index);
    int (*engine_destroy)(void *engine);
    int (*stream_create)(void **stream, void *engine, unsigned flags);
    int (*stream_destroy)(void *stream);
    int (*stream_wait)(void *stream);
    int (*describe)(description *d, int ndims, const int64_t *dims, int type, int tag);
    int (*describe_convolution)(operation *o, int kind, int algorithm, const description *x,
                                const description *w, const description *bias, const description *y,
                                const int64_t *strides, const int64_t *dilates,
                                const int64_t *before, const int64_t *after);
    int (*attr_create)(void **attr);
    int (*attr_destroy)(void *attr);
    int (*attr_set_post_ops)(void *attr, const void *post_ops);
    int (*post_ops_create)(void **post_ops);
    int (*post_ops_destroy)(void *post_ops);
    int (*append_sum)(void *post_ops, float scale);
    int (*append_eltwise)(void *post_ops, float scale, int algorithm, float alpha, float beta);
    int (*primitive_desc_create)(void **d, const operation *o, const void *attr, void *engine,
                                 const void *hint);
    int (*primitive_desc_destroy)(void *d);
    int (*primitive_create)(void **primitive, const void *d);
    int (*primitive_destroy)(void *primitive);
    int (*execute)(const void *primitive, void *stream, int n, const argument *args);
    int (*memory_create)(void **memory, const description *d, void *engine, void *data);
    int (*memory_destroy)(void *memory);
} dnnl;
static const char *const names[] = {
    "dnnl_engine_create",
    "dnnl_engine_destroy",
    "dnnl_stream_create",
    "dnnl_stream_destroy",
    "dnnl_stream_wait",
    "dnnl_memory_desc_init_by_tag",
    "dnnl_dilated_convolution_forward_desc_init",
    "dnnl_primitive_attr_create",
    "dnnl_primitive_attr_destroy",
    "dnnl_primitive_attr_set_post_ops",
    "dnnl_post_ops_create",
    "dnnl_post_ops_destroy",
    "dnnl_post_ops_append_sum",
    "dnnl_post_ops_append_eltwise",
    "dnnl_primitive_desc_create",
    "dnnl_primitive_desc_destroy",
    "dnnl_primitive_create",
    "dnnl_primitive_destroy",
    "dnnl_primitive_execute",
    "dnnl_memory_create",
    "dnnl_memory_destroy",
};
_Static_assert(sizeof(dnnl) == sizeof names, "each name has its function");
_Static_assert(sizeof names / sizeof *names <= LOADER_MOST_NAMES, "all functions have room");
_Static_assert(sizeof(rlx_dnnl_row) / 4 <= LOADER_MOST_WORDS, "a row has room");

static rlx_dnnl_row row_of(const uint32_t *words)
{
    rlx_dnnl_row row;
    memcpy(&row, words, sizeof row);
    return row;
}

/* Numbers of oneDNN's algorithms, and the factor that the activation takes. */
static const struct {
    int algorithm;
    float alpha;
} activations[] = {
    [1] = {0x1f, 0}, /* relu */[2] = {0x30, 0},      /* gelu_erf */
    [3] = {0xcf, 0}, /* gelu_tanh */[4] = {0xdf, 1}, /* swish */
    [5] = {0xaf, 0}, /* logistic */[6] = {0x2f, 0},  /* tanh */
};
enum { ACTIVATIONS = sizeof activations / sizeof *activations };

/* --- the call --------------------------------------------------------------------------------- */

typedef struct convolution {
    const loader_function *f;
    const dnnl *lib;
    rlx_dnnl_row row;
    const rlx_tensor *x, *w, *bias, *sum, *y;
    /* What oneDNN made, to be destroyed. */
    void *engine, *stream, *attr, *post_ops, *primitive_desc, *primitive, *memory[4];
    uint32_t n_memory;
} convolution;

/* Of a result that is not empty. */
static rlx_status check_shapes(const convolution *c, rlx_error *err)
{
    if (rlx_tensor_ndim(c->x) != 4 || rlx_tensor_ndim(c->w) != 4 || rlx_tensor_ndim(c->y) != 4)
        return loader_wrong(c->f, "an operand does not have four dimensions", err);
    const int64_t *x = rlx_tensor_dims(c->x), *w = rlx_tensor_dims(c->w),
                  *y = rlx_tensor_dims(c->y);
    const int64_t groups = c->row.groups;
    for (uint32_t i = 0; i < 4; i++)
        if (x[i] > INT_MAX || w[i] > INT_MAX || y[i] > INT_MAX)
            return rlx_fail(err, RLX_E_LIMIT, "%.*s: a dimension is above %d",
                            (int)c->f->symbol.len, c->f->symbol.data, INT_MAX);
    if (y[0] != x[0] || y[1] != w[0] || w[1] * groups != x[1] || w[0] % groups != 0)
        return loader_wrong(c->f, "the channels do not fit", err);
    for (uint32_t i = 0; i < 2; i++) {
        const int64_t window = (w[2 + i] - 1) * c->row.dilation[i] + 1;
        const int64_t room = x[2 + i] + c->row.before[i] + c->row.after[i] - window;
        if (w[2 + i] < 1 || room < 0 || y[2 + i] != room / c->row.strides[i] + 1)
            return loader_wrong(c->f, "the sizes of the images do not fit", err);
    }
    if (c->bias && rlx_tensor_numel(c->bias) != y[1])
        return loader_wrong(c->f, "the bias does not fit", err);
    if (c->sum &&
        (rlx_tensor_ndim(c->sum) != 4 || memcmp(rlx_tensor_dims(c->sum), y, 4 * sizeof *y) != 0))
        return loader_wrong(c->f, "the sum does not fit", err);
    if (rlx_tensor_numel(c->x) == 0)
        return loader_wrong(c->f, "the images are empty", err);
    return RLX_OK;
}

static rlx_status failed(const convolution *c, const char *what, int status, rlx_error *err)
{
    return rlx_fail(err, RLX_E_KERNEL, "%.*s: oneDNN's %s gave %d", (int)c->f->symbol.len,
                    c->f->symbol.data, what, status);
}

/* Returns from the function with KERNEL if a call of oneDNN does not give 0. */
#define DNNL(function, ...)                                    \
    do {                                                       \
        const int dnnl_status = c->lib->function(__VA_ARGS__); \
        if (dnnl_status != 0)                                  \
            return failed(c, #function, dnnl_status, err);     \
    } while (0)

static rlx_status make_attr(convolution *c, rlx_error *err)
{
    DNNL(attr_create, &c->attr);
    DNNL(post_ops_create, &c->post_ops);
    if (c->sum)
        DNNL(append_sum, c->post_ops, 1);
    if (c->row.activation)
        DNNL(append_eltwise, c->post_ops, 1, activations[c->row.activation].algorithm,
             activations[c->row.activation].alpha, 0);
    DNNL(attr_set_post_ops, c->attr, c->post_ops);
    return RLX_OK;
}

static rlx_status take(convolution *c, argument *arg, int which, const description *d,
                       const void *data, rlx_error *err)
{
    DNNL(memory_create, &c->memory[c->n_memory], d, c->engine, (void *)(uintptr_t)data);
    *arg = (argument){which, c->memory[c->n_memory++]};
    return RLX_OK;
}

static rlx_status convolve(convolution *c, float *data, rlx_error *err)
{
    description x, w, bias, y;
    operation o;
    argument args[4];
    const int64_t *shape = rlx_tensor_dims(c->w), groups = c->row.groups;
    const int64_t grouped[MOST_DIMS] = {groups, shape[0] / groups, shape[1], shape[2], shape[3]};
    int64_t strides[MOST_DIMS] = {0}, dilates[MOST_DIMS] = {0}, before[MOST_DIMS] = {0},
            after[MOST_DIMS] = {0};
    for (int i = 0; i < 2; i++) {
        strides[i] = c->row.strides[i];
        dilates[i] = (int64_t)c->row.dilation[i] - 1;
        before[i] = c->row.before[i];
        after[i] = c->row.after[i];
    }
    DNNL(engine_create, &c->engine, CPU, 0);
    DNNL(stream_create, &c->stream, c->engine, IN_ORDER);
    RLX_TRY(make_attr(c, err));
    DNNL(describe, &x, 4, rlx_tensor_dims(c->x), FLOAT32, NCHW);
    DNNL(describe, &y, 4, rlx_tensor_dims(c->y), FLOAT32, NCHW);
    DNNL(describe, &w, groups > 1 ? 5 : 4, groups > 1 ? grouped : shape, FLOAT32,
         groups > 1 ? GOIHW : OIHW);
    DNNL(describe, &bias, 1, &shape[0], FLOAT32, A);
    DNNL(describe_convolution, &o, FORWARD_INFERENCE, CONVOLUTION_AUTO, &x, &w,
         c->bias ? &bias : NULL, &y, strides, dilates, before, after);
    DNNL(primitive_desc_create, &c->primitive_desc, &o, c->attr, c->engine, NULL);
    DNNL(primitive_create, &c->primitive, c->primitive_desc);
    RLX_TRY(take(c, &args[0], SRC, &x, rlx_tensor_data(c->x), err));
    RLX_TRY(take(c, &args[1], WEIGHTS, &w, rlx_tensor_data(c->w), err));
    RLX_TRY(take(c, &args[2], DST, &y, data, err));
    if (c->bias)
        RLX_TRY(take(c, &args[3], BIAS, &bias, rlx_tensor_data(c->bias), err));
    if (c->sum)
        memcpy(data, rlx_tensor_data(c->sum), rlx_tensor_nbytes(c->sum));
    DNNL(execute, c->primitive, c->stream, c->bias ? 4 : 3, args);
    DNNL(stream_wait, c->stream);
    return RLX_OK;
}

static void drop(convolution *c)
{
    for (uint32_t i = 0; i < c->n_memory; i++)
        c->lib->memory_destroy(c->memory[i]);
    if (c->primitive)
        c->lib->primitive_destroy(c->primitive);
    if (c->primitive_desc)
        c->lib->primitive_desc_destroy(c->primitive_desc);
    if (c->post_ops)
        c->lib->post_ops_destroy(c->post_ops);
    if (c->attr)
        c->lib->attr_destroy(c->attr);
    if (c->stream)
        c->lib->stream_destroy(c->stream);
    if (c->engine)
        c->lib->engine_destroy(c->engine);
}

static rlx_status run(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                      rlx_error *err)
{
    const loader_function *f = rlx_call_user(cc);
    const rlx_dnnl_row row = row_of(f->row);
    const uint32_t used[] = {row.x, row.w, row.bias, row.sum};
    RLX_TRY(loader_check_args(f, args, n, used, 4, err));
    rlx_tensor *y = args[n - 1].as.tensor;
    convolution c = {.f = f,
                     .lib = f->library,
                     .row = row,
                     .x = loader_operand(args, row.x),
                     .w = loader_operand(args, row.w),
                     .bias = loader_operand(args, row.bias),
                     .sum = loader_operand(args, row.sum),
                     .y = y};
    *out = rlx_none();
    if (rlx_tensor_numel(y) == 0)
        return RLX_OK;
    RLX_TRY(check_shapes(&c, err));
    const rlx_status status = convolve(&c, rlx_tensor_mutable_data(y), err);
    drop(&c);
    return status;
}

static bool is_operand(const rlx_dnnl_row *r, uint32_t operand)
{
    return operand < r->n_operands;
}

static bool is_row(const uint32_t *words)
{
    const rlx_dnnl_row r = row_of(words);
    bool ok = r.activation < ACTIVATIONS && is_operand(&r, r.x) && is_operand(&r, r.w) &&
              (is_operand(&r, r.bias) || r.bias == RLX_NO_OPERAND) &&
              (is_operand(&r, r.sum) || r.sum == RLX_NO_OPERAND) && r.groups > 0 &&
              r.groups <= INT32_MAX;
    for (int i = 0; i < 2; i++)
        ok = ok && r.strides[i] > 0 && r.strides[i] <= INT16_MAX && r.dilation[i] > 0 &&
             r.dilation[i] <= INT16_MAX && r.before[i] <= INT16_MAX && r.after[i] <= INT16_MAX;
    return ok;
}

rlx_status rlx_registry_add_dnnl(rlx_registry *r, rlx_error *err)
{
    static const loader kind = {.kind = "dnnl",
                                .what = "oneDNN",
                                .variable = "RLX_DNNL_LIBRARY",
                                .files = {"libdnnl.so.2", NULL},
                                .names = names,
                                .n_names = sizeof names / sizeof *names,
                                .n_words = sizeof(rlx_dnnl_row) / 4,
                                .is_row = is_row,
                                .run = run};
    return loader_add(r, &kind, err);
}
