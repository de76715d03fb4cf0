/* Shapes, views, tuples, conditions, printing, and the functions used by TVM's lowered modules;
 * then every builtin with each allocation failing in turn. */
#include "tests/builtins/fixture.h"

#include <stdio.h>
#include <string.h>

static const double six[] = {0, 1, 2, 3, 4, 5};

static rlx_value six_floats(rlx_test *t)
{
    const int64_t dims[] = {2, 3};
    return make_tensor(t, RLX_F32, 2, dims, six);
}

static rlx_value shape(rlx_test *t, uint32_t n, const int64_t *dims)
{
    return rlx_test_shape(t, n, dims);
}

RLX_TEST(builtins, reshape_is_a_view)
{
    static const char *const names[] = {"rlx.reshape", "vm.builtin.reshape"};
    const int64_t dims[] = {3, 2}, wrong[] = {4, 2};
    for (size_t i = 0; i < 2; i++) {
        rlx_value x = six_floats(t), out = rlx_none();
        rlx_value args[] = {rlx_value_retain(x), shape(t, 2, dims)};
        out = call_builtin(t, names[i], args, 2);
        expect_tensor(names[i], out, RLX_F32, 2, dims, six);
        cr_expect(rlx_tensor_same_storage(x.as.tensor, out.as.tensor));
        rlx_value_release(out);
        rlx_value bad[] = {x, shape(t, 2, wrong)};
        RLX_FAILS(try_builtin(t, names[i], bad, 2, &out), RLX_E_SHAPE,
                  "a view of 8 elements over a tensor of 6");
    }
}

RLX_TEST(builtins, copy_has_its_own_bytes)
{
    const int64_t dims[] = {2, 3};
    rlx_value x = six_floats(t);
    rlx_value args[] = {rlx_value_retain(x)};
    rlx_value out = call_builtin(t, "rlx.copy", args, 1);
    expect_tensor("copy", out, RLX_F32, 2, dims, six);
    cr_expect_not(rlx_tensor_same_storage(x.as.tensor, out.as.tensor));
    rlx_value_release(out);
    rlx_value same[] = {x};
    out = call_builtin(t, "vm.builtin.copy", same, 1);
    expect_tensor("same", out, RLX_F32, 2, dims, six);
    rlx_value_release(out);
    rlx_value number[] = {rlx_int(5)};
    cr_expect_eq(call_builtin(t, "rlx.copy", number, 1).as.i, 5);
}

RLX_TEST(builtins, view_reads_bytes_as_another_type)
{
    const int64_t six_dims[] = {6}, two[] = {2}, three[] = {3};
    const double bits[] = {0x3f800000, 0x40000000}; /* 1.0f and 2.0f */
    struct {
        int64_t offset;
        const int64_t *dims;
        uint32_t n;
        rlx_dtype dtype;
        const double *want;
        const char *message;
    } rows[] = {{4, two, 1, RLX_I32, bits, NULL},
                {0, six_dims, 1, RLX_F32, six, NULL},
                {12, three, 1, RLX_F32, six + 3, NULL},
                {16, three, 1, RLX_F32, NULL, "outside the tensor of 24 bytes"},
                {-4, two, 1, RLX_F32, NULL, "outside the tensor of 24 bytes"},
                {0, six_dims, 1, RLX_F64, NULL, "outside the tensor of 24 bytes"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_value out = rlx_none();
        rlx_value args[] = {six_floats(t), shape(t, rows[i].n, rows[i].dims),
                            rlx_of_dtype(rows[i].dtype), rlx_int(rows[i].offset)};
        if (rows[i].message) {
            RLX_FAILS(try_builtin(t, "rlx.view", args, 4, &out), RLX_E_SHAPE, rows[i].message);
            continue;
        }
        out = call_builtin(t, "rlx.view", args, 4);
        expect_tensor("view", out, rows[i].dtype, rows[i].n, rows[i].dims, rows[i].want);
        rlx_value_release(out);
    }
    const int64_t dims[] = {2, 3};
    rlx_value all[] = {six_floats(t), rlx_none(), rlx_none(), rlx_none()};
    rlx_value out = call_builtin(t, "rlx.view", all, 4);
    expect_tensor("view of all", out, RLX_F32, 2, dims, six);
    rlx_value_release(out);
}

RLX_TEST(builtins, shapes_become_tensors_and_back)
{
    const int64_t dims[] = {2, 3}, two = 2, seventeen = 17;
    const double values[] = {2, 3}, negative[] = {2, -3};
    static const rlx_dtype dtypes[] = {{RLX_INT, 64, 1}, {RLX_INT, 8, 1}, {RLX_UINT, 32, 1}};
    rlx_value args[] = {six_floats(t)};
    rlx_value s = call_builtin(t, "rlx.shape_of", args, 1);
    expect_shape("shape_of", s, 2, dims);
    rlx_value v = call_builtin(t, "rlx.shape_to_tensor", &s, 1);
    expect_tensor("shape_to_tensor", v, RLX_I64, 1, &two, values);
    rlx_value_release(v);
    s = shape(t, 0, NULL);
    v = call_builtin(t, "relax.run.shape_to_tensor", &s, 1);
    const int64_t zero = 0;
    expect_tensor("shape_to_tensor of ()", v, RLX_I64, 1, &zero, NULL);
    rlx_value_release(v);
    for (size_t i = 0; i < 3; i++) {
        rlx_value x = make_tensor(t, dtypes[i], 1, &two, values);
        rlx_value out = call_builtin(t, "rlx.tensor_to_shape", &x, 1);
        expect_shape("tensor_to_shape", out, 2, dims);
        rlx_value_release(out);
    }
    rlx_value out = rlx_none(), x = make_tensor(t, RLX_I64, 1, &two, negative);
    out = call_builtin(t, "rlx.tensor_to_shape", &x, 1); /* any integers, such as axes or begins */
    expect_shape("negative", out, 2, ((const int64_t[]){2, -3}));
    rlx_value_release(out);
    x = make_tensor(t, RLX_F32, 1, &two, values);
    RLX_FAILS(try_builtin(t, "rlx.tensor_to_shape", &x, 1, &out), RLX_E_SHAPE, "integer vector");
    x = make_tensor(t, RLX_I64, 1, &seventeen, NULL);
    RLX_FAILS(try_builtin(t, "rlx.tensor_to_shape", &x, 1, &out), RLX_E_SHAPE, "integer vector");
}

RLX_TEST(builtins, tuples_and_conditions)
{
    rlx_value items[] = {rlx_int(4), rlx_none(), rlx_float(2.5)};
    rlx_value tuple = call_builtin(t, "vm.builtin.make_tuple", items, 3);
    cr_assert_eq(rlx_tuple_count(tuple.as.tuple), 3);
    rlx_value get[] = {rlx_value_retain(tuple), rlx_int(2)};
    cr_expect_eq(call_builtin(t, "vm.builtin.tuple_getitem", get, 2).as.f, 2.5);
    rlx_value out = rlx_none();
    rlx_value past[] = {rlx_value_retain(tuple), rlx_int(3)};
    RLX_FAILS(try_builtin(t, "vm.builtin.tuple_getitem", past, 2, &out), RLX_E_INVALID_ARG,
              "index 3 is out of range for a tuple of 3");
    rlx_value reset[] = {tuple, rlx_int(0)};
    cr_expect_eq(call_builtin(t, "vm.builtin.tuple_reset_item", reset, 2).kind, RLX_KIND_NONE);
    const double zero = 0, two = 2;
    struct {
        rlx_value value;
        int64_t want;
    } conditions[] = {{rlx_bool(true), 1},
                      {rlx_bool(false), 0},
                      {rlx_int(-7), 1},
                      {rlx_int(0), 0},
                      {make_tensor(t, RLX_B8, 0, NULL, &zero), 0},
                      {make_tensor(t, RLX_I32, 0, NULL, &two), 1}};
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++) {
        out = call_builtin(t, "vm.builtin.read_if_cond", &conditions[i].value, 1);
        cr_expect_eq(out.as.i, conditions[i].want, "condition %zu", i);
    }
    rlx_value text = make_text(t, "x");
    RLX_FAILS(try_builtin(t, "vm.builtin.read_if_cond", &text, 1, &out), RLX_E_INVALID_ARG,
              "argument 0 must be an integer, is string");
    cr_expect_eq(call_builtin(t, "rlx.null_value", NULL, 0).kind, RLX_KIND_NONE);
}

static void collect(void *user, rlx_str text)
{
    size_t used = strlen(user);
    memcpy((char *)user + used, text.data, text.len);
    ((char *)user)[used + text.len] = '\0';
}

RLX_TEST(builtins, print_formats_values)
{
    const int64_t dims[] = {2, 3}, three[] = {3};
    const double halves[] = {0.5, -1, 65504};
    struct {
        const char *format, *want;
        rlx_value value;
    } rows[] = {{"{}!", "7!\n", rlx_int(7)},
                {"{{}} {}", "{} True\n", rlx_bool(true)},
                {"", "2.5\n", rlx_float(2.5)},
                {"x", "x 3\n", rlx_int(3)},
                {"{} {}", "4 {}\n", rlx_int(4)},
                {"{}", "(2, 3)\n", shape(t, 2, dims)},
                {"{}", "float32(2, 3)[0, 1, 2, 3, 4, 5]\n", six_floats(t)},
                {"{}", "float16(3)[0.5, -1, 65504]\n", make_tensor(t, RLX_F16, 1, three, halves)},
                {"{}", "bfloat16(3)[0, 1, 2]\n", make_tensor(t, RLX_BF16, 1, three, six)},
                {"{}", "uint8(3)[0, 1, 2]\n", make_tensor(t, RLX_U8, 1, three, six)},
                {"{}", "float16\n", rlx_of_dtype(RLX_F16)},
                {"{}", "abc\n", make_text(t, "abc")},
                {"{}", "none\n", rlx_none()}};
    rlx_executable *exe = load_builtin(t, "rlx.print", 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512] = "";
        const rlx_vm_options options = {
            .allocator = &t->allocator, .output = collect, .output_user = text};
        rlx_vm *vm = NULL;
        rlx_value args[] = {make_text(t, rows[i].format), rows[i].value}, out = rlx_none();
        RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, 2, &out, &t->error));
        cr_expect_str_eq(text, rows[i].want, "row %zu", i);
        rlx_value_release(args[0]);
        rlx_value_release(args[1]);
        rlx_vm_destroy(vm);
    }
    rlx_executable_release(exe);
}

RLX_TEST(builtins, assert_fails_with_the_text)
{
    rlx_value out = rlx_none();
    rlx_value holds[] = {rlx_bool(true), make_text(t, "n is {}"), rlx_int(3)};
    cr_expect_eq(call_builtin(t, "rlx.assert", holds, 3).kind, RLX_KIND_NONE);
    rlx_value fails[] = {rlx_bool(false), make_text(t, "n is {}"), rlx_int(3)};
    RLX_FAILS(try_builtin(t, "rlx.assert", fails, 3, &out), RLX_E_KERNEL,
              "Assertion Failed: n is 3");
    rlx_value bare[] = {rlx_int(0)};
    RLX_FAILS(try_builtin(t, "relax.run.assert_op", bare, 1, &out), RLX_E_KERNEL,
              "Assertion Failed");
}

RLX_TEST(builtins, the_shape_heap_stores_checks_and_makes)
{
    const int64_t dims[] = {2, 3}, want[] = {3, 9};
    rlx_value four = rlx_int(4), none = rlx_int(-1), out = rlx_none();
    rlx_value heap = call_builtin(t, "vm.builtin.alloc_shape_heap", &four, 1);
    RLX_FAILS(try_builtin(t, "vm.builtin.alloc_shape_heap", &none, 1, &out), RLX_E_INVALID_ARG,
              "shape heap size -1");
    rlx_value match[] = {
        shape(t, 2, dims), rlx_value_retain(heap), rlx_int(2), rlx_int(0), rlx_int(2), rlx_int(1),
        rlx_int(1)};
    (void)call_builtin(t, "vm.builtin.match_shape", match, 7);
    cr_expect_eq(element(heap, 1), 3);
    struct {
        int64_t code, value;
        const char *message;
        rlx_status status;
    } rows[] = {{0, 4, "here: dimension 1 is 3, expected 4", RLX_E_SHAPE},
                {3, 0, "here: dimension 1 is 3, expected 0", RLX_E_SHAPE},
                {1, 4, "slot 4 is out of range for a shape heap of 4", RLX_E_INVALID_ARG},
                {3, -1, "slot -1 is out of range for a shape heap of 4", RLX_E_INVALID_ARG},
                {9, 0, "match code 9", RLX_E_INVALID_ARG}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_value args[] = {six_floats(t),
                            rlx_value_retain(heap),
                            rlx_int(2),
                            rlx_int(2),
                            rlx_int(0),
                            rlx_int(rows[i].code),
                            rlx_int(rows[i].value),
                            make_text(t, "here: ")};
        RLX_FAILS(try_builtin(t, "vm.builtin.match_shape", args, 8, &out), rows[i].status,
                  rows[i].message);
    }
    rlx_value rank[] = {six_floats(t), rlx_value_retain(heap), rlx_int(1), rlx_int(2), rlx_int(0)};
    RLX_FAILS(try_builtin(t, "vm.builtin.match_shape", rank, 5, &out), RLX_E_SHAPE,
              "rank is 2, expected 1");
    rlx_value few[] = {six_floats(t), rlx_value_retain(heap), rlx_int(2), rlx_int(2), rlx_int(0)};
    RLX_FAILS(try_builtin(t, "vm.builtin.match_shape", few, 5, &out), RLX_E_INVALID_ARG,
              "match_shape of 2 dimensions with 5 arguments");
    rlx_value prim[] = {rlx_int(9), rlx_value_retain(heap), rlx_int(1), rlx_int(2), rlx_none()};
    (void)call_builtin(t, "vm.builtin.match_prim_value", prim, 5);
    rlx_value make[] = {
        rlx_value_retain(heap), rlx_int(2), rlx_int(1), rlx_int(1), rlx_int(0), rlx_int(9)};
    out = call_builtin(t, "vm.builtin.make_shape", make, 6);
    expect_shape("make_shape", out, 2, want);
    rlx_value_release(out);
    rlx_value load[] = {rlx_value_retain(heap), rlx_int(1), rlx_int(2)};
    cr_expect_eq(call_builtin(t, "vm.builtin.make_prim_value", load, 3).as.i, 9);
    rlx_value code[] = {heap, rlx_int(2), rlx_int(2)};
    RLX_FAILS(try_builtin(t, "vm.builtin.make_prim_value", code, 3, &out), RLX_E_INVALID_ARG,
              "make code 2");
}

RLX_TEST(builtins, checks_say_what_they_expected)
{
    const int64_t two[] = {2, 2};
    rlx_value pair[] = {rlx_int(1), rlx_int(2)};
    struct {
        const char *name;
        uint32_t n;
        rlx_value args[4];
        const char *message; /* NULL: the check passes */
    } rows[] = {
        {"tensor", 4, {six_floats(t), rlx_int(2), rlx_of_dtype(RLX_F32), rlx_none()}, NULL},
        {"tensor", 4, {six_floats(t), rlx_int(-1), rlx_none(), rlx_none()}, NULL},
        {"tensor", 4, {six_floats(t), rlx_int(3), rlx_none(), rlx_none()}, "rank is 2, expected 3"},
        {"tensor",
         4,
         {six_floats(t), rlx_int(2), rlx_of_dtype(RLX_I32), make_text(t, "at x: ")},
         "at x: dtype is float32, expected int32"},
        {"tensor",
         4,
         {rlx_int(1), rlx_int(2), rlx_none(), rlx_none()},
         "expected a tensor, got int"},
        {"shape", 3, {shape(t, 2, two), rlx_int(2), rlx_none()}, NULL},
        {"shape", 3, {shape(t, 2, two), rlx_int(1), rlx_none()}, "rank is 2, expected 1"},
        {"shape", 3, {rlx_none(), rlx_int(1), rlx_none()}, "expected a shape, got none"},
        {"prim_value", 3, {rlx_int(1), rlx_of_dtype(RLX_I64), rlx_none()}, NULL},
        {"prim_value", 3, {rlx_float(1), rlx_of_dtype(RLX_F32), rlx_none()}, NULL},
        {"prim_value",
         3,
         {rlx_float(1), rlx_of_dtype(RLX_I64), rlx_none()},
         "expected an integer, got float"},
        {"prim_value",
         3,
         {rlx_int(1), rlx_of_dtype(RLX_F32), rlx_none()},
         "expected a float, got int"},
        {"tuple",
         3,
         {call_builtin(t, "vm.builtin.make_tuple", pair, 2), rlx_int(2), rlx_none()},
         NULL},
        {"tuple",
         3,
         {call_builtin(t, "vm.builtin.make_tuple", pair, 2), rlx_int(3), rlx_none()},
         "a tuple of 2, expected 3"},
        {"tuple", 3, {rlx_int(2), rlx_int(3), rlx_none()}, "expected a tuple, got int"},
        {"func", 2, {rlx_int(2), make_text(t, "f: ")}, "f: expected a function, got int"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[64];
        rlx_value out = rlx_none();
        snprintf(name, sizeof name, "vm.builtin.check_%s_info", rows[i].name);
        if (rows[i].message)
            RLX_FAILS(try_builtin(t, name, rows[i].args, rows[i].n, &out), RLX_E_SHAPE,
                      rows[i].message);
        else
            (void)call_builtin(t, name, rows[i].args, rows[i].n);
    }
}

RLX_TEST(builtins, storages_hold_tensors)
{
    const int64_t bytes = 64, dims[] = {2, 3}, huge[] = {INT64_MAX, 2};
    rlx_value out = rlx_none();
    rlx_value args[] = {shape(t, 1, &bytes), rlx_int(0), rlx_of_dtype(RLX_U8)};
    rlx_value storage = call_builtin(t, "vm.builtin.alloc_storage", args, 3);
    rlx_value place[] = {rlx_value_retain(storage), rlx_int(40), shape(t, 2, dims),
                         rlx_of_dtype(RLX_F32)};
    out = call_builtin(t, "vm.builtin.alloc_tensor", place, 4);
    cr_expect_eq(rlx_tensor_nbytes(out.as.tensor), 24);
    rlx_value_release(out);
    rlx_value past[] = {storage, rlx_int(44), shape(t, 2, dims), rlx_of_dtype(RLX_F32)};
    RLX_FAILS(try_builtin(t, "vm.builtin.alloc_tensor", past, 4, &out), RLX_E_LIMIT,
              "does not fit a storage of 64 bytes");
    rlx_value none[] = {rlx_int(1), rlx_int(0), shape(t, 2, dims), rlx_of_dtype(RLX_F32)};
    RLX_FAILS(try_builtin(t, "vm.builtin.alloc_tensor", none, 4, &out), RLX_E_SHAPE,
              "expected a storage, got int");
    rlx_value wide[] = {shape(t, 2, huge), rlx_int(0), rlx_none()};
    RLX_FAILS(try_builtin(t, "vm.builtin.alloc_storage", wide, 3, &out), RLX_E_LIMIT,
              "out of range");
    rlx_value elements[] = {shape(t, 2, dims), rlx_int(0), rlx_of_dtype(RLX_F64)};
    storage = call_builtin(t, "vm.builtin.alloc_storage", elements, 3);
    rlx_value fits[] = {storage, rlx_int(0), shape(t, 2, dims), rlx_of_dtype(RLX_F64)};
    rlx_value_release(call_builtin(t, "vm.builtin.alloc_tensor", fits, 4));
}

RLX_TEST(builtins, closures_are_invoked_with_the_values)
{
    rlx_executable *exe =
        rlx_test_load(t, ".func twice (x: object, y: object) -> object {\n"
                         "    make_tuple r2, [r0, r1, r0]\n"
                         "    ret r2\n"
                         "}\n"
                         ".func main (x: object) -> object {\n"
                         "    make_closure r1, @twice, [r0]\n"
                         "    call_builtin r2, \"vm.builtin.invoke_closure\", [r1, r0]\n"
                         "    call_builtin r3, \"vm.builtin.check_func_info\", [r1]\n"
                         "    ret r2\n"
                         "}\n");
    rlx_vm *vm = rlx_test_vm(t, exe);
    rlx_value x = rlx_int(6), out = rlx_none();
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), &x, 1, &out, &t->error));
    cr_expect_eq(rlx_tuple_count(out.as.tuple), 3);
    cr_expect_eq(rlx_tuple_get(out.as.tuple, 1).as.i, 6);
    rlx_value_release(out);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    RLX_FAILS(try_builtin(t, "vm.builtin.invoke_closure", &x, 1, &out), RLX_E_INVALID_ARG,
              "argument 0 must be a closure, is int");
}

/* --- running out of memory --- */

/* Arguments for which builtin |row| succeeds; -1 if the host cannot build them. */
static int32_t good_args(rlx_test *t, size_t row, rlx_value *args)
{
    const int64_t dims[] = {3, 2}, two = 2;
    const double values[] = {3, 1};
    static const char *const names[] = {
        "rlx.reshape",         "rlx.view",    "rlx.copy",    "rlx.shape_of",
        "rlx.shape_to_tensor", "rlx.sort",    "rlx.argsort", "rlx.topk",
        "rlx.unique",          "rlx.nonzero", "rlx.print",   "rlx.tensor_to_shape"};
    uint32_t count;
    const char *name = rlx_builtin_table(&count)[row].name;
    size_t which = 0;
    while (which < sizeof names / sizeof *names && strcmp(names[which], name) != 0)
        which++;
    args[0] = which == 4    ? shape(t, 2, dims)
              : which == 10 ? make_text(t, "{}")
              : which == 11 ? make_tensor(t, RLX_I64, 1, &two, values)
                            : six_floats(t);
    for (uint32_t i = 1; i < 6; i++)
        args[i] = rlx_int(1);
    if (which == 0 || which == 1)
        args[1] = shape(t, 2, dims);
    if (which == 1)
        args[2] = args[3] = rlx_none();
    if (which == 6)
        args[3] = rlx_of_dtype(RLX_I64);
    if (which == 7)
        args[5] = rlx_of_dtype(RLX_I64);
    if (which < sizeof names / sizeof *names)
        return rlx_builtin_table(&count)[row].min_args + (which == 8);
    rlx_value_release(args[0]);
    return -1;
}

RLX_TEST(builtins, running_out_of_memory_anywhere_leaks_nothing)
{
    uint32_t count, swept = 0;
    const rlx_builtin *table = rlx_builtin_table(&count);
    for (size_t row = 0; row < count; row++) {
        rlx_value args[6], out = rlx_none();
        int32_t n = good_args(t, row, args);
        if (n < 0)
            continue;
        rlx_executable *exe = load_builtin(t, table[row].name, (uint32_t)n);
        (void)rlx_test_registry(t);
        rlx_status status = RLX_E_NOMEM;
        for (size_t fail = 1; status == RLX_E_NOMEM; fail++) {
            rlx_vm *vm = NULL;
            const rlx_vm_options options = {.allocator = &t->allocator};
            const size_t blocks = t->live_blocks;
            t->fail_at = t->calls + fail;
            status = rlx_vm_create(exe, &options, &vm, &t->error);
            if (status == RLX_OK)
                status = rlx_vm_invoke(vm, RLX_STR("main"), args, (uint32_t)n, &out, &t->error);
            t->fail_at = 0;
            cr_assert(status == RLX_OK || status == RLX_E_NOMEM, "%s: %s", table[row].name,
                      t->error.message);
            if (status == RLX_E_NOMEM && vm) { /* the VM keeps working */
                RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, (uint32_t)n, &out, &t->error));
            }
            rlx_value_release(out);
            out = rlx_none();
            rlx_vm_destroy(vm);
            cr_assert_eq(t->live_blocks, blocks, "%s: allocation %zu", table[row].name, fail);
        }
        for (int32_t i = 0; i < n; i++)
            rlx_value_release(args[i]);
        rlx_executable_release(exe);
        swept++;
    }
    cr_expect_eq(swept, 12);
}
