/* ONNX models as Relax modules.
 *
 * The graph becomes the function `main`; its inputs are the parameters in order, its outputs the
 * result (a tuple if there are several). Initializers become constants; dim_param and unnamed
 * dynamic dimensions become symbols. Each node that cannot be imported gets one diagnostic, whose
 * source line is the node as text. */
#ifndef RLXC_ONNX_IMPORT_H
#define RLXC_ONNX_IMPORT_H

#include "compiler/ir/relax.h"

/* |bytes| is the file at |path|, in whose folder external data is looked up. Constants borrow from
 * |bytes|, which must outlive the module. |lift|: initializers of floats become lifted constants
 * (ir/lifted.h). NULL with diagnostics. */
rlxc_module *rlxc_import_onnx(rlxc_context *ctx, const char *path, const void *bytes, size_t length,
                              bool lift);

#endif
