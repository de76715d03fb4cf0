/* Compiles PrimFuncs for NVIDIA's GPUs, assembles them where CUDA's toolkit is present, and runs
 * them on the driver of tests/fake. */
#ifndef RLX_TESTS_NVPTX_H
#define RLX_TESTS_NVPTX_H

#include "compiler/codegen/device.h"
#include "compiler/codegen/llvm.h"
#include "compiler/script/script.h"
#include "tests/support/rlx_test.h"

/* What the texts begin with; a function f follows. */
#define NVPTX_HEAD                               \
    "from tvm.script import ir as I, tir as T\n" \
    "@I.ir_module\nclass Module:\n    @T.prim_func\n"

enum { NVPTX_CHECKS = 8 };

typedef struct nvptx_code {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_options options;
    rlxc_device_code code;
} nvptx_code;

/* Memory of the host that is copied to the device and back. */
typedef struct nvptx_buffer {
    void *data;
    size_t bytes;
} nvptx_buffer;

/* The checks that failed in the last run: three numbers each. */
extern int64_t nvptx_failed[3 * NVPTX_CHECKS];

/* Parses, lowers and splits the PrimFuncs of |text|. Drop the code also where it is false. */
bool nvptx_build(rlx_test *t, const char *text, const char *target, rlxc_native_form form,
                 nvptx_code *out);
void nvptx_drop(nvptx_code *b);
/* Expects that |text| compiles for every architecture and that ptxas, where it is, takes it. */
void nvptx_check(rlx_test *t, const char *text, const char *name);
/* Runs the first PrimFunc. */
void nvptx_run(rlx_test *t, const nvptx_code *b, const nvptx_buffer *buffers, uint32_t n,
               const int64_t *dims);
/* Checks |text|, then builds and runs it. */
void nvptx_check_run(rlx_test *t, const char *text, const char *name, const nvptx_buffer *buffers,
                     uint32_t n, const int64_t *dims);

#endif
