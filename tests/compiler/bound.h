/* Programs that are compiled and loaded; weights are bound from a safetensors file in memory, as
 * rlxc --params does. */
#ifndef RLX_TESTS_BOUND_H
#define RLX_TESTS_BOUND_H

#include "compiler/driver/compile.h"
#include "compiler/target/target.h"
#include "rlx/vm.h"
#include "tests/support/rlx_test.h"

typedef struct bound_program {
    const char *text;
    const unsigned char *weights; /* a safetensors file; NULL: none */
    size_t size;
    const char *cpu;      /* NULL: the host's */
    uint8_t row_bits;     /* 0: as by default */
    uint8_t rounded_rows; /* likewise */
    int level;            /* of optimisation; 0: 3 */
    const char *expect;   /* how the name of some function begins once it is compiled; NULL: any */
    const char *emits;    /* what the compiled functions' text contains, there; NULL: anything */
    const char *lacks;    /* what it does not contain there; NULL: anything */
    bool (*where)(const rlxc_target *target); /* targets of which that is expected; NULL: all */
} bound_program;

/* The program loaded; NULL after a failed expectation. */
rlx_executable *bound_compile(rlx_test *t, const bound_program *p);
/* The same of a module that was read and bound to its weights; NULL: that failed, as |ctx| says. */
rlx_executable *bound_load(rlx_test *t, rlxc_context *ctx, rlxc_module *module,
                           const rlxc_options *options, const rlxc_pass_hooks *hooks,
                           const char *text);
/* A safetensors file of |header| and the bytes behind it; the caller frees it. */
unsigned char *bound_file(const char *header, const void *data, size_t bytes, size_t *out_size);
/* Bytes with many of the middle, which is the least or the greatest of a signed or unsigned type.
 */
void bound_fill(unsigned char *data, int64_t n, uint32_t seed);
/* One of them as a number. */
int bound_number(const unsigned char *data, int64_t i, bool is_signed);
/* Calls |check| with a VM of one thread, then with one of two. */
void bound_threads(rlx_test *t, rlx_executable *exe,
                   void (*check)(rlx_test *t, rlx_vm *vm, const void *user), const void *user);

#endif
