/* Random modules (random_program.h). Values are sums of the inputs, exact in double; a sum stops
 * growing before float32 would round it. */
#include "tests/compiler/random_program.h"

#include <stdio.h>

const char random_program_header[] =
    "from tvm.script import ir as I\n"
    "from tvm.script import tir as T\n"
    "from tvm.script import relax as R\n"
    "@I.ir_module\n"
    "class Module:\n"
    "    @T.prim_func(private=True)\n"
    "    def add(px: T.handle, py: T.handle, po: T.handle):\n"
    "        n = T.int64()\n"
    "        x = T.match_buffer(px, (n,))\n"
    "        y = T.match_buffer(py, (n,))\n"
    "        o = T.match_buffer(po, (n,))\n"
    "        for i in range(n):\n"
    "            with T.block(\"b\"):\n"
    "                vi = T.axis.spatial(n, i)\n"
    "                o[vi] = x[vi] + y[vi]\n"
    "    @T.prim_func(private=True)\n"
    "    def inc(px: T.handle):\n"
    "        n = T.int64()\n"
    "        x = T.match_buffer(px, (n,))\n"
    "        for i in range(n):\n"
    "            with T.block(\"b\"):\n"
    "                vi = T.axis.spatial(n, i)\n"
    "                x[vi] = x[vi] + T.float32(1)\n"
    "    @R.function(pure=False)\n"
    "    def main(x: R.Tensor((\"n\",), dtype=\"float32\"), y: R.Tensor((\"n\",), "
    "dtype=\"float32\"), c: R.Tensor((), dtype=\"bool\")) -> R.Object:\n"
    "        n = T.int64()\n"
    "        cls = Module\n";

static uint32_t next(random_program *p, uint32_t below)
{
    p->seed = p->seed * 1664525u + 1013904223u;
    return (p->seed >> 8) % below;
}

/* Picks a variable in scope or an input; writes its name to |name|. */
static random_value pick(random_program *p, char name[16])
{
    uint32_t i = next(p, p->n_in_scope + 2);
    if (i < 2) {
        snprintf(name, 16, "%s", i == 0 ? "x" : "y");
        double x = i == 0, y = i != 0;
        return (random_value){{x, x}, {y, y}};
    }
    snprintf(name, 16, "v%u", p->in_scope[i - 2]);
    return p->of[p->in_scope[i - 2]];
}

static random_value sum(random_value a, random_value b)
{
    for (int k = 0; k < 2; k++) {
        a.ax[k] += b.ax[k];
        a.ay[k] += b.ay[k];
    }
    return a;
}

static bool is_large(random_value v)
{
    return v.ax[0] + v.ay[0] > 1e5 || v.ax[1] + v.ay[1] > 1e5;
}

static void enter_scope(random_program *p, uint32_t var)
{
    if (p->n_in_scope < RANDOM_MAX_SCOPE)
        p->in_scope[p->n_in_scope++] = var;
}

static void generate(random_program *p, int indent, unsigned depth, uint32_t length);

/* Writes a branch's body and the binding of its result; returns the result. */
static random_value branch(random_program *p, int indent, unsigned depth, uint32_t var)
{
    char name[16];
    uint32_t scope = p->n_in_scope;
    generate(p, indent, depth, 1 + next(p, 4));
    random_value v = pick(p, name);
    rlxc_text_printf(&p->text, "%*sv%u = %s\n", indent, "", var, name);
    p->n_in_scope = scope;
    return v;
}

static void generate(random_program *p, int indent, unsigned depth, uint32_t length)
{
    for (uint32_t i = 0; i < length && p->n_vars < RANDOM_MAX_VARS - 1; i++) {
        char a_name[16], b_name[16];
        uint32_t kind = next(p, depth < 3 ? 8 : 6), var = p->n_vars++;
        random_value a = pick(p, a_name), b = pick(p, b_name), v = a;
        if (kind < 4 && is_large(sum(a, b)))
            kind = 4;
        if (kind < 4) {
            rlxc_text_printf(&p->text,
                             "%*sv%u: " VECTOR_TYPE
                             " = R.call_tir(cls.add, (%s, %s), out_sinfo=" VECTOR_TYPE ")\n",
                             indent, "", var, a_name, b_name);
            v = sum(a, b);
        } else if (kind == 4) {
            rlxc_text_printf(&p->text, "%*sv%u: " VECTOR_TYPE " = R.reshape(%s, R.shape([n]))\n",
                             indent, "", var, a_name);
        } else if (kind == 5) {
            uint32_t item = next(p, 2);
            rlxc_text_printf(&p->text, "%*st%u = (%s, %s)\n%*sv%u: " VECTOR_TYPE " = t%u[%u]\n",
                             indent, "", var, a_name, b_name, indent, "", var, var, item);
            v = item ? b : a;
        } else {
            rlxc_text_printf(&p->text, "%*sif c:\n", indent, "");
            random_value yes = branch(p, indent + 4, depth + 1, var);
            rlxc_text_printf(&p->text, "%*selse:\n", indent, "");
            random_value no = branch(p, indent + 4, depth + 1, var);
            v = (random_value){{yes.ax[0], no.ax[1]}, {yes.ay[0], no.ay[1]}};
        }
        p->of[var] = v;
        enter_scope(p, var);
    }
}

void random_program_make(random_program *p, uint32_t seed, uint32_t length)
{
    char name[16];
    p->seed = seed * 7919;
    generate(p, 8, 0, length);
    p->result = pick(p, name);
    rlxc_text_printf(&p->text, "        return %s\n", name);
}
