/* One executable, several sets of weights: a classifier of digits is tuned for a dark camera.
 *
 *     rlxc digits.py --params digits.safetensors --lift-params -o digits.rlx
 *     tuned digits.rlx digits.safetensors IMAGES.npy LABELS.npy TUNED.safetensors
 *
 * The weights are not in digits.rlx, so files with other values of the same tensors can replace
 * them. The camera's images are a quarter as bright as those that the model was made from. The last
 * layer's bias is tuned on half of them: its gradient is the probability of each digit minus what
 * the label says. Each step writes a weights file and loads the same executable with it. Counted
 * are the other images that are recognised. It links only librlx. Build:
 * cc tuned.c $(pkg-config --cflags --libs rlx) */
#include <rlx/rlx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS = 64, CLASSES = 10, STEPS = 40, NPY_HEADER = 128, MOST_BYTES = 1 << 20 };

typedef struct tuning {
    const char *model, *tuned;  /* paths */
    unsigned char *file, *bias; /* the weights file, and the tensor's place in it */
    size_t size;
    float *images;
    const int64_t *labels;
    int64_t n; /* images */
} tuning;

static void check(rlx_status status, const rlx_error *err)
{
    if (status == RLX_OK)
        return;
    fprintf(stderr, "tuned: %s\n", err->message);
    exit(1);
}

static unsigned char *read_file(const char *path, size_t *out_size)
{
    FILE *f = fopen(path, "rb");
    unsigned char *data = malloc(MOST_BYTES + 1);
    *out_size = f && data ? fread(data, 1, MOST_BYTES, f) : 0;
    if (*out_size <= NPY_HEADER) {
        fprintf(stderr, "tuned: %s: cannot be read\n", path);
        exit(1);
    }
    data[*out_size] = '\0';
    fclose(f);
    return data;
}

/* The place of float32 tensor |name| of |n| elements in a safetensors file: 8 bytes of the header's
 * length, the header as JSON, the tensors. */
static unsigned char *tensor_in(unsigned char *file, size_t size, const char *name, size_t n)
{
    unsigned long long length = 0, begin = 0, end = 0;
    for (int i = 8; i-- > 0;)
        length = length << 8 | file[i];
    const char *at = length < size - 8 ? strstr((char *)file + 8, name) : NULL;
    at = at ? strstr(at, "\"data_offsets\"") : NULL;
    if (!at || sscanf(at, "\"data_offsets\" : [%llu , %llu", &begin, &end) != 2 || begin > end ||
        end > size - 8 - length || end - begin != n * sizeof(float)) {
        fprintf(stderr, "tuned: the weights have no tensor %s\n", name);
        exit(1);
    }
    return file + 8 + length + begin;
}

/* The probabilities of images |first|, |first| + 2, ... with the weights in the file |weights|. */
static rlx_value classify(const tuning *t, const char *weights, int first)
{
    const rlx_load_options options = {.trust_native = true, .weights = weights};
    const int64_t n = t->n / 2;
    rlx_error err = {0};
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    rlx_tensor *x = NULL;
    rlx_value result = rlx_none();
    check(rlx_executable_load_file(t->model, &options, &exe, &err), &err);
    check(rlx_vm_create(exe, NULL, &vm, &err), &err);
    check(rlx_tensor_create(NULL, RLX_F32, 4, (int64_t[]){n, 1, 8, 8}, &x, &err), &err);
    for (int64_t i = 0; i < n; i++)
        memcpy((float *)rlx_tensor_mutable_data(x) + i * PIXELS,
               t->images + (2 * i + first) * PIXELS, PIXELS * sizeof(float));
    rlx_value argument = rlx_of_tensor(x);
    check(rlx_vm_invoke(vm, RLX_STR("main"), &argument, 1, &result, &err), &err);
    rlx_value_release(argument);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    return result;
}

static void count(const tuning *t, const char *weights, const char *what)
{
    rlx_value result = classify(t, weights, 1);
    const float *p = rlx_tensor_data(result.as.tensor);
    int right = 0;
    for (int64_t i = 0; i < t->n / 2; i++, p += CLASSES) {
        int best = 0;
        for (int k = 1; k < CLASSES; k++)
            best = p[k] > p[best] ? k : best;
        right += best == t->labels[2 * i + 1];
    }
    printf("%s: %d of %d\n", what, right, (int)(t->n / 2));
    rlx_value_release(result);
}

/* One step down the gradient of the images with even numbers. */
static void step(tuning *t, const char *weights)
{
    float bias[CLASSES];
    rlx_error err = {0};
    rlx_value result = classify(t, weights, 0);
    const float *p = rlx_tensor_data(result.as.tensor);
    memcpy(bias, t->bias, sizeof bias);
    for (int64_t i = 0; i < t->n / 2; i++)
        for (int k = 0; k < CLASSES; k++)
            bias[k] -= (p[i * CLASSES + k] - (k == t->labels[2 * i])) * 4 / (float)t->n;
    memcpy(t->bias, bias, sizeof bias);
    rlx_value_release(result);
    check(rlx_write_file(t->tuned, t->file, t->size, &err), &err);
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: tuned MODEL.rlx WEIGHTS IMAGES.npy LABELS.npy TUNED\n");
        return 2;
    }
    tuning t = {.model = argv[1], .tuned = argv[5]};
    size_t images, labels;
    t.file = read_file(argv[2], &t.size);
    t.bias = tensor_in(t.file, t.size, "\"fc2.bias\"", CLASSES);
    unsigned char *image_file = read_file(argv[3], &images),
                  *label_file = read_file(argv[4], &labels);
    t.images = (float *)(void *)(image_file + NPY_HEADER);
    t.labels = (const int64_t *)(void *)(label_file + NPY_HEADER);
    t.n = (int64_t)((labels - NPY_HEADER) / sizeof *t.labels);
    if (images - NPY_HEADER < (size_t)t.n * PIXELS * sizeof *t.images) {
        fprintf(stderr, "tuned: there are more labels than images\n");
        return 1;
    }
    count(&t, argv[2], "bright images");
    for (int64_t i = 0; i < t.n * PIXELS; i++)
        t.images[i] /= 4;
    count(&t, argv[2], "dark images");
    for (int i = 0; i < STEPS; i++)
        step(&t, i == 0 ? argv[2] : t.tuned);
    count(&t, t.tuned, "dark images, tuned");
    free(t.file);
    free(image_file);
    free(label_file);
    return 0;
}
