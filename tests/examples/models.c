/* Checks the two trained models against their stored outputs, through executables written by rlxc
 * and loaded by librlx.
 *
 *     models DIGITS.rlx CHARGPT.rlx [DEVICE]        (run from the project's root)
 *
 * With a DEVICE, such as opencl:0, all results must lie there, and fewer batches are tried. Prints
 * a line per failed check and "N passed, N failed". */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rlx/device.h>
#include <rlx/rlx.h>

static int passed, failed;
static const char *device; /* on which results lie; NULL: the host */

static void check(bool ok, const char *what, double figure)
{
    if (ok) {
        passed++;
    } else {
        failed++;
        printf("FAIL %s: %g\n", what, figure);
    }
}

/* Reads one of the project's own .npy files (version 1, C order); the header states where the data
 * starts. */
static void *read_npy(const char *path, size_t *out_bytes)
{
    FILE *file = fopen(path, "rb");
    unsigned char head[10];
    if (!file || fread(head, 1, 10, file) != 10) {
        fprintf(stderr, "models: cannot read %s\n", path);
        exit(2);
    }
    long start = 10 + head[8] + 256L * head[9];
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)(ftell(file) - start);
    void *data = malloc(size);
    fseek(file, start, SEEK_SET);
    if (!data || fread(data, 1, size, file) != size)
        exit(2);
    fclose(file);
    *out_bytes = size;
    return data;
}

typedef struct model {
    rlx_executable *exe;
    rlx_vm *vm;
} model;

static model open_model(const char *path)
{
    model m = {0};
    rlx_error err = {0};
    const rlx_load_options load = {.trust_native = true};
    if (rlx_executable_load_file(path, &load, &m.exe, &err) != RLX_OK ||
        rlx_vm_create(m.exe, NULL, &m.vm, &err) != RLX_OK) {
        fprintf(stderr, "models: %s: %s\n", path, err.message);
        exit(1);
    }
    return m;
}

static void close_model(model m)
{
    rlx_vm_destroy(m.vm);
    rlx_executable_release(m.exe);
}

/* Replaces a tensor, which must lie on |device|, by its copy in the host's memory. */
static void bring_home(rlx_value *out)
{
    rlx_error err = {0};
    rlx_tensor *home = NULL;
    const rlx_device *lies = rlx_tensor_device(out->as.tensor);
    const bool right = device ? lies && strcmp(rlx_device_name(lies), device) == 0 : !lies;
    if (!right)
        printf("FAIL the result lies on %s\n", lies ? rlx_device_name(lies) : "the host");
    else if (rlx_tensor_to_device(NULL, out->as.tensor, NULL, &home, &err) != RLX_OK)
        printf("FAIL copy to the host: %s\n", err.message);
    rlx_value_release(*out);
    *out = home ? rlx_of_tensor(home) : rlx_none();
}

/* Calls main with one tensor; the caller owns the result, which is in the host's memory. */
static rlx_value call(model m, rlx_dtype dtype, uint32_t ndim, const int64_t *dims, void *data)
{
    rlx_error err = {0};
    rlx_tensor *tensor = NULL;
    rlx_value out = rlx_none();
    if (rlx_tensor_wrap(NULL, dtype, ndim, dims, data, NULL, NULL, &tensor, &err) != RLX_OK) {
        printf("FAIL wrap: %s\n", err.message);
        return out;
    }
    rlx_value argument = rlx_of_tensor(tensor);
    if (rlx_vm_invoke(m.vm, RLX_STR("main"), &argument, 1, &out, &err) != RLX_OK)
        printf("FAIL call: %s\n", err.message);
    rlx_value_release(argument);
    if (out.kind == RLX_KIND_TENSOR)
        bring_home(&out);
    return out;
}

static double largest_difference(const float *a, const float *b, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) {
        double d = fabs((double)a[i] - (double)b[i]);
        largest = d > largest || isnan(d) ? d : largest;
    }
    return largest;
}

enum { IMAGES = 360, CLASSES = 10, PIXELS = 64, VOCABULARY = 83, LONGEST = 128 };

static void digits(const char *path)
{
    size_t bytes;
    float *images = read_npy("examples/digits/test_images.npy", &bytes);
    int64_t *labels = read_npy("examples/digits/test_labels.npy", &bytes);
    float *expected = read_npy("examples/digits/expected_probabilities.npy", &bytes);
    model m = open_model(path);
    const int64_t sizes[] = {IMAGES, 1, 7, 64};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        if (device && sizes[s] == 1)
            continue; /* 360 calls for what 51 calls of 7 and a rest of 3 show */
        int right = 0;
        double worst = 0;
        for (int64_t at = 0; at < IMAGES; at += sizes[s]) {
            int64_t n = at + sizes[s] <= IMAGES ? sizes[s] : IMAGES - at;
            const int64_t dims[4] = {n, 1, 8, 8};
            rlx_value out = call(m, RLX_F32, 4, dims, images + at * PIXELS);
            if (out.kind != RLX_KIND_TENSOR) {
                failed++;
                break;
            }
            const float *p = rlx_tensor_data(out.as.tensor);
            double d = largest_difference(p, expected + at * CLASSES, (size_t)(n * CLASSES));
            worst = d > worst || isnan(d) ? d : worst;
            for (int64_t i = 0; i < n; i++) {
                int best = 0;
                for (int c = 1; c < CLASSES; c++)
                    best = p[i * CLASSES + c] > p[i * CLASSES + best] ? c : best;
                right += best == labels[at + i];
            }
            rlx_value_release(out);
        }
        check(worst <= 1e-5, "digits: largest difference of a probability", worst);
        check(right == 357, "digits: labels right of 360", right);
    }
    close_model(m);
    free(images);
    free(labels);
    free(expected);
}

/* Compares the logits of b equal rows of the first n tokens with the first n stored rows, which
 * must match because attention is causal. */
static double chargpt_difference(model m, int64_t b, int64_t n, const int64_t *tokens,
                                 const float *expected)
{
    static int64_t batch[5 * LONGEST];
    for (int64_t i = 0; i < b; i++)
        memcpy(batch + i * n, tokens, (size_t)n * sizeof *tokens);
    const int64_t dims[2] = {b, n};
    rlx_value out = call(m, RLX_I64, 2, dims, batch);
    double worst = out.kind == RLX_KIND_TENSOR ? 0 : INFINITY;
    for (int64_t i = 0; i < b && out.kind == RLX_KIND_TENSOR; i++) {
        const float *row = (const float *)rlx_tensor_data(out.as.tensor) + i * n * VOCABULARY;
        double d = largest_difference(row, expected, (size_t)(n * VOCABULARY));
        worst = d > worst || isnan(d) ? d : worst;
    }
    rlx_value_release(out);
    return worst;
}

static void chargpt(const char *path)
{
    model m = open_model(path);
    static const char *const names[] = {"one", "short", "mid", "long"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char file[128];
        size_t bytes;
        snprintf(file, sizeof file, "examples/chargpt/%s_tokens.npy", names[i]);
        int64_t *tokens = read_npy(file, &bytes);
        int64_t n = (int64_t)(bytes / sizeof *tokens);
        snprintf(file, sizeof file, "examples/chargpt/%s_logits.npy", names[i]);
        float *logits = read_npy(file, &bytes);
        double d = chargpt_difference(m, 1, n, tokens, logits);
        check(d <= 1e-4, names[i], d);
        const int64_t batches[] = {1, 2, 5};
        const int64_t step = device ? 21 : 1;
        for (int64_t length = 1; n == LONGEST && length <= LONGEST; length += step) {
            for (size_t k = 0; k < 3; k++) {
                d = chargpt_difference(m, batches[k], length, tokens, logits);
                check(d <= 1e-4, "chargpt: a batch of prefixes", d);
            }
        }
        free(tokens);
        free(logits);
    }
    close_model(m);
}

int main(int argc, char **argv)
{
    if (argc != 3 && argc != 4)
        return 2;
    device = argv[3];
    digits(argv[1]);
    chargpt(argv[2]);
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
