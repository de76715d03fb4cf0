/* The table of ONNX operators: rows.def, sorted by name for the look-up. */
#include <stdlib.h>
#include <string.h>

#include "compiler/onnx/handlers.h"

static const rlxc_ox_row rows[] = {
#define RLXC_OX_ROW(name, handler, arg) {#name, rlxc_ox_import_##handler, arg},
#include "compiler/onnx/rows.def"
#undef RLXC_OX_ROW
};

const rlxc_ox_row *rlxc_ox_find_row(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, name) == 0)
            return &rows[i];
    return NULL;
}
