/* TVMScript text <-> IR. */
#ifndef RLXC_SCRIPT_SCRIPT_H
#define RLXC_SCRIPT_SCRIPT_H

#include "compiler/ir/relax.h"

/* Parses a module: classes, or bare @R.function / @T.prim_func functions. Accepts the 2022, 2023-25
 * and 2026 dialects. Reports errors with source ranges, recovers at the next binding and goes on
 * (up to RLXC_MAX_ERRORS). NULL when there were errors. |text| must outlive the context. */
rlxc_module *rlxc_parse_module(rlxc_context *ctx, const char *path, const char *text,
                               size_t length);

/* Prints in the 2023-25 dialect; the text parses to an equal module. Constants too large for
 * R.const go into a metadata block (metadata = tvm.ir.load_json(...)); constants of named weights
 * too. Arena text. */
const char *rlxc_print_module(rlxc_context *ctx, const rlxc_module *module);
const char *rlxc_print_prim_func(rlxc_context *ctx, const rlxc_prim_func *f);
const char *rlxc_print_expr(rlxc_context *ctx, const rlxc_expr *e);

#endif
