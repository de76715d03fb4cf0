/* Kernels for devices: how PrimFuncs whose target is not the CPU become code.
 *
 * After lower_tir such a PrimFunc is a sequence of nests with loops bound to threads
 * (RLXC_LOOP_BOUND), and buffers between them. Each nest becomes a launch of one device function;
 * each buffer outside of them becomes scratch memory on the device. device_split.c finds them; the
 * generator for the target's kind turns all launches of a module into code images. Nothing here
 * runs on the host: grids, blocks, sizes and scalar arguments are expressions that the VM
 * evaluates. */
#ifndef RLXC_CODEGEN_DEVICE_H
#define RLXC_CODEGEN_DEVICE_H

#include "compiler/codegen/codegen.h"
#include "compiler/target/target.h"
#include "rlx/device.h"

typedef struct rlxc_launch_arg {
    const rlxc_buffer *buffer; /* a parameter of the PrimFunc, or a scratch buffer; or NULL: */
    const rlxc_expr *scalar;   /* a variable that the device function gets as a parameter */
    const rlxc_expr *value;    /* and its value, over the PrimFunc's dims */
    bool is_written;           /* buffers */
    bool is_checks;            /* neither: memory for the checks of the launch that fail */
} rlxc_launch_arg;

typedef struct rlxc_launch {
    const char *name;         /* of the device function: unique in the module, a C identifier */
    const rlxc_expr *grid[3]; /* x, y, z over the PrimFunc's dims; 1 where nothing is bound */
    const rlxc_expr *block[3];
    const rlxc_expr *thread[6]; /* variables: blockIdx.x y z, threadIdx.x y z; NULL: not bound */
    const rlxc_stmt *body;      /* without the loops around all of it that are bound */
    const rlxc_launch_arg *args;
    uint32_t n_args;
    const rlxc_stmt *const *checks; /* its assertions and T.check_index, in order: their numbers */
    const char *checks_text;        /* of rlx_launch_row; NULL: there are none */
    uint32_t n_checks;
    uint32_t shared_bytes; /* of memory of a block that is sized at the launch; 0: none is */
    const rlxc_stmt *stop; /* what a thread does after its check fails; NULL: it ends */
} rlxc_launch;

typedef struct rlxc_device_kernel {
    const rlxc_prim_func *f;
    const rlxc_buffer *const *scratch; /* scope "global", sizes over the PrimFunc's dims */
    uint32_t n_scratch;
    const rlxc_launch *launches;
    uint32_t n_launches;
} rlxc_device_kernel;

typedef struct rlxc_device_image {
    const char *format; /* as rlx_device_api.load knows it */
    const void *data;   /* text is NUL-terminated beyond |size| */
    size_t size;
} rlxc_device_image;

typedef struct rlxc_device_code { /* of one target */
    const rlxc_target *target;
    const rlxc_device_kernel *kernels;
    uint32_t n_kernels;
    const rlxc_device_image *images; /* from the best to the most general */
    uint32_t n_images;
} rlxc_device_code;

/* device_split.c: false with a diagnostic if the function cannot be split into launches (a host
 * loop around threads, a call of the host). */
bool rlxc_device_split(rlxc_context *ctx, const rlxc_prim_func *f, const rlxc_target *target,
                       rlxc_device_kernel *out);
/* Why the PrimFunc, lowered or not, cannot run on a device of |target|; NULL if it can. Used to
 * choose between device and CPU before any code is generated. */
const char *rlxc_device_refuses(rlxc_context *ctx, const rlxc_prim_func *f,
                                const rlxc_target *target);
/* NULL, or why kernels of |target| cannot make the call |e|. */
const char *rlxc_device_lacks_call(const rlxc_target *target, const rlxc_expr *e);
/* device.c: true if there is a generator of the target's kind. */
bool rlxc_device_has_code(const rlxc_target *target);
/* device.c: the code of all PrimFuncs of the module with a device's target, one entry for each
 * target. */
bool rlxc_compile_devices(rlxc_context *ctx, const rlxc_module *module, const rlxc_options *options,
                          const rlxc_device_code **out, uint32_t *out_n);

/* device_binaries.c: has this machine's drivers build the last image, and puts the result before
 * the other images. False with a diagnostic: there is no such device, or its driver refuses the
 * code. */
bool rlxc_add_device_binaries(rlxc_context *ctx, rlxc_device_code *out);

/* The generators: rows of device.c by the target's kind. They fill |out->images|. */
bool rlxc_emit_opencl(rlxc_context *ctx, const rlxc_options *options, rlxc_device_code *out);
/* Why code for CUDA cannot have the expression itself, whatever its operands are; NULL if it can.
 */
const char *rlxc_nvptx_lacks(const rlxc_expr *e);
bool rlxc_emit_cuda(rlxc_context *ctx, const rlxc_options *options, rlxc_device_code *out);

#endif
