/* Shared by the files that make launches: barriers, and queries that generators make about a
   launch. */
#ifndef RLXC_CODEGEN_DEVICE_LAUNCH_H
#define RLXC_CODEGEN_DEVICE_LAUNCH_H

#include "compiler/codegen/device.h"

/* Adds T.tvm_storage_sync("shared") to the launch where a thread of a block reads or overwrites
 * shared memory that another thread wrote. False with a diagnostic if not all threads of the block
 * would reach it. */
bool rlxc_device_sync(rlxc_context *ctx, const rlxc_prim_func *f, rlxc_launch *launch);
/* True if the bound loop has as many iterations as its axis has threads or blocks in the launch. */
bool rlxc_is_whole_axis(rlxc_context *ctx, const rlxc_launch *launch, const rlxc_stmt *loop);
/* device_phases.c: false with a diagnostic if a statement of |body| does not use an axis of the
 * launch, and gives another result when all threads of that axis run it than when one does. */
bool rlxc_device_phases(rlxc_context *ctx, const rlxc_prim_func *f, const rlxc_launch *launch,
                        const rlxc_stmt *body);
/* device_checks.c: finds the checks of the launch; false with a diagnostic where they are too many.
 */
bool rlxc_device_checks(rlxc_context *ctx, const rlxc_prim_func *f, rlxc_launch *launch);
/* device_ahead.c: the body of a launch in which loops with RLXC_COPIES_AHEAD copy ahead where
 * possible. */
const rlxc_stmt *rlxc_copy_ahead(rlxc_context *ctx, const rlxc_target *target,
                                 const rlxc_stmt *body);
/* device_shared.c: bytes of all memory of a block in |body|; UINT64_MAX: not known. */
uint64_t rlxc_shared_bytes(const rlxc_stmt *body);
/* Sets |shared_bytes|. False with a diagnostic if the target has less. */
bool rlxc_size_shared(rlxc_context *ctx, const rlxc_prim_func *f, const rlxc_target *target,
                      rlxc_launch *launch);
/* The place of temporary |var| in them. */
uint32_t rlxc_shared_at(const rlxc_launch *launch, const rlxc_expr *var);
/* device_wait.c: lets a thread whose check fails go on to the barriers of the launch. */
void rlxc_device_go_on(rlxc_context *ctx, rlxc_launch *launch);
/* The number of check |s|. */
uint32_t rlxc_check_number(const rlxc_launch *launch, const rlxc_stmt *s);
/* True for T.check_index with the arguments that it needs. */
bool rlxc_is_index_check(const rlxc_expr *e);
/* True if threads wait for each other in the statement. */
bool rlxc_has_barrier(const rlxc_stmt *s);
/* True for T.tvm_storage_sync. */
bool rlxc_is_barrier(const rlxc_expr *e);
/* The memory of a block, "shared" or "shared.dyn". */
bool rlxc_is_shared(const char *scope);

#endif
