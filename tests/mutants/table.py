"""The mutants of run.py: file, text, replacement, outcome, and for a harmless one the reason."""
import collections

ROWS = []
Row = collections.namedtuple("Row", "file text put expect why")


def mutants(file, *rows):
    for text, put, expect, *why in rows:
        ROWS.append(Row("compiler/" + file, text, put, expect, why[0] if why else ""))


mutants(
    "passes/plan_memory.c",
    ("           !p->lifetime[b->var->id].escapes && t &&", "           t &&", "plan"),
    ("if (!s || s->tenant != root ||", "if (!s ||", "same",
     "whoever took the storage did so in the call that the operand died in, which the check of its last read refuses"),
    (" || s->device != device ||\n            !fits", " ||\n            !fits", "plan"),
    (" || p->lifetime[root->id].aliases != p->reshapes[root->id] ||", " ||", "plan"),
    ("            p->lifetime[root->id].memory != u->position ||", "           ", "plan"),
    (" ||\n            !fits(p, size, s->size))", ")", "same",
     "an operand whose elements may be overwritten has the result's dimensions and element size"),
    ("!rlxc_may_overwrite(p->ctx, f, i, out))", "false)", "plan"),
    ("    for (uint32_t i = 0; i < call->n_args; i++)\n        if (call->args[i].kind == RLXC_ATOM_VAR && call->args[i].var->id < p->n_vars &&",
     "    for (uint32_t i = 0; i < 1; i++)\n        if (call->args[i].kind == RLXC_ATOM_VAR && call->args[i].var->id < p->n_vars &&", "plan"),
    ("if (k == level || !is_overwritable", "if (!is_overwritable", "plan"),
    ("        rlxc_prim_func_may_alias(p->ctx, g->prim);\n", "", "other",
     "the plan verifier takes tir.noalias from each PrimFunc that it finds in place: attributes stand in another order"),
    ("if (last <= span_of(p, scope->branch_of)->end[scope->side])", "if (last <= span_of(p, scope->branch_of)->end[scope->side] + 1)", "other",
     "what outlives a branch by one position is the result of an IF that nobody reads"),
    ("        level--;\n", "        break;\n", "plan"),
    ("    if (leaves && !is_known_before(p, size, level))\n        return;\n", "", "compiler"),
    ("s->first <= branches->begin[0] || s->latest > branches->end[0] ||\n                s->device != device", "s->device != device", "plan"),
    ("s->first <= branches->begin[0] || ", "", "plan"),
    (" || s->latest > branches->end[0] ||", " ||", "plan"),
    ("            if (fits(p, size, s->size))\n                return s;\n            if (fits(p, s->size, size)) {\n                s->size = size;",
     "            if (true)\n                return s;\n            if (fits(p, s->size, size)) {\n                s->size = size;", "plan"),
    ("                s->size = size;\n                return s;", "                return s;", "plan"),
    ("    s->latest = position;\n", "", "plan"),
    ("    s->tenant = b->var;\n", "", "other", "no result takes over a storage: more memory"),
    ("if (p->root[source->id] != source || p->lifetime[b->var->id].aliases > 0)", "if (p->root[source->id] != source)", "plan"),
    ("if (p->root[source->id] != source || p->lifetime", "if (p->lifetime", "same",
     "a reshape of a reshape then counts for that one, which has no storage to be taken over"),
    ("atom.var->id < p->n_vars && !p->first_use[atom.var->id].found)", "atom.var->id < p->n_vars)", "plan"),
    ("    p->root[b->var->id] = source;\n", "", "plan"),
    ("(int64_t)rlx_dtype_size(t->dtype));\n    return rlxc_canonical", "1);\n    return rlxc_canonical", "plan"),
    ("    storage *s = leaves ? pair(p, size, device, home) : NULL;", "    storage *s = pair(p, size, device, home);", "same",
     "what stays in its branch has its own binding as its home, before which no storage is made yet"),
    ("{rlxc_atom_var(p->of[id]->var), rlxc_atom_prim(rlxc_i64(p->ctx, 0)),", "{rlxc_atom_var(p->of[id]->var), rlxc_atom_prim(rlxc_i64(p->ctx, 64)),", "plan"),
    (" ||\n                s->device != device)", ")", "plan"),
    ("device = rlxc_vdevice_index(p->module, b->var->sinfo->vdevice);", "device = -1;", "plan"),
)
mutants(
    "passes/lower_call_tir.c",
    ("device = rlxc_vdevice_index(b->module, out->vdevice);", "device = -1;", "plan"),
)
mutants(
    "analysis/alias.c",
    ("sinfo->kind != RLXC_SINFO_SHAPE &&", "sinfo->kind != RLXC_SINFO_SHAPE && sinfo->kind != RLXC_SINFO_TUPLE &&", "plan"),
    ("            if (b->n_args > 0)\n                visit(user, b->args[0]);\n", "", "results",
     "lower_call_tir copies what call_tir_inplace must not destroy: nothing in the plan says that it had to"),
    ("            visit_args(b, 0, visit, user);\n        }\n        return;", "        }\n        return;", "results",
     "lower_call_tir copies what call_tir_inplace must not destroy: nothing in the plan says that it had to"),
    ("        if (g && g->prim)\n            return;\n    } else if", "    } else if", "same",
     "a PrimFunc's call has no value, which holds no memory"),
    ("        if (rlxc_calls_fresh_builtin(b))\n            return;\n", "", "other", "a result that only seems to share memory lives longer"),
    ("        if (rlxc_calls_fresh_builtin(b))\n            return;\n", "        return;\n", "plan"),
    ("    return row && (row->flags & wanted);", "    return row;", "plan"),
    ("        visit(user, b->callee);\n    }\n    visit_args(b, 0, visit, user);\n}", "    }\n    visit_args(b, 0, visit, user);\n}", "same",
     "lift_functions makes each call of a variable an invoke_closure"),
    ("    case RLXC_FORM_COPY:\n    case", "    case RLXC_FORM_COPY:\n        break;\n    case", "same",
     "copies are read through before memory is planned"),
    ("    case RLXC_FORM_TUPLE_GET:\n", "    case RLXC_FORM_TUPLE_GET:\n        break;\n", "plan"),
    ("    case RLXC_FORM_MATCH_CAST:\n        visit", "        break;\n    case RLXC_FORM_MATCH_CAST:\n        break;\n        visit", "plan"),
    ("    case RLXC_FORM_TUPLE:\n        visit_args(b, 0,", "    case RLXC_FORM_TUPLE:\n        visit_args(b, 1,", "plan"),
    ("        visit(user, b->then->result);\n", "", "plan"),
    ("        visit(user, b->otherwise->result);\n", "", "plan"),
    ("        visit(user, b->callee);\n    visit_args(b, 0, visit, user);\n}\n\nbool rlxc_call_retains", "        (void)0;\n    visit_args(b, 0, visit, user);\n}\n\nbool rlxc_call_retains", "same",
     "lift_functions makes each call of a variable an invoke_closure"),
    ("        visit(user, b->callee);\n    visit_args(b, 0, visit, user);\n}\n\nbool rlxc_call_retains", "        visit(user, b->callee);\n    visit_args(b, 1, visit, user);\n}\n\nbool rlxc_call_retains", "plan"),
    ("        return !rlxc_find_builtin(b->callee.text);\n    if", "        return false;\n    if", "plan"),
    ("            return b->n_args > 0 && b->args[0].kind == RLXC_ATOM_EXTERN &&\n                   !rlxc_find_builtin(b->args[0].text);", "            return false;", "same",
     "lower_call_tir makes R.call_dps_packed a plain call before memory is planned"),
    ("    return module_retains;\n}", "    return false;\n}", "plan"),
    ("        return (b->op->flags & RLXC_OP_CALLS) && module_retains &&", "        return false && module_retains &&", "plan"),
)
mutants(
    "analysis/liveness.c",
    ("    l->retained = branch_of == NULL;\n", "    l->retained = false;\n", "plan"),
    ("|| calls_itself(l, b);", "|| false;", "plan"),
    ("        if (source->memory < derived->memory)\n            source->memory = derived->memory;\n", "", "plan"),
    ("        source->escapes |= derived->escapes;\n", "", "plan"),
    ("    t->read = l->position;\n    t->kept", "    t->kept", "other",
     "an operand is then never read last by a call: no result takes over a storage"),
    ("    rlxc_atom_visit(body->result, read_leaf, l);\n", "", "plan"),
    ("    l->of[atom.var->id].aliases++;\n", "", "plan"),
    ("for (uint32_t i = l.edges.count; i-- > 0;) {", "for (uint32_t i = 0; i < l.edges.count; i++) {", "plan"),
    ("    RLXC_PUSH(l->ctx, &l->edges, (alias_edge){l->edges_to->id, atom.var->id});\n", "", "plan"),
    ("    rlxc_binding_reads(b, read_atom, l);\n", "", "plan"),
    ("    define(l, branch_of);\n", "", "plan"),
    ("        l.of[i].escapes = l.of[i].kept;\n", "", "plan"),
    ("            ++*position;\n            if (walk->joined)", "            if (walk->joined)", "other",
     "the result of an IF that nobody reads then ends with the else branch"),
)
mutants(
    "passes/insert_kill.c",
    ("    else\n        rlxc_alias_sources(k->module, b, hold_atom, k);\n", "", "plan"),
    ("    else if (rlxc_is_op(b, \"memory.alloc_tensor\") && b->n_args > 0)\n        hold_atom(k, b->args[0]);\n", "", "plan"),
    ("        if (!k->of[var->id].in_then)\n            RLXC_PUSH(k->ctx, &then_kills, kill_of(k, var, b->range));\n", "", "plan"),
    ("        if (!k->of[var->id].in_then)\n", "", "plan"),
    ("        RLXC_PUSH(k->ctx, &otherwise_kills, kill_of(k, var, b->range));\n", "", "plan"),
    ("        k.of[f->params[i]->id].is_live = true;\n", "        (void)0;\n", "plan"),
    ("    rlxc_atom_visit(f->body.result, read_leaf, &k);\n    walk_body(&k,", "    walk_body(&k,", "plan"),
    ("        if (h->storage != atom.var)\n            read_leaf(k, rlxc_atom_var(h->storage)); /* holds only itself: stop here */", "        (void)0;", "plan"),
    ("        k->of[newly.items[i]->id].is_live = false;\n", "        (void)0;\n", "plan"),
    ("    rlxc_atom_visit(b->then->result, read_outer_leaf, &outer);\n", "", "plan"),
    ("    rlxc_atom_visit(b->otherwise->result, read_outer_leaf, &outer);\n", "", "plan"),
    ("    rlxc_atom_visit(body->result, read_leaf, k);\n", "", "plan"),
    ("        if (r->k->of[h->storage->id].depth <= r->depth)\n            read_leaf(r->k, rlxc_atom_var(h->storage));", "        (void)0;", "plan"),
    ("        if (k->of[var->id].depth > depth)\n            continue;\n        if (!k->of", "        if (!k->of", "plan"),
    ("        if (k->of[var->id].depth > depth || k->of[var->id].is_live)", "        if (k->of[var->id].depth > depth)", "plan"),
    ("    for (uint32_t i = k->dying.count; i-- > 0;)\n        RLXC_PUSH(k->ctx, out, kill_of(k, k->dying.items[i], b->range));\n    RLXC_PUSH(k->ctx, out, b);",
     "    RLXC_PUSH(k->ctx, out, b);\n    for (uint32_t i = k->dying.count; i-- > 0;)\n        RLXC_PUSH(k->ctx, out, kill_of(k, k->dying.items[i], b->range));", "plan"),
    ("    rlxc_binding_reads(b, read_atom, k);\n", "", "plan"),
    ("    if (k->of[var->id].is_storage)\n        kill->op = k->storage_op;\n    else if", "    if", "other", "one instruction carries out all three kills: only the text differs"),
    ("    k->of[atom.var->id].is_live = true;\n", "", "plan"),
)
mutants(
    "analysis/inplace.c",
    ("    proof p = {.ctx = ctx, .f = f, .holds = true};\n", "    proof p = {.ctx = ctx, .f = f, .holds = true};\n    if (ctx)\n        return true;\n", "plan"),
    (" || rlx_dtype_size(p.in->dtype) != rlx_dtype_size(p.out->dtype))", ")", "plan"),
    ("        if (!rlxc_prove_eq(ctx, p.in->shape[i], p.out->shape[i], NULL))\n            return false;\n", "        (void)i;\n", "plan"),
    ("        if (indices[i] != b->axes[i].var)\n            return false;\n", "        (void)indices;\n", "plan"),
    ("    uint32_t seen = 0;\n", "    uint32_t seen = 0;\n    if (b)\n        return true;\n", "plan"),
    (" || b->axes[i].kind != RLXC_AXIS_SPATIAL)", ")", "plan"),
    ("if (b->n_matches > 0 || b->init || s->block.predicate)", "if (b->n_matches > 0 || b->init)", "plan"),
    ("if (b->n_matches > 0 || b->init || s->block.predicate)", "if (b->n_matches > 0 || s->block.predicate)", "plan"),
    ("    if (b->data == p->out->data)\n        p->holds = false;\n    else if", "    if", "plan"),
    ("p->holds = p->holds && !p->written && to->data", "p->holds = p->holds && to->data", "plan"),
    ("to->data != p->in->data &&\n               (to->data", "\n               (to->data", "plan"),
    ("at_own_axes(p->block, s->store.indices, s->store.n);", "true;", "plan"),
    ("b->data == p->in->data || !is_operand(p, b))", "b->data == p->in->data)", "plan"),
    ("    return !search.found;\n}\n\nstatic bool at_own_axes", "    return true;\n}\n\nstatic bool at_own_axes", "plan"),
    ("    return p.holds && p.written;", "    return p.holds;", "plan"),
    ("            !rlxc_expr_visit(p->ctx, s->loop.extent, is_no_load, NULL))\n", "            false)\n", "plan"),
    ("    if (s->kind != RLXC_STMT_STORE) {\n        p->holds = false;\n        return false;\n    }", "    if (s->kind != RLXC_STMT_STORE)\n        return true;", "plan"),
    ("        p->holds = false;\n    if (e->kind != RLXC_EXPR_LOAD)", "        return true;\n    if (e->kind != RLXC_EXPR_LOAD)", "plan"),
    ("    return !b->strides && !b->elem_offset;", "    return b != NULL;", "plan"),
)
mutants(
    "lower/share_temporaries.c",
    ("    t->last = s->at;\n", "", "other", "what is used seems unused, and shares nothing: more memory"),
    ("    if (t->first > s->at)\n        t->first = s->at;\n", "    t->first = s->at;\n", "plan"),
    ("    t->is_fixed = t->is_fixed || fix;\n", "    (void)fix;\n", "plan"),
    ("        note_use(s, stmt->store.buffer->data, false);\n", "        (void)0;\n", "plan"),
    ("    s->depends = s->depends ||", "    s->depends = !e ||", "same", "a size that the sequence computes is never proved to be at least another"),
    ("other->first <= t->last && t->first <= other->last", "other->first < t->last && t->first < other->last", "plan"),
    ("place == order[k] && fits(s, t, &s->of[place]) &&", "place == order[k] &&", "plan"),
    ("                rlxc_stmt *a = rlxc_copy(s->ctx, largest->allocate, sizeof *a);", "                rlxc_stmt *a = rlxc_copy(s->ctx, t->allocate, sizeof *a);", "plan"),
)
mutants(
    "analysis/static_size.c",
    ("return rlxc_i64(ctx, b.max);", "return rlxc_i64(ctx, b.min);", "plan"),
    ("return rlxc_i64(ctx, b.max);", "return rlxc_i64(ctx, b.max - 1);", "plan"),
    ("*(k == 0 ? &range.min : &range.max) = value;", "*(k == 0 ? &range.max : &range.min) = value;", "compiler"),
    ("            rlxc_bounds_set(ctx, &bounds, var, range);\n", "            (void)bounds;\n", "compiler"),
)
mutants(
    "passes/static_plan.c",
    ("    b->args = args;\n", "", "other", "sizes stay expressions: the plan is laid out at run time"),
)
mutants(
    "codegen/emit_plan.c",
    ("(fn->enters_branch && place->has_end))", "place->has_end)", "file"),
    ("    place->has_end = true;\n", "", "same", "what a branch uses last is in use up to the other branch: more memory"),
    ("    rlxc_bc_buffer_end(fn, place->buffer);\n", "", "same", "a buffer in use to the end of the function: more memory"),
)
mutants(
    "codegen/emit_body.c",
    ("fn->enters_branch && rlxc_has_op_flag(b, RLXC_OP_KILLS);", "fn->enters_branch;", "file"),
)
mutants(
    "codegen/pool_fit.c",
    ("    return a->first < b->last && b->first < a->last;", "    return a->first < b->last && b->first < a->first;", "plan"),
    ("gap >= b->bytes && gap < best_gap", "gap < best_gap", "plan"),
    ("end = f->near[k].end > end ? f->near[k].end : end;", "end = f->near[k].begin;", "plan"),
    ("offset <= f->room[pool] - b->bytes)", "offset <= f->room[pool])", "plan"),
    ("        if (a->pool != pool || a->bytes == 0", "        if (a->pool == pool || a->bytes == 0", "plan"),
    ("for (; at > 0 && f->near[at - 1].begin > a->offset; at--)", "for (; at > 0 && false; at--)", "plan"),
)
mutants(
    "codegen/emit_pools.c",
    ("        c->below[i] = needs[i] > c->below[i] ? needs[i] : c->below[i];\n", "        c->below[i] = 0;\n", "plan"),
    ("        needs[i] += c->below[i];\n", "", "plan"),
    ("            needs[b->pool] = b->offset + b->bytes;\n", "            needs[b->pool] = b->bytes;\n", "plan"),
    ("                m->on_devices.items[k].used = needs[k];\n", "                m->on_devices.items[k].used = 64;\n", "plan"),
    ("c->fn->calls_values && i < module", "i < 0 * module", "plan"),
    ("size > c->below[i] ? size - c->below[i] : 0;", "size;", "plan"),
)
mutants(
    "codegen/emit_call.c",
    ("    RLXC_PUSH(fn->ctx, &fn->callees, g->relax);\n", "", "plan"),
    ("        fn->calls_values = true;\n", "", "plan"),
)
mutants(
    "codegen/emit_constants.c",
    ("(rlxc_pool_buffer){.last = 1,", "(rlxc_pool_buffer){.last = 0,", "plan"),
    (".bytes = (bytes + BLOCK - 1) / BLOCK * BLOCK,", ".bytes = bytes / 256 * 256,", "plan"),
)
