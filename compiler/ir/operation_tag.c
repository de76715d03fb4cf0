/* Tags of blocks as annotations (operation.h): reading, writing, checking. */
#include <string.h>

#include "compiler/ir/operation.h"

/* --- blocks ----------------------------------------------------------------------------------- */

static bool refuse(rlxc_context *ctx, const char **why, const char *reason)
{
    if (why)
        *why = rlxc_intern_cstr(ctx, reason);
    return false;
}

static bool is_element(const rlxc_stmt *s)
{
    return s->kind == RLXC_STMT_STORE && s->store.value->dtype.lanes == 1 &&
           s->store.n == s->store.buffer->ndim;
}

static bool is_same_place(const rlxc_stmt *a, const rlxc_stmt *b)
{
    if (a->store.buffer != b->store.buffer)
        return false;
    for (uint32_t i = 0; i < a->store.n; i++)
        if (a->store.indices[i] != b->store.indices[i])
            return false;
    return true;
}

bool rlxc_computation_of(rlxc_context *ctx, const rlxc_block *b, rlxc_computation *out,
                         const char **why)
{
    if (!is_element(b->body) || b->n_allocs || b->n_matches)
        return refuse(ctx, why, "the block is not one store of one element");
    if (b->init && (!is_element(b->init) || !is_same_place(b->init, b->body)))
        return refuse(ctx, why, "the initial value is stored to another element than the sum");
    const rlxc_expr **vars = rlxc_try_alloc(ctx, b->n_axes, sizeof *vars);
    const rlxc_expr **extents = rlxc_try_alloc(ctx, b->n_axes, sizeof *extents);
    bool *reduces = rlxc_try_alloc(ctx, b->n_axes, sizeof *reduces);
    if (!vars || !extents || !reduces)
        return false;
    for (uint32_t k = 0; k < b->n_axes; k++) {
        if (b->axes[k].kind != RLXC_AXIS_SPATIAL && b->axes[k].kind != RLXC_AXIS_REDUCE)
            return refuse(ctx, why, "an axis is opaque, or scanned");
        vars[k] = b->axes[k].var;
        extents[k] = b->axes[k].extent;
        reduces[k] = b->axes[k].kind == RLXC_AXIS_REDUCE;
    }
    *out = (rlxc_computation){.vars = vars,
                              .extents = extents,
                              .reduces = reduces,
                              .n_axes = b->n_axes,
                              .out = b->body->store.buffer,
                              .indices = b->body->store.indices,
                              .value = b->body->store.value,
                              .init = b->init ? b->init->store.value : NULL};
    return true;
}

/* --- text ------------------------------------------------------------------------------------- */

const char *rlxc_tag_text(const rlxc_attrs *annotations)
{
    for (uint32_t i = 0; i < annotations->count; i++)
        if (strcmp(annotations->keys[i], RLXC_OPERATION_KEY) == 0)
            return annotations->values[i].kind == RLXC_ATTR_STRING ? annotations->values[i].s : "";
    return NULL;
}

bool rlxc_is_annotated(const rlxc_attrs *annotations)
{
    return annotations->count > (rlxc_tag_text(annotations) != NULL);
}

rlxc_operation_kind rlxc_tagged_kind(const rlxc_attrs *annotations)
{
    const char *text = rlxc_tag_text(annotations);
    uint32_t kind = 0;
    const size_t n = text ? strcspn(text, " ") : 0;
    while (kind < RLXC_OPERATIONS &&
           (strlen(rlxc_operation_name((rlxc_operation_kind)kind)) != n ||
            memcmp(rlxc_operation_name((rlxc_operation_kind)kind), text ? text : "", n) != 0))
        kind++;
    return (rlxc_operation_kind)kind;
}

static const char *tag_of(rlxc_context *ctx, const rlxc_operation *op)
{
    return rlxc_internf(ctx, "%s %s", rlxc_operation_name(op->kind), op->roles);
}

rlxc_attrs rlxc_with_tag(rlxc_context *ctx, rlxc_attrs annotations, const rlxc_operation *op)
{
    const char *key = rlxc_intern_cstr(ctx, RLXC_OPERATION_KEY);
    return op ? rlxc_attrs_with(ctx, annotations, key, rlxc_attr_string(ctx, tag_of(ctx, op)))
              : rlxc_attrs_without(ctx, annotations, key);
}

rlxc_attrs rlxc_only_tag(rlxc_context *ctx, rlxc_attrs annotations)
{
    const char *text = rlxc_tag_text(&annotations),
               *key = rlxc_intern_cstr(ctx, RLXC_OPERATION_KEY);
    const rlxc_attrs none = {0};
    return text ? rlxc_attrs_with(ctx, none, key, rlxc_attr_string(ctx, text)) : none;
}

/* --- checking --------------------------------------------------------------------------------- */

bool rlxc_check_tag(rlxc_context *ctx, const rlxc_block *block, const char **why)
{
    const char *text = rlxc_tag_text(&block->annotations);
    rlxc_computation c;
    rlxc_operation op;
    if (!text)
        return true;
    if (!rlxc_computation_of(ctx, block, &c, why) ||
        !rlxc_operation_prove(ctx, &c, rlxc_tagged_kind(&block->annotations), &op, why))
        return false;
    const char *proved = tag_of(ctx, &op);
    if (strcmp(proved, text) == 0)
        return true;
    if (why)
        *why = rlxc_internf(ctx, "its axes are those of \"%s\"", proved);
    return false;
}

static const rlxc_stmt *tagged(void *user, const rlxc_stmt *s)
{
    rlxc_context *ctx = user;
    rlxc_computation c;
    rlxc_operation op;
    if (s->kind != RLXC_STMT_BLOCK || s->block.block->n_axes == 0)
        return NULL;
    const rlxc_block *old = s->block.block;
    const bool known =
        rlxc_computation_of(ctx, old, &c, NULL) &&
        (rlxc_operation_prove(ctx, &c, rlxc_tagged_kind(&old->annotations), &op, NULL) ||
         rlxc_operation_recognise(ctx, &c, &op, NULL));
    const char *text = rlxc_tag_text(&old->annotations);
    if (known ? text && strcmp(text, tag_of(ctx, &op)) == 0 : !text)
        return NULL;
    rlxc_block *block = rlxc_copy(ctx, old, sizeof *block);
    block->annotations = rlxc_with_tag(ctx, old->annotations, known ? &op : NULL);
    rlxc_stmt *copy = rlxc_copy(ctx, s, sizeof *copy);
    copy->block.block = block;
    return copy;
}

const rlxc_stmt *rlxc_tag_blocks(rlxc_context *ctx, const rlxc_stmt *s)
{
    const rlxc_stmt_rewriter rewriter = {.user = ctx, .stmt = tagged};
    return rlxc_stmt_rewrite(ctx, s, &rewriter);
}
