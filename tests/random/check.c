/* Checks one random program: compiles it at -O0 and at -O3 or -O1, and calls both at several values
 * of its symbols, on one VM with poisoned memory. All inputs and results are kept until the end and
 * compared then, so that a call that overwrites an earlier result or an input is caught. */
#include "tests/random/program.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler/driver/compile.h"
#include "compiler/driver/safetensors.h"
#include "rlx/rlx.h"
#include "tests/random/evaluate.h"
#include "tests/support/limit.h"

enum { CALLS = 5, LEVELS = 2, SECONDS = 60 };

typedef struct call_data {
    int64_t symbols[MAX_ATOMS];
    tensor params[MAX_PARAMS], want[MAX_RESULTS];
    rlx_value inputs[MAX_PARAMS], before[MAX_PARAMS], got[LEVELS];
} call_data;

__attribute__((format(printf, 2, 3))) static void report(outcome *out, const char *format, ...)
{
    va_list args;
    if (out->failed)
        return;
    out->failed = true;
    va_start(args, format);
    vsnprintf(out->message, sizeof out->message, format, args);
    va_end(args);
}

/* --- elements -------------------------------------------------------------------------------- */

static rlx_dtype dtype_of(elem t)
{
    static const rlx_dtype dtypes[] = {
        [F32] = RLX_F32, [F16] = RLX_F16, [BF16] = RLX_BF16, [I32] = RLX_I32,
        [I64] = RLX_I64, [I8] = RLX_I8,   [U8] = RLX_U8,     [B8] = RLX_B8};
    return dtypes[t];
}

static double from_half(unsigned bits)
{
    double m = bits & 1023, e = bits >> 10 & 31;
    double v = e == 31  ? (m > 0 ? NAN : INFINITY)
               : e == 0 ? ldexp(m, -24)
                        : ldexp(1024 + m, (int)e - 25);
    return bits >> 15 ? -v : v;
}

static uint16_t to_half(double v)
{
    _Float16 half = (_Float16)v;
    uint16_t bits;
    memcpy(&bits, &half, sizeof bits);
    return bits;
}

static double from_bfloat(unsigned bits)
{
    uint32_t wide = bits << 16;
    float v;
    memcpy(&v, &wide, sizeof v);
    return v;
}

/* Exact for inputs, which have few significant bits. */
static uint16_t to_bfloat(double v)
{
    float narrow = (float)v;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    return (uint16_t)(bits >> 16);
}

static double get(const rlx_tensor *t, elem dtype, int64_t i)
{
    const void *data = rlx_tensor_data(t);
    switch (dtype) {
    case F32:
        return ((const float *)data)[i];
    case F16:
        return from_half(((const uint16_t *)data)[i]);
    case BF16:
        return from_bfloat(((const uint16_t *)data)[i]);
    case I32:
        return ((const int32_t *)data)[i];
    case I64:
        return (double)((const int64_t *)data)[i];
    case I8:
        return ((const int8_t *)data)[i];
    case U8:
    case B8:
        return ((const uint8_t *)data)[i];
    }
    return 0;
}

static void set(void *data, elem dtype, int64_t i, double v)
{
    switch (dtype) {
    case F32:
        ((float *)data)[i] = (float)v;
        return;
    case F16:
        ((uint16_t *)data)[i] = to_half(v);
        return;
    case BF16:
        ((uint16_t *)data)[i] = to_bfloat(v);
        return;
    case I32:
        ((int32_t *)data)[i] = (int32_t)v;
        return;
    case I64:
        ((int64_t *)data)[i] = (int64_t)v;
        return;
    case I8:
        ((int8_t *)data)[i] = (int8_t)v;
        return;
    case U8:
    case B8:
        ((uint8_t *)data)[i] = (uint8_t)v;
        return;
    }
}

/* --- inputs ---------------------------------------------------------------------------------- */

static double random_element(elem t, bool special, uint64_t *rng)
{
    static const double odd[] = {INFINITY, -INFINITY, NAN, -0.0};
    if (t == B8)
        return random_below(rng, 2);
    if (t >= I32)
        return (double)random_below(rng, 17) - (t == U8 ? 0 : 8);
    if (special && random_below(rng, 10) == 0)
        return odd[random_below(rng, 4)];
    return ((double)random_below(rng, 33) - 16) / 4;
}

/* Some parameters of known extents are bound at compile time, like weights. They are the same in
 * every call. */
static bool is_weight(const program *p, unsigned index)
{
    const type *t = &p->functions[0].values[p->functions[0].params[index]].types[0];
    uint64_t rng = p->seed * 31 + (unsigned)p->functions[0].params[index];
    bool fixed = p->seed % 4 != 3 && random_below(&rng, 3) > 0;
    for (unsigned i = 0; i < t->ndim; i++) {
        int64_t extent;
        fixed = fixed && dim_constant(&t->d[i], &extent);
    }
    return fixed;
}

static rlx_value to_value(const tensor *t)
{
    rlx_tensor *made;
    if (rlx_tensor_create(NULL, dtype_of(t->elem), t->ndim, t->dims, &made, NULL) != RLX_OK)
        return rlx_none();
    for (int64_t i = 0; i < t->n; i++)
        set(rlx_tensor_mutable_data(made), t->elem, i, t->at[i].v);
    return rlx_of_tensor(made);
}

/* Chooses sizes, inputs and expected results of one call; retries with smaller sizes until the work
 * is acceptable. */
static bool prepare(const program *p, unsigned k, call_data *c, outcome *out)
{
    static const int64_t sizes[] = {2, 3, 5, 8, 0, 1, 4, 7, 16, 17, 33};
    const function *f = &p->functions[0];
    uint64_t rng = p->seed * 1000 + k;
    evaluation e = {.p = p};
    const int64_t limit = p->large ? 6000000 : 400000;
    unsigned n_symbols = 0;
    while (n_symbols < f->n_atoms && f->atoms[n_symbols].signature)
        n_symbols++;
    for (unsigned range = 11; range >= 2; range -= 3) {
        /* mostly small; all 0 in call 1, all 1 in call 2 */
        for (unsigned i = 0; i < n_symbols; i++)
            c->symbols[i] = k == 1                            ? 0
                            : k == 2                          ? 1
                            : k == 3 && random_below(&rng, 2) ? (int64_t)random_below(&rng, 2)
                            : p->large && range == 11 ? 17 + (int64_t)random_below(&rng, 100)
                                                      : sizes[random_below(&rng, range)];
        e = (evaluation){.p = p, .limit = limit};
        for (unsigned i = 0; i < f->n_params; i++) {
            const type *t = &f->values[f->params[i]].types[0];
            int64_t dims[MAX_DIMS];
            for (unsigned d = 0; d < t->ndim; d++)
                dims[d] = dim_evaluate(&t->d[d], c->symbols);
            c->params[i] = tensor_new(&e, t->elem, t->ndim, dims);
            uint64_t own = p->seed * 77 + i, *from = is_weight(p, i) ? &own : &rng;
            for (int64_t j = 0; j < c->params[i].n; j++)
                c->params[i].at[j] = (num){random_element(t->elem, p->special, from), 0};
        }
        if (!e.failed[0] && evaluate(&e, c->params, c->symbols, n_symbols, c->want))
            break;
        if (strcmp(e.failed, "too large") != 0) {
            report(out, "the generator's mistake: %s", e.failed);
            return false;
        }
    }
    if (e.failed[0])
        return false; /* too large at any size: skip this call */
    for (unsigned i = 0; i < f->n_params; i++) {
        c->inputs[i] = to_value(&c->params[i]);
        c->before[i] = to_value(&c->params[i]);
    }
    return true;
}

/* --- comparison ------------------------------------------------------------------------------ */

static bool agrees(num want, double got)
{
    if (isnan(want.v) || isnan(got))
        return isnan(want.v) && isnan(got);
    if (isinf(want.v) || isinf(got))
        return want.v == got;
    return fabs(want.v - got) <= want.e * 4;
}

static void describe_sizes(const program *p, const call_data *c, char *out, size_t capacity)
{
    const function *f = &p->functions[0];
    size_t length = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < f->n_atoms && f->atoms[i].signature && length < capacity; i++)
        length += (size_t)snprintf(out + length, capacity - length, " %s=%lld", f->atoms[i].name,
                                   (long long)c->symbols[i]);
}

static void compare(const program *p, const call_data *c, const char *level, unsigned index,
                    rlx_value v, outcome *out)
{
    const tensor *want = &c->want[index];
    char sizes[120];
    describe_sizes(p, c, sizes, sizeof sizes);
    const rlx_tensor *t = v.as.tensor;
    bool same = v.kind == RLX_KIND_TENSOR && rlx_tensor_ndim(t) == want->ndim &&
                rlx_dtype_eq(rlx_tensor_dtype(t), dtype_of(want->elem));
    for (unsigned d = 0; same && d < want->ndim; d++)
        same = rlx_tensor_dims(t)[d] == want->dims[d];
    if (!same) {
        if (!out->failed)
            out->result = (int)index;
        report(out, "%s,%s: result %u has another type or shape than it should", level, sizes,
               index);
        return;
    }
    for (int64_t i = 0; i < want->n && !out->failed; i++) {
        double got = get(t, want->elem, i);
        if (isinf(want->at[i].e)) {
            out->skipped++;
            continue;
        }
        out->compared++;
        if (!agrees(want->at[i], got)) {
            out->result = (int)index;
            report(out, "%s,%s: result %u, element %lld is %.9g, should be %.9g within %.3g", level,
                   sizes, index, (long long)i, got, want->at[i].v, want->at[i].e * 4);
        }
    }
}

static rlx_value part_of(const function *f, rlx_value v, unsigned i)
{
    if (f->n_results == 1)
        return v;
    if (v.kind != RLX_KIND_TUPLE)
        return rlx_none();
    if (!f->nested_result || i == 0)
        return rlx_tuple_get(v.as.tuple, i);
    rlx_value inner = rlx_tuple_get(v.as.tuple, 1);
    return inner.kind == RLX_KIND_TUPLE ? rlx_tuple_get(inner.as.tuple, i - 1) : rlx_none();
}

/* --- compilation and calls ------------------------------------------------------------------- */

static void add_bounds(const program *p, rlxc_options *options)
{
    const function *f = &p->functions[0];
    for (unsigned i = 0; i < f->n_atoms && f->atoms[i].signature; i++) {
        options->bounds[options->n_bounds].name = f->atoms[i].name;
        options->bounds[options->n_bounds++].max = 200;
    }
}

/* Binds the parameters of |c| that are weights. */
static bool bind_weights(rlxc_context *ctx, rlxc_module *module, const program *p,
                         const call_data *c)
{
    const function *f = &p->functions[0];
    rlxc_weights weights = {.path = "random"};
    for (unsigned i = 0; i < f->n_params; i++) {
        char name[16];
        if (!is_weight(p, i))
            continue;
        const rlx_tensor *t = c->inputs[i].as.tensor;
        snprintf(name, sizeof name, "p%d", f->params[i]);
        const char *symbol = rlxc_intern_cstr(ctx, name);
        RLXC_PUSH(ctx, &weights.tensors,
                  ((rlxc_weight){.name = symbol,
                                 .symbol = symbol,
                                 .dtype = rlx_tensor_dtype(t),
                                 .ndim = rlx_tensor_ndim(t),
                                 .shape = rlx_tensor_dims(t),
                                 .data = rlx_tensor_data(t),
                                 .nbytes = rlx_tensor_nbytes(t)}));
        rlxc_map_set(ctx, &weights.by_symbol, rlxc_key(symbol),
                     (void *)(uintptr_t)weights.tensors.count);
    }
    return weights.tensors.count == 0 || rlxc_bind_weights(ctx, module, &weights);
}

/* Compiles |text|; |c| holds the weights. */
static rlx_executable *compile(const program *p, const char *text, int level, const call_data *c,
                               outcome *out)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    rlx_exec_builder *builder = NULL;
    rlxc_options options;
    rlx_executable *exe = NULL;
    rlx_error err;
    bool ok = ctx && rlx_exec_builder_create(NULL, &builder, NULL) == RLX_OK &&
              rlxc_options_init(ctx, &options, NULL, NULL, level);
    if (ok) {
        options.check = p->seed % 4 == 0;
        if (p->seed % 5 == 0) /* bounded sizes are planned at compile time */
            add_bounds(p, &options);
        rlxc_module *module = rlxc_read_module(ctx, "random.py", text, strlen(text));
        ok = module && bind_weights(ctx, module, p, c) &&
             rlxc_compile_module(ctx, module, &options, NULL, builder);
    }
    if (!ok)
        report(out, "-O%d does not compile:\n%s", level, ctx ? rlxc_render_diagnostics(ctx) : "");
    else if (rlx_exec_builder_load(builder, &(rlx_load_options){.trust_native = true}, &exe,
                                   &err) != RLX_OK)
        report(out, "-O%d does not load: %s", level, err.message);
    rlx_exec_builder_destroy(builder);
    rlxc_context_destroy(ctx);
    return exe;
}

static void run_level(const program *p, const char *text, unsigned level, call_data *calls,
                      const bool *ready, outcome *out)
{
    const int levels[LEVELS] = {0, p->seed % 4 == 1 ? 1 : 3};
    const function *f = &p->functions[0];
    char name[8], sizes[120];
    snprintf(name, sizeof name, "-O%d", levels[level]);
    unsigned first = 0;
    while (first < CALLS && !ready[first])
        first++;
    rlx_executable *exe =
        first < CALLS ? compile(p, text, levels[level], &calls[first], out) : NULL;
    rlx_vm *vm;
    rlx_error err;
    if (!exe)
        return;
    rlx_vm_options options = {.debug_poison = true, .threads = p->seed % 3 == 0 ? 2 : 1};
    if (rlx_vm_create(exe, &options, &vm, &err) != RLX_OK) {
        report(out, "no VM: %s", err.message);
        return;
    }
    for (unsigned k = 0; k < CALLS && !out->failed; k++) {
        rlx_value inputs[MAX_PARAMS];
        unsigned n = 0;
        for (unsigned i = 0; i < f->n_params; i++)
            if (!is_weight(p, i))
                inputs[n++] = calls[k].inputs[i];
        if (ready[k] &&
            rlx_vm_invoke(vm, RLX_STR("main"), inputs, n, &calls[k].got[level], &err) != RLX_OK) {
            describe_sizes(p, &calls[k], sizes, sizeof sizes);
            report(out, "%s,%s: main fails: %s", name, sizes, err.message);
        }
    }
    for (unsigned k = 0; k < CALLS && !out->failed; k++) {
        for (unsigned i = 0; ready[k] && i < f->n_results; i++)
            compare(p, &calls[k], name, i, part_of(f, calls[k].got[level], i), out);
        for (unsigned i = 0; ready[k] && i < f->n_params; i++)
            if (memcmp(rlx_tensor_data(calls[k].inputs[i].as.tensor),
                       rlx_tensor_data(calls[k].before[i].as.tensor),
                       rlx_tensor_nbytes(calls[k].before[i].as.tensor)) != 0)
                report(out, "%s: parameter %u was written", name, i);
    }
    rlx_vm_destroy(vm);
}

static void check_here(const program *p, outcome *out)
{
    char *text = malloc(MAX_TEXT);
    call_data *calls = calloc(CALLS, sizeof *calls);
    bool ready[CALLS];
    if (!text || !calls)
        return;
    print_program(p, text, MAX_TEXT);
    for (unsigned k = 0; k < CALLS; k++)
        ready[k] = prepare(p, k, &calls[k], out);
    for (unsigned level = 0; level < LEVELS && !out->failed; level++)
        run_level(p, text, level, calls, ready, out);
}

void check_program(const program *p, outcome *out)
{
    outcome *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    *out = (outcome){.failed = true, .result = -1, .message = "no memory or process"};
    if (shared == MAP_FAILED)
        return;
    *shared = (outcome){.result = -1};
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        rlx_test_limit_time(SECONDS);
        check_here(p, shared);
        _exit(0);
    }
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child) {
        *out = *shared;
        if (WIFSIGNALED(status)) {
            out->failed = true;
            snprintf(out->message, sizeof out->message, "it ends by signal %d (%s)",
                     WTERMSIG(status), strsignal(WTERMSIG(status)));
        } else if (WEXITSTATUS(status) != 0) {
            out->failed = true;
            snprintf(out->message, sizeof out->message, "it exits with %d", WEXITSTATUS(status));
        }
    }
    munmap(shared, sizeof *shared);
}
