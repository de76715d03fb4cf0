/* Sections "cblas": products of float32 matrices by a BLAS of this machine (rlx/loaders.h).
 *
 * Sections are bytes of files, and tensors may have any shapes: both are checked before the BLAS,
 * which checks nothing, sees them. */
#include <rlx/loaders.h>

#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* cblas_sgemm of every BLAS with 32-bit sizes; row major, and the transposition of b. */
typedef void (*sgemm_fn)(int order, int turn_a, int turn_b, int m, int n, int k, float alpha,
                         const float *a, int lda, const float *b, int ldb, float beta, float *c,
                         int ldc);
enum { ROW_MAJOR = 101, AS_IS = 111, TURNED = 112 };

typedef struct function {
    sgemm_fn sgemm;
    rlx_cblas_row row;
    rlx_str symbol; /* in the section */
} function;

typedef struct section {
    uint32_t n;
    function functions[];
} section;

/* --- the library ------------------------------------------------------------------------------ */

static rlx_status open_blas(sgemm_fn *out, rlx_error *err)
{
    static const char *const files[] = {"libopenblas.so.0", "libblas.so.3"};
    /* A program with more rights than its user does not run the user's library. */
    const char *named = secure_getenv("RLX_CBLAS_LIBRARY");
    const bool is_named = named && *named;
    void *library = is_named ? dlopen(named, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) : NULL;
    for (size_t i = 0; !is_named && !library && i < sizeof files / sizeof *files; i++)
        library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return rlx_fail(err, RLX_E_NOT_FOUND,
                        "there is no BLAS: neither %s nor a file that "
                        "RLX_CBLAS_LIBRARY names can be opened",
                        is_named ? named : files[0]);
    void *address = dlsym(library, "cblas_sgemm");
    memcpy(out, &address, sizeof address); /* ISO C has no cast between the two */
    dlclose(library);
    return address ? RLX_OK
                   : rlx_fail(err, RLX_E_NOT_FOUND, "the BLAS (%s) lacks the function cblas_sgemm",
                              is_named ? named : files[0]);
}

/* --- products --------------------------------------------------------------------------------- */

/* A product of which everything is checked. */
typedef struct product {
    const function *f;
    const rlx_tensor *a, *b, *y;
    int64_t m, n, k, batches;
} product;

static rlx_status wrong(const function *f, const char *why, rlx_error *err)
{
    return rlx_fail(err, RLX_E_SHAPE, "%.*s: %s", (int)f->symbol.len, f->symbol.data, why);
}

/* Dimension |i| counted from the last one, which is 0; 1 where |t| has fewer. */
static int64_t dim(const rlx_tensor *t, uint32_t i)
{
    const uint32_t ndim = rlx_tensor_ndim(t);
    return i < ndim ? rlx_tensor_dims(t)[ndim - 1 - i] : 1;
}

static rlx_status check_tensors(const function *f, const rlx_value *args, uint32_t n,
                                rlx_error *err)
{
    if (n != f->row.n_operands + 1)
        return wrong(f, "it is called with another number of operands", err);
    const uint32_t used[] = {f->row.a, f->row.b, f->row.n_operands, f->row.bias};
    for (uint32_t i = 0; i < 4 && used[i] != RLX_CBLAS_NONE; i++) {
        const rlx_value v = args[used[i]];
        if (v.kind != RLX_KIND_TENSOR || !rlx_dtype_eq(rlx_tensor_dtype(v.as.tensor), RLX_F32) ||
            (rlx_tensor_numel(v.as.tensor) > 0 && !rlx_tensor_data(v.as.tensor)))
            return wrong(f, "an operand is no tensor of float32 in the host's memory", err);
        if (i < 3 && rlx_tensor_ndim(v.as.tensor) < 2)
            return wrong(f, "an operand has less than two dimensions", err);
    }
    return RLX_OK;
}

static rlx_status check_shapes(product *p, rlx_error *err)
{
    const bool turned = p->f->row.flags & RLX_CBLAS_TURNED;
    const uint32_t ndim = rlx_tensor_ndim(p->y);
    p->m = dim(p->a, 1);
    p->k = dim(p->a, 0);
    p->n = dim(p->b, turned);
    if (dim(p->b, !turned) != p->k || dim(p->y, 1) != p->m || dim(p->y, 0) != p->n ||
        rlx_tensor_ndim(p->a) > ndim || rlx_tensor_ndim(p->b) > ndim)
        return wrong(p->f, "the matrices do not fit", err);
    for (uint32_t i = 2; i < ndim; i++) {
        const int64_t a = dim(p->a, i), b = dim(p->b, i), y = dim(p->y, i);
        if ((a != y && a != 1) || (b != y && b != 1))
            return wrong(p->f, "the batches do not fit", err);
    }
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
    const bool turned = p->f->row.flags & RLX_CBLAS_TURNED;
    if (p->k == 0)
        return RLX_OK;
    if (rlx_tensor_numel(p->b) / p->k == p->n &&
        rlx_tensor_numel(p->a) / p->k == p->batches * p->m) {
        p->m *= p->batches;
        p->batches = 1;
    }
    if (p->m > INT_MAX || p->n > INT_MAX || p->k > INT_MAX)
        return rlx_fail(err, RLX_E_LIMIT, "%.*s: a BLAS has no sizes above %d",
                        (int)p->f->symbol.len, p->f->symbol.data, INT_MAX);
    for (int64_t i = 0; i < p->batches; i++)
        p->f->sgemm(ROW_MAJOR, AS_IS, turned ? TURNED : AS_IS, (int)p->m, (int)p->n, (int)p->k, 1,
                    matrix(p->a, p, i), (int)p->k, matrix(p->b, p, i), (int)(turned ? p->k : p->n),
                    1, y + i * p->m * p->n, (int)p->n);
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
#define RLX_CBLAS_ACTIVATION(number, name, op) ACTIVATION_##name = number,
#include <rlx/cblas.def>
    ACTIVATIONS
} activation;

static void activate(activation which, float *y, int64_t n)
{
    switch (which) {
#define RLX_CBLAS_ACTIVATION(number, name, op) \
    case ACTIVATION_##name:                    \
        for (int64_t i = 0; i < n; i++)        \
            y[i] = activate_##name(y[i]);      \
        return;
#include <rlx/cblas.def>
    case NO_ACTIVATION:
    case ACTIVATIONS:
        return;
    }
}

static rlx_status run(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                      rlx_error *err)
{
    const function *f = rlx_call_user(cc);
    RLX_TRY(check_tensors(f, args, n, err));
    rlx_tensor *y = args[n - 1].as.tensor;
    product p = {f, args[f->row.a].as.tensor, args[f->row.b].as.tensor, y, 0, 0, 0, 0};
    RLX_TRY(check_shapes(&p, err));
    const rlx_tensor *bias = f->row.bias == RLX_CBLAS_NONE ? NULL : args[f->row.bias].as.tensor;
    if (bias && (rlx_tensor_ndim(bias) != 1 || dim(bias, 0) != p.n))
        return wrong(f, "the bias does not fit", err);
    const int64_t numel = rlx_tensor_numel(y);
    float *data = rlx_tensor_mutable_data(y);
    *out = rlx_none();
    if (numel == 0)
        return RLX_OK;
    if (!data)
        return wrong(f, "its result cannot be written", err);
    fill(data, numel / p.n, p.n, bias ? rlx_tensor_data(bias) : NULL);
    RLX_TRY(multiply(&p, data, err));
    activate((activation)f->row.activation, data, numel);
    return RLX_OK;
}

/* --- the section ------------------------------------------------------------------------------ */

static uint32_t word_at(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool read_function(const uint8_t **at, size_t *left, function *f)
{
    uint32_t *words = &f->row.symbol;
    if (*left < sizeof f->row)
        return false;
    for (size_t i = 0; i < sizeof f->row / 4; i++)
        words[i] = word_at(*at + 4 * i);
    *at += sizeof f->row;
    *left -= sizeof f->row;
    const rlx_cblas_row *r = &f->row;
    if (r->symbol > *left || r->flags > RLX_CBLAS_TURNED || r->activation >= ACTIVATIONS ||
        r->n_operands == UINT32_MAX || r->a >= r->n_operands || r->b >= r->n_operands ||
        (r->bias >= r->n_operands && r->bias != RLX_CBLAS_NONE))
        return false;
    f->symbol = (rlx_str){(const char *)*at, r->symbol};
    *at += r->symbol;
    *left -= r->symbol;
    return true;
}

static rlx_status load(void *user, const rlx_code_image *image, void **out, rlx_error *err)
{
    const uint8_t *at = image->data;
    size_t left = image->size;
    sgemm_fn sgemm = NULL;
    (void)user;
    if (left < 4 || word_at(at) > (left - 4) / sizeof(rlx_cblas_row))
        return rlx_fail(err, RLX_E_INVALID_MODULE, "it ends early");
    const uint32_t n = word_at(at);
    RLX_TRY(open_blas(&sgemm, err));
    section *s = malloc(sizeof *s + (size_t)n * sizeof *s->functions);
    if (!s)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while loading a section");
    s->n = n;
    at += 4;
    left -= 4;
    for (uint32_t i = 0; i < n; i++) {
        s->functions[i].sgemm = sgemm;
        if (!read_function(&at, &left, &s->functions[i])) {
            free(s);
            return rlx_fail(err, RLX_E_INVALID_MODULE, "function %u is malformed", i);
        }
    }
    if (left > 0) {
        free(s);
        return rlx_fail(err, RLX_E_INVALID_MODULE, "it has %zu bytes too many", left);
    }
    *out = s;
    return RLX_OK;
}

static rlx_packed_fn find(void *user, void *loaded, rlx_str symbol, void **out_user)
{
    section *s = loaded;
    (void)user;
    for (uint32_t i = 0; i < s->n; i++)
        if (rlx_str_eq(s->functions[i].symbol, symbol)) {
            *out_user = &s->functions[i];
            return run;
        }
    return NULL;
}

static void unload(void *user, void *loaded)
{
    (void)user;
    free(loaded);
}

rlx_status rlx_registry_add_cblas(rlx_registry *r, rlx_error *err)
{
    static const rlx_section_api api = {
        .size = sizeof api, .kind = "cblas", .load = load, .find = find, .unload = unload};
    return rlx_registry_add_section(r, &api, NULL, err);
}
