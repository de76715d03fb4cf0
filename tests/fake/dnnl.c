/* Stands in for oneDNN 2: the functions that convolutions need, by their definition. Descriptions
 * are smaller than oneDNN's. */
#include "tests/fake/fake.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
enum { MOST_OPS = 4, SUM = 1, IN_ORDER = 1 };

typedef struct description {
    int ndims;
    int64_t dims[5];
} description;
typedef struct operation {
    description x, w, y;
    int has_bias;
    int64_t strides[2], dilates[2], before[2], after[2];
} operation;
typedef struct post_ops {
    int n, algorithm[MOST_OPS];
    float alpha[MOST_OPS];
} post_ops;
typedef struct primitive {
    operation o;
    post_ops after;
} primitive;
typedef struct memory {
    float *data;
} memory;
typedef struct argument {
    int which;
    memory *memory;
} argument;

fake_control fake;

fake_control *fake_get(void)
{
    return &fake;
}

static int make(void **out, const void *from, size_t size)
{
    *out = calloc(1, size);
    if (!*out)
        return 1;
    if (from)
        memcpy(*out, from, size);
    fake.live++;
    return 0;
}

static int destroy(void *object)
{
    fake.misuses += !object;
    fake.live--;
    free(object);
    return 0;
}

/* A constructor that fails when the test asks for it, and the destructor. */
#define OBJECT(name, params, from, size)         \
    API int dnnl_##name##_create params;         \
    API int dnnl_##name##_create params          \
    {                                            \
        FAKE_CALL;                               \
        return make(out, from, size);            \
    }                                            \
    API int dnnl_##name##_destroy(void *object); \
    API int dnnl_##name##_destroy(void *object)  \
    {                                            \
        return destroy(object);                  \
    }

OBJECT(engine, (void **out, int kind, size_t index), (fake.misuses += kind != 1 || index, NULL), 1)
OBJECT(stream, (void **out, void *engine, unsigned flags),
       (fake.misuses += !engine || flags != IN_ORDER, NULL), 1)
OBJECT(primitive_attr, (void **out), NULL, sizeof(post_ops))
OBJECT(post_ops, (void **out), NULL, sizeof(post_ops))
OBJECT(primitive, (void **out, const void *d), d, sizeof(primitive))

API int dnnl_memory_create(void **out, const description *d, void *engine, void *data);
API int dnnl_memory_create(void **out, const description *d, void *engine, void *data)
{
    FAKE_CALL;
    const memory m = {data};
    fake.misuses += !d || !engine || !data;
    return make(out, &m, sizeof m);
}

API int dnnl_memory_destroy(void *object);
API int dnnl_memory_destroy(void *object)
{
    return destroy(object);
}

API int dnnl_stream_wait(void *stream);
API int dnnl_stream_wait(void *stream)
{
    FAKE_CALL;
    return stream ? 0 : 2;
}

API int dnnl_memory_desc_init_by_tag(description *d, int ndims, const int64_t *dims, int type,
                                     int tag);
API int dnnl_memory_desc_init_by_tag(description *d, int ndims, const int64_t *dims, int type,
                                     int tag)
{
    FAKE_CALL;
    *d = (description){.ndims = ndims};
    memcpy(d->dims, dims, (size_t)ndims * sizeof *dims);
    fake.misuses += type != 3 || tag != (ndims == 1 ? 2 : ndims == 4 ? 5 : 7);
    return 0;
}

API int dnnl_dilated_convolution_forward_desc_init(operation *o, int kind, int algorithm,
                                                   const description *x, const description *w,
                                                   const description *bias, const description *y,
                                                   const int64_t *strides, const int64_t *dilates,
                                                   const int64_t *before, const int64_t *after);
API int dnnl_dilated_convolution_forward_desc_init(operation *o, int kind, int algorithm,
                                                   const description *x, const description *w,
                                                   const description *bias, const description *y,
                                                   const int64_t *strides, const int64_t *dilates,
                                                   const int64_t *before, const int64_t *after)
{
    FAKE_CALL;
    *o = (operation){.x = *x, .w = *w, .y = *y, .has_bias = bias != NULL};
    memcpy(o->strides, strides, sizeof o->strides);
    memcpy(o->dilates, dilates, sizeof o->dilates);
    memcpy(o->before, before, sizeof o->before);
    memcpy(o->after, after, sizeof o->after);
    fake.misuses += kind != 96 || algorithm != 3;
    return 0;
}

API int dnnl_primitive_attr_set_post_ops(void *attr, const void *ops);
API int dnnl_primitive_attr_set_post_ops(void *attr, const void *ops)
{
    FAKE_CALL;
    memcpy(attr, ops, sizeof(post_ops));
    return 0;
}

API int dnnl_post_ops_append_sum(post_ops *ops, float scale);
API int dnnl_post_ops_append_sum(post_ops *ops, float scale)
{
    FAKE_CALL;
    ops->algorithm[ops->n++] = SUM;
    fake.misuses += scale < 1 || scale > 1;
    return 0;
}

API int dnnl_post_ops_append_eltwise(post_ops *ops, float scale, int algorithm, float alpha,
                                     float beta);
API int dnnl_post_ops_append_eltwise(post_ops *ops, float scale, int algorithm, float alpha,
                                     float beta)
{
    FAKE_CALL;
    ops->alpha[ops->n] = alpha;
    ops->algorithm[ops->n++] = algorithm;
    fake.misuses += scale < 1 || scale > 1 || beta > 0 || beta < 0;
    return 0;
}

API int dnnl_primitive_desc_create(void **out, const operation *o, const void *attr, void *engine,
                                   const void *hint);
API int dnnl_primitive_desc_create(void **out, const operation *o, const void *attr, void *engine,
                                   const void *hint)
{
    FAKE_CALL;
    primitive p = {.o = *o};
    memcpy(&p.after, attr, sizeof p.after);
    fake.misuses += !engine || hint;
    return make(out, &p, sizeof p);
}

API int dnnl_primitive_desc_destroy(void *object);
API int dnnl_primitive_desc_destroy(void *object)
{
    return destroy(object);
}

static float eltwise(int algorithm, float alpha, float x)
{
    switch (algorithm) {
    case 0x1f:
        return x > 0 ? x : alpha * x;
    case 0x30:
        return 0.5f * x * (1 + erff(x * 0.70710678f));
    case 0xcf:
        return 0.5f * x * (1 + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
    case 0xdf:
        return x / (1 + expf(-alpha * x));
    case 0xaf:
        return 1 / (1 + expf(-x));
    case 0x2f:
        return tanhf(x);
    default:
        fake.misuses++;
        return x;
    }
}

/* One sum of products: of image |n|, channel |c| of the result, at |h|, |v|. */
static float at(const operation *o, const float *x, const float *w, int64_t n, int64_t c, int64_t h,
                int64_t v)
{
    const int grouped = o->w.ndims == 5;
    const int64_t *shape = o->w.dims + grouped, groups = grouped ? o->w.dims[0] : 1;
    const int64_t group = c / (o->y.dims[1] / groups);
    float sum = 0;
    for (int64_t i = 0; i < shape[1]; i++)
        for (int64_t a = 0; a < shape[2]; a++)
            for (int64_t b = 0; b < shape[3]; b++) {
                const int64_t y = h * o->strides[0] - o->before[0] + a * (o->dilates[0] + 1);
                const int64_t z = v * o->strides[1] - o->before[1] + b * (o->dilates[1] + 1);
                if (y < 0 || z < 0 || y >= o->x.dims[2] || z >= o->x.dims[3])
                    continue;
                sum += x[((n * o->x.dims[1] + group * shape[1] + i) * o->x.dims[2] + y) *
                             o->x.dims[3] +
                         z] *
                       w[((c * shape[1] + i) * shape[2] + a) * shape[3] + b];
            }
    return sum;
}

API int dnnl_primitive_execute(const primitive *p, void *stream, int n, const argument *args);
API int dnnl_primitive_execute(const primitive *p, void *stream, int n, const argument *args)
{
    FAKE_CALL;
    float *data[64] = {NULL};
    for (int i = 0; i < n; i++)
        data[args[i].which] = args[i].memory->data;
    const float *bias = data[41];
    float *y = data[17];
    const int64_t *dims = p->o.y.dims;
    fake.misuses += !stream || !data[1] || !data[33] || !y || p->o.has_bias != (bias != NULL);
    for (int64_t i = 0; i < dims[0] * dims[1] * dims[2] * dims[3]; i++) {
        const int64_t v = i % dims[3], h = i / dims[3] % dims[2], c = i / dims[3] / dims[2];
        float value = at(&p->o, data[1], data[33], c / dims[1], c % dims[1], h, v) +
                      (bias ? bias[c % dims[1]] : 0);
        for (int k = 0; k < p->after.n; k++)
            value = p->after.algorithm[k] == SUM
                        ? value + y[i]
                        : eltwise(p->after.algorithm[k], p->after.alpha[k], value);
        y[i] = value;
    }
    return 0;
}
