/* Virtual devices: which entry of the module's table a name means, and whether rlx has it. */
#ifndef RLXC_IR_DEVICE_H
#define RLXC_IR_DEVICE_H

#include "compiler/ir/relax.h"
#include "compiler/target/target.h"

/* The device that |text| means: "llvm:1" is the second one whose target is of the kind llvm, "llvm"
 * the first, "vdevice:1" the second of all; "llvm:1:global" also says its memory scope. NULL where
 * the module declares no such device. */
const rlxc_vdevice *rlxc_find_vdevice(const rlxc_module *module, const char *text);
/* "llvm:1", interned, for an entry of the module's table. */
const char *rlxc_vdevice_name(rlxc_context *ctx, const rlxc_module *module,
                              const rlxc_vdevice *device);
/* The kind that a target names: "llvm" of "llvm -mcpu=znver4" or of {"kind": "llvm"}, where it ends
 * in |out_length|; length 0 where it names none. */
const char *rlxc_target_kind(const rlxc_attr *target, size_t *out_length);
/* What a target attribute says. */
bool rlxc_target_spec_of(rlxc_context *ctx, rlxc_range range, const rlxc_attr *target,
                         rlxc_target_spec *out);
/* The target of a function: its attribute "target" where that names a CPU or features that rlx
 * knows, |otherwise| where not. */
const rlxc_target *rlxc_prim_target(rlxc_context *ctx, const rlxc_prim_func *f,
                                    const rlxc_target *otherwise);
/* Whether a target of this kind is code for the CPU. */
bool rlxc_is_cpu_kind(const char *kind, size_t length);

#endif
