/* See lift.h. */
#include "tests/compiler/lift.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/cli/cli.h"
#include "rlx/vm.h"
#include "tests/compiler/bound.h"

void lift_write(const char *path, const void *data, size_t size)
{
    rlx_error err = {0};
    cr_assert_eq(rlx_write_file(path, data, size, &err), RLX_OK, "%s", err.message);
}

/* Types of less than a byte, I4 or U2. */
static bool is_small(const lift_weight *w)
{
    return w->bytes == 1 && (w->type[1] == '4' || w->type[1] == '2');
}

static int lowest_bits(const lift_weight *w, int number)
{
    const int range = 1 << (w->type[1] - '0'), value = (number + 32) % range;
    return w->type[0] == 'I' && value >= range / 2 ? value - range : value;
}

void lift_fill(const lift_weight *w, int seed, unsigned char *to)
{
    for (int i = 0; i < w->count; i++) {
        const int number = (i * 37 + seed * 101 + i * i % 29) % 64 - 32;
        const float value = (float)number / 32;
        const uint16_t half = (uint16_t)rlx_float_encode(RLX_F16, (double)value);
        if (w->bytes == 4)
            memcpy(to + 4 * i, &value, 4);
        else if (w->bytes == 8)
            memcpy(to + 8 * i, &(int64_t){number}, 8);
        else if (w->bytes == 2)
            memcpy(to + 2 * i, &half, 2);
        else
            to[i] = (unsigned char)(w->type[0] == 'B' ? (i + seed) % 3 > 0
                                    : is_small(w)     ? lowest_bits(w, number)
                                                      : number * 4);
    }
}

const char *lift_weights(const lift_place *p, char path[64], int seed, const lift_weight *weights,
                         int count)
{
    static unsigned char data[1 << 18];
    static char header[4096];
    size_t at = 0, size = 0;
    int n = 0;
    for (int i = 0; i < count; i++) {
        const lift_weight *w = &weights[i];
        const size_t bytes = (size_t)(w->bytes * w->count);
        cr_assert(bytes <= sizeof data - at);
        lift_fill(w, seed, data + at);
        n += snprintf(header + n, sizeof header - (size_t)n,
                      "%s\"%s\":{\"dtype\":\"%s\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}",
                      i ? "," : "{", w->name,
                      is_small(w) ? (w->type[0] == 'I' ? "I8" : "U8") : w->type, w->shape, at,
                      at + bytes);
        at += bytes;
    }
    strcat(header, "}");
    unsigned char *file = bound_file(header, data, at, &size);
    snprintf(path, 64, "%s/w%d.safetensors", p->folder, seed);
    lift_write(path, file, size);
    free(file);
    return path;
}

void lift_begin(lift_place *p, const char *module)
{
    snprintf(p->folder, sizeof p->folder, "/tmp/rlx-test-XXXXXX");
    cr_assert_not_null(mkdtemp(p->folder));
    snprintf(p->model, sizeof p->model, "%s/m.py", p->folder);
    lift_write(p->model, module, strlen(module));
}

void lift_end(const lift_place *p)
{
    char line[64];
    snprintf(line, sizeof line, "rm -r %s", p->folder);
    cr_expect_eq(system(line), 0);
}

int lift_rlxc(const lift_place *p, const char *params, const char *options, const char *output,
              char said[LIFT_SAID])
{
    enum { FIXED = 6, MOST = 4 };
    char words[128];
    const char *argv[FIXED + MOST + 1] = {"rlxc", p->model, "--params", params, "-o", output};
    int n = FIXED;
    snprintf(words, sizeof words, "%s", options ? options : "");
    for (char *rest, *word = strtok_r(words, " ", &rest); word && n < FIXED + MOST;
         word = strtok_r(NULL, " ", &rest))
        argv[n++] = word;
    FILE *err = fmemopen(said, LIFT_SAID, "w");
    said[0] = '\0';
    const int status = rlxc_main(n, (char **)(uintptr_t)argv, stdout, err);
    fclose(err);
    return status;
}

const char *lift_compiled(const lift_place *p, const char *params, const char *options,
                          char path[64])
{
    char said[LIFT_SAID];
    const char *name = options ? options : "linked";
    snprintf(path, 64, "%s/%.*s.rlx", p->folder, (int)strcspn(name, " "), name);
    cr_assert_eq(lift_rlxc(p, params, options, path, said), 0, "%s", said);
    return path;
}

void lift_same(rlx_value a, rlx_value b, float tolerance, const char *what)
{
    const float *x = rlx_tensor_data(a.as.tensor), *y = rlx_tensor_data(b.as.tensor);
    const int64_t n = rlx_tensor_numel(a.as.tensor);
    cr_assert_eq(n, rlx_tensor_numel(b.as.tensor));
    for (int64_t i = 0; i < n; i++) {
        const float difference = x[i] > y[i] ? x[i] - y[i] : y[i] - x[i];
        const float size = x[i] > 0 ? x[i] : -x[i];
        cr_expect(difference <= tolerance * (1 + size), "%s, element %d: %g and %g", what, (int)i,
                  (double)x[i], (double)y[i]);
    }
}
