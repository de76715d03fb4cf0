/* The C interface of VMs: stateful calls, saved functions, closures, instrumentation, registration,
 * outputs, profile, time evaluator, statistics. */
#include "../support/rlx_test.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char program[] =
    ".kernel k0 \"t_add\" dims 1 (float32[s0], float32[s0], out float32[s0])\n"
    ".func private hidden (x: object) -> object {\n    ret r0\n}\n"
    ".func add (x: float32[s0!], y: float32[s0]) -> float32[s0] symbols 1 {\n"
    "    .slot s0 \"n\"\n"
    "    new_tensor r2, float32, [s0]\n"
    "    call_kernel k0, [s0], [r0, r1, r2]\n"
    "    ret r2\n}\n"
    ".func nest (x: object) -> object {\n"
    "    make_tuple r1, [r0, r0]\n"
    "    make_tuple r2, [r1, r0]\n"
    "    call_func r3, @hidden, [r2]\n"
    "    call_packed r4, \"test.id\", [r3]\n"
    "    call_builtin r5, \"vm.builtin.copy\", [r4]\n"
    "    make_closure r6, @hidden, []\n"
    "    call_closure r7, r6, [r5]\n"
    "    ret r7\n}\n"
    ".func curry (x: object) -> object {\n    make_closure r1, @hidden, [r0]\n    ret r1\n}\n"
    ".func chain (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
    "    eval_slot s1, s0 * 4\n"
    "    eval_slot s2, 0\n"
    "    alloc_storage r1, s1, 64\n"
    "    alloc_tensor r2, r1, s2, float32, [s0]\n"
    "    call_kernel k0, [s0], [r0, r0, r2]\n"
    "    new_tensor r3, float32, [s0]\n"
    "    call_kernel k0, [s0], [r2, r0, r3]\n"
    "    kill r2\n"
    "    kill r1\n"
    "    new_tensor r4, float32, [s0]\n"
    "    call_kernel k0, [s0], [r3, r0, r4]\n"
    "    kill r3\n"
    "    ret r4\n}\n";

static rlx_vm *start(rlx_test *t, rlx_executable **exe)
{
    *exe = rlx_test_load(t, program);
    return rlx_test_vm(t, *exe);
}

static void stop(rlx_vm *vm, rlx_executable *exe)
{
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

RLX_TEST(api, stateful_calls_keep_inputs_and_outputs)
{
    rlx_executable *exe;
    rlx_vm *vm = start(t, &exe);
    rlx_str nest = RLX_STR("nest");
    rlx_value x = rlx_int(3), out;
    int32_t arity;
    RLX_FAILS(rlx_vm_invoke_stateful(vm, nest, &t->error), RLX_E_INVALID_ARG, "set_input first");
    RLX_FAILS(rlx_vm_get_output(vm, nest, NULL, 0, &out, &t->error), RLX_E_NOT_FOUND,
              "no output yet");
    RLX_FAILS(rlx_vm_set_input(vm, nest, &x, 0, &t->error), RLX_E_INVALID_ARG, "takes 1 arguments");
    RLX_OKAY(rlx_vm_set_input(vm, nest, &x, 1, &t->error));
    for (int i = 0; i < 2; i++) { /* inputs remain set for the next invocation */
        RLX_OKAY(rlx_vm_invoke_stateful(vm, nest, &t->error));
        RLX_OKAY(rlx_vm_get_output_arity(vm, nest, NULL, 0, &arity, &t->error));
        cr_expect_eq(arity, 2);
        RLX_OKAY(rlx_vm_get_output_arity(vm, nest, (uint32_t[]){0, 1}, 2, &arity, &t->error));
        cr_expect_eq(arity, -1);
        RLX_OKAY(rlx_vm_get_output(vm, nest, (uint32_t[]){0, 1}, 2, &out, &t->error));
        cr_expect(out.kind == RLX_KIND_INT && out.as.i == 3);
        RLX_OKAY(rlx_vm_get_output(vm, nest, (uint32_t[]){0}, 1, &out, &t->error));
        cr_expect(out.kind == RLX_KIND_TUPLE);
        rlx_value_release(out);
    }
    RLX_FAILS(rlx_vm_get_output(vm, nest, (uint32_t[]){2}, 1, &out, &t->error), RLX_E_INVALID_ARG,
              "no item 2 at level 0");
    RLX_FAILS(rlx_vm_get_output(vm, nest, (uint32_t[]){1, 0}, 2, &out, &t->error),
              RLX_E_INVALID_ARG, "no item 0 at level 1");
    rlx_value y = rlx_test_iota(t, 1, (int64_t[]){4});
    RLX_OKAY(rlx_vm_set_input(vm, RLX_STR("add"), (rlx_value[]){y, y}, 2, &t->error));
    rlx_value_release(y); /* the VM holds its own references */
    RLX_OKAY(rlx_vm_invoke_stateful(vm, RLX_STR("add"), &t->error));
    RLX_OKAY(rlx_vm_get_output(vm, RLX_STR("add"), NULL, 0, &out, &t->error));
    cr_expect_eq(((const float *)rlx_tensor_data(out.as.tensor))[3], 6);
    stop(vm, exe);
    rlx_value_release(out);
}

RLX_TEST(api, saved_functions_carry_their_arguments)
{
    rlx_executable *exe;
    rlx_vm *vm = start(t, &exe);
    rlx_str add = RLX_STR("add"), saved = RLX_STR("add_them");
    rlx_value x = rlx_test_iota(t, 1, (int64_t[]){3}), y = rlx_test_iota(t, 1, (int64_t[]){2}), out;
    rlx_value bad[2] = {x, y}, good[2] = {x, x};
    RLX_FAILS(rlx_vm_save_function(vm, add, saved, bad, 2, &t->error), RLX_E_SHAPE,
              "expected n = 3");
    RLX_FAILS(rlx_vm_save_function(vm, add, RLX_STR("nest"), good, 2, &t->error), RLX_E_INVALID_ARG,
              "of its own");
    RLX_OKAY(rlx_vm_save_function(vm, add, saved, good, 2, &t->error));
    RLX_OKAY(rlx_vm_save_function(vm, add, saved, good, 2, &t->error)); /* replaces it */
    rlx_value_release(x);
    RLX_OKAY(rlx_vm_invoke(vm, saved, NULL, 0, &out, &t->error));
    cr_expect_eq(((const float *)rlx_tensor_data(out.as.tensor))[2], 4);
    rlx_value_release(out);
    RLX_FAILS(rlx_vm_invoke(vm, saved, &y, 1, &out, &t->error), RLX_E_INVALID_ARG,
              "takes 0 arguments, got 1");
    rlx_value_release(y);
    stop(vm, exe);
}

RLX_TEST(api, closures_are_made_and_called_from_c)
{
    rlx_executable *exe, *other = rlx_test_load(t, program);
    rlx_vm *vm = start(t, &exe), *stranger = rlx_test_vm(t, other);
    rlx_value x = rlx_test_iota(t, 1, (int64_t[]){3}), out, c;
    rlx_closure *closure;
    RLX_OKAY(rlx_vm_make_closure(vm, RLX_STR("add"), &x, 1, &closure, &t->error));
    cr_expect_eq(rlx_closure_captured(closure), 1);
    RLX_OKAY(rlx_vm_invoke_closure(vm, closure, &x, 1, &out, &t->error));
    cr_expect_eq(((const float *)rlx_tensor_data(out.as.tensor))[2], 4);
    rlx_value_release(out);
    RLX_FAILS(rlx_vm_invoke_closure(vm, closure, NULL, 0, &out, &t->error), RLX_E_INVALID_ARG,
              "takes 1 arguments, got 0");
    RLX_FAILS(rlx_vm_invoke_closure(stranger, closure, &x, 1, &out, &t->error), RLX_E_INVALID_ARG,
              "another executable");
    RLX_FAILS(rlx_vm_make_closure(vm, RLX_STR("hidden"), NULL, 0, &closure, &t->error),
              RLX_E_NOT_FOUND, "no function 'hidden'");
    rlx_vm_destroy(stranger);
    rlx_executable_release(other);
    rlx_value_release(rlx_of_closure(closure));
    /* A closure returned from a call outlives its VM and keeps the executable alive. */
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("curry"), &x, 1, &c, &t->error));
    stop(vm, exe);
    cr_expect_eq(c.kind, RLX_KIND_CLOSURE);
    rlx_value_release(c);
    rlx_value_release(x);
}

typedef struct log_of_calls {
    char text[512];
    int skip; /* instruction kind to skip, or -1 */
} log_of_calls;

static const char *const kind_names[] = {"kernel", "builtin", "packed", "function", "closure"};

static bool before(void *user, const rlx_call_info *info, rlx_value *replacement)
{
    log_of_calls *l = user;
    size_t n = strlen(l->text);
    snprintf(l->text + n, sizeof l->text - n, "<%s %.*s %u", kind_names[info->kind],
             (int)info->name.len, info->name.data, info->n_args);
    if ((int)info->kind != l->skip)
        return true;
    *replacement = rlx_int(99);
    return false;
}

static void after(void *user, const rlx_call_info *info, rlx_status status, rlx_value result)
{
    log_of_calls *l = user;
    size_t n = strlen(l->text);
    snprintf(l->text + n, sizeof l->text - n, " %s %s>", kind_names[info->kind],
             status ? rlx_status_name(status) : rlx_kind_name((rlx_kind)result.kind));
}

RLX_TEST(api, instrument_sees_and_skips_calls)
{
    rlx_executable *exe;
    rlx_vm *vm = start(t, &exe);
    log_of_calls l = {.skip = -1};
    rlx_value x = rlx_test_iota(t, 1, (int64_t[]){3}), out;
    rlx_vm_set_instrument(vm, before, after, &l);
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("add"), (rlx_value[]){x, x}, 2, &out, &t->error));
    rlx_value_release(out);
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("nest"), &x, 1, &out, &t->error));
    rlx_value_release(out);
    cr_expect_str_eq(l.text, "<kernel t_add 3 kernel none>"
                             "<function hidden 1 function tuple>"
                             "<packed test.id 1 packed tuple>"
                             "<builtin vm.builtin.copy 1 builtin tuple>"
                             "<closure hidden 1 closure tuple>");
    for (int kind = RLX_CALL_BUILTIN; kind <= RLX_CALL_CLOSURE; kind++) {
        l.skip = kind;
        l.text[0] = 0;
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("nest"), &x, 1, &out, &t->error));
        cr_expect(out.kind == RLX_KIND_INT && out.as.i == 99, "skipping %s", kind_names[kind]);
        rlx_value_release(out);
    }
    l.skip = RLX_CALL_KERNEL;
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("add"), (rlx_value[]){x, x}, 2, &out, &t->error));
    rlx_value_release(out);
    rlx_vm_set_instrument(vm, NULL, NULL, NULL);
    rlx_value_release(x);
    stop(vm, exe);
}

RLX_TEST(api, instrument_is_told_of_failures)
{
    rlx_executable *exe = rlx_test_load(t, ".func private f () -> object {\n"
                                           "    call_packed r0, \"test.fail\", []\n    ret r0\n}\n"
                                           ".func main () -> object {\n"
                                           "    call_func r0, @f, []\n    ret r0\n}\n");
    rlx_vm *vm = rlx_test_vm(t, exe);
    log_of_calls l = {.skip = -1};
    rlx_value out;
    rlx_vm_set_instrument(vm, before, after, &l);
    RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("main"), NULL, 0, &out, &t->error), RLX_E_KERNEL,
              "as the test asked");
    cr_expect_str_eq(l.text, "<function f 0<packed test.fail 0 packed kernel failure>"
                             " function kernel failure>");
    stop(vm, exe);
}

static rlx_status count_calls(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                              rlx_value *out, rlx_error *err)
{
    (void)args;
    (void)n;
    (void)err;
    rlx_call_output(cc, RLX_STR("called"));
    *out = rlx_int(++*(int *)rlx_call_user(cc));
    return RLX_OK;
}

static void destroyed(void *user)
{
    *(int *)user += 1000;
}

static void collect(void *user, rlx_str text)
{
    strncat(user, text.data, text.len);
}

RLX_TEST(api, own_packed_functions_come_first_and_have_a_user_pointer)
{
    rlx_executable *exe =
        rlx_test_load(t, ".func main () -> object {\n"
                         "    call_packed r0, \"test.seven\", []\n    ret r0\n}\n");
    int first = 0, second = 0;
    char text[64] = "";
    rlx_vm_options options = {.allocator = &t->allocator,
                              .registry = rlx_test_registry(t),
                              .output = collect,
                              .output_user = text};
    rlx_vm *vm;
    rlx_value out;
    rlx_str name = RLX_STR("test.seven");
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), NULL, 0, &out, &t->error));
    cr_expect_eq(out.as.i, 7);
    RLX_OKAY(rlx_vm_register(vm, name, count_calls, &first, destroyed, &t->error));
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), NULL, 0, &out, &t->error));
    cr_expect_eq(out.as.i, 1);
    RLX_OKAY(rlx_vm_register(vm, name, count_calls, &second, destroyed, &t->error));
    cr_expect_eq(first, 1001);
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), NULL, 0, &out, &t->error));
    cr_expect_eq(out.as.i, 1);
    cr_expect_str_eq(text, "calledcalled");
    stop(vm, exe);
    cr_expect_eq(second, 1001);
}

RLX_TEST(api, steady_state_allocates_results_only)
{
    rlx_executable *exe;
    rlx_vm *vm = start(t, &exe);
    rlx_value x = rlx_test_iota(t, 1, (int64_t[]){1000}), out;
    size_t calls = 0;
    for (int i = 0; i < 200; i++) {
        size_t now = t->calls;
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("chain"), &x, 1, &out, &t->error));
        cr_assert_eq(((const float *)rlx_tensor_data(out.as.tensor))[999], 4 * 999);
        rlx_value_release(out);
        calls = t->calls - now;
        if (i > 0) /* the tensor, its storage and its bytes */
            cr_assert_eq(calls, 3, "call %d made %zu allocations", i, calls);
    }
    rlx_vm_stats stats;
    rlx_vm_get_stats(vm, &stats);
    cr_expect_eq(stats.live_bytes, 0);
    cr_expect_gt(stats.pool_bytes, 0);
    cr_expect_gt(stats.peak_bytes, 8000);
    rlx_vm_trim(vm);
    rlx_vm_get_stats(vm, &stats);
    cr_expect_eq(stats.pool_bytes, 0);
    rlx_value_release(x);
    stop(vm, exe);
}

RLX_TEST(api, unused_storage_goes_back_to_the_allocator)
{
    rlx_executable *exe;
    rlx_vm *vm = start(t, &exe);
    rlx_value big = rlx_test_iota(t, 1, (int64_t[]){1 << 20}),
              small = rlx_test_iota(t, 1, (int64_t[]){8});
    rlx_value out;
    rlx_vm_stats stats;
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("chain"), &big, 1, &out, &t->error));
    rlx_value_release(out);
    rlx_vm_get_stats(vm, &stats);
    cr_expect_geq(stats.pool_bytes, 4 << 20);
    for (int i = 0; i < 200; i++) {
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("chain"), &small, 1, &out, &t->error));
        rlx_value_release(out);
    }
    rlx_vm_get_stats(vm, &stats);
    cr_expect_lt(stats.pool_bytes, 1 << 20);
    rlx_value_release(big);
    rlx_value_release(small);
    stop(vm, exe);
}

/* --- large results ---------------------------------------------------------------------------- */

static void *release_result(void *user)
{
    rlx_value_release(*(rlx_value *)user);
    return NULL;
}

RLX_TEST(api, storage_of_released_large_results_is_used_again)
{
    rlx_executable *exe;
    rlx_vm *vm = start(t, &exe);
    rlx_value x = rlx_test_iota(t, 1, (int64_t[]){300001}), kept, out;
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("chain"), &x, 1, &kept, &t->error));
    for (int i = 0; i < 40; i++) { /* another thread releases every other result */
        size_t now = t->calls;
        pthread_t thread;
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("chain"), &x, 1, &out, &t->error));
        size_t calls = t->calls - now;
        const float *data = rlx_tensor_data(out.as.tensor);
        cr_assert_neq((const void *)data, rlx_tensor_data(kept.as.tensor));
        cr_assert_eq(data[1000], 4 * 1000);
        if (i > 0) /* only the tensor */
            cr_assert_eq(calls, 1, "call %d made %zu allocations", i, calls);
        if (i % 2 == 0) {
            rlx_value_release(out);
            continue;
        }
        cr_assert_eq(pthread_create(&thread, NULL, release_result, &out), 0);
        cr_assert_eq(pthread_join(thread, NULL), 0);
    }
    rlx_vm_stats stats;
    rlx_vm_get_stats(vm, &stats);
    cr_expect_geq(stats.pool_bytes, 1200004);
    rlx_vm_trim(vm);
    rlx_vm_get_stats(vm, &stats);
    cr_expect_eq(stats.pool_bytes, 0);
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("chain"), &x, 1, &out, &t->error));
    rlx_value_release(out); /* not yet back in the pool when the VM is destroyed */
    stop(vm, exe);
    cr_expect_eq(((const float *)rlx_tensor_data(kept.as.tensor))[7], 4 * 7);
    rlx_value_release(kept);
    rlx_value_release(x);
}

RLX_TEST(api, storage_of_large_results_is_bounded)
{
    enum { LEAST = 300000, STEP = 100000, LIMIT = 5 << 20 };
    rlx_vm_options options = {
        .allocator = &t->allocator, .registry = rlx_test_registry(t), .pool_bytes = LIMIT};
    rlx_executable *exe = rlx_test_load(t, program);
    rlx_value small = rlx_test_iota(t, 1, (int64_t[]){8}), out[12];
    rlx_vm_stats stats;
    rlx_vm *vm;
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    for (int i = 0; i < 12; i++) { /* each has a different size */
        rlx_value x = rlx_test_iota(t, 1, (int64_t[]){LEAST + i * STEP});
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("chain"), &x, 1, &out[i], &t->error));
        rlx_value_release(x);
    }
    for (int i = 0; i < 12; i++) {
        rlx_value_release(out[i]);
        rlx_vm_get_stats(vm, &stats);
        cr_expect_leq(stats.pool_bytes, LIMIT);
    }
    cr_expect_gt(stats.pool_bytes, 1 << 20);
    for (int i = 0; i < 48; i++) { /* storage that no call uses is freed */
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("chain"), &small, 1, out, &t->error));
        rlx_value_release(out[0]);
    }
    rlx_vm_get_stats(vm, &stats);
    cr_expect_lt(stats.pool_bytes, 1 << 20);
    rlx_value_release(small);
    stop(vm, exe);
}

/* Stores the address of a tensor's bytes; called without arguments, reads a byte there. */
static rlx_status peek(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                       rlx_error *err)
{
    const uint8_t **bytes = rlx_call_user(cc);
    (void)err;
    if (n)
        *bytes = rlx_tensor_data(args[0].as.tensor);
    *out = rlx_int(**bytes);
    return RLX_OK;
}

RLX_TEST(api, killed_storage_is_poisoned_when_asked)
{
    rlx_executable *exe = rlx_test_load(t, ".func main () -> object {\n"
                                           "    eval_slot s0, 64\n"
                                           "    new_tensor r0, uint8, [s0]\n"
                                           "    call_packed r1, \"peek\", [r0]\n"
                                           "    kill r0\n"
                                           "    call_packed r1, \"peek\", []\n"
                                           "    ret r1\n}\n");
    rlx_vm *vm = rlx_test_vm(t, exe); /* with poisoning enabled */
    const uint8_t *bytes = NULL;
    rlx_value out;
    RLX_OKAY(rlx_vm_register(vm, RLX_STR("peek"), peek, &bytes, NULL, &t->error));
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), NULL, 0, &out, &t->error));
    cr_expect_eq(out.as.i, 0xA5);
    stop(vm, exe);
}

RLX_TEST(api, profile_counts_every_instruction)
{
    rlx_executable *exe;
    rlx_vm *vm = start(t, &exe);
    rlx_profile *p;
    rlx_profile_row row;
    rlx_profile_event event;
    rlx_value x = rlx_int(1), out;
    RLX_OKAY(rlx_profile_create(&t->allocator, exe, 7, &p, &t->error));
    RLX_OKAY(rlx_vm_set_profile(vm, p, &t->error));
    for (int i = 0; i < 2; i++) {
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("nest"), &x, 1, &out, &t->error));
        rlx_value_release(out);
    }
    RLX_OKAY(rlx_vm_set_profile(vm, NULL, &t->error));
    uint64_t ran = 0;
    bool saw_call = false;
    for (uint32_t i = 0; rlx_profile_get(p, i, &row); i++) {
        ran += row.count;
        cr_expect(row.count == 0 || row.total_ns >= row.self_ns);
        saw_call |=
            row.op == RLX_OP_CALL_FUNC && row.count == 2 && rlx_str_eq(row.name, RLX_STR("hidden"));
    }
    cr_expect_eq(ran, 2 * 10);
    cr_expect(saw_call);
    cr_expect_eq(rlx_profile_event_count(p), 7);
    cr_expect_eq(rlx_profile_dropped_events(p), 20 - 7);
    cr_expect(rlx_profile_get_event(p, 0, &event));
    rlx_profile_reset(p);
    cr_expect_eq(rlx_profile_event_count(p), 0);
    rlx_profile_destroy(p);
    stop(vm, exe);
}

RLX_TEST(api, time_evaluator_samples_and_sorts)
{
    rlx_executable *exe;
    rlx_vm *vm = start(t, &exe);
    rlx_value x = rlx_int(1);
    rlx_time_result r;
    rlx_time_options options = {.number = 3, .repeat = 5, .min_repeat_ms = 1, .warmup = 1};
    RLX_OKAY(rlx_time_evaluator(vm, RLX_STR("nest"), &x, 1, &options, &r, &t->error));
    cr_expect_eq(r.repeat, 5);
    cr_expect_gt(r.number, 3);
    cr_expect(0 < r.min_ns && r.min_ns <= r.median_ns && r.median_ns <= r.p90_ns &&
              r.p90_ns <= r.max_ns && r.min_ns <= r.mean_ns && r.mean_ns <= r.max_ns &&
              r.stddev_ns >= 0);
    RLX_FAILS(rlx_time_evaluator(vm, RLX_STR("nope"), &x, 1, &options, &r, &t->error),
              RLX_E_NOT_FOUND, "nope");
    options.repeat = 2000000;
    RLX_FAILS(rlx_time_evaluator(vm, RLX_STR("nest"), &x, 1, &options, &r, &t->error),
              RLX_E_INVALID_ARG, "too large");
    stop(vm, exe);
}

RLX_TEST(api, threads_share_one_loop)
{
    rlx_executable *exe = rlx_test_load(t, program);
    rlx_vm_options options = {.allocator = NULL, .registry = rlx_test_registry(t), .threads = 3};
    rlx_vm *vm;
    rlx_value x = rlx_test_iota(t, 1, (int64_t[]){100001}), out;
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("add"), (rlx_value[]){x, x}, 2, &out, &t->error));
    const float *data = rlx_tensor_data(out.as.tensor);
    for (int64_t i = 0; i < 100001; i++)
        cr_assert_eq(data[i], (float)(2 * i));
    rlx_value_release(out);
    rlx_value_release(x);
    stop(vm, exe);
}
