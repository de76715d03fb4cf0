/* The table of built-in code generators. */
#include "compiler/passes/libraries.h"

static const rlxc_library *const rows[] = {&rlxc_cblas};

const rlxc_library *const *rlxc_libraries(uint32_t *out_n)
{
    *out_n = sizeof rows / sizeof *rows;
    return rows;
}
