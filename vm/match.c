/* Checking values against types and binding shape slots: the entry check of every call, match_type
   and match_shape.

   Two phases, since a dimension may be an expression over a symbol that a later dimension or a
   later argument binds: rlxv_match_bind checks kinds, dtypes and ranks and binds, rlxv_match_check
   compares. Error messages name the argument, the path into tuples, the dimension, the expression,
   its symbols with the places that bound them, and both values. Recursion is bounded by
   RLXV_MAX_TYPE_DEPTH. */
#include "vm/exec.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SHOWN = 64 };

/* The path from the matched value to the failing part: indices into tuples. */
typedef struct path {
    uint32_t index[RLXV_MAX_TYPE_DEPTH];
    uint32_t n;
} path;

typedef struct text {
    char data[320];
    size_t len;
} text;

RLX_PRINTF(2, 3)
static void add(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(t->data + t->len, sizeof t->data - t->len, format, args);
    va_end(args);
    if (n > 0)
        t->len += (size_t)n < sizeof t->data - t->len ? (size_t)n : sizeof t->data - t->len - 1;
}

/* The origin of a match's register: a parameter, or the instruction that last defined it. */
static void add_register(text *t, const rlxv_match *m)
{
    const rlxv_function *fn = m->fn;
    const rlxv_debug_row *found = NULL;
    char shown[NAME_SHOWN];
    rlxv_instruction in;
    if (m->index < fn->n_params) {
        add(t, " '%s'", rlx_name_text(fn->params[m->index].name, shown, sizeof shown));
        return;
    }
    for (uint32_t pc = 0; pc < m->pc; pc += in.n_words) {
        if (rlxv_decode(fn->code + pc, fn->n_words - pc, &in))
            return;
        for (uint32_t i = 0; i < in.n_operands; i++)
            if (in.operands[i].letter == 'd' && in.operands[i].value == m->index)
                found = rlxv_debug_at(fn, pc);
    }
    if (found && found->column && found->name.len > 0)
        add(t, " '%s'", rlx_name_text(found->name, shown, sizeof shown));
    else if (found && found->name.len > 0)
        add(t, " of %s", rlx_name_text(found->name, shown, sizeof shown));
}

/* "argument 1 'w' of main", "result of main" or "value 'y'", then the path. */
static void add_subject(text *t, const rlxv_match *m, const path *p)
{
    add(t, "%s", m->what);
    if (m->pc != RLX_NONE)
        add_register(t, m);
    if (m->pc == RLX_NONE) {
        if (strcmp(m->what, "argument") == 0) {
            char shown[NAME_SHOWN];
            add(t, " %u '%s'", m->index,
                rlx_name_text(m->fn->params[m->index].name, shown, sizeof shown));
        }
        add(t, " of %.*s", (int)m->fn->name.len, m->fn->name.data);
    }
    for (uint32_t i = 0; i < p->n; i++)
        add(t, "%s%u", i ? "." : ", item ", p->index[i]);
}

static rlx_status mismatch(const rlxv_match *m, const path *p, const char *expected,
                           const char *got, rlx_error *err)
{
    text t = {.len = 0};
    add_subject(&t, m, p);
    return rlx_fail(err, RLX_E_SHAPE, "%s: expected %s, got %s", t.data, expected, got);
}

/* Finds "dimension 1" of the type that binds |slot|; recursion bounded by the type's depth. */
static bool find_binder(const rlx_executable *exe, uint32_t type, uint32_t slot, path *p,
                        uint32_t *out_dim)
{
    const rlxv_type *t = &exe->types[type];
    for (uint32_t i = 0; i < t->n_dims; i++) {
        if (t->dims[i].kind == RLXV_DIM_BIND && t->dims[i].index == slot) {
            *out_dim = i;
            return true;
        }
    }
    for (uint32_t i = 0; i < t->n_children && p->n < RLXV_MAX_TYPE_DEPTH; i++) {
        p->index[p->n++] = i;
        if (find_binder(exe, t->children[i], slot, p, out_dim))
            return true;
        p->n--;
    }
    return false;
}

/* Reports where |slot| was bound: in the signature, else at the last match before |pc|. */
static void add_binder(text *t, const rlxv_match *m, uint32_t slot)
{
    path p;
    uint32_t dim;
    const rlxv_function *fn = m->fn;
    for (uint32_t i = 0; slot < fn->n_symbols && i < fn->n_params; i++) {
        p.n = 0;
        if (find_binder(m->exe, fn->params[i].type, slot, &p, &dim)) {
            char shown[NAME_SHOWN];
            add(t, " (bound by argument %u '%s'", i,
                rlx_name_text(fn->params[i].name, shown, sizeof shown));
            for (uint32_t k = 0; k < p.n; k++)
                add(t, "%s%u", k ? "." : ", item ", p.index[k]);
            add(t, ", dimension %u)", dim);
            return;
        }
    }
    const rlxv_debug_row *found = NULL;
    rlxv_instruction in;
    for (uint32_t pc = 0; m->pc != RLX_NONE && pc < m->pc; pc += in.n_words) {
        if (rlxv_decode(fn->code + pc, fn->n_words - pc, &in))
            return;
        if (in.info->op != RLX_OP_MATCH_TYPE && in.info->op != RLX_OP_MATCH_SHAPE)
            continue;
        p.n = 0;
        if (!find_binder(m->exe, in.operands[1].value, slot, &p, &dim))
            continue;
        found = rlxv_debug_at(fn, pc);
    }
    char place[RLXV_PLACE_TEXT];
    if (found)
        add(t, " (bound at %s)", rlxv_place_text(found, place, sizeof place));
}

static void add_slots(text *t, const rlxv_match *m, uint32_t e, uint32_t *seen, uint32_t *n)
{
    const rlxv_expr *x = &m->exe->exprs[e];
    if (x->op == RLX_EXPR_CONST)
        return;
    if (x->op != RLX_EXPR_SLOT) {
        add_slots(t, m, x->a, seen, n);
        add_slots(t, m, x->b, seen, n);
        if (x->op == RLX_EXPR_SELECT)
            add_slots(t, m, x->c, seen, n);
        return;
    }
    for (uint32_t i = 0; i < *n; i++)
        if (seen[i] == x->a)
            return;
    if (*n == 4) /* more would not fit the message */
        return;
    seen[(*n)++] = x->a;
    char buffer[16], shown[NAME_SHOWN];
    rlx_str name = rlxv_slot_name_of(m->fn, x->a, buffer, sizeof buffer);
    add(t, "%s%s = %lld", *n == 1 ? "; " : ", ", rlx_name_text(name, shown, sizeof shown),
        (long long)m->slots[x->a]);
    add_binder(t, m, x->a);
}

/* |dim| RLX_NONE: the value itself is compared. */
static rlx_status check_dim(const rlxv_match *m, const path *p, uint32_t dim, const rlxv_dim *d,
                            const rlx_dim *raw, int64_t got, rlx_error *err)
{
    int64_t want;
    if (d->kind == RLXV_DIM_CONST) {
        want = d->value;
    } else if (d->kind == RLXV_DIM_SLOT) {
        want = m->slots[d->index];
    } else if (d->kind == RLXV_DIM_EXPR) {
        if (!rlxv_eval(m->exe, d->index, m->slots, &want))
            return rlx_fail(err, RLX_E_SHAPE, "a dimension overflows or divides by zero");
    } else {
        return RLX_OK;
    }
    if (want == got)
        return RLX_OK;
    text t = {.len = 0};
    add_subject(&t, m, p);
    if (dim != RLX_NONE)
        add(&t, ", dimension %u", dim);
    rlxv_buffer b;
    rlxv_buffer_init(&b, &m->exe->allocator);
    rlxv_print_expr(&b, m->exe, m->fn, raw->index);
    if (d->kind == RLXV_DIM_CONST || b.failed || b.size > 100)
        add(&t, ": expected %lld, got %lld", (long long)want, (long long)got);
    else
        add(&t, ": expected %.*s = %lld, got %lld", (int)b.size, (const char *)b.data,
            (long long)want, (long long)got);
    rlxv_buffer_deinit(&b);
    if (d->kind == RLXV_DIM_SLOT) {
        add_binder(&t, m, d->index);
    } else {
        uint32_t seen[4], n = 0;
        add_slots(&t, m, raw->index, seen, &n);
    }
    return rlx_fail(err, RLX_E_SHAPE, "%s", t.data);
}

static void describe(rlx_value v, text *t)
{
    char name[24];
    if (v.kind == RLX_KIND_TENSOR) {
        const rlx_tensor *x = v.as.tensor;
        char shape[160];
        add(t, "a %s tensor of shape %s", rlx_dtype_name(x->dtype, name),
            rlxv_shape_text(x->ndim, x->dims, shape, sizeof shape));
    } else if (v.kind == RLX_KIND_TUPLE) {
        add(t, "a tuple of %u", v.as.tuple->n);
    } else if (v.kind == RLX_KIND_SHAPE) {
        add(t, "a shape of %u dimensions", v.as.shape->n);
    } else if (v.kind == RLX_KIND_INT) {
        add(t, "the int %lld", (long long)v.as.i);
    } else {
        add(t, "%s", rlx_kind_name((rlx_kind)v.kind));
    }
}

static rlx_status wrong(const rlxv_match *m, const path *p, uint32_t type, rlx_value v,
                        rlx_error *err)
{
    text got = {.len = 0}, want = {.len = 0};
    rlxv_buffer b;
    describe(v, &got);
    rlxv_buffer_init(&b, &m->exe->allocator);
    rlxv_print_type(&b, m->exe, m->fn, type);
    if (!b.failed)
        add(&want, "%.*s", (int)(b.size < 120 ? b.size : 120), (const char *)b.data);
    rlxv_buffer_deinit(&b);
    return mismatch(m, p, want.data, got.data, err);
}

static bool int_fits(int64_t v, rlx_dtype t)
{
    if (t.code == RLX_BOOL)
        return v == 0 || v == 1;
    if (t.code == RLX_UINT)
        return v >= 0 && (t.bits == 64 || v >> t.bits == 0);
    return t.bits == 64 || (v >= -((int64_t)1 << (t.bits - 1)) && v < (int64_t)1 << (t.bits - 1));
}

static bool prim_ok(rlx_dtype t, rlx_value v)
{
    if (rlx_dtype_is_float(t))
        return v.kind == RLX_KIND_FLOAT;
    return (v.kind == RLX_KIND_INT || (t.code == RLX_BOOL && v.kind == RLX_KIND_BOOL)) &&
           int_fits(v.as.i, t);
}

/* The dims that a matched value offers to its type; NULL if its kind does not fit. */
static const int64_t *dims_of(const rlxv_type *t, const rlx_value *v, uint32_t *n)
{
    if (t->kind == RLX_TYPE_TENSOR && v->kind == RLX_KIND_TENSOR) {
        *n = v->as.tensor->ndim;
        return v->as.tensor->dims;
    }
    if (t->kind == RLX_TYPE_SHAPE && v->kind == RLX_KIND_SHAPE) {
        *n = v->as.shape->n;
        return v->as.shape->dims;
    }
    if (t->kind == RLX_TYPE_PRIM && prim_ok(t->dtype, *v)) {
        *n = t->n_dims;
        return &v->as.i;
    }
    return NULL;
}

static rlx_status bind(const rlxv_match *m, path *p, uint32_t type, rlx_value v, rlx_error *err)
{
    const rlxv_type *t = &m->exe->types[type];
    const int64_t *dims;
    uint32_t n;
    switch (t->kind) {
    case RLX_TYPE_OBJECT:
        return RLX_OK;
    case RLX_TYPE_CALLABLE:
        return v.kind == RLX_KIND_CLOSURE ? RLX_OK : wrong(m, p, type, v, err);
    case RLX_TYPE_TUPLE:
        if (v.kind != RLX_KIND_TUPLE || v.as.tuple->n != t->n_children)
            return wrong(m, p, type, v, err);
        for (uint32_t i = 0; i < t->n_children; i++) {
            p->index[p->n++] = i;
            RLX_TRY(bind(m, p, t->children[i], v.as.tuple->items[i], err));
            p->n--;
        }
        return RLX_OK;
    case RLX_TYPE_PRIM:
    case RLX_TYPE_SHAPE:
    case RLX_TYPE_TENSOR:
        break;
    }
    dims = dims_of(t, &v, &n);
    if (!dims || (t->rank_known && n != t->n_dims) ||
        (t->kind == RLX_TYPE_TENSOR && t->dtype.bits &&
         !rlx_dtype_eq(t->dtype, v.as.tensor->dtype)))
        return wrong(m, p, type, v, err);
    for (uint32_t i = 0; i < t->n_dims; i++)
        if (t->dims[i].kind == RLXV_DIM_BIND)
            m->slots[t->dims[i].index] = dims[i];
    return RLX_OK;
}

static rlx_status check(const rlxv_match *m, path *p, uint32_t type, rlx_value v, rlx_error *err)
{
    const rlxv_type *t = &m->exe->types[type];
    uint32_t n = 0;
    if (!t->has_checks)
        return RLX_OK;
    for (uint32_t i = 0; i < t->n_children; i++) {
        p->index[p->n++] = i;
        RLX_TRY(check(m, p, t->children[i], v.as.tuple->items[i], err));
        p->n--;
    }
    const int64_t *dims = t->n_dims ? dims_of(t, &v, &n) : NULL;
    for (uint32_t i = 0; dims && i < t->n_dims; i++)
        RLX_TRY(check_dim(m, p, t->kind == RLX_TYPE_PRIM ? RLX_NONE : i, &t->dims[i],
                          &t->raw_dims[i], dims[i], err));
    return RLX_OK;
}

rlx_status rlxv_match_bind(const rlxv_match *m, uint32_t type, rlx_value v, rlx_error *err)
{
    path p = {.n = 0};
    return bind(m, &p, type, v, err);
}

rlx_status rlxv_match_check(const rlxv_match *m, uint32_t type, rlx_value v, rlx_error *err)
{
    path p = {.n = 0};
    return check(m, &p, type, v, err);
}

rlx_status rlxv_match_dims(const rlxv_match *m, uint32_t type, const int64_t *dims, uint32_t n,
                           rlx_error *err)
{
    const rlxv_type *t = &m->exe->types[type];
    path p = {.n = 0};
    if (t->rank_known && n != t->n_dims) {
        char want[32], got[32];
        snprintf(want, sizeof want, "%u dimensions", t->n_dims);
        snprintf(got, sizeof got, "%u", n);
        return mismatch(m, &p, want, got, err);
    }
    for (uint32_t i = 0; i < t->n_dims; i++)
        if (t->dims[i].kind == RLXV_DIM_BIND)
            m->slots[t->dims[i].index] = dims[i];
    for (uint32_t i = 0; i < t->n_dims; i++)
        RLX_TRY(check_dim(m, &p, i, &t->dims[i], &t->raw_dims[i], dims[i], err));
    return RLX_OK;
}

/* The fast path for most values: numbers, tensors and shapes of known rank, without the data that
 * only messages need. False if a value has another form or is wrong; the slow path then decides. */
static inline const int64_t *plain_dims(const rlxv_type *t, const rlx_value *v, uint32_t *rank)
{
    if (v->kind == RLX_KIND_TENSOR) {
        *rank = v->as.tensor->ndim;
        return v->as.tensor->dims;
    }
    *rank = v->kind == RLX_KIND_SHAPE ? v->as.shape->n : t->n_dims;
    return v->kind == RLX_KIND_SHAPE ? v->as.shape->dims : &v->as.i;
}

static inline bool bind_plain(const rlxv_type *t, const rlx_value *v, int64_t *slots)
{
    uint32_t rank;
    if (t->kind == RLX_TYPE_OBJECT)
        return true;
    const bool is_int =
        t->kind == RLX_TYPE_PRIM && v->kind == RLX_KIND_INT && prim_ok(t->dtype, *v);
    if (!is_int && !(t->kind == RLX_TYPE_TENSOR && v->kind == RLX_KIND_TENSOR) &&
        !(t->kind == RLX_TYPE_SHAPE && v->kind == RLX_KIND_SHAPE))
        return false;
    const int64_t *dims = plain_dims(t, v, &rank);
    if ((!t->rank_known && !is_int) || rank != t->n_dims ||
        (t->kind == RLX_TYPE_TENSOR && t->dtype.bits &&
         !rlx_dtype_eq(t->dtype, v->as.tensor->dtype)))
        return false;
    for (uint32_t d = 0; d < rank; d++)
        if (t->dims[d].kind == RLXV_DIM_BIND)
            slots[t->dims[d].index] = dims[d];
    return true;
}

/* |v| is bound. */
static inline bool check_plain(const rlx_executable *exe, const rlxv_type *t, const rlx_value *v,
                               const int64_t *slots)
{
    uint32_t rank;
    int64_t size;
    if (!t->has_checks)
        return true;
    const int64_t *dims = plain_dims(t, v, &rank);
    for (uint32_t d = 0; d < rank; d++) {
        const rlxv_dim *want = &t->dims[d];
        if ((want->kind == RLXV_DIM_CONST && want->value != dims[d]) ||
            (want->kind == RLXV_DIM_SLOT && slots[want->index] != dims[d]) ||
            (want->kind == RLXV_DIM_EXPR &&
             (!rlxv_eval(exe, want->index, slots, &size) || size != dims[d])))
            return false;
    }
    return true;
}

static bool match_plain(const rlx_executable *exe, const rlxv_function *fn, const rlx_value *args,
                        int64_t *slots)
{
    for (uint32_t i = 0; i < fn->n_params; i++)
        if (!bind_plain(&exe->types[fn->params[i].type], &args[i], slots))
            return false;
    for (uint32_t i = 0; i < fn->n_params; i++)
        if (!check_plain(exe, &exe->types[fn->params[i].type], &args[i], slots))
            return false;
    return true;
}

rlx_status rlxv_match_value(const rlxv_match *m, uint32_t type, rlx_value v, rlx_error *err)
{
    const rlxv_type *t = &m->exe->types[type];
    if (bind_plain(t, &v, m->slots) && check_plain(m->exe, t, &v, m->slots))
        return RLX_OK;
    RLX_TRY(rlxv_match_bind(m, type, v, err));
    return rlxv_match_check(m, type, v, err);
}

rlx_status rlxv_match_args(const rlx_executable *exe, const rlxv_function *fn,
                           const rlx_value *args, uint32_t n, int64_t *slots, bool from_host,
                           rlx_error *err)
{
    rlxv_match m = {exe, fn, RLX_NONE, "argument", 0, slots};
    if (n != fn->n_params)
        return rlx_fail(err, RLX_E_INVALID_ARG, "%.*s takes %u arguments, got %u",
                        (int)fn->name.len, fn->name.data, fn->n_params, n);
    if (match_plain(exe, fn, args, slots))
        return RLX_OK;
    rlx_status status = RLX_OK;
    for (uint32_t i = 0; i < 2 * n && status == RLX_OK; i++) {
        m.index = i < n ? i : i - n;
        status = (i < n ? rlxv_match_bind : rlxv_match_check)(&m, fn->params[m.index].type,
                                                              args[m.index], err);
    }
    if (status != RLX_OK && from_host)
        rlxv_add_location(fn, fn->n_words + m.index, err);
    return status;
}

const rlxv_debug_row *rlxv_debug_at(const rlxv_function *fn, uint32_t pc)
{
    uint32_t low = 0, high = fn->n_debug; /* rows before low are at or before pc */
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (fn->debug[mid].pc <= pc)
            low = mid + 1;
        else
            high = mid;
    }
    const rlxv_debug_row *row = low > 0 && fn->debug[low - 1].line ? &fn->debug[low - 1] : NULL;
    return row && pc >= fn->n_words && row->pc != pc ? NULL : row;
}

const char *rlxv_place_text(const rlxv_debug_row *row, char *buffer, size_t size)
{
    enum { FILE_SHOWN = 96, HEAD = 120, TAIL = 40 };
    char file[FILE_SHOWN], head[HEAD + 8], tail[TAIL + 8] = "";
    rlx_str name = row->name;
    rlx_name_text(row->file, file, sizeof file);
    if (row->column) {
        snprintf(buffer, size, "%s:%u:%u", file, row->line, row->column);
        return buffer;
    }
    if (name.len > HEAD) { /* the operator is at the end */
        size_t at = name.len - TAIL;
        while (at < name.len && ((unsigned char)name.data[at] & 0xc0u) == 0x80u)
            at++;
        rlx_name_text((rlx_str){name.data + at, name.len - at}, tail, sizeof tail);
    }
    snprintf(buffer, size, "%s: %s%s", file, rlx_name_text(name, head, sizeof head), tail);
    return buffer;
}

/* Drops "TopK: " from the start of a message at "node 'x' (TopK)", where it is redundant. */
static void drop_operator(const rlxv_debug_row *row, rlx_error *err)
{
    const rlx_str name = row->name;
    size_t at = name.len;
    if (row->column || at < 2 || name.data[at - 1] != ')')
        return;
    while (at > 0 && name.data[at - 1] != '(')
        at--;
    const size_t n = name.len - 1 - at;
    if (at == 0 || strncmp(err->message, name.data + at, n) != 0 ||
        strncmp(err->message + n, ": ", 2) != 0)
        return;
    memmove(err->message, err->message + n + 2, strlen(err->message + n + 2) + 1);
}

void rlxv_set_place(const rlxv_debug_row *row, rlx_error *err)
{
    char place[RLXV_PLACE_TEXT];
    drop_operator(row, err);
    rlx_error_prefix(err, "%s: ", rlxv_place_text(row, place, sizeof place));
    snprintf(err->where.file, sizeof err->where.file, "%.*s", (int)row->file.len, row->file.data);
    err->where.line = row->line;
    err->where.column = row->column;
}

void rlxv_add_location(const rlxv_function *fn, uint32_t pc, rlx_error *err)
{
    if (!err || err->where.line)
        return;
    const rlxv_debug_row *row = rlxv_debug_at(fn, pc);
    if (row)
        rlxv_set_place(row, err);
}
