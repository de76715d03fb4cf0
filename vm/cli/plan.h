/* Memory plans for `rlx dump --memory`: laid out, printed, drawn. */
#ifndef RLX_CLI_PLAN_H
#define RLX_CLI_PLAN_H

#include "vm/cli/cli.h"

/* The plan of a function for the values in |symbols|. */
typedef struct cli_plan {
    const rlx_executable *exe;
    uint32_t function, n_regions, n_buffers;
    const cli_symbols *symbols;
    rlx_plan_buffer *buffers;
    uint64_t *sizes, *offsets; /* of buffers whose region is known */
    bool *known;               /* by region: all its slots have values */
    rlx_plan_sums *sums;       /* by region */
    /* The buffers of region z: by_region[region_start[z]] up to region_start[z + 1]; so the tensors
       of a buffer. */
    uint32_t *region_start, *by_region, *tensor_start, *tensors;
} cli_plan;

/* CLI_OK, or an exit status with a message; needs deinit in both cases. */
int cli_plan_init(cli_plan *out, const cli_symbols *symbols);
void cli_plan_deinit(cli_plan *p);
int cli_plan_print(const cli_plan *p);
/* " on opencl:0 in pool fast": where regions on |device| lie. */
const char *cli_region_place(const rlx_executable *exe, uint32_t device, char *buffer, size_t size);
/* plan_pools.c: " in pool sram" for memory of |device|, "" if it is of no pool. */
const char *cli_pool_text(const rlx_executable *exe, uint32_t device, char *buffer, size_t size);
/* A line for each memory pool of the file: what calls use of it, or its constants. False if memory
 * is out. */
bool cli_print_pools(const rlx_executable *exe);
/* Draws the known regions, one below the other, as an SVG file: time across, offset up. */
int cli_plan_draw(const cli_plan *p, const char *path);
/* bounds.c: true if checks at the function's entry fail for |values| of the symbols that are
 * |known|; |*message|: what the check says. */
bool cli_is_refused(const cli_symbols *s, const bool *known, const int64_t *values,
                    rlx_str *message);
/* The largest value of |symbol| that the entry takes; INT64_MAX: no bound is stated. */
int64_t cli_upper_bound(const cli_symbols *s, uint32_t symbol);
/* need.c: what |f| takes with the functions that it calls; nothing for one that calls none. */
int cli_print_need(const rlx_executable *exe, uint32_t f, const char *const *dims, uint32_t n_dims);

#endif
