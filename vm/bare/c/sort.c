/* qsort for programs without a C library: heap sort, which needs no memory. */
#include <stdlib.h>

typedef int compare_fn(const void *a, const void *b);

static void swap(char *a, char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const char c = a[i];
        a[i] = b[i];
        b[i] = c;
    }
}

/* Moves item |i| of a heap of |n| down to its place. */
static void sink(char *items, size_t i, size_t n, size_t size, compare_fn *compare)
{
    while (i < n / 2) {
        size_t child = 2 * i + 1;
        if (child + 1 < n && compare(items + child * size, items + (child + 1) * size) < 0)
            child++;
        if (compare(items + i * size, items + child * size) >= 0)
            return;
        swap(items + i * size, items + child * size, size);
        i = child;
    }
}

void qsort(void *data, size_t n, size_t size, compare_fn *compare)
{
    char *items = data;
    for (size_t i = n / 2; i-- > 0;)
        sink(items, i, n, size, compare);
    for (; n > 1; n--) {
        swap(items, items + (n - 1) * size, size);
        sink(items, 0, n - 1, size, compare);
    }
}
