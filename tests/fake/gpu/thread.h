/* A thread of the fake GPU, as the C code made of PTX sees it. */
#ifndef RLX_FAKE_THREAD_H
#define RLX_FAKE_THREAD_H

#include <stdint.h>

typedef struct gpu_thread gpu_thread;
struct gpu_thread {
    uint32_t tid[3], ntid[3], ctaid[3], nctaid[3], laneid;
    void *shared; /* sized at the launch */
    /* Both return when all threads that take part have come. */
    void (*barrier)(gpu_thread *t);
    /* The value that |from| gives of the thread of lane |at|, which may be this one's. */
    uint64_t (*exchange)(gpu_thread *t, uint32_t mask, uint64_t value, uint32_t at);
    /* Matrix products of a warp: each lane gives |n| words, and sees those of all 32. */
    const uint32_t *(*gather)(gpu_thread *t, const uint32_t *words, uint32_t n);
    /* Copies that run while their thread goes on: done no earlier than it waits for their group. */
    void (*copy)(gpu_thread *t, uint64_t to, uint64_t from, uint32_t bytes, uint32_t present);
    void (*commit)(gpu_thread *t);
    void (*wait)(gpu_thread *t, uint32_t groups);
    void (*trap)(gpu_thread *t);
};

/* A kernel: |param| are its parameters as the driver got them. */
typedef void (*gpu_kernel)(const unsigned char *param, gpu_thread *t);

typedef struct gpu_row { /* of the table that a translated module exports as "gpu_table" */
    const char *name;
    gpu_kernel kernel;
    uint32_t param_bytes;
    int meets; /* threads wait for each other */
} gpu_row;

#endif
