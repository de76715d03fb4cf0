/* Calls of the runtime's builtins, for operators that Relax lacks. */
#ifndef RLXC_ONNX_BUILTIN_H
#define RLXC_ONNX_BUILTIN_H

#include "compiler/onnx/importer.h"

/* A call of the builtin |name|, which may be dropped and moved; |result| is its type. */
rlxc_atom rlxc_ox_builtin(rlxc_ox *im, const char *name, const rlxc_atom *args, uint32_t n,
                          const rlxc_sinfo *result);

#endif
