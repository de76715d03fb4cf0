/* Blocks of TIR: buffers, regions, axes and the other statements at the head of a block. */
#include <string.h>

#include "compiler/ir/sym.h"
#include "compiler/script/parse_tir.h"

/* --- buffers --------------------------------------------------------------------------------- */

enum { SHAPE, DTYPE, DATA, STRIDES, OFFSET, SCOPE, ALIGN, FACTOR, TYPE, SEPARATORS, N_FIELDS };

static bool buffer_fields(rlxc_tir_parser *t, const rlxc_py *call, uint32_t skip,
                          const rlxc_py *field[N_FIELDS])
{
    static const char *const names[N_FIELDS] = {
        "shape", "dtype", "data",          "strides",     "elem_offset",
        "scope", "align", "offset_factor", "buffer_type", "axis_separators"};
    for (uint32_t i = 0; i < N_FIELDS; i++) {
        field[i] = i + skip < call->n ? call->items[i + skip] : rlxc_py_keyword(call, names[i]);
        if (field[i] && field[i]->kind == RLXC_PY_NONE)
            field[i] = NULL;
    }
    if (call->n > N_FIELDS + skip) {
        rlxc_error(t->p->ctx, call->range, "a buffer takes at most %d arguments", N_FIELDS);
        return false;
    }
    for (uint32_t k = 0; k < call->n_keywords; k++) {
        bool known = strcmp(call->keyword_names[k], "layout") == 0 ||
                     strcmp(call->keyword_names[k], "annotations") == 0;
        for (uint32_t i = 0; i < N_FIELDS; i++)
            known |= strcmp(call->keyword_names[k], names[i]) == 0;
        if (!known) {
            rlxc_error(t->p->ctx, call->keywords[k]->range, "a buffer has no argument '%s'",
                       call->keyword_names[k]);
            return false;
        }
    }
    return true;
}

static bool small_int(rlxc_tir_parser *t, const rlxc_py *e, const char *what, uint32_t *out)
{
    if (!e)
        return true;
    if (e->kind != RLXC_PY_INT || e->i < -1 || e->i > 1 << 20) {
        rlxc_error(t->p->ctx, e->range, "the %s of a buffer must be a small integer", what);
        return false;
    }
    *out = e->i > 0 ? (uint32_t)e->i : 0;
    return true;
}

/* Gives the dimensions of a shape one type, as for "n" next to T.int64(4). */
static bool parse_shape(rlxc_tir_parser *t, const rlxc_py *e, const rlxc_expr *const **out,
                        uint32_t *out_n)
{
    bool declare = t->p->declare;
    t->p->declare = declare || e->kind == RLXC_PY_STRING;
    bool ok = rlxc_parse_dims(t->p, e, out, out_n);
    t->p->declare = declare;
    return ok;
}

/* Axis separators divide the dimensions of multi-dimensional memory; on a CPU memory has one
 * dimension, and they are ignored. */
static bool separators_fit(rlxc_parser *p, const rlxc_py *e, const rlxc_buffer *buffer)
{
    int64_t last = 0;
    if (!e)
        return true;
    bool fits = e->kind == RLXC_PY_LIST || e->kind == RLXC_PY_TUPLE;
    for (uint32_t i = 0; fits && i < e->n; i++) {
        const rlxc_expr *at = rlxc_parse_dim(p, e->items[i]);
        int64_t value;
        if (!at)
            return false;
        fits = rlxc_is_int(at, &value) && value >= last && value <= buffer->ndim;
        last = fits ? value : last;
    }
    if (!fits)
        rlxc_error(p->ctx, e->range,
                   "axis separators must be increasing dimension numbers, at most %u",
                   buffer->ndim);
    return fits;
}

static bool parse_layout(rlxc_tir_parser *t, const rlxc_py *const field[N_FIELDS],
                         rlxc_buffer *buffer)
{
    rlxc_parser *p = t->p;
    uint32_t n;
    bool empty = field[STRIDES] &&
                 (field[STRIDES]->kind == RLXC_PY_LIST || field[STRIDES]->kind == RLXC_PY_TUPLE) &&
                 field[STRIDES]->n == 0;
    if (field[STRIDES] && !empty) {
        if (!parse_shape(t, field[STRIDES], &buffer->strides, &n))
            return false;
        if (n != buffer->ndim) {
            rlxc_error(p->ctx, field[STRIDES]->range, "%u strides for %u dimensions", n,
                       buffer->ndim);
            return false;
        }
    }
    if (field[OFFSET] && !(buffer->elem_offset = rlxc_parse_dim(p, field[OFFSET])))
        return false;
    if (field[SCOPE]) {
        if (field[SCOPE]->kind != RLXC_PY_STRING) {
            rlxc_error(p->ctx, field[SCOPE]->range, "the scope of a buffer must be a string");
            return false;
        }
        static const char *const foreign[] = {"wmma", "warp", "m16n8k8", "mma_matrix"};
        for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
            if (strncmp(field[SCOPE]->text, foreign[i], strlen(foreign[i])) == 0) {
                rlxc_error(p->ctx, field[SCOPE]->range, "memory scope \"%.40s\" is not supported",
                           field[SCOPE]->text);
                return false;
            }
        buffer->scope = rlxc_intern_cstr(p->ctx, field[SCOPE]->text);
    }
    if (!separators_fit(p, field[SEPARATORS], buffer))
        return false;
    /* "auto" lets a dimension of one element have stride 0: its only index is 0 */
    if (field[TYPE] && (field[TYPE]->kind != RLXC_PY_STRING ||
                        (field[TYPE]->text[0] && strcmp(field[TYPE]->text, "default") != 0 &&
                         strcmp(field[TYPE]->text, "auto") != 0))) {
        rlxc_error(p->ctx, field[TYPE]->range, "the type of a buffer is \"default\" or \"auto\"");
        return false;
    }
    return small_int(t, field[ALIGN], "alignment", &buffer->align) &&
           small_int(t, field[FACTOR], "offset_factor", &buffer->offset_factor);
}

/* Memory holds no vectors: their lanes become the last dimension of |buffer|, and accessing an
 * element accesses that whole dimension (rlxc_parse_indices). */
static bool spread_vectors(rlxc_tir_parser *t, const rlxc_py *call, uint32_t lanes,
                           rlxc_buffer *buffer)
{
    rlxc_context *ctx = t->p->ctx;
    const rlxc_expr *wide = rlxc_int(ctx, RLX_I32, lanes);
    const rlxc_expr *shape[RLXC_MAX_NDIM], *strides[RLXC_MAX_NDIM];
    uint32_t n = buffer->ndim;
    if (n == RLXC_MAX_NDIM) {
        rlxc_error(ctx, call->range, "%u dimensions of vectors exceed the limit", n);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        shape[i] = buffer->shape[i];
        strides[i] = buffer->strides ? rlxc_mul(ctx, buffer->strides[i], wide) : NULL;
    }
    shape[n] = wide;
    strides[n] = rlxc_int(ctx, RLX_I32, 1);
    if (buffer->strides)
        buffer->strides = rlxc_copy(ctx, strides, (n + 1) * sizeof *strides);
    if (buffer->elem_offset)
        buffer->elem_offset = rlxc_mul(ctx, buffer->elem_offset, wide);
    buffer->shape = rlxc_copy(ctx, shape, (n + 1) * sizeof *shape);
    buffer->ndim = n + 1;
    rlxc_map_set(ctx, &t->p->vectors, rlxc_key(buffer), (void *)(uintptr_t)lanes);
    return true;
}

rlxc_buffer *rlxc_tir_buffer(rlxc_tir_parser *t, const rlxc_py *call, uint32_t skip,
                             const char *name, const rlxc_region *region)
{
    rlxc_parser *p = t->p;
    const rlxc_py *field[N_FIELDS];
    rlx_dtype dtype = region ? region->buffer->dtype : RLX_F32;
    const rlxc_expr *const *shape = region ? region->extents : NULL;
    uint32_t ndim = region ? region->buffer->ndim : 0;
    if (!buffer_fields(t, call, skip, field))
        return NULL;
    if (!field[SHAPE] && !region) {
        rlxc_error(p->ctx, call->range, "a buffer needs a shape");
        return NULL;
    }
    if ((field[SHAPE] && !parse_shape(t, field[SHAPE], &shape, &ndim)) ||
        !rlxc_parse_check_sizes(p, field[SHAPE] ? field[SHAPE] : call, shape, ndim))
        return NULL;
    if (field[DTYPE] && !rlxc_parse_dtype(p, field[DTYPE], &dtype))
        return NULL;
    if (rlxc_dtype_is_void(dtype) || rlxc_dtype_is_handle(dtype)) {
        rlxc_error(p->ctx, call->range, "a buffer cannot hold %s", rlxc_dtype_name(p->ctx, dtype));
        return NULL;
    }
    uint32_t lanes = region ? 1 : dtype.lanes;
    dtype.lanes = region ? dtype.lanes : 1;
    rlxc_buffer *buffer = rlxc_buffer_new(p->ctx, name, dtype, shape, ndim);
    if (!parse_layout(t, field, buffer) || (lanes > 1 && !spread_vectors(t, call, lanes, buffer)))
        return NULL;
    if (field[DATA]) {
        const rlxc_expr *data = rlxc_parse_prim(p, field[DATA]);
        if (!data)
            return NULL;
        if (!rlxc_dtype_is_handle(data->dtype) || (data->kind != RLXC_EXPR_VAR && !t->pointers)) {
            rlxc_error(p->ctx, field[DATA]->range, "data= must name a pointer");
            return NULL;
        }
        if (data->kind != RLXC_EXPR_VAR) { /* data=T.address_of(A[i]) */
            const rlxc_expr *var = rlxc_var(p->ctx, name, rlxc_dtype_handle());
            rlxc_tir_push(t, t->pointers, rlxc_stmt_let(p->ctx, var, data), field[DATA]->range);
            data = var;
        }
        buffer->data = data;
    }
    return buffer;
}

bool rlxc_tir_region(rlxc_tir_parser *t, const rlxc_py *e, rlxc_region *out)
{
    rlxc_parser *p = t->p;
    const rlxc_buffer *whole = rlxc_parse_buffer_name(p, e);
    if (whole) {
        const rlxc_expr **mins = rlxc_alloc(p->ctx, (whole->ndim + 1) * sizeof *mins);
        for (uint32_t i = 0; i < whole->ndim; i++)
            mins[i] = rlxc_int(p->ctx, whole->shape[i]->dtype, 0);
        *out = (rlxc_region){whole, mins, whole->shape};
        return true;
    }
    const rlxc_buffer *buffer =
        e->kind == RLXC_PY_INDEX ? rlxc_parse_buffer_name(p, e->base) : NULL;
    if (rlxc_parse_is_broken(p, e->kind == RLXC_PY_INDEX ? e->base : e))
        return false;
    if (!buffer) {
        rlxc_error(p->ctx, e->range, "expected a region of a buffer such as A[i, 0:4], got %s",
                   rlxc_py_describe(p->ctx, e));
        return false;
    }
    out->buffer = buffer;
    return rlxc_parse_indices(p, buffer, e->a, &out->mins, &out->extents);
}

void rlxc_tir_match_buffer(rlxc_tir_parser *t, const char *name, const rlxc_py *call)
{
    rlxc_parser *p = t->p;
    rlxc_region region;
    const rlxc_py *source = call->n > 0 ? call->items[0] : rlxc_py_keyword(call, "param");
    if (!source) {
        rlxc_error(p->ctx, call->range, "T.match_buffer needs a parameter or a region");
        return;
    }
    const rlxc_name *param =
        source->kind == RLXC_PY_NAME ? rlxc_names_find(&p->names, source->text) : NULL;
    if (!param || param->kind != RLXC_NAME_EXPR) {
        if (!rlxc_tir_region(t, source, &region))
            return;
        rlxc_buffer *view = rlxc_tir_buffer(t, call, 1, name, &region);
        if (!view)
            return;
        rlxc_names_define(p->ctx, &p->names, name, RLXC_NAME_BUFFER)->buffer = view;
        RLXC_PUSH(p->ctx, &t->block->matches, (rlxc_match_region){view, region});
        return;
    }
    rlxc_buffer *buffer = rlxc_tir_buffer(t, call, 1, name, NULL);
    if (!buffer)
        return;
    for (uint32_t i = 0; i < t->function->n_params; i++) {
        rlxc_prim_param *target = &t->function->params[i];
        if (target->var != param->expr)
            continue;
        if (target->buffer || !rlxc_dtype_is_handle(param->expr->dtype)) {
            rlxc_error(p->ctx, source->range,
                       target->buffer ? "parameter '%s' is matched to a buffer twice"
                                      : "parameter '%s' is not a handle",
                       source->text);
            return;
        }
        target->buffer = buffer;
        rlxc_names_define(p->ctx, &p->names, name, RLXC_NAME_BUFFER)->buffer = buffer;
        return;
    }
    rlxc_error(p->ctx, source->range, "'%s' is not a parameter", source->text);
}

/* --- axes ------------------------------------------------------------------------------------ */

static bool axis_kind(const char *name, rlxc_axis_kind *out)
{
    static const struct {
        const char *name;
        rlxc_axis_kind kind;
    } kinds[] = {{"spatial", RLXC_AXIS_SPATIAL}, {"S", RLXC_AXIS_SPATIAL},
                 {"reduce", RLXC_AXIS_REDUCE},   {"R", RLXC_AXIS_REDUCE},
                 {"opaque", RLXC_AXIS_OPAQUE},   {"O", RLXC_AXIS_OPAQUE},
                 {"scan", RLXC_AXIS_SCAN}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0) {
            *out = kinds[i].kind;
            return true;
        }
    return false;
}

static void add_axis(rlxc_tir_parser *t, const rlxc_py *target, rlxc_axis_kind kind,
                     const rlxc_expr *min, const rlxc_expr *extent, const rlxc_expr *value)
{
    rlxc_parser *p = t->p;
    rlx_dtype dtype = value->dtype;
    if (target->kind != RLXC_PY_NAME) {
        rlxc_error(p->ctx, target->range, "an axis must be assigned to a name");
        return;
    }
    if (!rlxc_dtype_is_int(dtype) || !rlxc_dtype_is_int(min->dtype) ||
        !rlxc_dtype_is_int(extent->dtype) || dtype.lanes != 1) {
        rlxc_error(p->ctx, target->range, "the bounds and the value of an axis must be integers");
        return;
    }
    if (min->dtype.bits > dtype.bits) /* the widest of the three, as in TVM */
        dtype = min->dtype;
    if (extent->dtype.bits > dtype.bits)
        dtype = extent->dtype;
    rlxc_axis axis = {kind, rlxc_var(p->ctx, target->text, dtype), rlxc_cast(p->ctx, dtype, min),
                      rlxc_cast(p->ctx, dtype, extent)};
    rlxc_names_define(p->ctx, &p->names, target->text, RLXC_NAME_EXPR)->expr = axis.var;
    RLXC_PUSH(p->ctx, &t->block->axes, axis);
    RLXC_PUSH(p->ctx, &t->block->values, rlxc_cast(p->ctx, dtype, value));
}

/* vi, vj = T.axis.remap("SR", [i, j]) */
static void parse_remap(rlxc_tir_parser *t, const rlxc_py *target, const rlxc_py *call)
{
    rlxc_parser *p = t->p;
    const rlxc_py *kinds = call->n == 2 ? call->items[0] : NULL;
    const rlxc_py *loops = call->n == 2 ? call->items[1] : NULL;
    if (loops && !rlxc_parse_sequence(p, loops, &loops))
        return;
    bool many = target->kind == RLXC_PY_TUPLE;
    uint32_t n = many ? target->n : 1;
    if (!kinds || kinds->kind != RLXC_PY_STRING || kinds->length != n ||
        (loops->kind != RLXC_PY_LIST && loops->kind != RLXC_PY_TUPLE) || loops->n != n) {
        rlxc_error(p->ctx, call->range,
                   "T.axis.remap takes one letter and one loop variable for each of its %u axes",
                   n);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        const char letter[2] = {kinds->text[i], 0};
        const rlxc_py *loop = loops->items[i];
        rlxc_axis_kind kind;
        const rlxc_name *name =
            loop->kind == RLXC_PY_NAME ? rlxc_names_find(&p->names, loop->text) : NULL;
        if (!axis_kind(letter, &kind)) {
            rlxc_error(p->ctx, kinds->range, "unknown kind of axis '%s', expected S, R or O",
                       letter);
            return;
        }
        if (rlxc_parse_is_broken(p, loop))
            return;
        if (!name || name->kind != RLXC_NAME_EXPR || !name->loop_extent) {
            rlxc_error(p->ctx, loop->range, "%s is not a loop variable",
                       rlxc_py_describe(p->ctx, loop));
            return;
        }
        add_axis(t, many ? target->items[i] : target, kind, name->loop_min, name->loop_extent,
                 name->expr);
    }
}

bool rlxc_tir_axis(rlxc_tir_parser *t, const rlxc_py *target, const rlxc_py *call)
{
    rlxc_parser *p = t->p;
    const char *path = rlxc_parse_path(p, call->base);
    rlxc_axis_kind kind;
    if (!path || strncmp(path, "T.axis.", 7) != 0)
        return false;
    if (strcmp(path + 7, "remap") == 0) {
        parse_remap(t, target, call);
        return true;
    }
    if (!axis_kind(path + 7, &kind)) {
        rlxc_error(p->ctx, call->range, "%s is not supported", path);
        return true;
    }
    if (call->n < 2 || call->n > 3) {
        rlxc_error(p->ctx, call->range, "%s takes a range and a value", path);
        return true;
    }
    const rlxc_py *range = call->items[0];
    const rlxc_expr *min = NULL, *extent = NULL;
    if (range->kind == RLXC_PY_TUPLE || range->kind == RLXC_PY_LIST) {
        if (range->n != 2) {
            rlxc_error(p->ctx, range->range, "the range of an axis is (begin, end)");
            return true;
        }
        min = rlxc_parse_prim(p, range->items[0]);
        const rlxc_expr *end = min ? rlxc_parse_prim(p, range->items[1]) : NULL;
        if (end && rlxc_dtype_is_int(min->dtype) && rlxc_dtype_is_int(end->dtype))
            extent = rlxc_parsed_extent(p, min, end);
        else if (end)
            rlxc_error(p->ctx, range->range, "the range of an axis must be integers");
    } else if ((extent = rlxc_parse_prim(p, range))) {
        min = rlxc_int(p->ctx, rlxc_dtype_is_int(extent->dtype) ? extent->dtype : RLX_I32, 0);
    }
    const rlxc_expr *value = extent ? rlxc_parse_prim(p, call->items[1]) : NULL;
    if (value)
        add_axis(t, target, kind, min, extent, value);
    return true;
}

/* --- the head of a block --------------------------------------------------------------------- */

static void parse_regions(rlxc_tir_parser *t, const rlxc_py *call, bool reads)
{
    const rlxc_py *const *items = call->items;
    uint32_t n = call->n;
    if (n == 1 && (items[0]->kind == RLXC_PY_LIST || items[0]->kind == RLXC_PY_TUPLE)) {
        n = items[0]->n;
        items = items[0]->items;
    }
    if (reads)
        t->block->has_reads = true;
    else
        t->block->has_writes = true;
    for (uint32_t i = 0; i < n; i++) {
        rlxc_region region;
        if (!rlxc_tir_region(t, items[i], &region))
            return;
        if (reads)
            RLXC_PUSH(t->p->ctx, &t->block->reads, region);
        else
            RLXC_PUSH(t->p->ctx, &t->block->writes, region);
    }
}

bool rlxc_tir_block_statement(rlxc_tir_parser *t, const rlxc_py *call, const char *path)
{
    rlxc_parser *p = t->p;
    if (strcmp(path, "T.reads") == 0 || strcmp(path, "T.writes") == 0) {
        parse_regions(t, call, path[2] == 'r');
        return true;
    }
    if (strcmp(path, "T.block_attr") == 0 || strcmp(path, "T.sblock_attr") == 0) {
        rlxc_parse_attr_call(p, call, &t->block->annotations);
        return true;
    }
    if (strcmp(path, "T.where") != 0)
        return false;
    const rlxc_expr *cond = call->n == 1 ? rlxc_parse_prim(p, call->items[0]) : NULL;
    if (call->n != 1)
        rlxc_error(p->ctx, call->range, "T.where takes one condition");
    if (cond)
        t->block->predicate =
            t->block->predicate
                ? rlxc_parse_binary(p, RLXC_EXPR_AND, t->block->predicate, cond, call->range)
                : cond;
    return true;
}

const rlxc_stmt *rlxc_tir_block(rlxc_tir_parser *t, const rlxc_block_parts *parts,
                                const rlxc_stmt *body, rlxc_range range)
{
    rlxc_block *block = rlxc_alloc(t->p->ctx, sizeof *block);
    *block = (rlxc_block){
        .name = parts->name,
        .axes = parts->axes.items,
        .n_axes = parts->axes.count,
        .has_reads = parts->has_reads,
        .has_writes = parts->has_writes,
        .reads = parts->reads.items,
        .writes = parts->writes.items,
        .n_reads = parts->reads.count,
        .n_writes = parts->writes.count,
        .allocs = parts->allocs.items,
        .n_allocs = parts->allocs.count,
        .matches = parts->matches.items,
        .n_matches = parts->matches.count,
        .annotations = parts->annotations,
        .init = parts->init,
        .body = body,
    };
    rlxc_stmt *stmt = rlxc_tir_new(t, RLXC_STMT_BLOCK);
    stmt->range = range;
    stmt->block.block = block;
    stmt->block.values = parts->values.items;
    stmt->block.predicate = parts->predicate;
    return stmt;
}
