/* Checks what tests/c/order.py computes as C: against an order that is found by inserting, and for
 * long lines that neighbours are in order. Prints what is wrong. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"

enum { LINES = 6, INSERT_UP_TO = 300, LARGEST = 5 };

static unsigned next_random(void)
{
    static unsigned state = 7;
    state = state * 1103515245u + 12345u;
    return state >> 16;
}

/* Of line |l|, element |i|. */
static size_t at(int l, int64_t i, int64_t n)
{
    return (size_t)((l / 3 * n + i) * 3 + l % 3);
}

static int before(double a, double b, int descending)
{
    if (isnan(a) || isnan(b))
        return !isnan(a) && isnan(b);
    return descending ? a > b : a < b;
}

static int same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* The stable order of |n| numbers, by inserting each. */
static void insert_all(const double *x, int64_t n, int descending, int64_t *order)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t k = i;
        for (; k > 0 && before(x[i], x[order[k - 1]], descending); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
}

static int wrong(const char *what, int64_t n, int64_t i)
{
    printf("FAIL: %s of %d elements is wrong at %d\n", what, (int)n, (int)i);
    return 1;
}

static int check(int64_t n)
{
    const size_t all = (size_t)(LINES * n) + 1;
    float *x = malloc(all * sizeof *x), *up = malloc(all * sizeof *up),
          *down = malloc(all * sizeof *down);
    int8_t *y = malloc(all), most[LINES * LARGEST];
    int64_t *places = malloc(all * sizeof *places), *order = malloc(all * sizeof *order);
    double *line = malloc(all * sizeof *line), *other = malloc(all * sizeof *other);
    int32_t most_places[LINES * LARGEST];
    const size_t bytes = order_main_arena_bytes(n);
    void *arena = malloc(bytes + 1);
    int failed = 0, status;
    if (!x || !up || !down || !y || !places || !order || !line || !other || !arena)
        return wrong("memory", n, 0);
    for (int64_t i = 0; i < LINES * n; i++) {
        x[i] = next_random() % 50 == 0 ? NAN : (float)(next_random() % 1000) - 500;
        y[i] = (int8_t)(next_random() % 256 - 128);
    }
    status = order_main(x, y, n, up, down, places, most, most_places, arena, bytes);
    if ((status != 0) != (n < LARGEST))
        return wrong("status", n, status);
    for (int l = 0; l < LINES && status == 0; l++) {
        for (int64_t i = 0; i < n; i++) {
            line[i] = x[at(l, i, n)];
            other[i] = y[at(l, i, n)];
        }
        for (int64_t i = 1; i < n; i++) {
            const int64_t p = places[at(l, i - 1, n)], q = places[at(l, i, n)];
            if (before(up[at(l, i, n)], up[at(l, i - 1, n)], 0) ||
                before(down[at(l, i, n)], down[at(l, i - 1, n)], 1))
                failed |= wrong("sort", n, i);
            if (p < 0 || p >= n || q < 0 || q >= n || other[p] < other[q] ||
                (same(other[p], other[q]) && p >= q))
                failed |= wrong("argsort", n, i);
        }
        for (int64_t i = 0; i < LARGEST; i++)
            if (most[at(l, i, LARGEST)] != other[places[at(l, i, n)]] ||
                most_places[at(l, i, LARGEST)] != places[at(l, i, n)])
                failed |= wrong("topk", n, i);
        for (int down_too = 0; down_too < 2 && n <= INSERT_UP_TO; down_too++) {
            insert_all(line, n, down_too, order);
            for (int64_t i = 0; i < n; i++)
                if (!same((down_too ? down : up)[at(l, i, n)], line[order[i]]))
                    failed |= wrong("sort", n, i);
        }
    }
    free(x), free(up), free(down), free(y), free(places), free(order), free(line), free(other),
        free(arena);
    return failed;
}

int main(void)
{
    static const int64_t sizes[] = {0, 1, 4, 5, 6, 7, 8, 9, 31, 32, 33, 255, 300, 20001};
    int failed = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        failed |= check(sizes[i]);
    return failed;
}
