/* Test programs: compiled, loaded, their weights bound from a safetensors file in memory as rlxc
 * --params does. */
#ifndef RLX_TESTS_BOUND_H
#define RLX_TESTS_BOUND_H

#include "compiler/driver/compile.h"
#include "compiler/target/target.h"
#include "rlx/vm.h"
#include "tests/support/rlx_test.h"

typedef struct bound_program {
    const char *text;
    const unsigned char *weights; /* a safetensors file, or NULL */
    size_t size;
    const char *cpu;      /* NULL: this machine's */
    uint8_t row_bits;     /* 0: the default */
    uint8_t rounded_rows; /* 0: the default */
    int level;            /* optimisation level; 0: level 3 */
    const char *device;   /* where undecided tensors lie; NULL: the host */
    const char *expect;   /* some compiled function's name begins with it; NULL: no check */
    const char *emits;    /* the compiled functions' text contains it; NULL: no check */
    const char *lacks;    /* the compiled functions' text does not contain it; NULL: no check */
    bool (*where)(const rlxc_target *target); /* targets to check this for */
} bound_program;

/* Compiles and loads the program; NULL after a failed expectation. */
rlx_executable *bound_compile(rlx_test *t, const bound_program *p);
/* Like bound_compile, for a module already parsed and bound; a NULL module fails with the
 * diagnostics in |ctx|. */
rlx_executable *bound_load(rlx_test *t, rlxc_context *ctx, rlxc_module *module,
                           const rlxc_options *options, const rlxc_pass_hooks *hooks,
                           const char *text);
/* Builds a safetensors file from |header| and its data; the caller frees it. */
unsigned char *bound_file(const char *header, const void *data, size_t bytes, size_t *out_size);
/* Fills |data| with bytes, many of them 0x80 or 0x7f: int8's extremes and uint8's midpoint. */
void bound_fill(unsigned char *data, int64_t n, uint32_t seed);
/* Byte |i| as a signed or unsigned number. */
int bound_number(const unsigned char *data, int64_t i, bool is_signed);
/* Calls |check| with a one-thread VM, then with a two-thread VM. */
void bound_threads(rlx_test *t, rlx_executable *exe,
                   void (*check)(rlx_test *t, rlx_vm *vm, const void *user), const void *user);

#endif
