/* What the parts of the CUDA driver without a GPU share: its stream of work, and the things it
 * made. */
#ifndef RLX_TESTS_FAKE_CUDA_H
#define RLX_TESTS_FAKE_CUDA_H

#include "tests/fake/fake.h"
#include "tests/fake/gpu/ptx.h"
#include "vm/devices/cuda_driver.h"

#define DECLARE(name, params) __attribute__((visibility("default"))) int name params;
CU_FUNCTIONS(DECLARE)
CU_GRAPH_FUNCTIONS(DECLARE)
CUBLAS_FUNCTIONS(DECLARE)
#undef DECLARE

enum { NO_CONTEXT = 201, ILLEGAL_ADDRESS = 700 };

typedef struct fake_object fake_object; /* before each thing that the driver made */
struct fake_object {
    fake_object *next, **link;
    void (*end)(void *bytes); /* frees what is inside, or NULL */
    _Alignas(64) char bytes[];
};
struct CUfunc_st {
    const gpu_row *row; /* of PTX; NULL: */
    const char *name;
    uint32_t size; /* of its arguments */
    int max_shared;
};

/* c = b' a' by columns, for each of the batches: what cuBLAS is asked for. */
typedef struct fake_product {
    int m, n, k, batches;
    const float *a, *b;
    float *c;
} fake_product;

typedef struct fake_work fake_work;
struct fake_work {
    fake_work *next;
    bool is_product;
    fake_product product;
    void *to;
    const void *from;
    size_t bytes; /* of a copy; 0: */
    cu_event event;
    cu_function function;
    uint32_t grid[3], block[3], shared;
    unsigned char *args;
};

extern uint32_t fake_depth; /* of the stack of contexts */
extern bool fake_lost;      /* the device, after a fault */

/* Everything but what asks about the driver and its devices requires a context. */
#define IN_CONTEXT                  \
    do {                            \
        FAKE_CALL;                  \
        if (fake_depth == 0) {      \
            fake.misuses++;         \
            return NO_CONTEXT;      \
        }                           \
        if (fake_lost)              \
            return ILLEGAL_ADDRESS; \
    } while (0)

/* Puts |w| at the stream's end. */
int fake_append(fake_work w);
/* Fills |w| as a launch asks for it, with a copy of the arguments. */
int fake_launch_of(fake_work *w, void **params, void **extra);
void fake_run_product(const fake_product *p);

/* A new thing of |size| bytes, all 0. */
int fake_made(void **out, size_t size);
fake_object *fake_object_of(void *thing);
/* What is dropped is gone, even where the driver reports an error. */
void fake_dropped(void *thing);

#endif
