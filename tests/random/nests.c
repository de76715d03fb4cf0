/* Random PrimFuncs in loops, as the schedules of other tools leave them: up to three stages, each a
 * map or a reduction of operands with borders or read by digits of an axis, in tiles, with
 * temporaries for tiles of operands and of results, fused and reordered loops, flat buffers and
 * memory that temporaries share.
 *
 * A seed determines a function. It is built as a tree, which is printed and evaluated. The tree
 * never reads an element before it is stored, nor one outside of its buffer; evaluation checks
 * both. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random/nests.h"

static unsigned below(nest *t, unsigned n)
{
    return random_below(&t->rng, n);
}

static bool chance_of(nest *t, unsigned percent)
{
    return below(t, 100) < percent;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static const node *make(nest *t, node n)
{
    t->full = t->full || t->n_nodes == NODES - 1;
    node *to = &t->nodes[t->full ? NODES - 1 : t->n_nodes++];
    if (!t->full)
        *to = n;
    return to;
}

static unsigned new_var(nest *t)
{
    t->full = t->full || t->n_vars == VARS - 1;
    return t->full ? 0 : t->n_vars++;
}

static const node *integer(nest *t, int64_t c)
{
    return make(t, (node){.kind = INTEGER, .c = c});
}

static bool is_integer(const node *n, int64_t c)
{
    return n->kind == INTEGER && n->c == c;
}

/* |a| or |b| alone if the other is NULL, a condition that always holds. */
static const node *binary(nest *t, kind k, const node *a, const node *b)
{
    if (!a || !b)
        return a ? a : b;
    if ((k == ADD && is_integer(a, 0)) || (k == MULTIPLY && is_integer(a, 1)))
        return b;
    if (((k == ADD || k == SUBTRACT) && is_integer(b, 0)) ||
        ((k == MULTIPLY || k == DIVIDE) && is_integer(b, 1)))
        return a;
    if ((k == MULTIPLY && (is_integer(a, 0) || is_integer(b, 0))) ||
        (k == MODULO && is_integer(b, 1)))
        return integer(t, 0);
    if (a->kind == INTEGER && b->kind == INTEGER && (k == ADD || k == MULTIPLY))
        return integer(t, k == ADD ? a->c + b->c : a->c * b->c);
    return make(t, (node){.kind = k, .a = a, .b = b});
}

static const node *add(nest *t, const node *a, const node *b)
{
    return binary(t, ADD, a, b);
}

static const node *times(nest *t, int64_t c, const node *a)
{
    return binary(t, MULTIPLY, a, integer(t, c));
}

/* |a| < |b| */
static const node *less(nest *t, const node *a, const node *b)
{
    return binary(t, LESS_EQUAL, add(t, a, integer(t, 1)), b);
}

static const node *then(nest *t, const node *a, const node *b)
{
    return !a ? b : !b ? a : make(t, (node){.kind = PAIR, .a = a, .b = b});
}

static const node *where(nest *t, const node *cond, const node *body)
{
    return cond ? make(t, (node){.kind = IF, .a = cond, .b = body}) : body;
}

static unsigned new_buffer(nest *t, bool temporary, unsigned ndim, const node *const *shape)
{
    t->full = t->full || t->n_buffers == BUFFERS - 1;
    const unsigned id = t->full ? 0 : t->n_buffers++;
    buffer *b = &t->buffers[id];
    *b = (buffer){.temporary = temporary, .ndim = ndim, .memory = -1, .flat = t->flat};
    snprintf(b->name, sizeof b->name, temporary ? "t%u" : "A%u", id);
    memcpy(b->shape, shape, ndim * sizeof *shape);
    return id;
}

/* A load from buffer |id|, or a store of |stored| if there is one. */
static const node *access(nest *t, unsigned id, const node *const *at, const node *stored)
{
    const buffer *b = &t->buffers[id];
    node n = {.kind = stored ? STORE : LOAD, .c = id, .e = stored};
    const node **to[] = {&n.a, &n.b, &n.d};
    const node *flat = integer(t, 0);
    for (unsigned i = 0; i < b->ndim; i++) {
        *to[i] = at[i];
        flat = add(t, binary(t, MULTIPLY, flat, b->shape[i]), at[i]);
    }
    if (b->flat) {
        n.a = flat;
        n.b = n.d = NULL;
    }
    return make(t, n);
}

/* --- loops ------------------------------------------------------------------------------------ */

/* Loops over several counters, outermost first; some of them fused. */
typedef struct loops {
    unsigned n;
    unsigned vars[AXES];
    const node *extents[AXES];
    how how[AXES];
} loops;

/* Loops over |n| counters with |extents|, in a random order; |out|: their values. */
static loops count(nest *t, unsigned n, const node *const *extents, const node **out)
{
    loops l = {.n = 0};
    unsigned order[AXES];
    for (unsigned i = 0; i < n; i++) {
        const unsigned k = chance_of(t, 50) ? i : below(t, i + 1);
        memmove(&order[k + 1], &order[k], (i - k) * sizeof *order);
        order[k] = i;
    }
    for (unsigned i = 0; i < n; i++) {
        const unsigned k = order[i];
        const node *extent = extents[k];
        out[k] = integer(t, 0);
        if (is_integer(extent, 1) && chance_of(t, 80))
            continue;
        const unsigned var = new_var(t);
        const node *v = make(t, (node){.kind = VARIABLE, .c = var});
        l.vars[l.n] = var;
        if (i + 1 < n && chance_of(t, 25)) { /* with the next one */
            const node *next = extents[order[++i]];
            out[k] = binary(t, DIVIDE, v, next);
            out[order[i]] = binary(t, MODULO, v, next);
            extent = binary(t, MULTIPLY, extent, next);
        } else {
            out[k] = v;
        }
        l.extents[l.n++] = extent;
    }
    return l;
}

static const node *around(nest *t, const loops *l, const node *body)
{
    for (unsigned i = l->n; i-- > 0;)
        body = make(
            t,
            (node){.kind = FOR, .c = l->vars[i], .a = l->extents[i], .b = body, .how = l->how[i]});
    return body;
}

/* Lets the innermost loop, over a single store, be unrolled, or vectorized if it |may|: not if
 * iterations store to one element. */
static void mark_inner(nest *t, loops *l, bool may)
{
    if (l->n && l->extents[l->n - 1]->kind == INTEGER && l->extents[l->n - 1]->c > 1 &&
        chance_of(t, 30))
        l->how[l->n - 1] = may && chance_of(t, 50) ? VECTORIZED : UNROLLED;
}

/* --- stages ----------------------------------------------------------------------------------- */

/* What is read at position sum(by[axis] * axis) of each dimension: an element, or |outside| beyond
 * a bordered image and between its elements. A dimension may have an element for a digit of the
 * position only. */
typedef struct operand {
    unsigned buffer, ndim;
    int64_t by[RANK][AXES];
    bool bordered[RANK];
    int64_t before[RANK], dilation[RANK]; /* of a border */
    int64_t outside;                      /* quarters */
    int64_t digit[RANK];                  /* n: position // n; -n: position % n; 0: all of it */
    int64_t positions[RANK];              /* of a digit */
} operand;

typedef struct stage {
    unsigned n_space, n_axes;
    const node *extents[AXES];
    unsigned n_operands;
    operand operands[3];
    kind reduce; /* PLUS or LARGER */
    kind join;   /* of the operands */
    unsigned result;
} stage;

/* The operand at positions |at|. If |cached|, its elements from |begin| on are in that buffer. */
static const node *read_at(nest *t, const operand *o, const node *const *at, const unsigned *cached,
                           const node *const *begin)
{
    const node *inside = NULL, *index[RANK];
    for (unsigned i = 0; i < o->ndim; i++) {
        const int64_t n = o->digit[i];
        index[i] =
            !n ? at[i] : binary(t, n > 0 ? DIVIDE : MODULO, at[i], integer(t, n > 0 ? n : -n));
        if (!o->bordered[i])
            continue;
        const node *from = binary(t, SUBTRACT, at[i], integer(t, o->before[i]));
        const node *extent = t->buffers[o->buffer].shape[i];
        inside = binary(t, AND, inside,
                        binary(t, AND, binary(t, LESS_EQUAL, integer(t, o->before[i]), at[i]),
                               less(t, from, times(t, o->dilation[i], extent))));
        if (o->dilation[i] > 1)
            inside = binary(t, AND, inside,
                            binary(t, EQUAL, binary(t, MODULO, from, integer(t, o->dilation[i])),
                                   integer(t, 0)));
        index[i] = binary(t, DIVIDE, from, integer(t, o->dilation[i]));
    }
    for (unsigned i = 0; i < o->ndim && cached; i++)
        index[i] = binary(t, SUBTRACT, index[i], begin[i]);
    const node *load = access(t, cached ? *cached : o->buffer, index, NULL);
    return inside ? make(t, (node){.kind = CHOICE,
                                   .a = inside,
                                   .b = load,
                                   .d = make(t, (node){.kind = NUMBER, .c = o->outside})})
                  : load;
}

/* How a stage is computed: each axis in three parts, outer loops first. */
typedef struct tiling {
    const stage *s;
    const node *extents[LEVELS][AXES], *counters[LEVELS][AXES]; /* of the parts */
    int64_t by[LEVELS][AXES];                                   /* what a part counts */
    int64_t covered[LEVELS][AXES]; /* elements below a level; 0: unknown */
    loops loops[LEVELS];
    const node *limit; /* the axes are within their extents; or NULL */
} tiling;

/* Axis |a| over its parts |from| up to |to|. */
static const node *parts(nest *t, const tiling *g, unsigned a, unsigned from, unsigned to)
{
    const node *v = integer(t, 0);
    for (unsigned l = from; l < to; l++)
        v = add(t, v, times(t, g->by[l][a], g->counters[l][a]));
    return v;
}

static void choose_tiles(nest *t, const stage *s, tiling *g)
{
    *g = (tiling){.s = s};
    for (unsigned a = 0; a < s->n_axes; a++) {
        const bool space = a < s->n_space;
        const int64_t inner = 1 + below(t, 4), tile = inner * (space ? 1 + below(t, 2) : 1);
        const node *n = s->extents[a];
        const node *outer = n->kind == INTEGER ? integer(t, (n->c + tile - 1) / tile)
                                               : binary(t, DIVIDE, add(t, n, integer(t, tile - 1)),
                                                        integer(t, tile));
        g->extents[0][a] = space ? outer : integer(t, 1);
        g->extents[1][a] = space ? integer(t, tile / inner) : outer;
        g->extents[2][a] = integer(t, inner);
        g->by[0][a] = tile;
        g->by[1][a] = inner;
        g->by[2][a] = 1;
        g->covered[0][a] = space ? tile : outer->kind == INTEGER ? outer->c * tile : 0;
        g->covered[1][a] = inner;
    }
    for (unsigned l = 0; l < LEVELS; l++)
        g->loops[l] = count(t, s->n_axes, g->extents[l], g->counters[l]);
    for (unsigned a = 0; a < s->n_axes; a++) {
        const node *n = s->extents[a];
        const int64_t tile = g->by[0][a];
        if (n->kind == INTEGER ? n->c % tile != 0 : tile != 1)
            g->limit = binary(t, AND, g->limit, less(t, parts(t, g, a, 0, LEVELS), n));
    }
}

/* Statements around the loops of a stage. */
typedef struct pieces {
    const node *top;                    /* allocations in front of everything */
    const node *first, *inside[LEVELS]; /* in front of the loops, and in those of a level */
    const node *last;                   /* in those of the first level, after the others */
    bool outside;                       /* a temporary of iterations is allocated outside of them */
} pieces;

/* A new temporary that is used below the loops of |level|; -1: in front of the loops. */
static unsigned allocate(nest *t, pieces *p, int level, unsigned ndim, const node *const *shape)
{
    const unsigned id = new_buffer(t, true, ndim, shape);
    const node *s = make(t, (node){.kind = ALLOCATE, .c = id});
    const bool outside = level < 0 || chance_of(t, 50);
    int64_t size = 1;
    for (unsigned i = 0; i < ndim; i++)
        size *= shape[i]->kind == INTEGER ? shape[i]->c : 0;
    if (outside && size > 0 && t->shared >= 0 && !t->shares) {
        t->shares = true;
        t->buffers[id].memory = t->shared;
        t->shared_size = size > t->shared_size ? size : t->shared_size;
    }
    p->outside = p->outside || (outside && level >= 0);
    *(outside ? &p->top : &p->inside[level]) = then(t, outside ? p->top : p->inside[level], s);
    return id;
}

/* Loops over all elements of a buffer. */
typedef struct filling {
    const node *at[RANK];
    loops loops;
} filling;

static filling fill(nest *t, unsigned id, const node *const *shape)
{
    filling f;
    f.loops = count(t, t->buffers[id].ndim, shape, f.at);
    return f;
}

/* Operand |o| at all axes of the stage, perhaps from a temporary of its positions or elements. */
static const node *emit_operand(nest *t, const tiling *g, const operand *o, pieces *p)
{
    const stage *s = g->s;
    const node *at[RANK], *base[RANK], *rest[RANK], *shape[RANK], *begin[RANK];
    const int level = (int)below(t, 3) - 1; /* of the temporary */
    bool cached = chance_of(t, 60), elements = level >= 0 && chance_of(t, 40);
    for (unsigned i = 0; i < o->ndim; i++) {
        const node *total = integer(t, 0), *outer = total, *inner = total, *most = integer(t, 1);
        int64_t length = 1;
        for (unsigned a = 0; a < s->n_axes; a++) {
            const unsigned from = (unsigned)(level + 1);
            total = add(t, total, times(t, o->by[i][a], parts(t, g, a, 0, LEVELS)));
            outer = add(t, outer, times(t, o->by[i][a], parts(t, g, a, 0, from)));
            inner = add(t, inner, times(t, o->by[i][a], parts(t, g, a, from, LEVELS)));
            most = add(t, most, times(t, o->by[i][a], s->extents[a]));
            cached = cached && (level < 0 || !o->by[i][a] || g->covered[level][a]);
            length += level < 0 ? 0 : o->by[i][a] * (g->covered[level][a] - 1);
        }
        elements = elements && !o->digit[i];
        at[i] = total;
        base[i] = level < 0 ? integer(t, 0) : outer;
        rest[i] = level < 0 ? total : inner;
        shape[i] = level < 0 ? most : integer(t, length);
        begin[i] = base[i];
        if (o->bordered[i]) {
            elements = elements && o->dilation[i] == 1;
            begin[i] = binary(t, MAXIMUM, binary(t, SUBTRACT, base[i], integer(t, o->before[i])),
                              integer(t, 0));
        }
    }
    if (!cached)
        return read_at(t, o, at, NULL, NULL);
    const unsigned id = allocate(t, p, level, o->ndim, shape);
    filling f = fill(t, id, shape);
    const node *limit = NULL, *from[RANK];
    for (unsigned i = 0; i < o->ndim; i++) {
        from[i] = add(t, elements ? begin[i] : base[i], f.at[i]);
        const node *end =
            o->digit[i] ? integer(t, o->positions[i]) : t->buffers[o->buffer].shape[i];
        if (elements || !o->bordered[i])
            limit = binary(t, AND, limit, less(t, from[i], end));
    }
    const node *copy =
        elements ? access(t, o->buffer, from, NULL) : read_at(t, o, from, NULL, NULL);
    copy = where(t, limit, access(t, id, f.at, copy));
    mark_inner(t, &f.loops, true);
    copy = around(t, &f.loops, copy);
    const node **to = level < 0 ? &p->first : &p->inside[level];
    *to = then(t, *to, copy);
    return elements ? read_at(t, o, at, &id, begin) : access(t, id, rest, NULL);
}

/* The statements that compute the stage. */
static const node *emit_stage(nest *t, const stage *s)
{
    tiling g;
    pieces p = {0};
    const node *at[AXES], *inner[AXES], *shape[RANK], *term = NULL;
    const bool reduces = s->n_axes > s->n_space, local = chance_of(t, 40);
    const node *initial = make(t, (node){.kind = NUMBER, .c = s->reduce == PLUS ? 0 : -400});
    choose_tiles(t, s, &g);
    for (unsigned a = 0; a < s->n_axes; a++) {
        at[a] = parts(t, &g, a, 0, LEVELS);
        inner[a] = parts(t, &g, a, 1, LEVELS);
        if (a < s->n_space)
            shape[a] = local ? integer(t, g.covered[0][a]) : s->extents[a];
    }
    const unsigned id = local ? allocate(t, &p, 0, s->n_space, shape) : s->result;
    const node *const *to = local ? inner : at;
    if (reduces) { /* where the results begin */
        const bool whole = !local && chance_of(t, 50);
        const node *tile[RANK], *all[RANK], *limit = NULL;
        for (unsigned a = 0; a < s->n_space; a++)
            tile[a] = whole ? s->extents[a] : integer(t, g.covered[0][a]);
        filling f = fill(t, id, tile);
        for (unsigned a = 0; a < s->n_space; a++) {
            all[a] = local || whole ? f.at[a] : add(t, parts(t, &g, a, 0, 1), f.at[a]);
            if (!local && !whole)
                limit = binary(t, AND, limit, less(t, all[a], s->extents[a]));
        }
        mark_inner(t, &f.loops, true);
        const node *store = around(t, &f.loops, where(t, limit, access(t, id, all, initial)));
        const node **place = whole ? &p.first : &p.inside[0];
        *place = then(t, *place, store);
    }
    for (unsigned k = 0; k < s->n_operands; k++) {
        const node *x = emit_operand(t, &g, &s->operands[k], &p);
        term = term ? binary(t, s->join, term, x) : x;
    }
    if (reduces)
        term = binary(t, s->reduce, access(t, id, to, NULL), term);
    if (local) { /* what a tile holds goes to the result */
        filling f = fill(t, id, shape);
        const node *all[RANK], *limit = NULL;
        for (unsigned a = 0; a < s->n_space; a++) {
            all[a] = add(t, parts(t, &g, a, 0, 1), f.at[a]);
            limit = binary(t, AND, limit, less(t, all[a], s->extents[a]));
        }
        mark_inner(t, &f.loops, true);
        p.last = around(t, &f.loops,
                        where(t, limit, access(t, s->result, all, access(t, id, f.at, NULL))));
    }
    if (g.loops[0].n && !p.outside && chance_of(t, 30))
        g.loops[0].how[0] = PARALLEL;
    if (!g.limit)
        mark_inner(t, &g.loops[2], !reduces);
    const node *body = around(t, &g.loops[2], where(t, g.limit, access(t, id, to, term)));
    body = around(t, &g.loops[1], then(t, p.inside[1], body));
    body = around(t, &g.loops[0], then(t, then(t, p.inside[0], body), p.last));
    return then(t, then(t, p.top, p.first), body);
}

static const node *some_extent(nest *t)
{
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 6, 8, 12};
    return chance_of(t, 35) ? make(t, (node){.kind = SYMBOL, .c = below(t, 2)})
                            : integer(t, sizes[below(t, 8)]);
}

/* What lies outside of an image: mostly 0. */
static int64_t some_number(nest *t)
{
    return chance_of(t, 70) ? 0 : (int64_t)below(t, 9) - 4;
}

/* Another operand, a new argument, of some of the axes and of |always|. */
static void add_operand(nest *t, stage *s, unsigned always)
{
    operand o = {.ndim = 0};
    const node *shape[RANK];
    for (unsigned a = s->n_axes; a-- > 0 && o.ndim < RANK;) {
        if (a != always && (chance_of(t, 40) || (a > always && o.ndim + 1 == RANK)))
            continue;
        o.by[o.ndim][a] = 1;
        o.bordered[o.ndim] = a != always && chance_of(t, 15);
        o.dilation[o.ndim] = 1 + below(t, 2);
        o.before[o.ndim] = below(t, 3);
        shape[o.ndim] = o.bordered[o.ndim] ? some_extent(t) : s->extents[a];
        if (!o.bordered[o.ndim] && s->extents[a]->kind == INTEGER && chance_of(t, 25)) {
            const int64_t n = s->extents[a]->c, by = 1 + below(t, 6);
            o.digit[o.ndim] = chance_of(t, 50) ? by : -by;
            o.positions[o.ndim] = n;
            shape[o.ndim] = integer(t, o.digit[o.ndim] > 0 ? (n + by - 1) / by : by);
        }
        o.ndim++;
    }
    o.outside = some_number(t);
    o.buffer = new_buffer(t, false, o.ndim, shape);
    t->n_args++;
    s->operands[s->n_operands++] = o;
}

/* A stage whose first operand is |source|: each dimension is an axis, one of them perhaps reduced,
 * or the middle of a window. */
static stage choose_stage(nest *t, unsigned source)
{
    const buffer *from = &t->buffers[source];
    stage s = {.reduce = chance_of(t, 70) ? PLUS : LARGER};
    operand o = {.buffer = source, .ndim = from->ndim};
    const unsigned special = below(t, from->ndim), what = below(t, 3);
    const bool reduced = what == 1 && from->ndim > 1, more = from->ndim < RANK && chance_of(t, 40);
    static const kind joins[] = {TIMES, TIMES, PLUS, LARGER};
    s.join = joins[below(t, 4)];
    unsigned axis_of[RANK];
    for (unsigned i = 0; i < from->ndim; i++) { /* in a random order */
        if (reduced && i == special)
            continue;
        const unsigned k = chance_of(t, 60) ? s.n_space : below(t, s.n_space + 1);
        for (unsigned j = 0; j < i; j++)
            axis_of[j] += !(reduced && j == special) && axis_of[j] >= k;
        memmove(&s.extents[k + 1], &s.extents[k], (s.n_space - k) * sizeof *s.extents);
        s.extents[k] = from->shape[i];
        axis_of[i] = k;
        s.n_space++;
    }
    if (more)
        s.extents[s.n_space++] = some_extent(t);
    s.n_axes = s.n_space;
    if (reduced) {
        axis_of[special] = s.n_axes;
        s.extents[s.n_axes++] = from->shape[special];
    }
    for (unsigned i = 0; i < from->ndim; i++)
        o.by[i][axis_of[i]] = 1;
    if (what == 2) { /* a window */
        o.by[special][axis_of[special]] = 1 + below(t, 2);
        o.by[special][s.n_axes] = 1 + below(t, 2);
        s.extents[s.n_axes++] = integer(t, 2 + below(t, 2));
        o.bordered[special] = true;
        o.dilation[special] = 1 + below(t, 2);
        o.before[special] = below(t, 4);
        o.outside = some_number(t);
    }
    s.operands[s.n_operands++] = o;
    if (more || chance_of(t, 50))
        add_operand(t, &s, more ? s.n_space - 1 : s.n_axes - 1);
    s.result = new_buffer(t, true, s.n_space, s.extents);
    return s;
}

/* --- changes ---------------------------------------------------------------------------------- */

/* Loops that set all elements of buffer |id| to 0. */
static const node *set_zero(nest *t, unsigned id)
{
    const node *at[RANK];
    const buffer *b = &t->buffers[id];
    loops l = {.n = b->ndim};
    for (unsigned i = 0; i < b->ndim; i++) {
        l.vars[i] = new_var(t);
        l.extents[i] = b->shape[i];
        at[i] = make(t, (node){.kind = VARIABLE, .c = l.vars[i]});
    }
    return around(t, &l, access(t, id, at, make(t, (node){.kind = NUMBER})));
}

static bool allocates(const node *n)
{
    return n->kind == ALLOCATE || (n->kind == PAIR && (allocates(n->a) || allocates(n->b))) ||
           ((n->kind == FOR || n->kind == IF) && allocates(n->b));
}

/* One change of statement |n| that keeps its accesses within bounds. */
static void change(nest *t, node *n)
{
    const bool keeps = n->kind == PAIR && !allocates(n->a) && !allocates(n->b);
    const unsigned what = below(t, 4);
    if (what == 0 && n->kind != PAIR) { /* again */
        const node *same = make(t, *n);
        *n = (node){.kind = FOR, .c = new_var(t), .a = integer(t, 2), .b = same};
    } else if (n->kind == FOR && n->a->kind == INTEGER && n->a->c > 1) { /* without the last */
        n->a = integer(t, n->a->c - 1);
    } else if (n->kind == STORE) { /* added to what was there */
        node load = *n;
        load.kind = LOAD;
        load.e = NULL;
        n->e = binary(t, PLUS, make(t, load), n->e);
    } else if (keeps && what < 2) { /* in the other order */
        const node *first = n->a;
        n->a = n->b;
        n->b = first;
    } else if (keeps) { /* without one */
        *n = what == 2 ? *n->a : *n->b;
    }
}

/* Makes the function compute something else, which a schedule would not: iterations read what
 * earlier ones left, temporaries keep old elements. All elements begin with 0. */
static void change_some(nest *t, unsigned result)
{
    const unsigned n = t->n_nodes, times = 1 + below(t, 3);
    for (unsigned i = 0; i < n && !t->full; i++) {
        node *s = &t->nodes[i];
        if (s->kind == FOR && s->how != UNROLLED)
            s->how = SERIAL; /* lanes and threads have no order */
        if (s->kind != ALLOCATE)
            continue;
        const node *same = make(t, *s);
        *s = (node){.kind = PAIR, .a = same, .b = set_zero(t, (unsigned)same->c)};
    }
    for (unsigned k = 0, tries = 0; k < times && tries < 400 && !t->full; tries++) {
        node *s = &t->nodes[below(t, n)];
        if (s->kind != FOR && s->kind != STORE && s->kind != PAIR)
            continue;
        change(t, s);
        k++;
    }
    t->body = then(t, set_zero(t, result), t->body);
}

nest *nest_build(uint64_t seed)
{
    nest *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    t->rng = seed;
    t->flat = chance_of(t, 40);
    t->shared = -1;
    const node *shape[RANK];
    const unsigned ndim = 1 + below(t, RANK), n = 1 + below(t, STAGES);
    for (unsigned i = 0; i < ndim; i++)
        shape[i] = some_extent(t);
    unsigned source = new_buffer(t, false, ndim, shape);
    t->n_args = 1;
    if (t->flat && chance_of(t, 50)) {
        const node *size = make(t, (node){.kind = INTEGER});
        t->shared = (int)new_buffer(t, true, 1, &size);
        t->body = make(t, (node){.kind = ALLOCATE, .c = t->shared});
    }
    for (unsigned k = 0; k < n; k++) {
        t->shares = false;
        const stage s = choose_stage(t, source);
        if (k + 1 < n)
            t->body = then(t, t->body, make(t, (node){.kind = ALLOCATE, .c = s.result}));
        else
            t->buffers[s.result].temporary = false;
        t->body = then(t, t->body, emit_stage(t, &s));
        source = s.result;
    }
    if (t->shared >= 0)
        t->buffers[t->shared].shape[0] = integer(t, t->shared_size);
    if (chance_of(t, 50))
        change_some(t, source);
    return t;
}
