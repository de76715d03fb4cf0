/* What passes share that give PrimFuncs further inputs: add_inputs.c. */
#ifndef RLXC_PASSES_ADD_INPUTS_H
#define RLXC_PASSES_ADD_INPUTS_H

#include "compiler/ir/relax.h"
#include "compiler/ir/tir.h"

/* How the module uses a PrimFunc. */
typedef struct rlxc_callee {
    uint32_t mentions, calls; /* calls: by call_tir */
    uint32_t n_inputs;        /* of each call */
    bool mixed;               /* its calls differ in the number of inputs */
} rlxc_callee;

/* Interned names of PrimFuncs -> rlxc_callee. */
void rlxc_count_callees(rlxc_context *ctx, rlxc_module *module, rlxc_map *out);

/* The PrimFunc |name| as it is called, if all that use it are calls with one number of inputs: then
 * it may take more of them. Else NULL. */
const rlxc_callee *rlxc_extensible(const rlxc_map *callees, const char *name,
                                   const rlxc_prim_func *f);

/* Puts |n| parameters after the |n_inputs| first ones of |f|. */
void rlxc_add_params(rlxc_context *ctx, rlxc_prim_func *f, uint32_t n_inputs,
                     const rlxc_prim_param *params, uint32_t n);
/* Makes |call|, a call_tir, one of the PrimFunc |name| with |n| more inputs. */
void rlxc_add_inputs(rlxc_context *ctx, rlxc_binding *call, const char *name,
                     const rlxc_atom *atoms, uint32_t n);

#endif
