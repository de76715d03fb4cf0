/* Lifted weights of executables that are made in memory (rlx_compile_options.lifted_path), with
 * all of it and with each allocation failing. */
#include <stdio.h>
#include <string.h>

#include "tests/compiler/library.h"
#include "tests/compiler/lift.h"

enum { N = 2 };

static const char MODULE[] =
    "@I.ir_module\n"
    "class Module:\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((\"n\",), \"float32\"), w: R.Tensor((2,), \"float32\")):\n"
    "        return R.add(x, w)\n";
static const lift_weight weight = {"w", "F32", "2", 4, N};

static rlx_compiler *lifting_compiler(rlx_test *t)
{
    rlx_compiler *c = NULL;
    const rlx_compiler_options options = {
        .size = sizeof options, .allocator = &t->allocator, .lift_params = true};
    RLX_OKAY(rlx_compiler_create(&options, &c, &t->error));
    return c;
}

/* main of |exe|, which is released, adds the weights |seed|. */
static void expect(rlx_test *t, rlx_executable *exe, int seed)
{
    const float x[N] = {10, 20};
    float want[N];
    lift_fill(&weight, seed, (unsigned char *)want);
    for (int i = 0; i < N; i++)
        want[i] += x[i];
    library_expect(t, exe, N, NULL, x, want);
    rlx_executable_release(exe);
}

RLX_TEST(lift_params, executables_in_memory_have_a_file_of_weights)
{
    lift_place p;
    char first[64], second[64], lifted[64];
    rlx_compile_options o;
    rlx_executable *exe;
    void *data;
    size_t size;
    lift_begin(&p, "");
    lift_weights(&p, first, 1, &weight, 1);
    lift_weights(&p, second, 2, &weight, 1);
    snprintf(lifted, sizeof lifted, "%s/lifted.safetensors", p.folder);
    rlx_compile_options_init(&o);
    o.lifted_path = lifted;
    rlx_compiler *c = lifting_compiler(t);
    rlx_ir_module *m = library_parse(t, c, MODULE);
    RLX_OKAY(rlx_ir_module_bind_file(m, first, &t->error));
    RLX_OKAY(rlx_ir_module_load(m, &o, NULL, &exe, &t->error));
    expect(t, exe, 1);
    const rlx_load_options other = {
        .allocator = &t->allocator, .trust_native = true, .weights = second};
    RLX_OKAY(rlx_ir_module_load(m, &o, &other, &exe, &t->error));
    expect(t, exe, 2);
    RLX_OKAY(rlx_ir_module_emit(m, &o, RLX_EMIT_EXECUTABLE, &data, &size, &t->error));
    RLX_OKAY(rlx_executable_load_memory(data, size, &other, &exe, &t->error));
    expect(t, exe, 2);
    rlx_load_options own = other;
    own.weights = NULL;
    RLX_FAILS(rlx_executable_load_memory(data, size, &own, &exe, &t->error), RLX_E_NOT_FOUND,
              "the weights are in a file of their own");
    rlx_free(&t->allocator, data, size, 64);
    RLX_OKAY(rlx_ir_module_emit(m, NULL, RLX_EMIT_EXECUTABLE, &data, &size, &t->error));
    RLX_OKAY(rlx_executable_load_memory(data, size, &own, &exe, &t->error)); /* they are in it */
    expect(t, exe, 1);
    rlx_free(&t->allocator, data, size, 64);
    rlx_compiler_destroy(c);
    lift_end(&p);
}

RLX_TEST(lift_params, files_of_weights_that_cannot_be_written_are_refused)
{
    lift_place p;
    char first[64];
    rlx_compile_options o;
    rlx_executable *exe;
    lift_begin(&p, "");
    lift_weights(&p, first, 1, &weight, 1);
    rlx_compile_options_init(&o);
    o.lifted_path = first;
    rlx_compiler *lifting = lifting_compiler(t), *c = library_compiler(t);
    rlx_ir_module *m = library_parse(t, lifting, MODULE);
    RLX_OKAY(rlx_ir_module_bind_file(m, first, &t->error));
    RLX_FAILS(rlx_ir_module_load(m, &o, NULL, &exe, &t->error), RLX_E_INVALID_ARG,
              "would overwrite a file");
    o.lifted_path = "/no/such/folder/w.safetensors";
    RLX_FAILS(rlx_ir_module_load(m, &o, NULL, &exe, &t->error), RLX_E_IO, "/no/such/folder");
    RLX_FAILS(rlx_ir_module_load(library_parse(t, c, MODULE), &o, NULL, &exe, &t->error),
              RLX_E_INVALID_ARG, "created with lift_params");
    rlx_compiler_destroy(lifting);
    rlx_compiler_destroy(c);
    lift_end(&p);
}

/* A module with a weight of four bits, whose program checks what it reads. */
static rlx_status load_packed(rlx_test *t, const char *params, const char *lifted,
                              rlx_executable **exe)
{
    static const char text[] =
        "@I.ir_module\n"
        "class Module:\n"
        "    @R.function\n"
        "    def main(x: R.Tensor((\"n\",), \"float32\"), w: R.Tensor((2,), \"int4\")):\n"
        "        return R.add(x, R.astype(w, \"float32\"))\n";
    const rlx_compiler_options options = {
        .size = sizeof options, .allocator = &t->allocator, .lift_params = true};
    const rlx_load_options load = {.allocator = &t->allocator, .weights = params};
    rlx_compile_options o;
    rlx_compiler *c = NULL;
    rlx_ir_module *m = NULL;
    rlx_compile_options_init(&o);
    o.lifted_path = lifted;
    o.opt_level = 0;
    o.jobs = 1;
    rlx_status status = rlx_compiler_create(&options, &c, &t->error);
    if (status == RLX_OK)
        status = rlx_compiler_parse(c, "m.py", text, strlen(text), &m, &t->error);
    if (status == RLX_OK)
        status = rlx_ir_module_bind_file(m, params, &t->error);
    if (status == RLX_OK)
        status = rlx_ir_module_load(m, &o, &load, exe, &t->error);
    rlx_compiler_destroy(c);
    return status;
}

RLX_TEST(lift_params, running_out_of_memory_is_an_error_at_every_allocation)
{
    static const lift_weight packed = {"w", "I4", "2", 1, N};
    lift_place p;
    char first[64], lifted[64];
    bool done = false;
    lift_begin(&p, "");
    lift_weights(&p, first, 1, &packed, 1);
    snprintf(lifted, sizeof lifted, "%s/lifted.safetensors", p.folder);
    for (size_t n = 1; !done; n++) {
        rlx_executable *exe = NULL;
        const size_t live = t->live_blocks;
        cr_assert_lt(n, 4000, "it never succeeds");
        t->calls = 0;
        t->fail_at = n;
        const rlx_status status = load_packed(t, first, lifted, &exe);
        done = t->calls < n;
        /* The VM that runs the program asks for memory of its pool a second time. */
        cr_expect(status == RLX_E_NOMEM || (status == RLX_OK && exe), "allocation %zu: %d: %s", n,
                  (int)status, t->error.message);
        rlx_executable_release(exe);
        cr_assert_eq(t->live_blocks, live, "allocation %zu: a leak", n);
    }
    t->fail_at = 0;
    lift_end(&p);
}
