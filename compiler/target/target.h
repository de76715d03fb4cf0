/* Targets: the machine that kernels are compiled for.
 *
 * A row per architecture level (targets in target.c); "native" asks LLVM for the host's CPU. CPU
 * features are spelled as LLVM spells them; those a file needs are recorded in it and checked by
 * the runtime before it loads the code. */
#ifndef RLXC_TARGET_TARGET_H
#define RLXC_TARGET_TARGET_H

#include "compiler/base/context.h"
#include "compiler/base/options.h"

/* Fills cpu, features, triple and vector_bytes of |options|. |target| is NULL, "llvm", "cpu",
 * "native", a triple, or a TVM target text such as "llvm -mcpu=x86-64-v3"; |mcpu| is NULL or
 * "native" (the host's CPU) or a CPU name or level. False with a diagnostic when unknown. */
bool rlxc_target_resolve(rlxc_context *ctx, const char *target, const char *mcpu,
                         rlxc_options *options);
/* The features that code for |options| may use, of those the runtime knows: "avx2,fma". */
const char *rlxc_target_required_features(rlxc_context *ctx, const rlxc_options *options);
/* The CPU name whose instructions the code may use beside the features: a level of the table;
 * options->cpu is what it is tuned for. */
const char *rlxc_target_isa(const rlxc_options *options);
/* The triple; where the options name none, that of x86-64 on Linux. */
const char *rlxc_target_triple(const rlxc_options *options);
bool rlxc_target_has_feature(const rlxc_options *options, const char *feature);
bool rlxc_target_is_x86(const rlxc_options *options);
/* How the target's instructions sum products of integers. */
typedef enum rlxc_dots {
    RLXC_DOTS_NONE,
    RLXC_DOTS_PAIRS, /* dot_s16: two of 16 bits; twice as many as of float32 */
    RLXC_DOTS_BYTES  /* dot_u8s8: four of 8 bits */
} rlxc_dots;
rlxc_dots rlxc_target_dots(const rlxc_options *options);
/* Whether the target has instructions that rlxc_quant_match_dots is worth while for: of integers,
 * of bfloat16. */
bool rlxc_target_has_dots(const rlxc_options *options);
bool rlxc_target_has_bfloat16_dots(const rlxc_options *options);
/* Makes LLVM's code generators for our targets known to LLVM. Cheap, may be called again. */
void rlxc_target_register(void);

#endif
