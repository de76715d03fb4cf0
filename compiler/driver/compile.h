/* The compiler as a library: text or module in, filled executable builder out.
 *
 * Everything goes through one context: diagnostics, memory, source text. Constants are not copied,
 * so the context (and mapped weights) must outlive the builder. */
#ifndef RLXC_DRIVER_COMPILE_H
#define RLXC_DRIVER_COMPILE_H

#include "compiler/passes/passes.h"
#include "compiler/script/script.h"
#include "rlx/builder.h"

/* The defaults at -O|opt_level|; borrows |target|. */
rlxc_options rlxc_options_for(const struct rlxc_target *target, int opt_level);
/* The same for a target by name; false with a diagnostic when it is unknown. |triple| and |cpu| may
 * be NULL: this machine's. */
bool rlxc_options_init(rlxc_context *ctx, rlxc_options *out, const char *triple, const char *cpu,
                       int opt_level);

/* Parses and checks a module's text; NULL with diagnostics. */
rlxc_module *rlxc_read_module(rlxc_context *ctx, const char *path, const char *text, size_t length);

/* Imports an ONNX model. Its bytes must outlive the builder: constants borrow from them. |lift|: as
 * in onnx/import.h. */
rlxc_module *rlxc_read_onnx(rlxc_context *ctx, const char *path, const void *bytes, size_t length,
                            bool lift);

/* Runs the pass table. With options->check the module is printed, parsed and compared after every
 * pass. False with diagnostics, or without where |hooks| (may be NULL) stopped it. */
bool rlxc_lower_module(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options,
                       const rlxc_pass_hooks *hooks);

/* device_trial.c: rlxc_options.device_refuses. */
const char *rlxc_try_device(rlxc_context *ctx, const rlxc_prim_func *f,
                            const struct rlxc_target *target, const rlxc_options *options);

/* Native code, bytecode and metadata of the lowered |module| into |builder|. */
bool rlxc_generate(rlxc_context *ctx, const rlxc_module *module, const rlxc_options *options,
                   rlx_exec_builder *builder);

/* rlxc_lower_module, then rlxc_generate. */
bool rlxc_compile_module(rlxc_context *ctx, rlxc_module *module, const rlxc_options *options,
                         const rlxc_pass_hooks *hooks, rlx_exec_builder *builder);

/* rlxc_read_module, then rlxc_compile_module. |text| must outlive the context. */
bool rlxc_compile_text(rlxc_context *ctx, const char *path, const char *text, size_t length,
                       const rlxc_options *options, rlx_exec_builder *builder);

/* Records |value| in the metadata, which rlx dump shows. */
bool rlxc_add_metadata(rlxc_context *ctx, const char *key, const char *value,
                       rlx_exec_builder *builder);
/* "xxh64:" and the text's hash, for the metadata. */
const char *rlxc_text_hash(rlxc_context *ctx, const char *text, size_t length);
/* The part of the path after its last slash. */
const char *rlxc_base_name(const char *path);
/* Records a hash of the source in the metadata. */
bool rlxc_add_source_hash(rlxc_context *ctx, const char *text, size_t length,
                          rlx_exec_builder *builder);

/* The last module that a compilation has printed and parsed again. Zero it before the first use. */
typedef struct rlxc_round_trip {
    rlxc_kept kept; /* constants that have passed before */
    const char *text;
    const rlxc_module *read; /* what |text| was read as */
} rlxc_round_trip;

/* Checks that the text of |module| parses back to an equal module; else reports an internal error
 * at |stage|. A text equal to that of |last|, which may be NULL, is not parsed again. */
bool rlxc_check_round_trip(rlxc_context *ctx, const rlxc_module *module, const char *stage,
                           rlxc_round_trip *last);

#endif
