/* A library that runs models, as pair.c drives it: from C, so that no Python is counted.
 *
 * A model has one float32 input and one float32 output. Failures print and end the process. */
#ifndef BENCH_PEERS_PEER_H
#define BENCH_PEERS_PEER_H

#include <stddef.h>
#include <stdint.h>

typedef struct peer_library {
    const char *name;
    void *state; /* for open_model */
    void *(*open_model)(void *state, const char *path, int threads);
    void (*close_model)(void *model);
    /* |data| is used in place until the next call or the end. */
    void (*set_input)(void *model, float *data, size_t count, const int64_t *dims, size_t ndim);
    /* Runs and releases the result: for bench_side. */
    void (*run)(void *model);
    /* Runs and copies up to |count| values of the result. Gives their number in the result. */
    size_t (*result)(void *model, float *out, size_t count);
} peer_library;

/* What a peer of its own shared object exports under the name "bench_peer" (torch.cpp). */
typedef void (*peer_get)(peer_library *out);

#endif
