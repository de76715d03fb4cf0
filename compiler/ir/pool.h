/* The memory pools of a module, which the user defines for planned memory or for constants. */
#ifndef RLXC_IR_POOL_H
#define RLXC_IR_POOL_H

#include "compiler/ir/relax.h"

/* An attribute of modules: a list of pools, each a text as rlxc_pool_parse reads it. */
#define RLXC_POOLS "rlx.pools"

enum { RLXC_MAX_POOLS = 16 };

typedef enum rlxc_pool_kind { RLXC_POOL_WORKSPACE, RLXC_POOL_CONSTANTS } rlxc_pool_kind;

typedef struct rlxc_pool {
    const char *name;
    uint64_t size;    /* bytes; RLXC_POOL_OPEN: no limit */
    uint32_t align;   /* that its user needs; buffers have RLX_PLAN_ALIGN in any case */
    uint32_t targets; /* bits: rows of the table of targets in pool.c */
    const char *scope;
    rlxc_pool_kind kind;
} rlxc_pool;

#define RLXC_POOL_OPEN UINT64_MAX

typedef struct rlxc_pools {
    rlxc_pool items[RLXC_MAX_POOLS];
    uint32_t n;
} rlxc_pools;

/* "name=sram,size=256K,align=16,targets=cpu+opencl,scope=global.sram,kind=workspace"; only the name
 * is needed: without a size there is no limit, the target is the CPU, the scope "global.NAME".
 * False after an error at |range|. */
bool rlxc_pool_parse(rlxc_context *ctx, rlxc_range range, const char *text, rlxc_pool *out);
/* The pool as such a text, complete. */
const char *rlxc_pool_text(rlxc_context *ctx, const rlxc_pool *pool);
/* Reads the module's attribute. False after an error. */
bool rlxc_pools_of(rlxc_context *ctx, const rlxc_module *module, rlxc_pools *out);
/* Adds |pool|, in place of one with its name. False after an error: too many, or another one has
 * the same memory. */
bool rlxc_pools_add(rlxc_context *ctx, rlxc_pools *pools, const rlxc_pool *pool);
/* True if |pool| may serve the memory |scope| of a target of |kind|, a text of |length| bytes. The
 * scope "global" accepts any pool. */
bool rlxc_pool_takes(const rlxc_pool *pool, const char *kind, size_t length, const char *scope);

#endif
