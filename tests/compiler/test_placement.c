/* Minimum cuts, placements of values, and whole modules, compared with an exhaustive search: the
 * copies move as few bytes as the best choice. */
#include <stdio.h>
#include <string.h>

#include "compiler/ir/op.h"
#include "compiler/passes/min_cut.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/placement.h"
#include "compiler/script/script.h"
#include "compiler/target/target.h"
#include "tests/support/rlx_test.h"

static uint32_t below(uint64_t *state, uint32_t n)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % n;
}

/* --- minimum cuts ----------------------------------------------------------------------------- */

enum { MOST_NODES = 9, MOST_ARCS = 24 };

typedef struct arc {
    uint32_t from, to;
    int64_t capacity;
} arc;

/* Of the cut with the nodes in |sink_side|. */
static int64_t capacity_of(const arc *arcs, uint32_t n, uint32_t sink_side)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        if (!(sink_side >> arcs[i].from & 1) && (sink_side >> arcs[i].to & 1))
            sum = arcs[i].capacity == RLXC_UNCUT || sum == RLXC_UNCUT ? RLXC_UNCUT
                                                                      : sum + arcs[i].capacity;
    return sum;
}

RLX_TEST(min_cut, is_the_least_of_all_cuts_and_has_the_smallest_sink_side)
{
    uint64_t state = 1;
    for (int round = 0; round < 1000; round++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        const uint32_t n = 2 + below(&state, MOST_NODES - 1);
        const uint32_t n_arcs = below(&state, MOST_ARCS + 1);
        arc arcs[MOST_ARCS];
        rlxc_network net;
        rlxc_network_init(&net, ctx);
        for (uint32_t i = 2; i < n; i++)
            cr_assert_eq(rlxc_network_node(&net), i);
        for (uint32_t i = 0; i < n_arcs; i++) {
            const int64_t capacity = below(&state, 8) == 0 ? RLXC_UNCUT : below(&state, 12);
            arcs[i] = (arc){below(&state, n), below(&state, n), capacity};
            rlxc_network_arc(&net, arcs[i].from, arcs[i].to, arcs[i].capacity);
        }
        int64_t least = INT64_MAX;
        uint32_t common = UINT32_MAX; /* of the sink's sides of all minimum cuts */
        for (uint32_t side = 0; side < 1u << n; side++) {
            if ((side & 3) != 2)
                continue;
            const int64_t capacity = capacity_of(arcs, n_arcs, side);
            common = capacity < least ? side : capacity == least ? common & side : common;
            least = capacity < least ? capacity : least;
        }
        const bool *found = rlxc_min_cut(&net);
        uint32_t side = 0;
        for (uint32_t i = 0; found && i < n; i++)
            side |= (uint32_t)found[i] << i;
        cr_expect_eq(capacity_of(arcs, n_arcs, side), least, "round %d", round);
        cr_expect(least == RLXC_UNCUT || side == common, "round %d: %x, not %x", round, side,
                  common);
        rlxc_context_destroy(ctx);
    }
}

/* --- places ----------------------------------------------------------------------------------- */

/* The least cost over all places of the free nodes from |i| on. */
static int64_t least_cost(rlxc_placement *p, const bool *is_free, uint32_t i, int32_t n_places)
{
    while (i < p->n_nodes && !is_free[i])
        i++;
    if (i == p->n_nodes)
        return rlxc_placement_cost(p);
    int64_t least = INT64_MAX;
    for (int32_t k = 0; k < n_places; k++) {
        p->place[i] = k;
        const int64_t cost = least_cost(p, is_free, i + 1, n_places);
        least = cost < least ? cost : least;
    }
    p->place[i] = RLXC_NO_PLACE;
    return least;
}

RLX_TEST(placement, of_random_graphs_costs_the_least)
{
    enum { NODES = 12, FREE = 7, VALUES = 10 };
    uint64_t state = 2;
    for (int round = 0; round < 200; round++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        const int32_t n_places = 2 + round % 3;
        int32_t place[NODES];
        bool is_free[NODES] = {false};
        rlxc_placed_value values[VALUES] = {0};
        rlxc_placement p = {.place = place,
                            .n_nodes = NODES,
                            .values = values,
                            .n_values = 1 + below(&state, VALUES),
                            .preferred = (int32_t)below(&state, (uint32_t)n_places)};
        for (uint32_t i = 0; i < NODES; i++)
            place[i] = (int32_t)below(&state, (uint32_t)n_places);
        for (uint32_t i = 0; i < FREE; i++)
            is_free[below(&state, NODES)] = true;
        for (uint32_t i = 0; i < p.n_values; i++) {
            values[i].source = below(&state, NODES);
            values[i].bytes = 1 + below(&state, 100);
            for (uint32_t k = below(&state, 5); k > 0; k--)
                RLXC_PUSH(ctx, &values[i].users, below(&state, NODES));
        }
        for (uint32_t i = 0; i < NODES; i++)
            place[i] = is_free[i] ? RLXC_NO_PLACE : place[i];
        const int64_t least = least_cost(&p, is_free, 0, n_places);
        cr_assert(rlxc_place(ctx, &p));
        for (uint32_t i = 0; i < NODES; i++)
            cr_expect(place[i] >= 0 && place[i] < n_places, "round %d: node %u", round, i);
        cr_expect_eq(rlxc_placement_cost(&p), least, "round %d", round);
        rlxc_context_destroy(ctx);
    }
}

/* --- modules ---------------------------------------------------------------------------------- */

enum { MOST_VALUES = 14, MOST_FREE = 8, N_DEVICES = 3 };
static const char *const devices[N_DEVICES] = {"llvm:0", "opencl:0", "opencl:1"};

/* A function whose values are parameters, then results of operators; the last ones are returned. */
typedef struct program {
    uint32_t n_params, n_values, n_results;
    struct {
        int32_t device; /* index of |devices|, or -1: it is free */
        bool is_hint;   /* of that device */
        bool is_stated; /* in the type; else it follows from the first operand */
        int64_t length; /* of a vector of float32 */
        uint32_t n_args, args[2];
    } values[MOST_VALUES];
} program;

static void random_operator(program *p, uint32_t i, uint64_t *state, int32_t device)
{
    p->values[i].n_args = 1 + below(state, 2);
    for (uint32_t k = 0; k < p->values[i].n_args; k++) {
        p->values[i].args[k] = below(state, i);
        p->values[i].length += p->values[p->values[i].args[k]].length;
    }
    const int32_t first = p->values[p->values[i].args[0]].device;
    const int32_t second = p->values[p->values[i].args[1]].device;
    p->values[i].is_hint = p->values[i].n_args == 1 && device >= 0;
    if (p->values[i].n_args == 2 && first >= 0 && second >= 0 && first != second) {
        p->values[i].n_args = 1; /* it would be an error */
        p->values[i].length = p->values[p->values[i].args[0]].length;
    }
    if (p->values[i].n_args == 2 && first < 0 && second >= 0)
        device = -1;
    p->values[i].is_stated = first < 0;
    p->values[i].device = p->values[i].is_hint || first < 0 ? device : first;
}

static program random_program(uint64_t *state, uint32_t n_devices)
{
    program p = {.n_params = 1 + below(state, 4), .n_results = 1 + below(state, 2)};
    p.n_values = p.n_params + 4 + below(state, 5);
    uint32_t n_free = 0;
    for (uint32_t i = 0; i < p.n_values; i++) {
        const bool says = n_free == MOST_FREE || below(state, 2) == 0;
        const int32_t device = says ? (int32_t)below(state, n_devices) : -1;
        p.values[i].device = device;
        p.values[i].is_stated = true;
        if (i >= p.n_params)
            random_operator(&p, i, state, device);
        else
            p.values[i].length = 2 + below(state, 40);
        n_free += p.values[i].device < 0;
    }
    return p;
}

static const char *text_of(rlxc_context *ctx, const program *p)
{
    rlxc_text text = {.ctx = ctx};
    rlxc_text_puts(&text, "from tvm.script import ir as I, relax as R\n"
                          "@I.ir_module\n"
                          "class Module:\n"
                          "    I.module_global_infos({\"vdevice\": [I.vdevice(\"llvm\"), "
                          "I.vdevice(\"opencl\", 0), I.vdevice(\"opencl\", 1)]})\n"
                          "    @R.function\n"
                          "    def main(");
    for (uint32_t i = 0; i < p->n_values; i++) {
        const char *device = p->values[i].device < 0
                                 ? ""
                                 : rlxc_internf(ctx, ", \"%s\"", devices[p->values[i].device]);
        const char *type = rlxc_internf(ctx, "v%u: R.Tensor((%lld,), \"float32\"%s)", i,
                                        (long long)p->values[i].length, device);
        if (i < p->n_params) {
            rlxc_text_printf(&text, "%s%s", type, i + 1 < p->n_params ? ", " : "):\n");
            continue;
        }
        rlxc_text_printf(
            &text, "        %s = ", p->values[i].is_hint ? rlxc_internf(ctx, "v%u", i) : type);
        if (p->values[i].is_hint)
            rlxc_text_printf(&text, "R.hint_on_device(v%u, \"%s\")\n", p->values[i].args[0],
                             devices[p->values[i].device]);
        else if (p->values[i].n_args == 1)
            rlxc_text_printf(&text, "R.exp(v%u)\n", p->values[i].args[0]);
        else
            rlxc_text_printf(&text, "R.concat((v%u, v%u))\n", p->values[i].args[0],
                             p->values[i].args[1]);
    }
    rlxc_text_puts(&text, "        return (");
    for (uint32_t i = 0; i < p->n_results; i++)
        rlxc_text_printf(&text, "v%u,", p->n_values - 1 - i);
    rlxc_text_puts(&text, ")\n");
    return text.data;
}

/* The bytes of the copies with the values at |at|: one of a value for each other device with an
 * operator that reads it. Results are returned where they are. */
static int64_t bytes_copied(const program *p, const int32_t *at)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < p->n_values; i++) {
        uint32_t wanted = 0;
        for (uint32_t k = p->n_params; k < p->n_values; k++)
            for (uint32_t a = 0; a < p->values[k].n_args; a++)
                wanted |= p->values[k].args[a] == i ? 1u << at[k] : 0;
        sum += __builtin_popcount(wanted & ~(1u << at[i])) * p->values[i].length * 4;
    }
    return sum;
}

static int64_t fewest_bytes(const program *p, int32_t *at, uint32_t i, int32_t n_devices)
{
    if (i == p->n_values)
        return bytes_copied(p, at);
    int64_t least = INT64_MAX;
    for (at[i] = 0; at[i] < n_devices; at[i]++) {
        if (p->values[i].device >= 0 && p->values[i].device != at[i])
            continue;
        const int64_t bytes = fewest_bytes(p, at, i + 1, n_devices);
        least = bytes < least ? bytes : least;
    }
    return least;
}

static int64_t bytes_of_copies(const rlxc_module *module)
{
    int64_t sum = 0;
    const rlxc_body *body = &module->globals.items[0]->relax->body;
    for (uint32_t i = 0; i < body->n_blocks; i++)
        for (uint32_t k = 0; k < body->blocks[i]->n; k++) {
            const rlxc_binding *b = body->blocks[i]->bindings[k];
            int64_t length = 0;
            if (b->op && strcmp(b->op->name, "to_vdevice") == 0 &&
                rlxc_is_int(b->var->sinfo->dims[0], &length))
                sum += length * 4;
        }
    return sum;
}

RLX_TEST(placement, of_random_modules_copies_the_fewest_bytes)
{
    uint64_t state = 3;
    uint32_t with_copies = 0;
    for (int round = 0; round < 200; round++) {
        rlxc_context *ctx = rlxc_context_create(&t->allocator);
        const int32_t n_devices = 2 + round % 2;
        const program p = random_program(&state, (uint32_t)n_devices);
        const char *text = text_of(ctx, &p);
        const rlxc_options options = {.target = rlxc_target_plain(), .check = true};
        rlxc_module *module = rlxc_parse_module(ctx, "m.py", text, strlen(text));
        cr_assert(module && rlxc_pass_infer(ctx, module, &options), "%s\n%s", text,
                  rlxc_render_diagnostics(ctx));
        cr_assert(rlxc_pass_plan_devices(ctx, module, &options) &&
                      rlxc_well_formed(ctx, module, "plan_devices", false),
                  "%s\n%s", text, rlxc_render_diagnostics(ctx));
        int32_t at[MOST_VALUES];
        const int64_t least = fewest_bytes(&p, at, 0, n_devices);
        cr_expect_eq(bytes_of_copies(module), least, "round %d: %lld bytes, not %lld\n%s\n%s",
                     round, (long long)bytes_of_copies(module), (long long)least, text,
                     rlxc_print_module(ctx, module));
        with_copies += least > 0;
        rlxc_context_destroy(ctx);
    }
    cr_expect_gt(with_copies, 100, "%u of 200 need a copy", with_copies);
}
