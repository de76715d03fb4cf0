/* A host that runs the products of a file with this machine's BLAS (docs/generators.md) and prints
 * the rows of the result. Without the loader the call fails with an error that names the section.
 *
 *     rlxc products.py --codegen cblas -o products.rlx
 *     cc blas.c $(pkg-config --cflags --libs rlx_loaders) -o blas && ./blas products.rlx */
#include <stdio.h>

#include <rlx/loaders.h>
#include <rlx/rlx.h>

enum { ROWS = 4, COLUMNS = 3, ARGS = 3 };
static float x[ROWS * COLUMNS] = {1, 2, 3, 4, 5, 6, 7, 8, 9, -1, -2, -3};
static float w[COLUMNS * COLUMNS] = {1, 0, 2, 0, -1, 1, 3, 0, 0};
static float b[COLUMNS] = {0.5f, 20, -1};

static rlx_status call(rlx_vm *vm, rlx_value *args, rlx_value *out, rlx_error *err)
{
    static const struct {
        float *numbers;
        uint32_t ndim;
        int64_t dims[2];
    } given[ARGS] = {{x, 2, {ROWS, COLUMNS}}, {w, 2, {COLUMNS, COLUMNS}}, {b, 1, {COLUMNS}}};
    for (int i = 0; i < ARGS; i++) {
        rlx_tensor *t = NULL;
        RLX_TRY(rlx_tensor_wrap(NULL, RLX_F32, given[i].ndim, given[i].dims, given[i].numbers, NULL,
                                NULL, &t, err));
        args[i] = rlx_of_tensor(t);
    }
    return rlx_vm_invoke(vm, RLX_STR("main"), args, ARGS, out, err);
}

static void print(const float *rows)
{
    for (int i = 0; i < ROWS; i++, rows += COLUMNS)
        printf("%g %g %g\n", (double)rows[0], (double)rows[1], (double)rows[2]);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    rlx_error err = {0};
    rlx_executable *exe = NULL;
    rlx_vm_options options = {0};
    rlx_vm *vm = NULL;
    rlx_value args[ARGS] = {rlx_none(), rlx_none(), rlx_none()}, y = rlx_none();
    const rlx_load_options load = {.trust_native = true};
    const bool ok = rlx_registry_create(NULL, &options.registry, &err) == RLX_OK &&
                    rlx_registry_add_cblas(options.registry, &err) == RLX_OK &&
                    rlx_executable_load_file(argv[1], &load, &exe, &err) == RLX_OK &&
                    rlx_vm_create(exe, &options, &vm, &err) == RLX_OK &&
                    call(vm, args, &y, &err) == RLX_OK;
    if (ok)
        print(rlx_tensor_data(y.as.tensor));
    else
        fprintf(stderr, "blas: %s\n", err.message);
    rlx_value_release(y);
    for (int i = 0; i < ARGS; i++)
        rlx_value_release(args[i]);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    rlx_registry_release(options.registry);
    return !ok;
}
