/* Checks what tests/c/data.py computes as C, with enough room and with too little. Prints what is
 * wrong. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data.h"

static int failed = 0;

static void expect(const char *what, int holds)
{
    if (!holds) {
        printf("FAIL: %s\n", what);
        failed = 1;
    }
}

int main(void)
{
    static const float x[6] = {1, 2, 3, 4, 5, 6};
    static double arena[256];
    const int64_t shape[2] = {2, 3}, wrong[2] = {2, 2}, negative[2] = {-2, -3},
                  large[2] = {1 << 20, 1 << 20}, beyond[2] = {INT32_MAX, INT32_MAX};
    const uint8_t yes = 1, no = 0;
    const float some[8] = {0, 1, 0, 0, NAN, -0.0f, 2, 3};
    static const int64_t rows[4] = {0, 2, 3, 3}, columns[4] = {1, 0, 0, 1};
    int64_t places[8], powers;
    float out[36], *const in = out;
    int64_t got[3] = {0};
    size_t bytes = data_fill_arena_bytes(6);

    expect("fill", data_fill(x, shape, 6, out, 36, got, arena, sizeof arena) == 0 && got[0] == 2 &&
                       got[1] == 3 && got[2] == 6);
    for (int i = 0; i < 36; i++)
        expect("values of fill", out[i] == x[i % 6] + 1);
    expect("fill without room",
           data_fill(x, shape, 6, out, 35, got, arena, sizeof arena) == DATA_E_MEMORY &&
               got[2] == 6);
    expect("fill without an arena",
           data_fill(x, shape, 6, out, 36, got, arena, bytes) == DATA_E_MEMORY);
    expect("fill of a negative shape",
           data_fill(x, negative, 6, out, 36, got, arena, sizeof arena) == DATA_E_SHAPE);
    expect("fill that is too large",
           data_fill(x, large, 6, out, 36, got, arena, sizeof arena) != 0);
    expect("fill whose size overflows",
           data_fill(x, beyond, 6, out, 36, got, arena, sizeof arena) == DATA_E_SHAPE);
    expect("fill of nothing", data_fill(x, shape, 0, out, 0, got, arena, sizeof arena) == 0 &&
                                  got[0] == 2 && got[2] == 0);

    bytes = data_turn_arena_bytes(6);
    memset(arena, 0, sizeof arena);
    expect("turn", bytes < sizeof arena &&
                       data_turn(x, shape, 6, out, 6, got, arena, sizeof arena) == 0 &&
                       got[0] == 3 && got[1] == 2);
    for (int i = 0; i < 6; i++)
        expect("values of turn", out[i] == x[i % 2 * 3 + i / 2]);
    expect("turn to another count",
           data_turn(x, wrong, 6, out, 6, got, arena, sizeof arena) == DATA_E_SHAPE);
    expect("turn to a negative shape",
           data_turn(x, negative, 6, out, 6, got, arena, sizeof arena) == DATA_E_SHAPE);

    bytes = data_choose_arena_bytes(6);
    expect("choose",
           data_choose(x, &yes, 6, in, 12, got, arena, bytes) == 0 && got[0] == 12 && in[7] == 2);
    expect("choose the other",
           data_choose(x, &no, 6, in, 6, got, arena, bytes) == 0 && got[0] == 6 && in[5] == 6);
    expect("choose without room",
           data_choose(x, &yes, 6, in, 11, got, arena, bytes) == DATA_E_MEMORY && got[0] == 12);
    expect("choose with a small arena",
           data_choose(x, &yes, 6, in, 12, got, arena, bytes - 1) == DATA_E_MEMORY);

    bytes = data_find_arena_bytes(4);
    expect("find", data_find(some, 4, places, 8, got, out, 4, &powers, arena, bytes) == 0 &&
                       got[0] == 2 && got[1] == 4 && powers == 4);
    for (int i = 0; i < 4; i++)
        expect("what is found", places[i] == rows[i] && places[4 + i] == columns[i] &&
                                    out[i] > 2.7f && out[i] < 2.72f);
    expect("find without room",
           data_find(some, 4, places, 7, got, out, 4, &powers, arena, bytes) == DATA_E_MEMORY &&
               got[1] == 4);
    expect("find in nothing",
           data_find(some, 0, places, 0, got, out, 0, &powers, arena, bytes) == 0 && got[1] == 0 &&
               powers == 0);

    const int64_t three = 3, below = -3;
    bytes = sizeof arena;
    expect("double", data_double(&three, out, 6, got, arena, bytes) == 0 && got[0] == 6);
    expect("double of a negative number",
           data_double(&below, out, 6, got, arena, bytes) == DATA_E_SHAPE);
    expect("above", data_above(&three, out, 6, got, arena, bytes) == 0 && got[0] == 4);
    expect("above a negative number",
           data_above(&below, out, 6, got, arena, bytes) == 0 && got[0] == 1);

    /* Three symbols without bounds: each may be large where the product is not. */
    bytes = data_box_arena_bytes(2, 3, 6);
    expect("box", bytes > 0 && bytes < sizeof arena &&
                      data_box(x, x, x, 2, 3, 6, out, arena, sizeof arena) == 0 && out[0] == 30);
    expect("a long box", data_box_arena_bytes(INT32_MAX, 1, 1) >= (size_t)4 * INT32_MAX);
    expect("a box whose size overflows",
           data_box_arena_bytes(INT32_MAX, INT32_MAX, INT32_MAX) == 0 &&
               data_box_arena_bytes(1 << 16, 1 << 16, 1 << 16) == 0 &&
               data_box(x, x, x, 1 << 22, 1 << 22, 1 << 22, out, arena, sizeof arena) ==
                   DATA_E_SHAPE);
    expect("a box of nothing with such sizes", data_box_arena_bytes(0, INT32_MAX, INT32_MAX) == 0);
    return failed;
}
