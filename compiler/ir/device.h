/* Virtual devices: which entry of the module's table a name means, and whether rlx has it. */
#ifndef RLXC_IR_DEVICE_H
#define RLXC_IR_DEVICE_H

#include "compiler/ir/relax.h"
#include "compiler/target/target.h"

/* The device named by |text|: "llvm:1" is the second whose target is of the kind llvm, "llvm" the
 * first, "vdevice:1" the second of all; "llvm:1:global" names its memory scope too. NULL if the
 * module declares no such device. */
const rlxc_vdevice *rlxc_find_vdevice(const rlxc_module *module, const char *text);
/* "llvm:1", interned, for an entry of the module's table. */
const char *rlxc_vdevice_name(rlxc_context *ctx, const rlxc_module *module,
                              const rlxc_vdevice *device);
/* The kind of a target's text: "llvm" for "llvm -mcpu=znver4" or {"kind": "llvm"}; its length is in
 * |out_length|, 0 if there is none. */
const char *rlxc_target_kind(const rlxc_attr *target, size_t *out_length);
/* The target of an attribute's value. */
bool rlxc_target_spec_of(rlxc_context *ctx, rlxc_range range, const rlxc_attr *target,
                         rlxc_target_spec *out);
/* The target of a function: its attribute "target" if that names a device, or a CPU or features
 * that rlx knows, else |otherwise|. */
const rlxc_target *rlxc_prim_target(rlxc_context *ctx, const rlxc_prim_func *f,
                                    const rlxc_target *otherwise);
/* True if the function's attribute "target" names a kind of device: it is no code of the CPU. */
bool rlxc_prim_is_device(const rlxc_prim_func *f);
/* True if targets of this kind run on the CPU. */
bool rlxc_is_cpu_kind(const char *kind, size_t length);

#endif
