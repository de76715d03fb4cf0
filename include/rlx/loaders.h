/* Loaders of the sections that rlxc --codegen writes (docs/generators.md). They are a library of
 * their own, librlx_loaders: a program adds those that it wants to its registry. */
#ifndef RLX_LOADERS_H
#define RLX_LOADERS_H

#include <rlx/vm.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sections "cblas": products of matrices by a BLAS, which is opened when a VM loads a section. Its
 * file is that of the environment variable RLX_CBLAS_LIBRARY, else libopenblas.so.0, else the
 * system's libblas.so.3; that there is none is NOT_FOUND. Functions take tensors of float32 in the
 * host's memory. Errors: those of rlx_registry_add_section. */
RLX_NODISCARD RLX_API rlx_status rlx_registry_add_cblas(rlx_registry *r, rlx_error *err);

/* A section "cblas" is little-endian words: the number of functions, and for each these seven words
 * and the bytes of its symbol. A function computes
 *     activation(matmul(a, b) + bias)
 * a and b have two dimensions or more, the bias one; the last operand is the result. */
#define RLX_CBLAS_NONE UINT32_MAX
#define RLX_CBLAS_TURNED 1u /* flags: the last two dimensions of b are exchanged */
typedef struct rlx_cblas_row {
    uint32_t symbol; /* bytes */
    uint32_t flags;
    uint32_t activation; /* a number of rlx/cblas.def; 0: none */
    uint32_t a, b, bias; /* operands; bias RLX_CBLAS_NONE: there is none */
    uint32_t n_operands; /* besides the result */
} rlx_cblas_row;

#ifdef __cplusplus
}
#endif

#endif
