/* Shared by the files that make launches: barriers, and what generators ask about a launch. */
#ifndef RLXC_CODEGEN_DEVICE_LAUNCH_H
#define RLXC_CODEGEN_DEVICE_LAUNCH_H

#include "compiler/codegen/device.h"

/* Adds T.tvm_storage_sync("shared") to the launch where a thread of a block reads or replaces what
 * another one wrote into shared memory. False with a diagnostic where not all threads of the block
 * would reach it. */
bool rlxc_device_sync(rlxc_context *ctx, const rlxc_prim_func *f, rlxc_launch *launch);
/* True if the bound loop has as many turns as its axis has threads or blocks in the launch. */
bool rlxc_is_whole_axis(rlxc_context *ctx, const rlxc_launch *launch, const rlxc_stmt *loop);
/* True for T.tvm_storage_sync. */
bool rlxc_is_barrier(const rlxc_expr *e);
/* The memory of a block, "shared" or "shared.dyn". */
bool rlxc_is_shared(const char *scope);

#endif
