/* The tables of ONNX operators by domain: rows*.def. */
#include <stdlib.h>
#include <string.h>

#include "compiler/onnx/handlers.h"

#define RLXC_OX_ROW(name, handler, arg) {#name, rlxc_ox_import_##handler, arg},
static const rlxc_ox_row standard[] = {
#include "compiler/onnx/rows.def"
};
static const rlxc_ox_row microsoft[] = {
#include "compiler/onnx/rows_microsoft.def"
};
static const rlxc_ox_row nchwc[] = {
#include "compiler/onnx/rows_layouts.def"
};
static const rlxc_ox_row nhwc[] = {
#include "compiler/onnx/rows_channels_last.def"
};
#undef RLXC_OX_ROW

static const struct {
    const char *domain;
    const rlxc_ox_row *rows;
    size_t n;
} tables[] = {
#define RLXC_OX_DOMAIN(name, newest, rows) {name, rows, sizeof rows / sizeof *rows},
#include "compiler/onnx/domains.def"
};

const rlxc_ox_row *rlxc_ox_find_row(const char *domain, const char *name, bool *out_known)
{
    *out_known = false;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        if (strcmp(tables[t].domain, domain) != 0)
            continue;
        *out_known = true;
        for (size_t i = 0; i < tables[t].n; i++)
            if (strcmp(tables[t].rows[i].name, name) == 0)
                return &tables[t].rows[i];
    }
    return NULL;
}
