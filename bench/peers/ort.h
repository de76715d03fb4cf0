/* ONNX Runtime driven from C, so that no Python is counted. See ort.c. */
#ifndef BENCH_PEERS_ORT_H
#define BENCH_PEERS_ORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct ort_library {
    void *const *api; /* table of functions */
    void *env, *memory;
    char version[32];
} ort_library;

/* A model with one float32 input and one float32 output. */
typedef struct ort_model {
    const ort_library *library;
    void *session;
    void *input;
    const char *input_name, *output_name; /* stay until the process ends */
} ort_model;

/* |path|: libonnxruntime.so of any version from 1.1 on. Ends the process on failure, as all here.
 */
void ort_open_library(ort_library *out, const char *path);
/* Every optimization on, |threads| inside operators. */
void ort_open_model(ort_model *out, const ort_library *library, const char *onnx, int threads);
void ort_close_model(ort_model *model);
/* |data| is used in place until the next call or the end. */
void ort_set_input(ort_model *model, float *data, size_t count, const int64_t *dims, size_t ndim);
/* Runs and releases the result; |model| is an ort_model: for bench_side. */
void ort_run(void *model);
/* Runs and copies up to |count| values of the result. Gives their number in the result. */
size_t ort_result(ort_model *model, float *out, size_t count);

#endif
