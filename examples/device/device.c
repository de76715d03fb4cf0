/* A kind of device that a host program adds: "drawer", which keeps bytes in numbered drawers and
   runs kernels in its own language. Memory is a number here, not an address: the library never
   looks into it. The model, in assembly, computes a*a*3 + 1 and adds a on the device, and its file
   has the code. Build:
   cc device.c $(pkg-config --cflags --libs rlx)

   Each request is done before its function returns. A device with a queue returns earlier; then
   copy_out and sync wait for all that was asked for before, in order. */
#include <rlx/rlx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* v1 is the first device, v0 the host. An image of code has a format and bytes. */
static const char model[] =
    ".kernel k0 \"polynomial\" dims 1 (float32[s0], out float32[s0])\n"
    ".kernel k1 \"sum\" dims 1 (float32[s0], float32[s0], out float32[s0])\n"
    ".device \"drawer\" 0 \"global\" \"drawer\"\n"
    ".module \"drawer\" [ \"postfix\" text \"poly a a * 3 * 1 +\\nsum a b +\\n\" ]\n"
    ".launches k0 m0 [] { \"poly\" [(s0 + 63) // 64, 1, 1] [64, 1, 1] 0 (p0, p1, int64 s0) }\n"
    ".launches k1 m0 [] { \"sum\" [(s0 + 63) // 64, 1, 1] [64, 1, 1] 0 (p0, p1, p2, int64 s0) }\n"
    ".func main (x: float32[s0!]) -> float32[s0] symbols 1 {\n"
    "    to_vdevice r1, r0, v1\n"
    "    new_tensor_on r2, float32, v1, [s0]\n"
    "    call_kernel k0, [s0], [r1, r2]\n"
    "    new_tensor_on r3, float32, v1, [s0]\n"
    "    call_kernel k1, [s0], [r1, r2, r3]\n"
    "    ret r3\n"
    "}\n";

enum { DRAWERS = 64, MOST_BYTES = 1 << 24, ALIGN = 128, STACK = 16, MOST_THREADS = 256 };

typedef struct cabinet {             /* an opened device */
    unsigned char *drawers[DRAWERS]; /* NULL: free */
} cabinet;

/* --- memory -----------------------------------------------------------------------------------
   alloc represents drawer n by the number n + 1, because NULL means no memory. */

static unsigned char *place(const cabinet *c, rlx_device_at at)
{
    return c->drawers[(uintptr_t)at.memory - 1] + at.offset;
}

static rlx_status drawer_alloc(void *device, size_t bytes, const char *scope, void **out_memory,
                               rlx_error *err)
{
    cabinet *c = device;
    uintptr_t i = 0;
    if (strcmp(scope, "global") != 0)
        return rlx_fail(err, RLX_E_NOT_FOUND, "there is no memory '%s'", scope);
    while (i < DRAWERS && c->drawers[i])
        i++;
    if (i == DRAWERS)
        return rlx_fail(err, RLX_E_LIMIT, "all %d drawers are full", DRAWERS);
    c->drawers[i] = bytes <= MOST_BYTES ? aligned_alloc(ALIGN, (bytes / ALIGN + 1) * ALIGN) : NULL;
    if (!c->drawers[i])
        return rlx_fail(err, RLX_E_LIMIT, "no drawer has %zu bytes", bytes);
    *out_memory = (void *)(i + 1);
    return RLX_OK;
}

static void drawer_release(void *device, void *memory)
{
    cabinet *c = device;
    const uintptr_t i = (uintptr_t)memory - 1;
    free(c->drawers[i]);
    c->drawers[i] = NULL;
}

static rlx_status drawer_copy_in(void *device, rlx_device_at to, const void *from, size_t bytes,
                                 void **out_event, rlx_error *err)
{
    (void)out_event; /* for times of the work: there is no event_time */
    (void)err;
    memcpy(place(device, to), from, bytes);
    return RLX_OK;
}

static rlx_status drawer_copy_out(void *device, void *to, rlx_device_at from, size_t bytes,
                                  void **out_event, rlx_error *err)
{
    (void)out_event;
    (void)err;
    memcpy(to, place(device, from), bytes);
    return RLX_OK;
}

static rlx_status drawer_copy(void *device, rlx_device_at to, rlx_device_at from, size_t bytes,
                              void **out_event, rlx_error *err)
{
    return drawer_copy_in(device, to, place(device, from), bytes, out_event, err);
}

/* --- code -------------------------------------------------------------------------------------
   A line for each kernel: its name, then a formula for one element with the operator last. The
   letters are the buffers; the result goes to the last one. */

static rlx_status drawer_load(void *device, rlx_str format, const void *code, size_t size,
                              void **out_module, rlx_error *err)
{
    (void)device;
    if (!rlx_str_eq(format, RLX_STR("postfix")))
        return rlx_fail(err, RLX_E_VERSION, "the format '%.*s' is not known", (int)format.len,
                        format.data);
    char *text = malloc(size + 1);
    if (!text)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory for %zu bytes of code", size);
    memcpy(text, code, size);
    text[size] = 0;
    *out_module = text;
    return RLX_OK;
}

static void drawer_unload(void *device, void *module)
{
    (void)device;
    free(module);
}

/* A function is the position of its formula in the module. */
static rlx_status drawer_find(void *device, void *module, const char *name, void **out_function,
                              rlx_error *err)
{
    const size_t length = strlen(name);
    (void)device;
    for (char *line = module; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && line[length] == ' ') {
            *out_function = line + length;
            return RLX_OK;
        }
    }
    return rlx_fail(err, RLX_E_NOT_FOUND, "there is no kernel '%s'", name);
}

/* What one thread does: the formula for element |i|. False: the code is malformed. Code comes from
 * the file, which the host trusts (rlx_load_options.trust_native); it is checked nevertheless. */
static bool compute(const char *formula, float *const *buffers, uint32_t n_buffers, int64_t i)
{
    float stack[STACK];
    int n = 0;
    for (const char *p = formula; *p && *p != '\n'; p++) {
        if (*p == ' ')
            continue;
        if (*p == '+' || *p == '*') {
            if (n < 2)
                return false;
            n--;
            stack[n - 1] = *p == '+' ? stack[n - 1] + stack[n] : stack[n - 1] * stack[n];
            continue;
        }
        const bool is_buffer = *p >= 'a' && *p < 'a' + (int)n_buffers;
        if (n == STACK || (!is_buffer && (*p < '0' || *p > '9')))
            return false;
        stack[n++] = is_buffer ? buffers[*p - 'a'][i] : (float)(*p - '0');
    }
    if (n != 1)
        return false;
    buffers[n_buffers - 1][i] = stack[0];
    return true;
}

/* The arguments are buffers and, last, the number of elements, as the file's .launches says. */
static rlx_status drawer_launch(void *device, const rlx_launch *l, void **out_event, rlx_error *err)
{
    float *buffers[3];
    uint32_t n = 0;
    (void)out_event;
    for (; n < l->n_args && n < 3 && l->args[n].kind == RLX_LAUNCH_BUFFER; n++)
        buffers[n] = (float *)(void *)place(device, l->args[n].as.at);
    if (n == 0 || n + 1 != l->n_args || l->args[n].kind != RLX_LAUNCH_I64)
        return rlx_fail(err, RLX_E_DEVICE, "%s has other arguments", l->name);
    const int64_t elements = l->args[n].as.i, threads = (int64_t)l->grid[0] * l->block[0];
    for (int64_t i = 0; i < threads; i++) /* one after the other: this device is not fast */
        if (i < elements && !compute(l->function, buffers, n, i))
            return rlx_fail(err, RLX_E_DEVICE, "the formula of %s is malformed", l->name);
    return RLX_OK;
}

static rlx_status drawer_sync(void *device, rlx_error *err)
{
    (void)device;
    (void)err;
    return RLX_OK;
}

/* --- the kind ---------------------------------------------------------------------------------
   |user| is the pointer passed to rlx_registry_add_device: here, the name that a device reports. */

static uint32_t drawer_count(void *user, rlx_error *err)
{
    (void)user;
    (void)err;
    return 1;
}

static rlx_status drawer_info(void *user, uint32_t id, rlx_device_info *out, rlx_error *err)
{
    if (id > 0)
        return rlx_fail(err, RLX_E_NOT_FOUND, "there is one cabinet");
    snprintf(out->name, sizeof out->name, "%s", (const char *)user);
    out->max_threads = MOST_THREADS;
    return RLX_OK;
}

static rlx_status drawer_open(void *user, uint32_t id, void **out_device, rlx_error *err)
{
    (void)user;
    (void)id;
    *out_device = calloc(1, sizeof(cabinet));
    return *out_device ? RLX_OK : rlx_fail(err, RLX_E_NOMEM, "out of memory for a cabinet");
}

static const rlx_device_api drawer = {
    .size = sizeof drawer,
    .kind = "drawer",
    .type = 12, /* kDLExtDev: DLPack has no number for it */
    .count = drawer_count,
    .info = drawer_info,
    .open = drawer_open,
    .close = free,
    .alloc = drawer_alloc,
    .release = drawer_release,
    .copy_in = drawer_copy_in,
    .copy_out = drawer_copy_out,
    .copy = drawer_copy,
    .load = drawer_load,
    .unload = drawer_unload,
    .find = drawer_find,
    .launch = drawer_launch,
    .sync = drawer_sync,
};

/* --- the program ------------------------------------------------------------------------------ */

static void check(rlx_status status, const rlx_error *err)
{
    if (status == RLX_OK)
        return;
    fprintf(stderr, "%s: %s\n", rlx_status_name(status), err->message);
    exit(1);
}

int main(void)
{
    rlx_error err = {0};
    rlx_registry *registry = NULL;
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    rlx_device *d = NULL;
    rlx_tensor *x = NULL, *y = NULL;
    rlx_value result = rlx_none();
    rlx_device_stats stats;
    static char shown[] = "a cabinet of 64 drawers";
    void *file = NULL;
    size_t size = 0;
    float data[4] = {0, 1, 2, 3};

    check(rlx_registry_create(NULL, &registry, &err), &err);
    check(rlx_registry_add_device(registry, &drawer, shown, &err), &err);
    check(rlx_assemble(NULL, RLX_STR("model"), rlx_str_from(model), &file, &size, &err), &err);
    const rlx_load_options load = {.trust_native = true}; /* the code in the file may run */
    check(rlx_executable_load_memory(file, size, &load, &exe, &err), &err);
    rlx_free(NULL, file, size, 64);
    check(rlx_vm_create(exe, &(rlx_vm_options){.registry = registry}, &vm, &err), &err);

    check(rlx_tensor_wrap(NULL, RLX_F32, 1, (int64_t[]){4}, data, NULL, NULL, &x, &err), &err);
    rlx_value argument = rlx_of_tensor(x);
    check(rlx_vm_invoke(vm, RLX_STR("main"), &argument, 1, &result, &err), &err);

    /* The result is still in its drawer: the host cannot read it before it requests a copy. */
    check(rlx_device_open(registry, "drawer", 0, &d, &err), &err);
    printf("%s, %s: the result lies on it: %s, the host sees its bytes: %s\n", rlx_device_name(d),
           rlx_device_facts(d)->name, rlx_tensor_device(result.as.tensor) == d ? "yes" : "no",
           rlx_tensor_data(result.as.tensor) ? "yes" : "no");
    check(rlx_tensor_to_device(NULL, result.as.tensor, NULL, &y, &err), &err);
    for (int i = 0; i < 4; i++)
        printf("%g%c", (double)((const float *)rlx_tensor_data(y))[i], i < 3 ? ' ' : '\n');
    rlx_device_get_stats(d, &stats);
    printf("%llu launches, %llu bytes in, %llu out\n", (unsigned long long)stats.launches,
           (unsigned long long)stats.bytes_in, (unsigned long long)stats.bytes_out);

    rlx_value_release(rlx_of_tensor(y));
    rlx_value_release(result);
    rlx_value_release(argument);
    rlx_device_release(d);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    rlx_registry_release(registry);
    return 0;
}
