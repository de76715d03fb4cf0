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

typedef struct ort_library {
    void *const *api; /* table of functions */
    void *env, *memory;
} ort_library;

typedef struct ort_model {
    const ort_library *library;
    void *session;
    void *input;
    const char *input_name, *output_name; /* stay until the process ends */
} ort_model;

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

/* Every optimization on, |threads| inside operators. */
static void *open_model(void *opened, const char *onnx, int threads)
{
    typedef void *(*set_int)(void *options, int value);
    const ort_library *library = opened;
    void *options = NULL, *allocator = NULL;
    ort_model *out = calloc(1, sizeof *out);
    if (out == NULL)
        bench_die("no memory");
    out->library = library;
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
    return out;
}

static void close_model(void *opened)
{
    ort_model *model = opened;
    if (model->input != NULL)
        ((release)model->library->api[RELEASE_VALUE])(model->input);
    ((release)model->library->api[RELEASE_SESSION])(model->session);
    free(model);
}

static void set_input(void *opened, float *data, size_t count, const int64_t *dims, size_t ndim)
{
    ort_model *model = opened;
    if (model->input != NULL)
        ((release)model->library->api[RELEASE_VALUE])(model->input);
    model->input = NULL;
    CALL(model->library, CREATE_TENSOR_WITH_DATA,
         void *(*)(void *, void *, size_t, const int64_t *, size_t, int, void **),
         model->library->memory, data, count * sizeof *data, dims, ndim, FLOAT, &model->input);
}

static void *run(const ort_model *model)
{
    void *out = NULL;
    CALL(model->library, RUN,
         void *(*)(void *, void *, const char *const *, void *const *, size_t, const char *const *,
                   size_t, void **),
         model->session, NULL, &model->input_name, &model->input, 1, &model->output_name, 1, &out);
    return out;
}

static void run_and_release(void *model)
{
    const ort_model *m = model;
    ((release)m->library->api[RELEASE_VALUE])(run(m));
}

static size_t result(void *model, float *out, size_t count)
{
    const ort_library *library = ((ort_model *)model)->library;
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

void ort_open_library(peer_library *out, void *handle)
{
    const ort_base *(*get_base)(void) = (const ort_base *(*)(void))dlsym(handle, "OrtGetApiBase");
    if (get_base == NULL)
        bench_die("the library has no OrtGetApiBase");
    ort_library *library = calloc(1, sizeof *library);
    if (library == NULL)
        bench_die("no memory");
    library->api = get_base()->get_api(1);
    if (library->api == NULL)
        bench_die("the library does not speak version 1 of its interface");
    CALL(library, CREATE_ENV, void *(*)(int, const char *, void **), WARNINGS, "bench",
         &library->env);
    CALL(library, CREATE_CPU_MEMORY_INFO, void *(*)(int, int, void **), DEVICE_ALLOCATOR,
         MEMORY_DEFAULT, &library->memory);
    *out = (peer_library){.name = "ONNX Runtime",
                          .state = library,
                          .open_model = open_model,
                          .close_model = close_model,
                          .set_input = set_input,
                          .run = run_and_release,
                          .result = result};
}
