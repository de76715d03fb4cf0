/* The smallest host: loads an executable, calls `main` with a float32 vector, prints the first
 * element of the result.
 *
 *     cc embed.c $(pkg-config --cflags --libs rlx) -o embed && ./embed MODEL.rlx */
#include <stdio.h>

#include <rlx/rlx.h>

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    rlx_error err = {0};
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    rlx_tensor *input = NULL;
    rlx_value result = rlx_none();
    const rlx_load_options load = {.trust_native = true}; /* run the file's machine code */
    float numbers[3] = {1, 2, 3};
    const int64_t dims[1] = {3};
    int status = 1;
    if (rlx_executable_load_file(argv[1], &load, &exe, &err) == RLX_OK &&
        rlx_vm_create(exe, NULL, &vm, &err) == RLX_OK &&
        rlx_tensor_wrap(NULL, RLX_F32, 1, dims, numbers, NULL, NULL, &input, &err) == RLX_OK) {
        rlx_value argument = rlx_of_tensor(input);
        if (rlx_vm_invoke(vm, RLX_STR("main"), &argument, 1, &result, &err) == RLX_OK) {
            printf("%g\n", (double)*(const float *)rlx_tensor_data(result.as.tensor));
            status = 0;
        }
    }
    if (status != 0)
        fprintf(stderr, "embed: %s\n", err.message);
    rlx_value_release(result);
    rlx_value_release(rlx_of_tensor(input));
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    return status;
}
