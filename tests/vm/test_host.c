/* The host's side of calls: values that packed functions may create, call and keep; registries
 * shared by VMs; one executable on several threads; the getters for displaying values. */
#include "../support/rlx_test.h"

#include <pthread.h>
#include <string.h>

static const char program[] =
    ".const c0 = tensor float32 [2] { 10, 20 }\n"
    ".kernel k0 \"t_add\" dims 1 (float32[s0], float32[s0], out float32[s0])\n"
    ".func main (x: float32[s0!]) -> object symbols 1 {\n"
    "    .slot s0 \"n\"\n"
    "    .at \"model.py\" 12 9 \"y\"\n"
    "    new_tensor r1, float32, [s0]\n"
    "    call_kernel k0, [s0], [r0, r0, r1]\n"
    "    load_const r2, c0\n"
    "    make_tuple r3, [r1, r2]\n"
    "    ret r3\n}\n"
    ".func host (x: object) -> object {\n"
    "    call_packed r1, \"host.work\", [r0]\n"
    "    ret r1\n}\n";

/* Creates one value of each kind from the tensor args[0] = [2, 3]. */
static rlx_status makes_everything(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                                   rlx_value *out, rlx_error *err)
{
    enum { N = 7 };
    rlx_value items[N] = {{0}};
    rlx_storage *storage = NULL;
    const int64_t six[] = {6}, two[] = {2};
    uint32_t made = 0;
    rlx_status status = n == 1 ? RLX_OK : rlx_fail(err, RLX_E_INVALID_ARG, "one argument");
    if (status == RLX_OK)
        status = rlx_call_view(cc, args[0].as.tensor, 1, six, &items[made].as.tensor, err);
    if (status == RLX_OK) {
        items[made].kind = RLX_KIND_TENSOR, made++;
        status = rlx_call_alloc_tensor(cc, RLX_I64, 1, two, &items[made].as.tensor, err);
    }
    if (status == RLX_OK) {
        int64_t *data = rlx_tensor_mutable_data(items[made].as.tensor);
        data[0] = 5, data[1] = 6;
        items[made].kind = RLX_KIND_TENSOR, made++;
        status = rlx_call_alloc_storage(cc, 64, 64, &storage, err);
    }
    if (status == RLX_OK)
        status =
            rlx_call_storage_tensor(cc, storage, 8, RLX_I64, 1, two, &items[made].as.tensor, err);
    if (status == RLX_OK) {
        memset(rlx_tensor_mutable_data(items[made].as.tensor), 0, 16);
        items[made].kind = RLX_KIND_TENSOR, made++;
        status = rlx_call_make_shape(cc, 1, six, &items[made].as.shape, err);
    }
    if (status == RLX_OK) {
        items[made].kind = RLX_KIND_SHAPE, made++;
        status = rlx_call_make_string(cc, RLX_STR("text"), &items[made].as.string, err);
    }
    if (status == RLX_OK) {
        items[made].kind = RLX_KIND_STRING, made++;
        status = rlx_call_packed(cc, RLX_STR("test.seven"), NULL, 0, &items[made], err);
    }
    if (status == RLX_OK) {
        made++;
        status = rlx_call_packed(cc, RLX_STR("vm.builtin.copy"), args, 1, &items[made], err);
    }
    if (status == RLX_OK) {
        made++;
        rlx_tuple *all;
        status = rlx_call_make_tuple(cc, made, items, &all, err);
        if (status == RLX_OK)
            *out = rlx_of_tuple(all);
    }
    for (uint32_t i = 0; i < made; i++)
        rlx_value_release(items[i]);
    if (storage)
        rlx_value_release((rlx_value){RLX_KIND_STORAGE, 0, {.storage = storage}});
    return status;
}

RLX_TEST(host, packed_functions_make_values_of_every_kind)
{
    rlx_executable *exe = rlx_test_load(t, program);
    rlx_vm *vm = rlx_test_vm(t, exe);
    rlx_value x = rlx_test_iota(t, 2, (int64_t[]){2, 3}), out;
    RLX_OKAY(rlx_vm_register(vm, RLX_STR("host.work"), makes_everything, NULL, NULL, &t->error));
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("host"), &x, 1, &out, &t->error));
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    cr_assert_eq(out.kind, RLX_KIND_TUPLE);
    cr_assert_eq(rlx_tuple_count(out.as.tuple), 7);
    const rlx_tensor *view = rlx_tuple_get(out.as.tuple, 0).as.tensor;
    cr_expect_eq(rlx_tensor_ndim(view), 1);
    cr_expect(rlx_tensor_same_storage(view, x.as.tensor), "a view shares");
    cr_expect_eq(((const int64_t *)rlx_tensor_data(rlx_tuple_get(out.as.tuple, 1).as.tensor))[1],
                 6);
    cr_expect_eq(rlx_tensor_nbytes(rlx_tuple_get(out.as.tuple, 2).as.tensor), 16);
    cr_expect_eq(rlx_shape_dims(rlx_tuple_get(out.as.tuple, 3).as.shape)[0], 6);
    cr_expect(
        rlx_str_eq(rlx_string_get(rlx_tuple_get(out.as.tuple, 4).as.string), RLX_STR("text")));
    cr_expect_eq(rlx_tuple_get(out.as.tuple, 5).as.i, 7);
    cr_expect_eq(rlx_tuple_get(out.as.tuple, 6).kind, RLX_KIND_TENSOR);
    rlx_value_release(out);
    rlx_value_release(x);
}

static rlx_status misuses(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                          rlx_error *err)
{
    rlx_test *t = rlx_call_user(cc);
    rlx_tensor *x;
    rlx_storage *s;
    (void)err;
    cr_expect(rlx_call_vm(cc) != NULL);
    RLX_FAILS(rlx_call_packed(cc, RLX_STR("no.such"), NULL, 0, out, &t->error), RLX_E_NOT_FOUND,
              "'no.such'");
    RLX_FAILS(rlx_call_packed(cc, RLX_STR("test.fail"), NULL, 0, out, &t->error), RLX_E_KERNEL,
              "as the test asked");
    RLX_FAILS(rlx_call_view(cc, args[n - 1].as.tensor, 1, (int64_t[]){5}, &x, &t->error),
              RLX_E_SHAPE, "a view of 5 elements");
    RLX_FAILS(rlx_call_alloc_tensor(cc, RLX_F32, 1, (int64_t[]){-1}, &x, &t->error), RLX_E_SHAPE,
              "negative");
    RLX_FAILS(rlx_call_alloc_storage(cc, 64, 3, &s, &t->error), RLX_E_INVALID_ARG, "alignment 3");
    rlx_kernel_context *kc = rlx_call_kernel_context(cc);
    char *scratch = kc->scratch_alloc(kc, 100, 32);
    cr_expect(scratch && (uintptr_t)scratch % 32 == 0);
    *out = rlx_int(1);
    return RLX_OK;
}

RLX_TEST(host, mistakes_inside_packed_functions_are_errors_of_theirs)
{
    rlx_executable *exe = rlx_test_load(t, program);
    rlx_vm *vm = rlx_test_vm(t, exe);
    rlx_value x = rlx_test_iota(t, 1, (int64_t[]){4}), out;
    RLX_OKAY(rlx_vm_register(vm, RLX_STR("host.work"), misuses, t, NULL, &t->error));
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("host"), &x, 1, &out, &t->error));
    cr_expect_eq(out.as.i, 1);
    rlx_value_release(x);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

/* Stores a tensor created during the call in |user|. */
static rlx_status keeps(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                        rlx_error *err)
{
    rlx_tensor *made;
    rlx_value *kept = rlx_call_user(cc);
    (void)args;
    (void)n;
    (void)out;
    RLX_TRY(rlx_call_alloc_tensor(cc, RLX_F32, 1, (int64_t[]){1000}, &made, err));
    *kept = rlx_of_tensor(made);
    rlx_call_export(cc, *kept);
    return RLX_OK;
}

static void *release_there(void *value)
{
    rlx_value_clear(value);
    return NULL;
}

RLX_TEST(host, exported_values_outlive_the_vm_on_any_thread)
{
    rlx_executable *exe = rlx_test_load(t, program);
    rlx_vm *vm = rlx_test_vm(t, exe);
    rlx_value kept = rlx_none(), x = rlx_int(1), out;
    RLX_OKAY(rlx_vm_register(vm, RLX_STR("host.work"), keeps, &kept, NULL, &t->error));
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("host"), &x, 1, &out, &t->error));
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    cr_expect_eq(rlx_tensor_numel(kept.as.tensor), 1000);
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, release_there, &kept), 0);
    pthread_join(thread, NULL);
    cr_expect_eq(kept.kind, RLX_KIND_NONE);
}

static rlx_status counts(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                         rlx_error *err)
{
    (void)args;
    (void)n;
    (void)err;
    *out = rlx_int(++*(int *)rlx_call_user(cc));
    return RLX_OK;
}

static void ends(void *user)
{
    *(int *)user += 1000;
}

RLX_TEST(host, a_registry_serves_several_vms_and_ends_with_the_last)
{
    rlx_executable *exe = rlx_test_load(t, program);
    rlx_registry *registry;
    rlx_vm *vms[2];
    int calls = 0;
    rlx_value x = rlx_int(0), out;
    RLX_OKAY(rlx_registry_create(&t->allocator, &registry, &t->error));
    RLX_OKAY(
        rlx_registry_add_packed(registry, RLX_STR("host.work"), counts, &calls, ends, &t->error));
    RLX_OKAY(rlx_registry_add_kernel(registry, RLX_STR("t_add"), (rlx_kernel_fn)(uintptr_t)1,
                                     &t->error)); /* never called */
    rlx_vm_options options = {.allocator = &t->allocator, .registry = registry};
    for (int i = 0; i < 2; i++)
        RLX_OKAY(rlx_vm_create(exe, &options, &vms[i], &t->error));
    rlx_registry_release(registry);
    for (int i = 0; i < 2; i++) {
        RLX_OKAY(rlx_vm_invoke(vms[i], RLX_STR("host"), &x, 1, &out, &t->error));
        cr_expect_eq(out.as.i, i + 1);
        cr_expect_eq(calls, i + 1, "not ended yet");
        rlx_vm_destroy(vms[i]);
    }
    cr_expect_eq(calls, 1002, "ended once");
    rlx_executable_release(exe);
}

/* Passes its own buffer to a packed function. */
static int32_t lends(void *const *buffers, const int64_t *dims, rlx_kernel_context *ctx)
{
    const rlx_kernel_tensor x = {
        .data = buffers[0], .dims = dims, .ndim = 1, .code = RLX_FLOAT, .bits = 32, .lanes = 1};
    const rlx_kernel_arg arg = {.kind = RLX_KERNEL_ARG_TENSOR, .as.t = &x};
    rlx_kernel_arg result = {.kind = RLX_KERNEL_ARG_INT};
    return ctx->call_packed(ctx, "host.look", &arg, 1, &result);
}

typedef struct looker {
    bool keeps_tensor, keeps_view;
    rlx_value kept;
    float sum;
} looker;

static rlx_status looks(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                        rlx_error *err)
{
    looker *l = rlx_call_user(cc);
    rlx_tensor *x = args[0].as.tensor, *view;
    const float *data = rlx_tensor_data(x);
    (void)n;
    (void)out;
    l->sum = 0;
    for (int64_t i = 0; i < rlx_tensor_numel(x); i++)
        l->sum += data[i];
    RLX_TRY(rlx_tensor_view(NULL, x, 1, rlx_tensor_dims(x), &view, err));
    if (l->keeps_view)
        l->kept = rlx_of_tensor(view);
    else
        rlx_value_release(rlx_of_tensor(view));
    if (l->keeps_tensor)
        l->kept = rlx_value_retain(args[0]);
    return RLX_OK;
}

RLX_TEST(host, a_kernels_buffers_cannot_be_kept)
{
    static const looker lookers[] = {
        {.keeps_tensor = false}, {.keeps_tensor = true}, {.keeps_view = true}};
    rlx_executable *exe =
        rlx_test_load(t, ".kernel k0 \"t_lend\" dims 1 (float32[s0])\n"
                         ".func \"main\" (x: float32[s0!]) -> object symbols 1 {\n"
                         "    call_kernel k0, [s0], [r0]\n"
                         "    ret r0\n}\n");
    rlx_value x = rlx_test_iota(t, 1, (int64_t[]){5}), out;
    for (size_t i = 0; i < sizeof lookers / sizeof *lookers; i++) {
        looker l = lookers[i];
        RLX_OKAY(
            rlx_registry_add_kernel(rlx_test_registry(t), RLX_STR("t_lend"), lends, &t->error));
        rlx_vm *vm = rlx_test_vm(t, exe);
        RLX_OKAY(rlx_vm_register(vm, RLX_STR("host.look"), looks, &l, NULL, &t->error));
        if (l.keeps_tensor || l.keeps_view) {
            RLX_FAILS(rlx_vm_invoke(vm, RLX_STR("main"), &x, 1, &out, &t->error), RLX_E_KERNEL,
                      "host.look: it kept a tensor whose memory is the kernel's");
        } else {
            RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &x, 1, &out, &t->error));
            rlx_value_release(out);
        }
        cr_expect_eq(l.sum, 10);
        rlx_value_release(l.kept);
        rlx_vm_destroy(vm);
    }
    rlx_value_release(x);
    rlx_executable_release(exe);
}

enum { THREADS = 3, ROUNDS = 200 };

typedef struct worker {
    rlx_executable *exe;
    rlx_registry *registry;
    int wrong;
} worker;

static void *work(void *user)
{
    worker *w = user;
    rlx_vm_options options = {.registry = w->registry};
    rlx_vm *vm = NULL;
    if (rlx_vm_create(w->exe, &options, &vm, NULL) != RLX_OK)
        w->wrong++;
    for (int i = 1; vm && i <= ROUNDS; i++) {
        rlx_tensor *x;
        rlx_value out = rlx_none();
        if (rlx_tensor_create(NULL, RLX_F32, 1, (int64_t[]){i}, &x, NULL) != RLX_OK) {
            w->wrong++;
            break;
        }
        float *data = rlx_tensor_mutable_data(x);
        for (int k = 0; k < i; k++)
            data[k] = (float)k;
        rlx_value arg = rlx_of_tensor(x);
        if (rlx_vm_invoke(vm, RLX_STR("main"), &arg, 1, &out, NULL) != RLX_OK) {
            w->wrong++;
        } else {
            const float *sum = rlx_tensor_data(rlx_tuple_get(out.as.tuple, 0).as.tensor);
            const float *constant = rlx_tensor_data(rlx_tuple_get(out.as.tuple, 1).as.tensor);
            w->wrong += sum[i - 1] != (float)(2 * (i - 1)) || constant[1] != 20;
        }
        rlx_value_release(out);
        rlx_value_release(arg);
    }
    rlx_vm_destroy(vm);
    rlx_executable_release(w->exe);
    return NULL;
}

RLX_TEST(host, threads_share_an_executable_each_with_its_vm)
{
    void *image;
    size_t size;
    rlx_executable *exe;
    pthread_t threads[THREADS];
    worker workers[THREADS];
    RLX_OKAY(rlx_assemble(NULL, RLX_STR("test"), rlx_str_from(program), &image, &size, &t->error));
    RLX_OKAY(rlx_executable_load_memory(image, size, NULL, &exe, &t->error));
    rlx_free(NULL, image, size, 64);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){rlx_executable_retain(exe), rlx_test_registry(t), 0};
        cr_assert_eq(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    rlx_executable_release(exe);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        cr_expect_eq(workers[i].wrong, 0);
    }
}

RLX_TEST(host, figures_and_texts_of_an_executable)
{
    rlx_executable *exe = rlx_test_load(t, program);
    rlx_vm *vm = rlx_test_vm(t, exe);
    char text[200];
    rlx_location where;
    rlx_str name;
    rlx_vm_stats stats;
    rlx_closure *closure;
    cr_expect_eq(rlx_vm_executable(vm), exe);
    uint32_t f = rlx_executable_find_function(exe, RLX_STR("main"));
    cr_expect_eq(f, 0);
    cr_expect_eq(rlx_executable_find_function(exe, RLX_STR("none")), RLX_NONE);
    cr_expect(rlx_str_eq(rlx_function_param_name(exe, f, 0), RLX_STR("x")));
    cr_expect_str_eq(rlx_function_slot_name(exe, f, 0, text, sizeof text), "n");
    cr_expect_str_eq(rlx_type_text(exe, f, rlx_function_param_type(exe, f, 0), text, sizeof text),
                     "Tensor((n,), float32)");
    cr_assert(rlx_function_location(exe, f, 0, &where, &name));
    cr_expect_str_eq(where.file, "model.py");
    cr_expect(where.line == 12 && where.column == 9 && rlx_str_eq(name, RLX_STR("y")));
    cr_expect_eq(rlx_executable_constant_count(exe), 1 + 1, "the tensor and the packed name");
    cr_expect_eq(rlx_executable_kernel_count(exe), 1);
    cr_expect_eq(rlx_executable_import_count(exe), 0);

    RLX_OKAY(rlx_vm_make_closure(vm, RLX_STR("main"), NULL, 0, &closure, &t->error));
    cr_expect_eq(rlx_closure_function(closure), f);
    rlx_value_release(rlx_of_closure(closure));

    rlx_value x = rlx_test_iota(t, 1, (int64_t[]){5}), out;
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &x, 1, &out, &t->error));
    rlx_value_release(out);
    rlx_value_release(x);
    rlx_vm_get_stats(vm, &stats);
    cr_expect_eq(stats.instructions, 5);
    cr_expect_gt(stats.allocator_calls, 0);
    rlx_vm_reset_stats(vm);
    rlx_vm_get_stats(vm, &stats);
    cr_expect_eq(stats.instructions, 0);
    cr_expect_eq(stats.allocator_calls, 0);

    char *one;
    size_t length;
    RLX_OKAY(rlx_disassemble_function(&t->allocator, exe, f, &one, &length, &t->error));
    cr_expect(strstr(one, "call_kernel") && !strstr(one, "call_packed"));
    rlx_free(&t->allocator, one, length + 1, 1);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}
