/* The bare runtime in a program without a C library, which gives it memory and the bytes of a file.
 *
 *     bare_test MODEL.rlx TOLERANCE INPUT.npy EXPECTED.npy [INPUT.npy EXPECTED.npy]...
 *     bare_test TAN.rlx tan
 *
 * Runs main of the model and compares its results; TOLERANCE is the largest difference in
 * millionths. Then loads the model with every size of memory up to what it needed, and with damaged
 * kernels: each must be an error or work. Prints a line per failed check, figures, and "N passed, N
 * failed". The second form runs a model whose kernel calls a function of this program. */
#include "tests/bare/system.h"
#include "vm/exec.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <rlx/bare.h>
#include <rlx/rlx.h>

enum { MODEL_BYTES = 4 << 20, DATA_BYTES = 1 << 18, HEAP_BYTES = 8 << 20, CODE_BYTES = 1 << 18 };

static _Alignas(64) uint8_t model[MODEL_BYTES], input[DATA_BYTES], expected[DATA_BYTES];
static _Alignas(64) uint8_t heap[HEAP_BYTES], damaged[CODE_BYTES];
static _Alignas(65536) uint8_t code[CODE_BYTES]; /* one executable's at a time */
static bool code_is_taken;
static size_t code_peak;
static int passed, failed;

static void say(const char *format, ...) RLX_PRINTF(1, 2);
static void say(const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    bare_write(text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

static void check(bool ok, const char *what, const rlx_error *err)
{
    passed += ok;
    failed += !ok;
    if (!ok)
        say("FAIL %s: %s\n", what, err ? err->message : "");
}

/* --- the host ----------------------------------------------------------------------------------
 */

static void *take_code(void *user, size_t bytes, size_t align)
{
    (void)user;
    if (code_is_taken || bytes > sizeof code || align > 65536)
        return NULL;
    code_is_taken = true;
    code_peak = bytes > code_peak ? bytes : code_peak;
    return code + (sizeof code - bytes) / align *
                      align; /* at the end: sanitizers see what is read behind it */
}

static bool set_access(void *user, void *at, size_t bytes, unsigned access)
{
    (void)user;
    return bare_set_access(at, bytes, access);
}

static void give_back_code(void *user, void *at, size_t bytes)
{
    (void)user;
    code_is_taken = false;
    (void)bare_set_access(at, bytes, RLX_BARE_READ | RLX_BARE_WRITE);
}

static uint64_t ticks(void *user)
{
    (void)user;
    static uint64_t now;
    return now += 1000;
}

static rlx_bare_host host_with(size_t bytes)
{
    return (rlx_bare_host){.size = sizeof(rlx_bare_host),
                           .memory = heap,
                           .bytes = bytes,
                           .now = ticks,
                           .take_code = take_code,
                           .set_access = set_access,
                           .give_back_code = give_back_code};
}

static void start(size_t bytes)
{
    rlx_error err = {0};
    const rlx_bare_host host = host_with(bytes);
    check(rlx_bare_start(&host, &err) == RLX_OK, "start", &err);
}

/* --- arrays ------------------------------------------------------------------------------------
 */

typedef struct array {
    rlx_dtype dtype;
    uint32_t ndim;
    int64_t dims[8];
    const void *data;
    size_t bytes;
} array;

/* The text after |key| in the header of an .npy file. */
static const char *after(const char *text, const char *key)
{
    const size_t n = strlen(key);
    while (*text && strncmp(text, key, n) != 0)
        text++;
    return *text ? text + n : text;
}

/* One of the project's own .npy files: version 1, C order, float32 or int64. */
static bool read_array(const char *path, uint8_t *room, array *out)
{
    char header[256] = "";
    const size_t n = bare_read(path, room, DATA_BYTES);
    const size_t length = n < 10 ? 0 : room[8] + 256u * room[9];
    if (n < 10 + length || length == 0 || length >= sizeof header)
        return false;
    memcpy(header, room + 10, length);
    *out = (array){.dtype = *after(header, "'<") == 'f' ? RLX_F32 : RLX_I64,
                   .data = room + 10 + length,
                   .bytes = n - 10 - length};
    for (const char *at = after(header, "'shape': ("); *at && *at != ')' && out->ndim < 8; at++) {
        if (*at < '0' || *at > '9')
            continue;
        int64_t dim = 0;
        for (; *at >= '0' && *at <= '9'; at++)
            dim = dim * 10 + (*at - '0');
        out->dims[out->ndim++] = dim;
        at--;
    }
    return true;
}

/* --- checks ------------------------------------------------------------------------------------
 */

static size_t model_size;

/* Loads the model, calls main with |x|; |*out| is for the caller to release. */
static rlx_status run(const array *x, rlx_value *out, rlx_error *err)
{
    const rlx_load_options load = {.trust_native = true};
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    rlx_tensor *tensor = NULL;
    rlx_status status = rlx_bare_load(model, model_size, &load, &exe, err);
    if (status == RLX_OK)
        status = rlx_vm_create(exe, NULL, &vm, err);
    if (status == RLX_OK)
        status = rlx_tensor_wrap(NULL, x->dtype, x->ndim, x->dims, (void *)(uintptr_t)x->data, NULL,
                                 NULL, &tensor, err);
    if (status == RLX_OK) {
        rlx_value argument = rlx_of_tensor(tensor);
        status = rlx_vm_invoke(vm, RLX_STR("main"), &argument, 1, out, err);
        rlx_value_release(argument);
    }
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    return status;
}

static void compare(const char *path, rlx_value out, const array *want, double tolerance)
{
    rlx_error err = {.message = "the result is no tensor of this size"};
    if (out.kind != RLX_KIND_TENSOR || rlx_tensor_nbytes(out.as.tensor) != want->bytes) {
        check(false, path, &err);
        return;
    }
    const float *a = rlx_tensor_data(out.as.tensor), *b = want->data;
    float largest = 0;
    for (size_t i = 0; i < want->bytes / sizeof *a; i++) {
        const float d = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
        largest = d <= largest ? largest : d; /* NaN as well */
    }
    snprintf(err.message, sizeof err.message, "largest difference %g", (double)largest);
    check((double)largest <= tolerance, path, &err);
}

static bool is_out_of_memory(rlx_status status)
{
    return status == RLX_E_NOMEM || status == RLX_E_LIMIT;
}

/* Too little memory is an error, however little it is; nothing stays in use. */
static void with_less_memory(const array *x, size_t needed)
{
    size_t tries = 0, fine = 0;
    for (size_t bytes = 0; bytes < needed; bytes += bytes / 16 + 64, tries++) {
        rlx_error err = {0};
        rlx_value out = rlx_none();
        start(bytes);
        const rlx_status status = run(x, &out, &err);
        if (status == RLX_OK)
            rlx_value_release(out);
        fine += is_out_of_memory(status) || status == RLX_OK;
        if (rlx_bare_memory_now().used != 0 || code_is_taken)
            fine = 0;
    }
    check(tries > 50 && fine == tries, "errors with less memory", NULL);
}

/* Kernels with one changed byte among the headers, tables and relocations are refused or loaded. */
static void with_damage(void)
{
    const rlx_load_options load = {.trust_native = false};
    rlx_executable *exe = NULL;
    rlx_error err = {0};
    start(sizeof heap);
    check(rlx_bare_load(model, model_size, &load, &exe, &err) == RLX_OK, "load", &err);
    if (!exe || exe->native.size > sizeof damaged)
        return;
    const uint8_t *elf = exe->native.elf;
    const size_t size = exe->native.size, tables = size < 2048 ? size : 2048;
    size_t refused = 0;
    for (size_t i = 0; i < size; i += i < tables ? 1 : size / 256 + 1)
        for (uint32_t change = 1; change < 256; change = change * 3 + 4) {
            uint8_t *copy = damaged + sizeof damaged - size; /* at the end, as above */
            memcpy(copy, elf, size);
            copy[i] ^= (uint8_t)change;
            exe->native.elf = copy;
            refused += rlxv_native_load(exe, NULL, &err) != RLX_OK;
            rlxv_native_unload(exe);
        }
    for (size_t n = 0; n < tables; n += 3) { /* cut off */
        exe->native.elf = memcpy(damaged + sizeof damaged - n, elf, n);
        exe->native.size = n;
        refused += rlxv_native_load(exe, NULL, &err) != RLX_OK;
        rlxv_native_unload(exe);
    }
    check(refused > 100 && !code_is_taken, "damaged kernels", &err);
    exe->native.elf = elf;
    exe->native.size = size;
    check(rlxv_native_load(exe, "kernels.so", &err) == RLX_E_INVALID_ARG, "a file", &err);
    rlx_executable_release(exe);
}

static void refusals(const array *x)
{
    rlx_error err = {0};
    rlx_value out = rlx_none();
    rlx_executable *exe = NULL;
    rlx_bare_host host = host_with(sizeof heap);
    host.take_code = NULL;
    check(rlx_bare_start(&host, &err) == RLX_OK, "start", &err);
    check(run(x, &out, &err) == RLX_E_LIMIT, "no memory for code", &err);
    start(sizeof heap);
    const rlx_load_options signed_only = {.require_signature = true};
    check(rlx_bare_load(model, model_size, &signed_only, &exe, &err) == RLX_E_INVALID_ARG ||
              err.code == RLX_E_SIGNATURE,
          "a signature", &err);
    check(rlx_bare_load(model + 1, model_size - 1, NULL, &exe, &err) == RLX_E_INVALID_ARG,
          "unaligned bytes", &err);
    check(rlx_bare_load(model, 100, NULL, &exe, &err) == RLX_E_INVALID_MODULE, "a short file",
          &err);
    check(rlx_bare_load(NULL, 1, NULL, &exe, &err) == RLX_E_INVALID_ARG &&
              rlx_bare_load(model, model_size, NULL, NULL, &err) == RLX_E_INVALID_ARG &&
              rlx_bare_start(NULL, &err) == RLX_E_INVALID_ARG && !rlx_bare_entropy(NULL, 4),
          "pointers that are NULL", &err);
    host = host_with(sizeof heap);
    host.cpu_features = "";
    check(rlx_bare_start(&host, &err) == RLX_OK, "start", &err);
    check(rlx_executable_load_memory(model, model_size, NULL, &exe, &err) == RLX_OK, "copied",
          &err);
    check(rlx_bare_start(&host, &err) == RLX_E_INVALID_ARG, "memory in use", &err);
    check(rlx_cpu_has(RLX_STR("fma")) == false, "a CPU without features", NULL);
    rlx_executable_release(exe);
}

/* --- functions that kernels call ---------------------------------------------------------------
 */

static double the_tangent(double x)
{
    return sin(x) / cos(x);
}

static void *find_symbol(void *user, const char *name)
{
    (void)user;
    double (*const address)(double) = the_tangent;
    void *out = NULL;
    if (strcmp(name, "tan") == 0)
        memcpy(&out, &address, sizeof out);
    return out;
}

static void symbols(void)
{
    static const int64_t numbers[] = {0, 1, -2, 3, 1000, -100000};
    enum { N = sizeof numbers / sizeof *numbers };
    const array x = {.dtype = RLX_I64, .ndim = 1, .dims = {N}, .data = numbers};
    float wanted[N];
    const array want = {.data = wanted, .bytes = sizeof wanted};
    rlx_error err = {0};
    rlx_value out = rlx_none();
    start(sizeof heap);
    check(run(&x, &out, &err) == RLX_E_NOT_FOUND, "a function that the host lacks", &err);
    rlx_bare_host host = host_with(sizeof heap);
    host.find_symbol = find_symbol;
    check(rlx_bare_start(&host, &err) == RLX_OK, "start", &err);
    check(run(&x, &out, &err) == RLX_OK, "a function of the host", &err);
    for (int i = 0; i < N; i++)
        wanted[i] = (float)the_tangent((double)numbers[i]);
    compare("tan", out, &want, 0);
    rlx_value_release(out);
}

int bare_main(int argc, char **argv)
{
    array x, want;
    double tolerance = 0;
    size_t needed = 0, code_needed = 0;
    if (argc < 3 || argc % 2 == 0)
        return 2;
    model_size = bare_read(argv[1], model, sizeof model);
    if (argc == 3) {
        symbols();
        say("%d passed, %d failed\n", passed, failed);
        return failed != 0;
    }
    for (const char *c = argv[2]; *c >= '0' && *c <= '9'; c++)
        tolerance = tolerance * 10 + (*c - '0');
    for (int i = 3; i < argc; i += 2) {
        rlx_error err = {0};
        rlx_value out = rlx_none();
        const bool read =
            read_array(argv[i], input, &x) && read_array(argv[i + 1], expected, &want);
        check(read && model_size > 0, argv[i], NULL);
        if (!read)
            continue;
        start(sizeof heap);
        check(run(&x, &out, &err) == RLX_OK, argv[i], &err);
        compare(argv[i + 1], out, &want, tolerance / 1e6);
        rlx_value_release(out);
        check(rlx_bare_memory_now().used == 0, "all memory given back", NULL);
        needed = rlx_bare_memory_now().peak > needed ? rlx_bare_memory_now().peak : needed;
    }
    code_needed = code_peak;
    if (failed == 0) {
        with_less_memory(&x, needed);
        refusals(&x);
        with_damage();
    }
    say("memory: %zu bytes, %zu for code\n", needed, code_needed);
    say("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
