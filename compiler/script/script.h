/* TVMScript text <-> IR. */
#ifndef RLXC_SCRIPT_SCRIPT_H
#define RLXC_SCRIPT_SCRIPT_H

#include "compiler/ir/relax.h"

/* Parses a module: classes, or bare @R.function / @T.prim_func functions. Accepts the 2022, 2023-25
 * and 2026 dialects. Reports errors with source ranges, recovers at the next binding and goes on
 * (up to RLXC_MAX_ERRORS). NULL when there were errors. |text| must outlive the context. */
rlxc_module *rlxc_parse_module(rlxc_context *ctx, const char *path, const char *text,
                               size_t length);

/* Texts that are printed and read again in one compilation hold the bytes of a constant once: the
 * first text has them, later ones its number here. All zero at first. */
typedef struct rlxc_kept {
    RLXC_VEC(const rlxc_constant *) constants;
    rlxc_map numbers; /* constant -> 1 + its number */
} rlxc_kept;
#define RLXC_KEPT "kept" /* metadata["kept"][0] is the first */
/* Reads what rlxc_print_module_keeping wrote with the same |kept|. */
rlxc_module *rlxc_parse_module_keeping(rlxc_context *ctx, const char *path, const char *text,
                                       size_t length, const rlxc_kept *kept);

/* Parse fragments of text in a function that is built by calls. |io_symbols|: its symbolic
 * variables, which the text uses by name; other names become new ones if |declare|. The texts are
 * copied. NULL or false with diagnostics. */
typedef struct rlxc_fragment {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_var_list *io_symbols;
    bool declare;
} rlxc_fragment;
/* R.Tensor(("n", 4), "float32") */
const rlxc_sinfo *rlxc_parse_sinfo_text(const rlxc_fragment *f, const char *text);
/* (n, 4) */
bool rlxc_parse_dims_text(const rlxc_fragment *f, const char *text, const rlxc_expr *const **out,
                          uint32_t *out_n);
/* A call without a variable; |attrs| is "axis=-1, keepdims=True". Arity and types of |args| are
 * for inference to check. */
rlxc_binding *rlxc_parse_call_text(const rlxc_fragment *f, const rlxc_operator *op,
                                   const rlxc_atom *args, uint32_t n, const char *attrs);

/* Prints in the 2023-25 dialect; the text parses to an equal module. Constants too large for
 * R.const go into a metadata block (metadata = tvm.ir.load_json(...)); constants of named weights
 * too. Arena text. */
const char *rlxc_print_module(rlxc_context *ctx, const rlxc_module *module);
/* As above; constants of |kept| are numbers, those of the metadata block join it. */
const char *rlxc_print_module_keeping(rlxc_context *ctx, const rlxc_module *module,
                                      rlxc_kept *kept);
const char *rlxc_print_prim_func(rlxc_context *ctx, const rlxc_prim_func *f);
const char *rlxc_print_expr(rlxc_context *ctx, const rlxc_expr *e);
/* Prints a symbolic integer of graphs: plain numbers are int64. */
const char *rlxc_print_dim(rlxc_context *ctx, const rlxc_expr *e);
const char *rlxc_print_attr_text(rlxc_context *ctx, const rlxc_attr *attr);

#endif
