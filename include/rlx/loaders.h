/* Loaders for the sections that rlxc --codegen writes (docs/generators.md). They are in a library
 * of their own, librlx_loaders; a program adds the ones it needs to its registry. */
#ifndef RLX_LOADERS_H
#define RLX_LOADERS_H

#include <rlx/vm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A section is little-endian words: the number of functions, then for each function a row of words
 * and the bytes of its symbol. A row begins with the length of the symbol and the number of
 * operands; the tensor after the operands is the result. All tensors are float32 in the host's
 * memory.
 *
 * The library is opened when a VM loads a section: the file that the environment variable names,
 * else the first of the listed files that exists, else loading fails with NOT_FOUND. Errors: those
 * of rlx_registry_add_section. */
#define RLX_NO_OPERAND UINT32_MAX

/* "cblas": products of matrices by a BLAS. RLX_CBLAS_LIBRARY, libopenblas.so.0, the system's
 * libblas.so.3. */
RLX_NODISCARD RLX_API rlx_status rlx_registry_add_cblas(rlx_registry *r, rlx_error *err);

/* activation(matmul(a, b) + bias); a and b have two dimensions or more, the bias one. */
#define RLX_CBLAS_TURNED 1u /* flags: the last two dimensions of b are transposed */
typedef struct rlx_cblas_row {
    uint32_t symbol, n_operands;
    uint32_t flags;
    uint32_t activation; /* a number of rlx/activations.def; 0: none */
    uint32_t a, b, bias; /* operands; bias may be RLX_NO_OPERAND: none */
} rlx_cblas_row;

/* "dnnl": convolutions by oneDNN 2. RLX_DNNL_LIBRARY, libdnnl.so.2. */
RLX_NODISCARD RLX_API rlx_status rlx_registry_add_dnnl(rlx_registry *r, rlx_error *err);

/* activation(conv2d(x, w) + bias + sum) in the layouts NCHW and OIHW; the bias has as many elements
 * as the result has channels, the sum the result's shape. */
typedef struct rlx_dnnl_row {
    uint32_t symbol, n_operands;
    uint32_t activation; /* a number of rlx/activations.def; 0: none */
    uint32_t x, w, bias, sum;
    uint32_t groups, strides[2], dilation[2], before[2], after[2]; /* height, width */
} rlx_dnnl_row;

#ifdef __cplusplus
}
#endif

#endif
