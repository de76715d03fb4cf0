/* Models whose blocks the device rules take, compared with the CPU's code. Each runs on the CPU, on
 * this machine's OpenCL device (as one whose threads run separately and as one whose threads run in
 * lockstep), and on the stand-in that runs PTX, with sizes of 0 and 1, odd sizes, and sizes around
 * the borders of blocks. Without an OpenCL device its runs are skipped. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rlx/device.h"
#include "tests/compiler/library.h"
#include "tests/fake/fake.h"

enum { MAX_ARGS = 4, MAX_NDIM = 4, MAX_SIZES = 8 };

/* Dimensions of -1 are the size. */
typedef struct argument {
    uint32_t ndim;
    int64_t dims[MAX_NDIM];
    int64_t below; /* int64 numbers from 0 up to here, each once; 0: float32 */
} argument;

typedef struct model {
    const char *rule, *params, *value;
    argument args[MAX_ARGS];
    int64_t sizes[MAX_SIZES]; /* the last is followed by -1 */
} model;

#define F32(...) "R.Tensor((" #__VA_ARGS__ ",), \"float32\")"

static const model models[] = {
    {"columns",
     "x: " F32(1, 130) ", w: " F32(130, "n"),
     "R.matmul(x, w)",
     {{2, {1, 130}, 0}, {2, {130, -1}, 0}},
     {0, 1, 31, 33, 70, -1}},
    {"columns",
     "x: " F32(3, 64) ", w: " F32(64, 77),
     "R.nn.relu(R.matmul(x, w))",
     {{2, {3, 64}, 0}, {2, {64, 77}, 0}},
     {0, -1}},
    {"columns",
     "x: " F32("n", 5, 3, 9),
     "R.max(x, axis=[0])",
     {{4, {-1, 5, 3, 9}, 0}},
     {1, 2, 65, -1}},
    {"columns",
     "x: " F32(2, "n", 33),
     "R.sum(x, axis=[1])",
     {{3, {2, -1, 33}, 0}},
     {0, 1, 63, 129, -1}},
    {"flash",
     "q: " F32(2, "n", 3, 8) ", k: " F32(2, 21, 3, 8) ", v: " F32(2, 21, 3,
                                                                  5) ", bias: " F32(2, 1, "n", 21),
     "R.nn.attention(q, k, v, bias)",
     {{4, {2, -1, 3, 8}, 0}, {4, {2, 21, 3, 8}, 0}, {4, {2, 21, 3, 5}, 0}, {4, {2, 1, -1, 21}, 0}},
     {0, 1, 63, 65, -1}},
    {"flash",
     "q: " F32(1, "n", 2, 16) ", k: " F32(1, "n", 2, 16) ", v: " F32(1, "n", 2, 16),
     "R.nn.attention(q, k, v, causal_mask=\"BottomRight\")",
     {{4, {1, -1, 2, 16}, 0}, {4, {1, -1, 2, 16}, 0}, {4, {1, -1, 2, 16}, 0}},
     {0, 1, 64, 67, -1}},
};

typedef struct place {
    const char *name, *device, *table; /* table: of devices, in the module; or "" */
    bool in_step;
} place;

#define TABLE(text) \
    "    I.module_global_infos({\"vdevice\": [I.vdevice(" text ", 0, \"global\")]})\n"
static const place places[] = {
    {"CPU", NULL, "", false},
    {"OpenCL", "opencl:0", "", false},
    {"OpenCL in step", "opencl:0", TABLE("{\"kind\": \"opencl\", \"thread_warp_size\": 32}"), true},
    {"PTX", "cuda:0", "", true},
};
enum { PLACES = sizeof places / sizeof *places };

static rlx_value filled(rlx_test *t, const argument *a, int64_t size)
{
    int64_t dims[MAX_NDIM];
    rlx_tensor *out = NULL;
    for (uint32_t d = 0; d < a->ndim; d++)
        dims[d] = a->dims[d] < 0 ? size : a->dims[d];
    RLX_OKAY(rlx_tensor_create(&t->allocator, a->below ? RLX_I64 : RLX_F32, a->ndim, dims, &out,
                               &t->error));
    void *data = rlx_tensor_mutable_data(out);
    for (int64_t i = 0; i < rlx_tensor_numel(out); i++)
        if (a->below)
            ((int64_t *)data)[i] = (i * 7 + 3) % a->below;
        else
            ((float *)data)[i] = (float)((i * 7919 + 13) % 211 - 105) / 64.0f;
    return rlx_of_tensor(out);
}

/* The model's code for the place, in a VM. */
static rlx_vm *built(rlx_test *t, const model *m, const place *at)
{
    char text[2000];
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    rlx_compile_options o;
    void *data = NULL;
    size_t size = 0;
    snprintf(text, sizeof text,
             "from tvm.script import ir as I, relax as R\n@I.ir_module\nclass Module:\n%s"
             "    @R.function\n    def main(%s):\n        return %s\n",
             at->table, m->params, m->value);
    rlx_compiler *c = library_compiler(t);
    rlx_ir_module *module = library_parse(t, c, text);
    rlx_compile_options_init(&o);
    o.default_device = at->device;
    o.explain = true;
    RLX_OKAY(rlx_ir_module_emit(module, &o, RLX_EMIT_EXECUTABLE, &data, &size, &t->error));
    const char *said = rlx_ir_module_explanation(module);
    char taken[60];
    snprintf(taken, sizeof taken, "taken by rule %s", m->rule);
    cr_expect(!at->in_step || strstr(said, taken), "%s, %s:\n%s", m->value, at->name, said);
    cr_expect(!at->device || !strstr(said, "as written"), "%s, %s:\n%s", m->value, at->name, said);
    const rlx_load_options load = {.allocator = &t->allocator, .trust_native = true};
    RLX_OKAY(rlx_executable_load_memory(data, size, &load, &exe, &t->error));
    rlx_free(&t->allocator, data, size, 64);
    rlx_compiler_destroy(c);
    const rlx_vm_options options = {.allocator = &t->allocator};
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    rlx_executable_release(exe);
    return vm;
}

static rlx_tensor *result(rlx_test *t, rlx_vm *vm, const model *m, int64_t size)
{
    rlx_value args[MAX_ARGS], there = rlx_none();
    rlx_tensor *here = NULL;
    uint32_t n = 0;
    for (; n < MAX_ARGS && m->args[n].ndim; n++)
        args[n] = filled(t, &m->args[n], size);
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), args, n, &there, &t->error));
    cr_assert(there.kind == RLX_KIND_TENSOR, "%s of %d", m->value, (int)size);
    RLX_OKAY(rlx_tensor_to_device(&t->allocator, there.as.tensor, NULL, &here, &t->error));
    rlx_value_release(there);
    while (n-- > 0)
        rlx_value_release(args[n]);
    return here;
}

static void compare(const model *m, const char *where, int64_t size, const rlx_tensor *want,
                    const rlx_tensor *got)
{
    const float *x = rlx_tensor_data(want), *y = rlx_tensor_data(got);
    double worst = 0;
    cr_assert_eq(rlx_tensor_numel(want), rlx_tensor_numel(got));
    for (int64_t i = 0; i < rlx_tensor_numel(want); i++) {
        const double off = fabs((double)x[i] - (double)y[i]);
        worst = x[i] == y[i] || off <= worst ? worst : isnan(off) ? INFINITY : off;
    }
    cr_expect_lt(worst, 5e-5, "%s, %s, size %d: off by %g", m->value, where, (int)size, worst);
}

RLX_TEST(device_models, results_are_those_of_the_cpu)
{
    rlx_device_info info;
    const bool has_opencl = rlx_device_look(NULL, "opencl", 0, &info, &t->error) == RLX_OK;
    cr_assert_not_null(fake_open("cuda", "RLX_CUDA_LIBRARY"));
    if (!has_opencl)
        puts("skipped: OpenCL device");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        const model *m = &models[i];
        rlx_vm *vms[PLACES] = {NULL};
        for (size_t p = 0; p < PLACES; p++)
            if (has_opencl || !places[p].device || strcmp(places[p].device, "opencl:0") != 0)
                vms[p] = built(t, m, &places[p]);
        for (uint32_t k = 0; k < MAX_SIZES && m->sizes[k] >= 0; k++) {
            rlx_tensor *want = result(t, vms[0], m, m->sizes[k]);
            for (size_t p = 1; p < PLACES; p++) {
                if (!vms[p])
                    continue;
                rlx_tensor *got = result(t, vms[p], m, m->sizes[k]);
                compare(m, places[p].name, m->sizes[k], want, got);
                rlx_value_release(rlx_of_tensor(got));
            }
            rlx_value_release(rlx_of_tensor(want));
        }
        for (size_t p = 0; p < PLACES; p++)
            if (vms[p])
                rlx_vm_destroy(vms[p]);
    }
}
