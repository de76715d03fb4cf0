/* Fuzz target: any bytes as calls of rlx/compiler.h and rlx/ir.h, in any order, on handles from
 * earlier calls. Each call must return a status or an empty result; a module that claims to be well
 * formed must print as text that parses. Nothing is compiled to native code here (fuzz_compile
 * covers that) or tuned. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_memory.h"
#include "rlx/compiler.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SLOTS = 8, CALLS = 200 };

typedef struct state {
    const uint8_t *data;
    size_t size, at;
    rlx_compiler *c;
    rlx_ir_module *modules[SLOTS];
    rlx_ir_function *functions[SLOTS];
    rlx_ir_builder *builders[SLOTS];
    const rlx_ir_value *values[SLOTS];
    rlx_tensor *tensor;
    uint32_t depth; /* nesting depth of callbacks */
} state;

static const char *const types[] = {"R.Tensor((\"n\", 4), \"float32\")",
                                    "R.Tensor((n, 4), \"float32\")",
                                    "R.Tensor((), \"bool\")",
                                    "R.Tensor(ndim=2, dtype=\"float32\")",
                                    "R.Shape([\"n\", \"m\"])",
                                    "R.Prim(\"int64\")",
                                    "R.Tuple(R.Tensor((4,), \"int64\"), R.Object)",
                                    "R.Callable((R.Object,), R.Object)",
                                    "R.Object",
                                    "R.Tensor((n * 2, 4)",
                                    ""};
static const char *const names[] = {"main",
                                    "f",
                                    "x",
                                    "y",
                                    "n",
                                    "m",
                                    "add",
                                    "matmul",
                                    "nn.softmax",
                                    "reshape",
                                    "split",
                                    "concat",
                                    "legalize",
                                    "cse",
                                    "infer",
                                    "schedule.tile",
                                    "to_mixed_precision",
                                    "twice",
                                    "llvm -mcpu=x86-64-v3",
                                    "1x",
                                    "",
                                    "(n, 4)",
                                    "n * 2",
                                    "axis=0",
                                    "indices_or_sections=2",
                                    "float32",
                                    "T.int64(4)"};
static const char *const texts[] = {
    "@R.function\ndef main(x: R.Tensor((\"n\", 4), \"float32\")):\n    y = R.add(x, x)\n"
    "    return y\n",
    "@R.function\ndef f(x: R.Tensor((\"n\",), \"float32\"), c: R.Tensor((), \"bool\")):\n"
    "    if c:\n        y = R.exp(x)\n    else:\n        y = R.add(x, x)\n    return y\n",
    "@T.prim_func\ndef twice(a: T.handle, b: T.handle):\n    n = T.int64()\n"
    "    A = T.match_buffer(a, (n, 4))\n    B = T.match_buffer(b, (n, 4))\n"
    "    for i, j in T.grid(n, 4):\n        with T.block(\"b\"):\n"
    "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "            B[vi, vj] = A[vi, vj] * T.float32(2)\n",
    "@R.function\ndef g(x):\n    return",
    "b0 = sch.get_block(name=\"b\", func_name=\"twice\")\nl1, l2 = sch.get_loops(block=b0)\n"
    "sch.vectorize(loop=l2)\n",
};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static uint32_t next(state *s)
{
    return s->at < s->size ? s->data[s->at++] : 0;
}

static const char *pick(state *s, const char *const *list, size_t n)
{
    const size_t i = next(s) % (n + 1);
    return i < n ? list[i] : NULL;
}

static const char *name(state *s)
{
    return pick(s, names, COUNT(names));
}

#define SLOT(array) (&(s)->array[next(s) % SLOTS])

static const rlx_ir_value *value(state *s)
{
    return *SLOT(values);
}

/* --- looking --------------------------------------------------------------------------------- */

static bool see_binding(void *user, const rlx_ir_binding *b)
{
    state *s = user;
    rlx_location where;
    const char *key;
    const uint32_t i = next(s) % 4;
    rlx_ir_binding_location(s->modules[0], b, &where);
    rlx_ir_attr_text(s->c, rlx_ir_binding_attr(b, i, &key));
    rlx_ir_sinfo_text(s->c, rlx_ir_binding_sinfo(b, i));
    rlx_ir_sinfo_text(s->c, rlx_ir_var_sinfo(rlx_ir_binding_var(b)));
    rlx_ir_binding_op(b);
    rlx_ir_binding_index(b);
    rlx_ir_value_text(rlx_ir_binding_callee(b));
    const rlx_ir_value *v = rlx_ir_binding_arg(b, i);
    rlx_ir_expr_text(s->c, rlx_ir_value_expr(v, i));
    rlx_ir_value_item(v, i);
    rlx_ir_value_data(v, NULL, NULL);
    if (v != NULL)
        *SLOT(values) = v;
    return next(s) % 16 != 1;
}

static void look(state *s)
{
    rlx_ir_global g = {0};
    rlx_ir_vars vars;
    rlx_ir_names found;
    rlx_ir_bindings bindings;
    rlx_ir_module *m = *SLOT(modules);
    rlx_status ignored;
    if (rlx_ir_module_global(m, next(s) % 4, &g) && g.function != NULL)
        *SLOT(functions) = g.function;
    rlx_ir_module_find(m, name(s), &g);
    rlx_ir_function *f = *SLOT(functions);
    const rlx_ir_var *v = rlx_ir_value_var(value(s));
    rlx_ir_visit(rlx_ir_function_body(f), see_binding, s);
    rlx_ir_function_definition(f, v);
    rlx_ir_prim_is_reshape(m, g.prim);
    ignored = rlx_ir_function_vars(m, f, (rlx_ir_which)(next(s) % 3), &vars, NULL);
    ignored = rlx_ir_function_symbols(m, f, &found, NULL);
    ignored = rlx_ir_function_called(m, f, &found, NULL);
    ignored = rlx_ir_function_uses(m, f, v, &bindings, NULL, NULL);
    const rlx_ir_sinfo *type = rlx_ir_function_result(f);
    const rlx_ir_expr *dim = rlx_ir_sinfo_dim(type, next(s) % 3);
    const int64_t n = (int64_t)next(s) - 4;
    int64_t out;
    ignored = rlx_ir_expr_evaluate(s->c, dim, names + 4, (const int64_t[]){n, 3}, 2, &out, NULL);
    (void)ignored;
}

/* --- building -------------------------------------------------------------------------------- */

static rlx_status build_nested(state *s, rlx_ir_builder *b, const rlx_ir_value **out,
                               rlx_error *err)
{
    const rlx_ir_value *args[2] = {value(s), value(s)};
    switch (next(s) % 6) {
    case 0:
        return rlx_ir_builder_if(b, args[0], err);
    case 1:
        return rlx_ir_builder_else(b, args[0], err);
    case 2:
        return rlx_ir_builder_end_if(b, name(s), args[0], out, err);
    case 3:
        return rlx_ir_builder_function(b, name(s), err);
    case 4:
        return rlx_ir_builder_end_function(b, args[0], out, err);
    default:
        return rlx_ir_builder_call_value(b, name(s), args[0], &args[1], next(s) % 2, out, err);
    }
}

static rlx_status build(state *s, rlx_ir_builder *b, rlx_error *err)
{
    const rlx_ir_value *args[3] = {value(s), value(s), value(s)}, **out = SLOT(values);
    const uint32_t n = next(s) % 4;
    switch (next(s) % 14) {
    case 0:
        return rlx_ir_builder_param(b, name(s), pick(s, types, COUNT(types)), out, err);
    case 1:
        return rlx_ir_builder_dataflow(b, n % 2, err);
    case 2:
        return rlx_ir_builder_output(b, args[0], err);
    case 3:
        return rlx_ir_builder_op(b, name(s), name(s), args, n, name(s), out, err);
    case 4: {
        rlx_operator_info op = {.name = "add"};
        rlx_compiler_operator(next(s) * 2 + n, &op);
        return rlx_ir_builder_op(b, NULL, op.name, args, n, NULL, out, err);
    }
    case 5:
        return rlx_ir_builder_call(b, name(s), name(s), args, n, out, err);
    case 6:
        return rlx_ir_builder_call_tir(b, name(s), name(s), args, n, pick(s, types, COUNT(types)),
                                       out, err);
    case 7:
        return rlx_ir_builder_get(b, name(s), args[0], n, out, err);
    case 8:
        return rlx_ir_builder_match_cast(b, name(s), args[0], pick(s, types, COUNT(types)), out,
                                         err);
    case 9:
        return rlx_ir_builder_tuple(b, args, n, out, err);
    case 10:
        return rlx_ir_builder_shape(b, name(s), out, err);
    case 11:
        return rlx_ir_builder_integer(b, name(s), out, err);
    case 12:
        return rlx_ir_builder_tensor(b, n ? s->tensor : NULL, out, err);
    default:
        return build_nested(s, b, out, err);
    }
}

static rlx_ir_action rewrite(void *user, rlx_ir_builder *b, const rlx_ir_binding *binding,
                             const rlx_ir_value **out)
{
    state *s = user;
    rlx_error err = {0};
    (void)binding;
    if (next(s) % 4 == 0) {
        const rlx_status ignored = build(s, b, &err);
        (void)ignored;
    }
    *out = value(s);
    return next(s) % 2 == 0 ? RLX_IR_KEEP : (rlx_ir_action)(next(s) % 3);
}

/* --- modules --------------------------------------------------------------------------------- */

static rlx_status run_pass(void *user, rlx_ir_module *m, rlx_error *err);

static rlx_status add_pass(state *s, rlx_error *err)
{
    rlx_pass_desc pass = {.size = sizeof pass, .run = run_pass, .user = s};
    pass.size -= next(s) % 4 == 1 ? 8 : 0;
    pass.name = name(s);
    pass.after = name(s);
    pass.before = next(s) % 8 == 1 ? name(s) : NULL;
    return rlx_compiler_add_pass(s->c, &pass, err);
}

static rlx_status lower(state *s, rlx_ir_module *m, rlx_error *err)
{
    rlx_compile_options o;
    rlx_dim_bound bound = {"n", (int64_t)next(s) - 1, next(s)};
    const char *pass = name(s);
    rlx_compile_options_init(&o);
    o.size -= next(s) % 16 == 1 ? next(s) : 0;
    o.cpu = "x86-64-v3";
    o.target = next(s) % 8 == 1 ? name(s) : NULL;
    o.opt_level = (int)(next(s) % 6) - 1;
    o.check = next(s) % 4 == 1;
    o.bounds = &bound;
    o.n_bounds = next(s) % 2;
    o.passes = &pass;
    o.n_passes = next(s) % 8 == 1;
    if (next(s) % 2 == 0)
        return rlx_ir_module_run_passes(m, &pass, 1, &o, err);
    return rlx_ir_module_lower(m, &o, err);
}

static rlx_status emit(state *s, rlx_ir_module *m, rlx_error *err)
{
    static const rlx_emit_form forms[] = {RLX_EMIT_RELAX, RLX_EMIT_TIR, RLX_EMIT_SCHEDULE};
    void *bytes = NULL;
    size_t size = 0;
    const rlx_status status = rlx_ir_module_emit(m, NULL, forms[next(s) % 3], &bytes, &size, err);
    rlx_free(&fuzz_allocator, bytes, size, 64);
    return status;
}

static rlx_status print(state *s, rlx_ir_module *m, rlx_error *err)
{
    rlx_ir_module *again = NULL;
    RLX_TRY(rlx_ir_module_check(m, err));
    const char *text = rlx_ir_module_print(m);
    if (text == NULL || rlx_ir_module_global_count(m) == 0)
        return RLX_OK;
    const rlx_status status =
        rlx_compiler_parse(s->c, "printed.py", text, strlen(text), &again, err);
    if (status == RLX_E_INVALID_MODULE)
        abort();
    return status;
}

static rlx_status call(state *s, rlx_error *err)
{
    rlx_ir_module **m = SLOT(modules);
    const char *text = pick(s, texts, COUNT(texts));
    const size_t length = text != NULL ? strlen(text) : 0;
    switch (next(s) % 16) {
    case 0:
        return rlx_compiler_new_module(s->c, m, err);
    case 1:
        return rlx_compiler_parse(s->c, "m.py", text, length, m, err);
    case 2:
        return rlx_ir_module_add_text(*m, "a.py", text, length, err);
    case 3:
        return rlx_ir_module_set_schedule(*m, "s.py", text, length, err);
    case 4:
        return rlx_ir_builder_create(*m, name(s), SLOT(builders), err);
    case 5:
        return rlx_ir_builder_finish(*SLOT(builders), value(s), SLOT(functions), err);
    case 6:
        look(s);
        return RLX_OK;
    case 7:
        return s->depth++ < 3 ? rlx_ir_function_rewrite(*m, *SLOT(functions), rewrite, s, err)
                              : RLX_OK;
    case 8:
        return lower(s, *m, err);
    case 9:
        return emit(s, *m, err);
    case 10:
        return print(s, *m, err);
    case 11:
        return s->depth == 0 ? add_pass(s, err)
                             : rlx_compiler_report(s->c, RLX_SEVERITY_WARNING, name(s), err);
    case 12:
        return rlx_compiler_add_target(s->c, name(s), name(s), err);
    case 13: {
        const rlx_named_tensor tensor = {name(s), s->tensor};
        return rlx_ir_module_bind_tensors(*m, &tensor, next(s) % 2, err);
    }
    default:
        return build(s, *SLOT(builders), err);
    }
}

static rlx_status run_pass(void *user, rlx_ir_module *m, rlx_error *err)
{
    state *s = user;
    s->depth++;
    s->modules[next(s) % SLOTS] = m;
    const rlx_status ignored = call(s, err);
    (void)ignored;
    s->depth--;
    return next(s) % 8 == 1 ? rlx_fail(err, RLX_E_INTERNAL, "a pass failed") : RLX_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t dims[2] = {2, 4};
    state s = {.data = data, .size = size};
    const rlx_compiler_options options = {.size = sizeof options, .allocator = &fuzz_allocator};
    if (rlx_compiler_create(&options, &s.c, NULL) != RLX_OK)
        return 0;
    if (rlx_tensor_create(&fuzz_allocator, RLX_F32, 2, dims, &s.tensor, NULL) != RLX_OK)
        abort();
    memset(rlx_tensor_mutable_data(s.tensor), 0, 32);
    for (int i = 0; i < CALLS && s.at < size; i++) {
        rlx_error err = {0};
        const rlx_status status = call(&s, &err);
        if (status != RLX_OK && err.message[0] == '\0' && status != RLX_E_NOMEM)
            abort();
        s.depth = 0;
    }
    rlx_compiler_diagnostics_text(s.c);
    rlx_compiler_destroy(s.c);
    rlx_value_release(rlx_of_tensor(s.tensor));
    return 0;
}
