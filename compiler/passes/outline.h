/* Outlining: bindings of one block move into new functions, and calls of these replace them. */
#ifndef RLXC_PASSES_OUTLINE_H
#define RLXC_PASSES_OUTLINE_H

#include "compiler/ir/rewrite.h"

enum { RLXC_NO_GROUP = UINT32_MAX };

/* Calls |visit| for each atom that the binding reads, those of branches and local functions too. */
void rlxc_visit_reads(const rlxc_binding *b, void (*visit)(void *user, rlxc_atom atom), void *user);

/* Copies bindings into another function, with variables and symbols of its own. */
typedef struct rlxc_copier {
    rlxc_context *ctx;
    rlxc_function *into;
    rlxc_map vars;          /* old variable -> new one; others stay */
    rlxc_var_list from, to; /* symbols */
} rlxc_copier;

rlxc_atom rlxc_copy_atom(rlxc_copier *c, rlxc_atom atom);
const rlxc_sinfo *rlxc_copy_sinfo(rlxc_copier *c, const rlxc_sinfo *s);
rlxc_rvar *rlxc_copy_var(rlxc_copier *c, const rlxc_rvar *var);
/* Also what an If or a local function holds. */
rlxc_binding *rlxc_copy_binding(rlxc_copier *c, const rlxc_binding *b);
/* |f| as a local function of |into|, with symbols of its own. */
rlxc_function *rlxc_copy_function(rlxc_context *ctx, rlxc_function *into, const rlxc_function *f);

typedef struct rlxc_outline_group {
    const char *name; /* of the function; made unique */
    rlxc_attrs attrs;
    rlxc_range marked;   /* place of what marks it, or of its root */
    bool lift_constants; /* operands of members that are constants become parameters */
} rlxc_outline_group;

typedef struct rlxc_outline {
    rlxc_context *ctx;
    rlxc_module *module;
    rlxc_function *host; /* around the block */
    rlxc_binding_block *block;
    const uint32_t *group_of; /* by place in the block; NO_GROUP: stays */
    const rlxc_outline_group *groups;
    uint32_t n_groups;
    /* Adds the copy of a member to the new function's block, as its last binding; NULL: as it is.
     */
    void (*copy)(void *user, rlxc_copier *c, rlxc_binding_block *block, const rlxc_binding *member,
                 uint32_t group);
    void *user;
} rlxc_outline;

/* True if one call can replace the members of |group|: no member depends on another member through
 * bindings outside the group. Other groups count as single calls. |places|: variable -> 1 + place
 * in the block. */
bool rlxc_outline_may_group(rlxc_context *ctx, const rlxc_binding_block *block,
                            const rlxc_map *places, const uint32_t *group_of, uint32_t group);

/* Members must be pure, and the block must stay acyclic when each group is one call. Bindings that
 * read a result of a group move after its call. False after an error. */
bool rlxc_outline_block(const rlxc_outline *o);

#endif
