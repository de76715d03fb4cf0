/* From a model's bytes to a module: unpacking, initializers, the walk over the nodes.
 *
 * Each node is a line of a listing that is registered as a source file, so that diagnostics and the
 * debug section show the node. Nodes are put in topological order first (order.h). Users of a
 * failed node's outputs are skipped without further errors. */
#include "compiler/onnx/import.h"

#include "compiler/base/options.h"
#include "compiler/onnx/model.h"

#include <stdio.h>
#include <string.h>

#include "compiler/onnx/graph.h"
#include "compiler/onnx/object.h"
#include "compiler/onnx/raw.h"
#include "compiler/onnx/schema.h"

enum { NAME_SHOWN = 60, MAX_LISTED = 1000, MAX_BODY_PARTS = 100000 };

/* --- memory of unpacked messages -------------------------------------------------------------- */

static void *arena_alloc(void *user, size_t size)
{
    return rlxc_try_alloc(user, size ? size : 1, 1);
}

static void arena_free(void *user, void *pointer)
{
    (void)user;
    (void)pointer;
}

ProtobufCAllocator rlxc_ox_allocator(rlxc_context *ctx)
{
    return (ProtobufCAllocator){arena_alloc, arena_free, ctx};
}

/* --- names ------------------------------------------------------------------------------------ */

void rlxc_ox_define(rlxc_ox *im, const char *name, rlxc_ox_value *value)
{
    const char *key = rlxc_intern_cstr(im->ctx, name);
    if (value->kind == RLXC_OX_TENSOR && value->atom.kind == RLXC_ATOM_VAR)
        value->atom = rlxc_ox_shaped(im, value->atom);
    if (value->atom.kind == RLXC_ATOM_VAR && !value->atom.var->given)
        value->atom.var->given = key;
    rlxc_map_set(im->ctx, &im->scope->values, rlxc_key(key), value);
}

static const rlxc_expr *inner_symbol(rlxc_ox *im, rlxc_ox_frame *frame, const rlxc_expr *symbol)
{
    for (uint32_t i = 0; i < frame->outer_symbols.count; i++)
        if (frame->outer_symbols.items[i] == symbol)
            return frame->inner_symbols.items[i];
    const rlxc_expr *inner = rlxc_var_like(im->ctx, symbol);
    RLXC_PUSH(im->ctx, &frame->outer_symbols, symbol);
    RLXC_PUSH(im->ctx, &frame->inner_symbols, inner);
    return inner;
}

/* Makes |frame| know the symbols of |vars|. */
static void capture_symbols(rlxc_ox *im, rlxc_ox_frame *frame, const rlxc_var_list *vars)
{
    for (uint32_t i = 0; i < vars->vars.count; i++)
        (void)inner_symbol(im, frame, vars->vars.items[i]);
}

const rlxc_sinfo *rlxc_ox_inner_sinfo(rlxc_ox *im, rlxc_ox_frame *frame, const rlxc_sinfo *s)
{
    rlxc_var_list vars = {0};
    rlxc_sinfo_collect_vars(im->ctx, s, &vars);
    capture_symbols(im, frame, &vars);
    return rlxc_sinfo_substitute(im->ctx, s, frame->outer_symbols.items, frame->inner_symbols.items,
                                 frame->outer_symbols.count);
}

const rlxc_expr *rlxc_ox_inner_expr(rlxc_ox *im, rlxc_ox_frame *frame, const rlxc_expr *e)
{
    rlxc_var_list vars = {0};
    rlxc_collect_vars(im->ctx, e, &vars);
    capture_symbols(im, frame, &vars);
    return rlxc_substitute(im->ctx, e, frame->outer_symbols.items, frame->inner_symbols.items,
                           frame->outer_symbols.count);
}

rlxc_ox_value *rlxc_ox_capture(rlxc_ox *im, rlxc_ox_frame *frame, rlxc_ox_value *value)
{
    rlxc_context *ctx = im->ctx;
    if (value->kind == RLXC_OX_ABSENT || value->kind == RLXC_OX_FAILED ||
        (value->kind == RLXC_OX_TENSOR && value->atom.kind == RLXC_ATOM_CONSTANT))
        return value;
    rlxc_ox_value *inner = rlxc_map_get(&frame->captured, rlxc_key(value));
    if (inner)
        return inner;
    inner = rlxc_copy(ctx, value, sizeof *value);
    if (value->kind == RLXC_OX_SEQUENCE) {
        rlxc_ox_value **items = rlxc_alloc(ctx, (value->n_items + 1) * sizeof *items);
        for (uint32_t i = 0; i < value->n_items; i++)
            items[i] = rlxc_ox_capture(im, frame, value->items[i]);
        inner->items = items;
    }
    if (value->elems) {
        const rlxc_expr **elems = rlxc_alloc(ctx, (value->n_elems + 1) * sizeof(const rlxc_expr *));
        for (uint32_t i = 0; i < value->n_elems; i++)
            elems[i] = rlxc_ox_inner_expr(im, frame, value->elems[i]);
        inner->elems = elems;
    }
    if (value->atom.kind == RLXC_ATOM_VAR) {
        const rlxc_sinfo *s = rlxc_ox_inner_sinfo(im, frame, value->atom.var->sinfo);
        rlxc_rvar *param = rlxc_rvar_new(ctx, frame->b.function, value->atom.var->name, s);
        param->given = value->atom.var->given;
        inner->atom = rlxc_atom_var(param);
        RLXC_PUSH(ctx, &frame->captures, value);
        RLXC_PUSH(ctx, &frame->capture_params, param);
    }
    rlxc_map_set(ctx, &frame->captured, rlxc_key(value), inner);
    return inner;
}

/* |value| of |from|, as |frame| (inside of it) sees it. */
static rlxc_ox_value *bring_in(rlxc_ox *im, rlxc_ox_frame *frame, rlxc_ox_frame *from,
                               rlxc_ox_value *value)
{
    rlxc_ox_frame *chain[RLXC_OX_MAX_DEPTH + 2];
    uint32_t n = 0;
    for (; frame != from && frame && n < RLXC_OX_MAX_DEPTH + 2; frame = frame->outer)
        chain[n++] = frame;
    while (n > 0)
        value = rlxc_ox_capture(im, chain[--n], value);
    return value;
}

rlxc_ox_value *rlxc_ox_lookup(rlxc_ox *im, const char *name)
{
    uint64_t key = rlxc_key(rlxc_intern_cstr(im->ctx, name));
    for (rlxc_ox_scope *s = im->scope; s; s = s->outer) {
        rlxc_ox_value *found = rlxc_map_get(&s->values, key);
        if (found)
            return s->frame == im->frame ? found : bring_in(im, im->frame, s->frame, found);
    }
    return NULL;
}

/* --- blocks ----------------------------------------------------------------------------------- */

void rlxc_ox_begin_block(rlxc_ox *im, bool dataflow)
{
    rlxc_builder *b = &im->frame->b;
    if (b->block && b->block->is_dataflow == dataflow)
        return;
    b->block = rlxc_block_new(im->ctx, dataflow);
    rlxc_body_push(im->ctx, im->frame->body, b->block);
}

typedef struct use_walk {
    const rlxc_binding_block **made_in; /* by variable */
    const rlxc_binding_block *here;
} use_walk;

static void use_atom(void *user, rlxc_atom atom)
{
    const use_walk *w = user;
    if (atom.kind == RLXC_ATOM_VAR && w->made_in[atom.var->id] != w->here)
        atom.var->is_dataflow = false;
}

static void walk_body(use_walk *w, const rlxc_body *body, bool note)
{
    for (uint32_t i = 0; i < body->n_blocks; i++)
        for (uint32_t k = 0; k < body->blocks[i]->n; k++) {
            const rlxc_binding *b = body->blocks[i]->bindings[k];
            w->here = body->blocks[i];
            if (note)
                w->made_in[b->var->id] = w->here;
            for (uint32_t a = 0; a < b->n_args && !note; a++)
                rlxc_atom_visit(b->args[a], use_atom, w);
            if (b->then)
                walk_body(w, b->then, note);
            if (b->otherwise)
                walk_body(w, b->otherwise, note);
        }
    w->here = NULL;
    if (!note)
        rlxc_atom_visit(body->result, use_atom, w);
}

/* Variables used outside their dataflow block become its outputs. */
void rlxc_ox_finish_function(rlxc_ox *im, rlxc_function *f)
{
    use_walk w = {rlxc_try_alloc(im->ctx, f->n_vars + 1, sizeof(void *)), NULL};
    if (!w.made_in)
        return;
    walk_body(&w, &f->body, true);
    walk_body(&w, &f->body, false);
}

void rlxc_ox_push_frame(rlxc_ox *im, rlxc_ox_frame *frame, rlxc_ox_scope *scope, const char *name)
{
    rlxc_function *f = rlxc_alloc(im->ctx, sizeof *f);
    f->name = rlxc_intern_cstr(im->ctx, name);
    f->is_pure = true;
    f->is_private = im->frame != NULL;
    *frame = (rlxc_ox_frame){.outer = im->frame, .body = &f->body};
    frame->b = (rlxc_builder){.ctx = im->ctx, .module = im->module, .function = f};
    if (im->frame)
        frame->b.range = im->frame->b.range;
    f->range = frame->b.range;
    *scope = (rlxc_ox_scope){.outer = im->scope, .frame = frame};
    im->frame = frame;
    im->scope = scope;
    rlxc_ox_begin_block(im, true);
}

void rlxc_ox_pop_frame(rlxc_ox *im)
{
    im->scope = im->scope->outer;
    im->frame = im->frame->outer;
}

/* --- nodes ------------------------------------------------------------------------------------ */

bool rlxc_ox_count_parts(rlxc_ox *im, size_t n)
{
    if (im->depth < 2)
        return true;
    im->n_imported = n < MAX_BODY_PARTS ? im->n_imported + (uint32_t)n : MAX_BODY_PARTS + 1;
    if (im->n_imported <= MAX_BODY_PARTS)
        return true;
    im->n_imported = MAX_BODY_PARTS + 1;
    rlxc_ox_fail(im, "the bodies of nested loops and functions have too many nodes");
    return false;
}

static void run_node(rlxc_ox *im, const Onnx__NodeProto *node)
{
    const char *domain = node->domain ? node->domain : "";
    const char *op = node->op_type ? node->op_type : "";
    if (node->n_input > RLXC_OX_MAX_NAMES || node->n_output > RLXC_OX_MAX_NAMES) {
        rlxc_ox_fail(im, "%zu inputs and %zu outputs; at most %d are supported", node->n_input,
                     node->n_output, RLXC_OX_MAX_NAMES);
        return;
    }
    for (size_t i = 0; i < node->n_input; i++) {
        if (!node->input[i] || !*node->input[i])
            continue;
        const rlxc_ox_value *v = rlxc_ox_lookup(im, node->input[i]);
        if (!v) {
            rlxc_ox_fail(im, "no node produces input '%s'", node->input[i]);
            return;
        }
        if (v->kind == RLXC_OX_FAILED) {
            im->failed = true;
            return;
        }
    }
    for (size_t i = 0; i < node->n_attribute; i++)
        if (node->attribute[i]->ref_attr_name && *node->attribute[i]->ref_attr_name) {
            rlxc_ox_fail(im, "attribute %.100s refers to a function attribute outside a function",
                         node->attribute[i]->ref_attr_name);
            return;
        }
    bool known;
    const rlxc_ox_row *row = rlxc_ox_find_row(domain, op, &known);
    const Onnx__FunctionProto *f = row ? NULL : rlxc_ox_find_function(im, domain, op);
    if (row) {
        if (rlxc_ox_check_types(im))
            rlxc_ox_run_row(im, row);
    } else if (f)
        rlxc_ox_call_function(im, f);
    else if (known)
        rlxc_ox_fail(im, "the operator is not supported");
    else
        rlxc_ox_fail(im, "operators of domain '%s' are not supported", domain);
}

void rlxc_ox_poison(rlxc_ox *im)
{
    for (size_t k = 0; k < im->node->n_output; k++)
        if (rlxc_ox_wants(im, (uint32_t)k)) {
            rlxc_ox_value *poison = rlxc_alloc(im->ctx, sizeof *poison);
            poison->kind = RLXC_OX_FAILED;
            rlxc_ox_define(im, im->node->output[k], poison);
        }
}

/* True if the current node, once imported, left an output unset. */
static bool lacks_output(rlxc_ox *im)
{
    for (size_t k = 0; k < im->node->n_output; k++)
        if (rlxc_ox_wants(im, (uint32_t)k) && !rlxc_ox_lookup(im, im->node->output[k])) {
            rlxc_ox_fail(im, "output %zu is not supported", k);
            return true;
        }
    return false;
}

/* True if nodes remain to be imported. */
static bool goes_on(const rlxc_ox *im, uint32_t errors)
{
    bool again = im->trying || im->n_splits > 0;
    return !rlxc_out_of_memory(im->ctx) && !(again && im->n_again >= RLXC_OX_MAX_AGAIN) &&
           !(im->trying && rlxc_error_count(im->ctx) > errors);
}

void rlxc_ox_import_nodes(rlxc_ox *im, const Onnx__GraphProto *g, size_t first, size_t end)
{
    const Onnx__NodeProto *node = im->node;
    rlxc_ox_rest rest = {.graph = g, .next = first, .end = end}, *outer = im->rest;
    rlxc_range range = im->frame->b.range;
    uint32_t errors = rlxc_error_count(im->ctx);
    im->rest = &rest;
    while (rest.next < end && goes_on(im, errors)) {
        size_t next = rest.next + 1;
        im->node = g->node[rest.next];
        rest.next = next;
        im->frame->b.range = rlxc_ox_range_of(im, im->node);
        im->errors = rlxc_error_count(im->ctx);
        im->failed = false;
        im->n_again += im->trying || im->n_splits > 0;
        if (rlxc_ox_count_parts(im, 1))
            run_node(im, im->node);
        bool failed = im->failed || rlxc_error_count(im->ctx) > im->errors;
        if (failed && !im->trying && !rlxc_failed(im->ctx))
            rlxc_internal(im->ctx, im->frame->b.range, "ONNX import",
                          "a node failed without a message");
        failed = failed || (rest.next == next && lacks_output(im));
        if (!failed && rest.next == next)
            rlxc_ox_check_declared(im);
        failed = failed || im->failed;
        if (failed)
            rlxc_ox_poison(im);
        im->n_failed += failed;
    }
    im->rest = outer;
    im->node = node;
    im->frame->b.range = range;
    im->errors = rlxc_error_count(im->ctx);
    im->failed = false;
}

static void note_weight(rlxc_ox *im, rlxc_constant *c)
{
    if (!im->weights.lift || im->depth != 1 || !c->name || !rlxc_dtype_is_float(c->dtype) ||
        c->dtype.bits < 16 || c->nbytes <= c->dtype.bits / 8u)
        return;
    RLXC_PUSH(im->ctx, &im->weights.all, c);
    rlxc_map_set(im->ctx, &im->weights.in, rlxc_key(c), c);
}

bool rlxc_ox_begin_graph(rlxc_ox *im, const Onnx__GraphProto *g)
{
    if (++im->depth > RLXC_OX_MAX_DEPTH) {
        rlxc_ox_fail(im, "graphs are nested too deeply");
        return false;
    }
    if (!rlxc_ox_count_parts(im, g->n_initializer) ||
        !rlxc_ox_count_parts(im, g->n_sparse_initializer) || !rlxc_ox_count_parts(im, g->n_output))
        return false;
    rlxc_ox_note_declared(im, g);
    for (size_t i = 0; i < g->n_initializer; i++) {
        const Onnx__TensorProto *t = g->initializer[i];
        if (!t->name || !*t->name)
            continue;
        rlxc_ox_value *v = rlxc_alloc(im->ctx, sizeof *v);
        bool was = im->failed;
        im->failed = false;
        rlxc_constant *c = rlxc_ox_constant(
            im, t, rlxc_internf(im->ctx, "initializer '%.*s'", NAME_SHOWN, t->name));
        if (c) {
            *v = (rlxc_ox_value){
                .kind = RLXC_OX_TENSOR, .atom = rlxc_atom_constant(c), .is_declared = true};
            note_weight(im, c);
        } else {
            v->kind = RLXC_OX_FAILED;
        }
        rlxc_ox_define(im, t->name, v);
        im->failed = was;
    }
    for (size_t i = 0; i < g->n_sparse_initializer; i++) {
        const Onnx__SparseTensorProto *t = g->sparse_initializer[i];
        const char *name = t->values && t->values->name ? t->values->name : "";
        bool was = im->failed;
        im->failed = false;
        rlxc_ox_value *v = rlxc_alloc(im->ctx, sizeof *v);
        const rlxc_constant *c = rlxc_ox_sparse_constant(
            im, t, rlxc_internf(im->ctx, "sparse initializer '%.*s'", NAME_SHOWN, name));
        v->kind = c ? RLXC_OX_TENSOR : RLXC_OX_FAILED;
        v->atom = c ? rlxc_atom_constant(c) : v->atom;
        if (*name)
            rlxc_ox_define(im, name, v);
        im->failed = was;
    }
    return true;
}

void rlxc_ox_end_graph(rlxc_ox *im)
{
    im->depth--;
}

/* --- the model -------------------------------------------------------------------------------- */

static void import_model(rlxc_ox *im)
{
    const Onnx__GraphProto *g = im->model->graph;
    rlxc_ox_frame frame;
    rlxc_ox_scope scope;
    rlxc_ox_push_frame(im, &frame, &scope, "main");
    im->frame->b.range = (rlxc_range){im->file, 1, 1, 1, 2};
    if (rlxc_ox_begin_graph(im, g)) {
        rlxc_ox_add_params(im, g);
        rlxc_ox_import_nodes(im, g, 0, g->n_node);
        rlxc_ox_add_result(im, g);
        rlxc_ox_end_graph(im);
    }
    rlxc_ox_finish_function(im, frame.b.function);
    rlxc_module_add_relax(im->ctx, im->module, frame.b.function, true);
    rlxc_ox_pop_frame(im);
}

static const char *folder_of(rlxc_context *ctx, const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash ? "." : slash == path ? "/" : rlxc_intern(ctx, path, (size_t)(slash - path));
}

rlxc_module *rlxc_import_onnx(rlxc_context *ctx, const char *path, const void *bytes, size_t length,
                              bool lift)
{
    rlxc_ox im = {.ctx = ctx, .folder = folder_of(ctx, path), .opset = 1};
    ProtobufCAllocator allocator = rlxc_ox_allocator(ctx);
    rlxc_ox_raw raw;
    const char *wrong = rlxc_ox_cut_raw(ctx, &onnx__model_proto__descriptor, bytes, length, &raw);
    Onnx__ModelProto *model =
        wrong || !raw.skeleton
            ? NULL
            : onnx__model_proto__unpack(&allocator, raw.skeleton_size, raw.skeleton);
    if (raw.skeleton)
        rlx_free(NULL, raw.skeleton, raw.skeleton_size + 1, 1);
    if (!model || !model->graph) {
        if (!rlxc_out_of_memory(ctx))
            rlxc_error(ctx, (rlxc_range){0}, "%s: not an ONNX model: %s", path,
                       wrong    ? wrong
                       : !model ? "the message cannot be read"
                                : "it has no graph");
        return NULL;
    }
    im.model = model;
    im.raw = &raw;
    im.weights.lift = lift;
    for (size_t i = 0; i < model->n_opset_import; i++) {
        const Onnx__OperatorSetIdProto *o = model->opset_import[i];
        if (!o->domain || !*o->domain || strcmp(o->domain, "ai.onnx") == 0)
            im.opset = o->version;
    }
    im.path = path;
    rlxc_ox_list(&im);
    im.module = rlxc_module_new(ctx);
    rlxc_keep_errors(ctx, MAX_LISTED); /* every node that cannot be imported */
    if (rlxc_ox_validate(&im) && rlxc_ox_order(&im))
        import_model(&im);
    if (im.n_rounded > 0 && im.n_rounded == im.n_dequantized)
        im.module->attrs = rlxc_attrs_with(
            ctx, im.module->attrs, rlxc_intern_cstr(ctx, RLXC_MODULE_ROW_BITS), rlxc_attr_int(8));
    for (uint32_t i = 0; i < im.weights.all.count; i++)
        if (rlxc_map_get(&im.weights.in, rlxc_key(im.weights.all.items[i])))
            im.weights.all.items[i]->lifted = true;
    return rlxc_failed(ctx) ? NULL : im.module;
}
