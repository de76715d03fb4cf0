/* Shared by the files of this folder. */
#ifndef RLXC_LOWER_LOWER_H
#define RLXC_LOWER_LOWER_H

#include "compiler/ir/relax.h"
#include "compiler/ir/sym.h"

/* A lowered loop marked vectorized -> vector statements where extent and body allow it (constant
 * extent, stores and branch-free expressions), else the same loop made serial. */
const rlxc_stmt *rlxc_vectorize_loop(rlxc_context *ctx, const rlxc_stmt *loop);

#endif
