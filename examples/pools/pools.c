/* A host with 48 KiB of fast memory, an array here, for the pool "sram" of mlp.py (docs/memory.md).
 * Prints how much of it calls have used, and one number of the result.
 *
 *     rlxc mlp.py -o mlp.rlx
 *     cc pools.c $(pkg-config --cflags --libs rlx) -o pools && ./pools mlp.rlx */
#include <stdio.h>

#include <rlx/rlx.h>

enum { ROWS = 100, COLUMNS = 64 };
static _Alignas(64) unsigned char sram[48 * 1024];
static float x[ROWS * COLUMNS], w[COLUMNS * COLUMNS];

static rlx_status wrap(float *numbers, int64_t rows, rlx_value *out, rlx_error *err)
{
    const int64_t dims[2] = {rows, COLUMNS};
    rlx_tensor *t = NULL;
    RLX_TRY(rlx_tensor_wrap(NULL, RLX_F32, 2, dims, numbers, NULL, NULL, &t, err));
    *out = rlx_of_tensor(t);
    return RLX_OK;
}

static rlx_status run(const char *path, rlx_registry *registry, rlx_error *err)
{
    /* The number 1 is free: 0 is the host's ordinary memory. Pools are found by their scope. */
    const rlx_cpu_device fast = {
        .size = sizeof fast, .id = 1, .memory = sram, .bytes = sizeof sram, .scope = "global.sram"};
    const rlx_load_options load = {.trust_native = true};
    const rlx_vm_options options = {.registry = registry};
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    rlx_device *device = NULL;
    rlx_value args[2] = {rlx_none(), rlx_none()}, y = rlx_none();
    rlx_status status = rlx_registry_add_cpu(registry, &fast, err);
    if (status == RLX_OK)
        status = rlx_executable_load_file(path, &load, &exe, err);
    if (status == RLX_OK)
        status = rlx_device_open(registry, "cpu", 1, &device, err);
    if (status == RLX_OK)
        status = rlx_vm_create(exe, &options, &vm, err);
    if (status == RLX_OK)
        status = wrap(x, ROWS, &args[0], err);
    if (status == RLX_OK)
        status = wrap(w, COLUMNS, &args[1], err);
    if (status == RLX_OK)
        status = rlx_vm_invoke(vm, RLX_STR("main"), args, 2, &y, err);
    if (status == RLX_OK) {
        rlx_device_stats stats;
        rlx_device_get_stats(device, &stats);
        printf("%zu of %zu bytes of fast memory\n", (size_t)stats.peak_bytes, sizeof sram);
        printf("y[0, 0] = %g\n", (double)*(const float *)rlx_tensor_data(y.as.tensor));
    }
    rlx_value_release(y);
    rlx_value_release(args[0]);
    rlx_value_release(args[1]);
    rlx_vm_destroy(vm);
    rlx_device_release(device);
    rlx_executable_release(exe);
    return status;
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    rlx_error err = {0};
    rlx_registry *registry = NULL;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        x[i] = 1;
    for (int i = 0; i < COLUMNS; i++)
        w[i * COLUMNS + i] = 2; /* twice the identity */
    rlx_status status = rlx_registry_create(NULL, &registry, &err);
    if (status == RLX_OK)
        status = run(argv[1], registry, &err);
    rlx_registry_release(registry);
    if (status != RLX_OK)
        fprintf(stderr, "pools: %s\n", err.message);
    return status != RLX_OK;
}
