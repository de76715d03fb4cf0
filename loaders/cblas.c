/* Sections "cblas": products of float32 matrices by a BLAS of this machine (rlx/loaders.h). */
#include "loaders/loader.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Of every BLAS with 32-bit sizes. */
typedef struct blas {
    void (*sgemm)(int order, int turn_a, int turn_b, int m, int n, int k, float alpha,
                  const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc);
} blas;
static const char *const names[] = {"cblas_sgemm"};
enum { ROW_MAJOR = 101, AS_IS = 111, TURNED = 112 };

static rlx_cblas_row row_of(const uint32_t *words)
{
    rlx_cblas_row row;
    memcpy(&row, words, sizeof row);
    return row;
}

/* --- products --------------------------------------------------------------------------------- */

/* A product of which everything is checked. */
typedef struct product {
    const loader_function *f;
    const rlx_tensor *a, *b, *bias, *y;
    bool turned;
    int64_t m, n, k, batches;
} product;

/* Dimension |i| counted from the last one, which is 0; 1 where |t| has fewer. */
static int64_t dim(const rlx_tensor *t, uint32_t i)
{
    const uint32_t ndim = rlx_tensor_ndim(t);
    return i < ndim ? rlx_tensor_dims(t)[ndim - 1 - i] : 1;
}

static rlx_status check_shapes(product *p, rlx_error *err)
{
    const uint32_t ndim = rlx_tensor_ndim(p->y);
    if (rlx_tensor_ndim(p->a) < 2 || rlx_tensor_ndim(p->b) < 2 || ndim < 2)
        return loader_wrong(p->f, "an operand has less than two dimensions", err);
    p->m = dim(p->a, 1);
    p->k = dim(p->a, 0);
    p->n = dim(p->b, p->turned);
    if (dim(p->b, !p->turned) != p->k || dim(p->y, 1) != p->m || dim(p->y, 0) != p->n ||
        rlx_tensor_ndim(p->a) > ndim || rlx_tensor_ndim(p->b) > ndim)
        return loader_wrong(p->f, "the matrices do not fit", err);
    for (uint32_t i = 2; i < ndim; i++) {
        const int64_t a = dim(p->a, i), b = dim(p->b, i), y = dim(p->y, i);
        if ((a != y && a != 1) || (b != y && b != 1))
            return loader_wrong(p->f, "the batches do not fit", err);
    }
    if (p->bias && (rlx_tensor_ndim(p->bias) != 1 || dim(p->bias, 0) != p->n))
        return loader_wrong(p->f, "the bias does not fit", err);
    if (rlx_tensor_numel(p->y) > 0)
        p->batches = rlx_tensor_numel(p->y) / p->m / p->n;
    return RLX_OK;
}

/* The matrix of |t| for batch |at| of the result. */
static const float *matrix(const rlx_tensor *t, const product *p, int64_t at)
{
    int64_t step = dim(t, 0) * dim(t, 1), offset = 0;
    for (uint32_t i = 2, n = rlx_tensor_ndim(p->y); i < n; i++) {
        const int64_t count = dim(p->y, i), own = dim(t, i);
        if (own > 1)
            offset += at % count * step;
        step *= own;
        at /= count;
    }
    return (const float *)rlx_tensor_data(t) + offset;
}

/* y += a b for each batch, where |y| is not empty; as one product where one b serves all. */
static rlx_status multiply(product *p, float *y, rlx_error *err)
{
    if (p->k == 0)
        return RLX_OK;
    if (rlx_tensor_numel(p->b) / p->k == p->n &&
        rlx_tensor_numel(p->a) / p->k == p->batches * p->m && p->m <= INT_MAX / p->batches) {
        p->m *= p->batches;
        p->batches = 1;
    }
    if (p->m > INT_MAX || p->n > INT_MAX || p->k > INT_MAX)
        return rlx_fail(err, RLX_E_LIMIT, "%.*s: a BLAS has no sizes above %d",
                        (int)p->f->symbol.len, p->f->symbol.data, INT_MAX);
    const blas *library = p->f->library;
    for (int64_t i = 0; i < p->batches; i++)
        library->sgemm(ROW_MAJOR, AS_IS, p->turned ? TURNED : AS_IS, (int)p->m, (int)p->n,
                       (int)p->k, 1, matrix(p->a, p, i), (int)p->k, matrix(p->b, p, i),
                       (int)(p->turned ? p->k : p->n), 1, y + i * p->m * p->n, (int)p->n);
    return RLX_OK;
}

/* --- before and after ------------------------------------------------------------------------- */

static void fill(float *y, int64_t rows, int64_t n, const float *bias)
{
    for (int64_t i = 0; i < rows; i++)
        if (bias)
            memcpy(y + i * n, bias, (size_t)n * sizeof *y);
        else
            memset(y + i * n, 0, (size_t)n * sizeof *y);
}

static float activate_relu(float x)
{
    return x < 0 ? 0 : x; /* a NaN stays one */
}

static float activate_gelu(float x)
{
    return 0.5f * x * (1 + erff(x * 0.70710678f));
}

static float activate_gelu_tanh(float x)
{
    return 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
}

static float activate_sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

static float activate_silu(float x)
{
    return x * activate_sigmoid(x);
}

static float activate_tanh(float x)
{
    return tanhf(x);
}

typedef enum activation {
    NO_ACTIVATION,
#define RLX_ACTIVATION(number, name, op) ACTIVATION_##name = number,
#include <rlx/activations.def>
    ACTIVATIONS
} activation;

static void activate(activation which, float *y, int64_t n)
{
    switch (which) {
#define RLX_ACTIVATION(number, name, op)  \
    case ACTIVATION_##name:               \
        for (int64_t i = 0; i < n; i++)   \
            y[i] = activate_##name(y[i]); \
        return;
#include <rlx/activations.def>
    case NO_ACTIVATION:
    case ACTIVATIONS:
        return;
    }
}

static rlx_status run(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                      rlx_error *err)
{
    const loader_function *f = rlx_call_user(cc);
    const rlx_cblas_row row = row_of(f->row);
    const uint32_t used[] = {row.a, row.b, row.bias};
    RLX_TRY(loader_check_args(f, args, n, used, 3, err));
    rlx_tensor *y = args[n - 1].as.tensor;
    product p = {.f = f,
                 .a = loader_operand(args, row.a),
                 .b = loader_operand(args, row.b),
                 .bias = loader_operand(args, row.bias),
                 .y = y,
                 .turned = row.flags & RLX_CBLAS_TURNED};
    RLX_TRY(check_shapes(&p, err));
    const int64_t numel = rlx_tensor_numel(y);
    float *data = rlx_tensor_mutable_data(y);
    *out = rlx_none();
    if (numel == 0)
        return RLX_OK;
    fill(data, numel / p.n, p.n, p.bias ? rlx_tensor_data(p.bias) : NULL);
    RLX_TRY(multiply(&p, data, err));
    activate((activation)row.activation, data, numel);
    return RLX_OK;
}

static bool is_row(const uint32_t *words)
{
    const rlx_cblas_row r = row_of(words);
    return r.flags <= RLX_CBLAS_TURNED && r.activation < ACTIVATIONS && r.a < r.n_operands &&
           r.b < r.n_operands && (r.bias < r.n_operands || r.bias == RLX_NO_OPERAND);
}

rlx_status rlx_registry_add_cblas(rlx_registry *r, rlx_error *err)
{
    static const loader kind = {.kind = "cblas",
                                .what = "BLAS",
                                .variable = "RLX_CBLAS_LIBRARY",
                                .files = {"libopenblas.so.0", "libblas.so.3"},
                                .names = names,
                                .n_names = sizeof names / sizeof *names,
                                .n_words = sizeof(rlx_cblas_row) / 4,
                                .is_row = is_row,
                                .run = run};
    return loader_add(r, &kind, err);
}
