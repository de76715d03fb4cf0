/* Shared by passes that give PrimFuncs additional inputs: add_inputs.c. */
#ifndef RLXC_PASSES_ADD_INPUTS_H
#define RLXC_PASSES_ADD_INPUTS_H

#include "compiler/ir/relax.h"
#include "compiler/ir/tir.h"

/* How the module uses a PrimFunc. */
typedef struct rlxc_callee {
    uint32_t mentions, calls; /* calls: by call_tir */
    uint32_t n_inputs;        /* of each call */
    uint32_t n_plain;         /* calls by name alone, which write where an argument says */
    uint32_t n_inplace;       /* calls by call_tir_inplace */
    bool mixed;               /* its calls differ in the number of inputs */
} rlxc_callee;

/* The PrimFunc that |b| calls by its name alone, without call_tir; NULL for other bindings. */
const rlxc_prim_func *rlxc_plainly_called(const rlxc_module *module, const rlxc_binding *b);

/* True for a call_tir or call_tir_inplace of a PrimFunc with a tuple of inputs. */
bool rlxc_has_inputs(const rlxc_module *module, const rlxc_binding *b);

/* Interned names of PrimFuncs -> rlxc_callee. */
void rlxc_count_callees(rlxc_context *ctx, rlxc_module *module, rlxc_map *out);

/* The PrimFunc |name| with its calls, if its only uses are calls with the same number of inputs, so
 * that inputs can be added. Else NULL. */
const rlxc_callee *rlxc_extensible(const rlxc_map *callees, const char *name,
                                   const rlxc_prim_func *f);

/* The same for a pass that also changes plain calls and in-place calls. A function that has only
 * plain calls counts as having no inputs. */
const rlxc_callee *rlxc_extensible_everywhere(const rlxc_map *callees, const char *name,
                                              const rlxc_prim_func *f);

/* Puts |n| parameters after the |n_inputs| first ones of |f|. */
void rlxc_add_params(rlxc_context *ctx, rlxc_prim_func *f, uint32_t n_inputs,
                     const rlxc_prim_param *params, uint32_t n);
/* Makes |call|, a call_tir or call_tir_inplace, one of the PrimFunc |name| with |n| more inputs. */
void rlxc_add_inputs(rlxc_context *ctx, rlxc_binding *call, const char *name,
                     const rlxc_atom *atoms, uint32_t n);
/* Puts |n| arguments after the |n_inputs| first ones of |call|, a plain call. */
void rlxc_add_arguments(rlxc_context *ctx, rlxc_binding *call, uint32_t n_inputs,
                        const rlxc_atom *atoms, uint32_t n);

#endif
