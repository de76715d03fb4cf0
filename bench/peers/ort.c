/* ONNX Runtime through its C interface, without its headers, which the wheels do not hold.
 *
 * The library exports OrtGetApiBase; what that gives is a table of function pointers that may only
 * ever grow at its end, so a function's place in it is part of the interface. The places used here
 * are those below, and asking for version 1 of the table is enough for them. Every function but the
 * releases and the two of a status gives a status: NULL is success. */
#include "bench/peers/ort.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

enum place {
    GET_ERROR_MESSAGE = 2,
    CREATE_ENV = 3,
    CREATE_SESSION = 7,
    RUN = 9,
    CREATE_SESSION_OPTIONS = 10,
    SET_GRAPH_OPTIMIZATION_LEVEL = 23,
    SET_INTRA_OP_THREADS = 24,
    SET_INTER_OP_THREADS = 25,
    SESSION_GET_INPUT_NAME = 36,
    SESSION_GET_OUTPUT_NAME = 37,
    CREATE_TENSOR_WITH_DATA = 49,
    GET_TENSOR_MUTABLE_DATA = 51,
    GET_TENSOR_ELEMENT_COUNT = 64,
    GET_TENSOR_TYPE_AND_SHAPE = 65,
    CREATE_CPU_MEMORY_INFO = 69,
    GET_DEFAULT_ALLOCATOR = 78,
    RELEASE_SESSION = 95,
    RELEASE_VALUE = 96,
    RELEASE_TYPE_AND_SHAPE = 99,
    RELEASE_SESSION_OPTIONS = 100,
};
enum { WARNINGS = 2, DEVICE_ALLOCATOR = 0, MEMORY_DEFAULT = 0, ALL_OPTIMIZATIONS = 99, FLOAT = 1 };

typedef struct ort_base {
    void *const *(*get_api)(uint32_t version);
    const char *(*get_version)(void);
} ort_base;

typedef void *(*session_get_name)(void *session, size_t index, void *allocator, const char **out);
typedef void (*release)(void *object);

#define CALL(library, place, type, ...) check(library, ((type)(library)->api[place])(__VA_ARGS__))

static void check(const ort_library *library, void *status)
{
    if (status != NULL) {
        const char *(*message)(void *) = (const char *(*)(void *))library->api[GET_ERROR_MESSAGE];
        bench_die("ONNX Runtime: %s", message(status));
    }
}

void ort_open_library(ort_library *out, const char *path)
{
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        bench_die("%s", dlerror());
    const ort_base *(*get_base)(void) = (const ort_base *(*)(void))dlsym(handle, "OrtGetApiBase");
    if (get_base == NULL)
        bench_die("%s has no OrtGetApiBase", path);
    const ort_base *base = get_base();
    *out = (ort_library){.api = base->get_api(1)};
    if (out->api == NULL)
        bench_die("%s does not speak version 1 of its interface", path);
    snprintf(out->version, sizeof out->version, "%s", base->get_version());
    CALL(out, CREATE_ENV, void *(*)(int, const char *, void **), WARNINGS, "bench", &out->env);
    CALL(out, CREATE_CPU_MEMORY_INFO, void *(*)(int, int, void **), DEVICE_ALLOCATOR,
         MEMORY_DEFAULT, &out->memory);
}

void ort_open_model(ort_model *out, const ort_library *library, const char *onnx, int threads)
{
    typedef void *(*set_int)(void *options, int value);
    void *options = NULL, *allocator = NULL;
    *out = (ort_model){.library = library};
    CALL(library, CREATE_SESSION_OPTIONS, void *(*)(void **), &options);
    CALL(library, SET_INTRA_OP_THREADS, set_int, options, threads);
    CALL(library, SET_INTER_OP_THREADS, set_int, options, 1);
    CALL(library, SET_GRAPH_OPTIMIZATION_LEVEL, set_int, options, ALL_OPTIMIZATIONS);
    CALL(library, CREATE_SESSION, void *(*)(void *, const char *, void *, void **), library->env,
         onnx, options, &out->session);
    ((release)library->api[RELEASE_SESSION_OPTIONS])(options);
    CALL(library, GET_DEFAULT_ALLOCATOR, void *(*)(void **), &allocator);
    CALL(library, SESSION_GET_INPUT_NAME, session_get_name, out->session, 0, allocator,
         &out->input_name);
    CALL(library, SESSION_GET_OUTPUT_NAME, session_get_name, out->session, 0, allocator,
         &out->output_name);
}

void ort_close_model(ort_model *model)
{
    if (model->input != NULL)
        ((release)model->library->api[RELEASE_VALUE])(model->input);
    ((release)model->library->api[RELEASE_SESSION])(model->session);
}

void ort_set_input(ort_model *model, float *data, size_t count, const int64_t *dims, size_t ndim)
{
    if (model->input != NULL)
        ((release)model->library->api[RELEASE_VALUE])(model->input);
    model->input = NULL;
    CALL(model->library, CREATE_TENSOR_WITH_DATA,
         void *(*)(void *, void *, size_t, const int64_t *, size_t, int, void **),
         model->library->memory, data, count * sizeof *data, dims, ndim, FLOAT, &model->input);
}

static void *run(ort_model *model)
{
    void *out = NULL;
    CALL(model->library, RUN,
         void *(*)(void *, void *, const char *const *, void *const *, size_t, const char *const *,
                   size_t, void **),
         model->session, NULL, &model->input_name, &model->input, 1, &model->output_name, 1, &out);
    return out;
}

void ort_run(void *model)
{
    ort_model *m = model;
    ((release)m->library->api[RELEASE_VALUE])(run(m));
}

size_t ort_result(ort_model *model, float *out, size_t count)
{
    const ort_library *library = model->library;
    void *value = run(model), *info = NULL;
    float *data = NULL;
    size_t n = 0;
    CALL(library, GET_TENSOR_TYPE_AND_SHAPE, void *(*)(void *, void **), value, &info);
    CALL(library, GET_TENSOR_ELEMENT_COUNT, void *(*)(void *, size_t *), info, &n);
    CALL(library, GET_TENSOR_MUTABLE_DATA, void *(*)(void *, float **), value, &data);
    memcpy(out, data, sizeof *out * (n < count ? n : count));
    ((release)library->api[RELEASE_TYPE_AND_SHAPE])(info);
    ((release)library->api[RELEASE_VALUE])(value);
    return n;
}
