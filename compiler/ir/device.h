/* Virtual devices: finds the entry of the module's table for a name, and says whether rlx supports
   its kind. */
#ifndef RLXC_IR_DEVICE_H
#define RLXC_IR_DEVICE_H

#include "compiler/ir/relax.h"
#include "compiler/ir/sinfo.h"
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
/* True if the function's attribute "target" names a kind of device, so that it is not CPU code. */
bool rlxc_prim_is_device(const rlxc_prim_func *f);
/* True if the module has a PrimFunc for the CPU. */
bool rlxc_has_cpu_kernels(const rlxc_module *module);
/* True if targets of this kind run on the CPU. */
bool rlxc_is_cpu_kind(const char *kind, size_t length);
/* True for a valid name of a kind of device or memory in an executable: 1 to 63 letters, digits,
 * '_', '.' and '-'. */
enum { RLXC_MOST_DEVICE_WORD = 63 };
bool rlxc_is_device_word(const char *text, size_t length);

/* True for plain memory: "global", or no scope at all. */
bool rlxc_is_plain_scope(const char *scope);
/* True for the host's plain memory: CPU 0, whatever its target's features. */
bool rlxc_is_host_vdevice(const rlxc_vdevice *device);
/* True if rlx has code for the kind of device. */
bool rlxc_is_known_vdevice(const rlxc_vdevice *device);
/* True if |a| and |b| are the same device, perhaps with different memory scopes. */
bool rlxc_same_place(const rlxc_vdevice *a, const rlxc_vdevice *b);
/* The position of the entry of the module's table with this target, index and scope; adds it if it
 * is missing. */
uint32_t rlxc_add_vdevice(rlxc_context *ctx, rlxc_module *module, const rlxc_vdevice *like);

/* True if |name|, the vdevice of a type, means the host's plain memory: NULL (not decided), a CPU
 * with id 0 and scope "global", or no device of the module. */
bool rlxc_vdevice_is_host(const rlxc_module *module, const char *name);
/* The name of the host's plain memory: the module's first such device, which is added if there is
 * none. */
const char *rlxc_host_vdevice(rlxc_context *ctx, rlxc_module *module);
/* The same in a module whose tensors all have a device, else NULL: for new tensors that the host
 * reads. */
const char *rlxc_placed_host(rlxc_context *ctx, rlxc_module *module);
/* The first device in |s|, its fields included; NULL: no tensor in it has a device yet. */
const char *rlxc_stated_device(const rlxc_sinfo *s);
/* Adds notes to an error about a value of type |got| where |wanted| was expected. If the types are
 * on different devices, they show where |name|, at |range|, and the variable |value| got theirs. */
void rlxc_note_devices(rlxc_context *ctx, const rlxc_sinfo *wanted, const char *name,
                       rlxc_range range, const rlxc_sinfo *got, rlxc_atom value);
/* The same, but one that is not the host's plain memory. */
const char *rlxc_sinfo_device(const rlxc_module *module, const rlxc_sinfo *s);
/* |s| with all tensors in it on |vdevice|; with |undecided| only those that are on none yet. */
const rlxc_sinfo *rlxc_sinfo_on(rlxc_context *ctx, const rlxc_sinfo *s, const char *vdevice,
                                bool undecided);
/* The position of |name| in the module's table, as explicit memory states it; -1: the host. */
int64_t rlxc_vdevice_index(const rlxc_module *module, const char *name);
/* The device of an index of explicit memory; NULL: the host's plain memory. */
const rlxc_vdevice *rlxc_vdevice_at(const rlxc_module *module, int64_t index);

#endif
