/* <string.h> for programs without a C library: as much as librlx-bare.a and compilers call. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    /* Words where both are aligned alike; may_alias lets them stand for any type. */
    typedef uint64_t __attribute__((may_alias)) word;
    if (((uintptr_t)t ^ (uintptr_t)f) % sizeof(word) == 0) {
        for (; n > 0 && (uintptr_t)t % sizeof(word) != 0; n--)
            *t++ = *f++;
        for (; n >= sizeof(word); n -= sizeof(word), t += sizeof(word), f += sizeof(word))
            *(word *)(void *)t = *(const word *)(const void *)f;
    }
    for (; n > 0; n--)
        *t++ = *f++;
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    unsigned char *t = to;
    const unsigned char *f = from;
    if ((uintptr_t)t - (uintptr_t)f >= n)
        return memcpy(to, from, n);
    while (n-- > 0)
        t[n] = f[n];
    return to;
}

void *memset(void *to, int value, size_t n)
{
    unsigned char *t = to;
    for (size_t i = 0; i < n; i++)
        t[i] = (unsigned char)value;
    return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

void explicit_bzero(void *to, size_t n)
{
    volatile unsigned char *t = to;
    for (size_t i = 0; i < n; i++)
        t[i] = 0;
}

size_t strnlen(const char *text, size_t most)
{
    size_t n = 0;
    while (n < most && text[n])
        n++;
    return n;
}

size_t strlen(const char *text)
{
    return strnlen(text, SIZE_MAX);
}

int strncmp(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i] || !a[i])
            return (unsigned char)a[i] - (unsigned char)b[i];
    return 0;
}

int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, SIZE_MAX);
}

char *strchr(const char *text, int c)
{
    for (;; text++) {
        if (*text == (char)c)
            return (char *)(uintptr_t)text;
        if (!*text)
            return NULL;
    }
}

size_t strcspn(const char *text, const char *stops)
{
    size_t n = 0;
    while (text[n] && !strchr(stops, text[n]))
        n++;
    return n;
}
