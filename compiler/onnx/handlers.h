/* The handlers that the operator tables (rows*.def) name. */
#ifndef RLXC_ONNX_HANDLERS_H
#define RLXC_ONNX_HANDLERS_H

#include "compiler/onnx/importer.h"

#define RLXC_OX_ROW(name, handler, arg) \
    void rlxc_ox_import_##handler(rlxc_ox *im, const rlxc_ox_row *row);
#include "compiler/onnx/rows.def"
#include "compiler/onnx/rows_channels_last.def"
#include "compiler/onnx/rows_layouts.def"
#include "compiler/onnx/rows_microsoft.def"
#undef RLXC_OX_ROW

#endif
