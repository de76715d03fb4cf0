/* Joining PrimFuncs: the part of fusion that knows TIR. fuse.c decides the groups. */
#ifndef RLXC_PASSES_FUSE_H
#define RLXC_PASSES_FUSE_H

#include "compiler/ir/rewrite.h"

/* One call_tir of a group, with its atoms as they are at the fused call. */
typedef struct rlxc_fuse_member {
    const rlxc_binding *call;
    const rlxc_prim_func *prim;
} rlxc_fuse_member;

/* A cache of the groups fused in this run: groups of the same PrimFuncs, joined in the same way
 * over the same shapes up to the names of symbols, share one PrimFunc, so a repeated layer is fused
 * once. Zero it before the first use. */
typedef struct rlxc_fuse_cache {
    rlxc_map by_key; /* interned description -> entry */
    RLXC_VEC(const rlxc_expr *)
    canonical; /* placeholders for the symbols of a description, by order of appearance */
} rlxc_fuse_cache;

/* Joins |members| (in evaluation order; all but the last have one tensor output used only inside
 * the group) into one private PrimFunc added to the module, and rewrites |io_call| (the last
 * member's binding) to call it with the group's outside operands. False, and nothing changed, when
 * a member's symbols cannot be expressed. */
bool rlxc_fuse_members(rlxc_context *ctx, rlxc_module *module, rlxc_fuse_cache *cache,
                       const rlxc_fuse_member *members, uint32_t n, int64_t pattern,
                       rlxc_binding *io_call);

/* The PrimFunc a call_tir binding calls, NULL for anything else. */
const rlxc_prim_func *rlxc_called_prim(const rlxc_module *module, const rlxc_binding *binding);
/* The pattern kind that |f| states; RLXC_PATTERN_OPAQUE: none, or |f| is NULL. */
int64_t rlxc_prim_pattern(const rlxc_prim_func *f);

#endif
