/* Runs both example models as C on their inputs, and compares with what their executables gave.
 * Arguments: IMAGES.npy PROBABILITIES.npy (TOKENS.npy LOGITS.npy)...; chargpt.weights is in the
 * working folder, if that model was compiled with it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "chargpt.h"
#include "digits.h"

enum { PIXELS = 64, CLASSES = 10, VOCABULARY = 83 };
static const double tolerance = 1e-4;

static void die(const char *what)
{
    printf("FAIL %s\n", what);
    exit(1);
}

static void *allocate(size_t size)
{
    void *p = malloc(size ? size : 1);
    if (!p)
        die("out of memory");
    return p;
}

/* The data of a .npy file. */
static void *read_npy(const char *path, size_t *out_size)
{
    unsigned char head[10];
    FILE *file = fopen(path, "rb");
    if (!file || fread(head, 1, sizeof head, file) != sizeof head)
        die(path);
    const long start = 10 + head[8] + 256L * head[9];
    if (fseek(file, 0, SEEK_END) != 0)
        die(path);
    const long size = ftell(file) - start;
    if (size < 0 || fseek(file, start, SEEK_SET) != 0)
        die(path);
    void *data = allocate((size_t)size);
    if (fread(data, 1, (size_t)size, file) != (size_t)size)
        die(path);
    fclose(file);
    *out_size = (size_t)size;
    return data;
}

static int compare(const char *name, int status, const float *got, const float *want, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        const double d = fabs((double)got[i] - (double)want[i]);
        most = d > most || d != d ? d : most;
    }
    const int ok = status == 0 && most <= tolerance;
    printf("%s %s: status %d, largest difference %.2g\n", ok ? "ok" : "FAIL", name, status, most);
    return ok;
}

/* With its weights in a file of their own, where the model was compiled so. */
static int chargpt(const void *weights, const int64_t *tokens, int64_t rows, float *out,
                   void *arena, size_t bytes)
{
#ifdef CHARGPT_WEIGHTS_BYTES
    return chargpt_main(tokens, 1, rows, out, weights, arena, bytes);
#else
    (void)weights;
    return chargpt_main(tokens, 1, rows, out, arena, bytes);
#endif
}

#ifdef CHARGPT_WEIGHTS_BYTES
static void *read_weights(void)
{
    unsigned char *bytes = allocate(CHARGPT_WEIGHTS_BYTES + 1);
    FILE *file = fopen("chargpt.weights", "rb");
    if (!file || fread(bytes, 1, CHARGPT_WEIGHTS_BYTES + 1, file) != CHARGPT_WEIGHTS_BYTES)
        die("chargpt.weights");
    fclose(file);
    bytes[100] ^= 1;
    if (chargpt_check_weights(bytes, CHARGPT_WEIGHTS_BYTES) != CHARGPT_E_WEIGHTS)
        die("other weights are taken");
    bytes[100] ^= 1;
    if (chargpt_check_weights(bytes, CHARGPT_WEIGHTS_BYTES - 1) != CHARGPT_E_WEIGHTS ||
        chargpt_check_weights(bytes, CHARGPT_WEIGHTS_BYTES) != 0)
        die("weights are refused");
    return bytes;
}
#else
static void *read_weights(void)
{
    return NULL;
}
#endif

int main(int argc, char **argv)
{
    void *weights = read_weights();
    int passed = 0, failed = 0;
    if (argc < 3)
        die("usage");
    for (int i = 1; i + 1 < argc; i += 2) {
        size_t in_size, out_size;
        void *in = read_npy(argv[i], &in_size);
        float *want = read_npy(argv[i + 1], &out_size), *got = allocate(out_size);
        const int64_t rows = (int64_t)(in_size / (i == 1 ? PIXELS * sizeof(float) : 8));
        const size_t bytes =
            i == 1 ? digits_main_arena_bytes(rows) : chargpt_main_arena_bytes(1, rows);
        void *arena = allocate(bytes);
        const size_t n = out_size / sizeof *got;
        if (n != (size_t)rows * (i == 1 ? CLASSES : VOCABULARY))
            die("the results have another size");
        const int status = i == 1 ? digits_main(in, rows, got, arena, bytes)
                                  : chargpt(weights, in, rows, got, arena, bytes);
        const int ok = compare(argv[i], status, got, want, n);
        passed += ok;
        failed += !ok;
        free(in);
        free(want);
        free(got);
        free(arena);
    }
    float one = 0;
    const int64_t bad[1] = {VOCABULARY};
    static float room[VOCABULARY * 2];
    static double memory[1 << 16];
    const int refuses =
        digits_main(&one, -1, &one, memory, sizeof memory) == DIGITS_E_SHAPE &&
        digits_main(&one, 1, &one, memory, 64) == DIGITS_E_MEMORY &&
        chargpt(weights, bad, 129, room, memory, sizeof memory) == CHARGPT_E_SHAPE &&
        chargpt(weights, bad, 1, room, memory, sizeof memory) == CHARGPT_E_VALUE &&
        digits_main_arena_bytes(-1) == 0 && digits_main(&one, 0, &one, memory, 0) == 0;
    printf("%s bad sizes, values and arenas\n", refuses ? "ok" : "FAIL");
    passed += refuses;
    failed += !refuses;
    free(weights);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
