/* A program that contains a model and needs only memory: no files, no threads, no malloc.
 *
 *     rlxc examples/embed/double.py --no-compression -o double.rlx
 *     cc -D_GNU_SOURCE -DMODEL='"double.rlx"' bare.c -lrlx-bare -lm
 *
 * Prints 2 4 6. On a machine without an operating system the three functions for code are even
 * simpler: memory is executable there. */
#include <stdio.h>
#include <sys/mman.h>

#include <rlx/bare.h>
#include <rlx/rlx.h>

/* The bytes of the file, aligned to 64. */
__asm__(".section .rodata\n"
        ".balign 64\n"
        "model: .incbin \"" MODEL "\"\n"
        "model_end:\n"
        ".previous\n");
extern const unsigned char model[], model_end[];

static _Alignas(64) unsigned char memory[1 << 18];
static _Alignas(4096) unsigned char code[1 << 16];

static void *take_code(void *user, size_t bytes, size_t align)
{
    (void)user;
    return bytes <= sizeof code && align <= 4096 ? code : NULL; /* one model's at a time */
}

static bool set_access(void *user, void *at, size_t bytes, unsigned access)
{
    (void)user;
    return mprotect(at, bytes,
                    (access & RLX_BARE_READ ? PROT_READ : 0) |
                        (access & RLX_BARE_WRITE ? PROT_WRITE : 0) |
                        (access & RLX_BARE_EXECUTE ? PROT_EXEC : 0)) == 0;
}

static void give_back_code(void *user, void *at, size_t bytes)
{
    (void)user;
    (void)mprotect(at, bytes, PROT_READ | PROT_WRITE);
}

static rlx_status run(rlx_error *err)
{
    const rlx_bare_host host = {.size = sizeof host,
                                .memory = memory,
                                .bytes = sizeof memory,
                                .take_code = take_code,
                                .set_access = set_access,
                                .give_back_code = give_back_code};
    const rlx_load_options load = {.trust_native = true};
    float numbers[3] = {1, 2, 3};
    const int64_t dims[1] = {3};
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    rlx_tensor *x = NULL;
    rlx_value out = rlx_none();
    rlx_status status = rlx_bare_start(&host, err);
    if (status == RLX_OK)
        status = rlx_bare_load(model, (size_t)(model_end - model), &load, &exe, err);
    if (status == RLX_OK)
        status = rlx_vm_create(exe, NULL, &vm, err);
    if (status == RLX_OK)
        status = rlx_tensor_wrap(NULL, RLX_F32, 1, dims, numbers, NULL, NULL, &x, err);
    if (status == RLX_OK) {
        rlx_value argument = rlx_of_tensor(x);
        status = rlx_vm_invoke(vm, RLX_STR("main"), &argument, 1, &out, err);
        rlx_value_release(argument);
    }
    if (status == RLX_OK) {
        const float *y = rlx_tensor_data(out.as.tensor);
        printf("%g %g %g\n", (double)y[0], (double)y[1], (double)y[2]);
        rlx_value_release(out);
    }
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    return status;
}

int main(void)
{
    rlx_error err = {0};
    if (run(&err) == RLX_OK)
        return 0;
    fprintf(stderr, "%s\n", err.message);
    return 1;
}
