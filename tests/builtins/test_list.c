/* Sequences, optionals and collected results (builtins/list.c): states that programs never reach,
 * and refused arguments. tests/onnx/sequences.py runs whole programs with them. */
#include "tests/builtins/fixture.h"

static rlx_value list_of(rlx_test *t, rlx_value *items, uint32_t n)
{
    return call_builtin(t, "vm.builtin.make_tuple", items, n);
}

static rlx_value vector(rlx_test *t, int64_t n, double first)
{
    double values[8];
    for (int64_t i = 0; i < n; i++)
        values[i] = first + (double)i;
    return make_tensor(t, RLX_F32, 1, &n, values);
}

RLX_TEST(list, insertion_leaves_the_old_list_alone)
{
    rlx_value items[2] = {vector(t, 1, 1), vector(t, 2, 2)};
    rlx_value old = list_of(t, items, 2);
    rlx_value args[3] = {rlx_value_retain(old), vector(t, 3, 5), rlx_int(-1)};
    rlx_value new = call_builtin(t, "rlx.list_insert", args, 3);
    cr_assert_eq(rlx_tuple_count(new.as.tuple), 3);
    cr_expect_eq(rlx_tuple_count(old.as.tuple), 2);
    cr_expect_eq(rlx_tensor_numel(rlx_tuple_get(new.as.tuple, 1).as.tensor), 3);
    cr_expect_eq(rlx_tuple_get(new.as.tuple, 2).as.tensor, rlx_tuple_get(old.as.tuple, 1).as.tensor,
                 "items are shared");
    rlx_value_release(old);
    rlx_value_release(new);
}

RLX_TEST(list, collected_in_turn_order_and_backwards)
{
    const int64_t counts[] = {0, 1, 7, 8, 9, 16, 17};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int back = 0; back < 2; back++) {
            rlx_value state = rlx_none();
            const int64_t n = counts[c], dims[2] = {n, 2}, shape[1] = {2};
            double want[64];
            for (int64_t i = 0; i < n; i++) {
                const int64_t at = back ? n - 1 - i : i;
                want[2 * at] = (double)(10 * i);
                want[2 * at + 1] = (double)(10 * i + 1);
                rlx_value args[2] = {state, vector(t, 2, (double)(10 * i))};
                state = call_builtin(t, "rlx.collect", args, 2);
            }
            rlx_value args[4] = {state, rlx_int(back), rlx_test_shape(t, 1, shape),
                                 rlx_of_dtype(RLX_F32)};
            rlx_value all = call_builtin(t, "rlx.collected", args, 4);
            expect_tensor("collected", all, RLX_F32, 2, dims, want);
            rlx_value_release(all);
        }
}

RLX_TEST(list, invalid_states_are_refused)
{
    rlx_value out = rlx_none(), room = vector(t, 2, 0);
    struct {
        rlx_value room, count;
    } rows[] = {
        {room, rlx_int(3)}, {room, rlx_int(-1)}, {room, rlx_float(1)}, {rlx_int(1), rlx_int(0)}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_value items[2] = {rlx_value_retain(rows[i].room), rows[i].count};
        rlx_value args[2] = {list_of(t, items, 2), make_tensor(t, RLX_F32, 0, NULL, NULL)};
        RLX_FAILS(try_builtin(t, "rlx.collect", args, 2, &out), RLX_E_INVALID_ARG,
                  "argument 0 is not a state of rlx.collect");
    }
    rlx_value items[2] = {room, rlx_int(1)};
    rlx_value args[2] = {list_of(t, items, 2), vector(t, 2, 0)};
    RLX_FAILS(try_builtin(t, "rlx.collect", args, 2, &out), RLX_E_SHAPE,
              "the result of iteration 1 differs in shape from earlier ones");
}

RLX_TEST(list, refused)
{
    rlx_value out = rlx_none(), none = rlx_none();
    RLX_FAILS(try_builtin(t, "rlx.list", &none, 1, &out), RLX_E_INVALID_ARG,
              "argument 0 must be a sequence, is none");
    rlx_value mixed[2] = {vector(t, 1, 0), rlx_int(1)};
    rlx_value join[3] = {list_of(t, mixed, 2), rlx_int(0), rlx_int(0)};
    RLX_FAILS(try_builtin(t, "rlx.list_concat", join, 3, &out), RLX_E_INVALID_ARG,
              "item 1 of the sequence must be a tensor");
    rlx_value two[2] = {vector(t, 1, 0), vector(t, 1, 0)};
    rlx_value optional[1] = {list_of(t, two, 2)};
    RLX_FAILS(try_builtin(t, "rlx.optional", optional, 1, &out), RLX_E_INVALID_ARG,
              "an optional holds at most one value, got 2");
    rlx_value empty[1] = {list_of(t, NULL, 0)};
    cr_expect_eq(call_builtin(t, "rlx.optional", empty, 1).kind, RLX_KIND_NONE);
    rlx_value split[4] = {vector(t, 4, 0), rlx_int(0), rlx_int(1), rlx_int(0)};
    RLX_FAILS(try_builtin(t, "rlx.list_split", split, 4, &out), RLX_E_INVALID_ARG,
              "parts of 0 elements");
    rlx_value whole[4] = {vector(t, 4, 0), rlx_int(0), rlx_int(0), rlx_int(2)};
    RLX_FAILS(try_builtin(t, "rlx.list_split", whole, 4, &out), RLX_E_INVALID_ARG,
              "keepdims=0 needs parts of one element");
}
