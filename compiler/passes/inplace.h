/* Which operands a PrimFunc may find in the memory that it writes. */
#ifndef RLXC_PASSES_INPLACE_H
#define RLXC_PASSES_INPLACE_H

#include "compiler/ir/relax.h"

/* True when writing parameter |out| over the bytes of parameter |in| gives what it gives apart from
 * them, in whatever order the elements are computed: each element of |in| is read only to compute
 * the element of |out| at the same place. */
bool rlxc_may_overwrite(rlxc_context *ctx, const rlxc_prim_func *f, uint32_t in, uint32_t out);
/* The same of loops as they are: schedules that are still to come might break it. */
bool rlxc_loops_may_overwrite(rlxc_context *ctx, const rlxc_prim_func *f, uint32_t in,
                              uint32_t out);
/* Notes in |f|'s attributes that rlxc_may_overwrite held, for texts printed after schedules have
 * changed the blocks it is proved from; and reads the note, which such a text may have wrong. */
void rlxc_note_overwrite(rlxc_context *ctx, rlxc_prim_func *f, uint32_t in, uint32_t out);
bool rlxc_notes_overwrite(const rlxc_prim_func *f, uint32_t in, uint32_t out);
/* |f| is called with parameters that share memory: its code must not assume otherwise. */
void rlxc_prim_func_may_alias(rlxc_context *ctx, rlxc_prim_func *f);

#endif
