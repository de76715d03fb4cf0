/* The language from text to results: every module of tests/e2e (files.h says how a file holds
 * several) is compiled at -O0, -O2 and -O3 with checks after each pass, loaded, and called through
 * the public API; and, where there is an OpenCL driver, once more with all its tensors on the first
 * device of that (a quick run: every fourth).
 *
 * The module's comments state the calls, with values in assembler syntax:
 *     # call main: tensor float32 [2] {1, 2}, shape [3] => tensor float32 [2] {2, 4}
 *     # fail main: int 3 => part of the message
 *     # error => part of the diagnostics, for modules that must not compile
 *     # lenient: compile with --lenient
 * The lines between "# each WORD: a b c" and "# end" are repeated for each of a, b, c, which
 * replaces every WORD. Floating-point results are compared within 1e-5, 16-bit ones within 1e-2.
 * Modules are compiled again from the text printed after each pass, and must give the same results.
 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/driver/compile.h"
#include "compiler/script/script.h"
#include "rlx/asm.h"
#include "rlx/device.h"
#include "tests/compiler/files.h"
#include "tests/support/rlx_test.h"

enum { MAX_CALLS = 80, MAX_LINE = 1200, MAX_STAGES = 40 };

typedef struct call {
    bool fails;
    char function[40], args[MAX_LINE], want[MAX_LINE];
} call;

typedef struct script {
    const char *path;
    char *text;
    size_t length;
    call calls[MAX_CALLS];
    unsigned n_calls;
    char error[MAX_LINE]; /* empty: the module must compile */
    bool lenient;
} script;

static void read_calls(script *s)
{
    for (char *line = s->text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        bool is_call = strncmp(line, "# call ", 7) == 0, fails = strncmp(line, "# fail ", 7) == 0;
        size_t length = strcspn(line, "\n");
        if (strncmp(line, "# error => ", 11) == 0)
            snprintf(s->error, sizeof s->error, "%.*s", (int)length - 11, line + 11);
        if (!is_call && !fails)
            continue;
        cr_assert(s->n_calls < MAX_CALLS && length < MAX_LINE, "%s: %.*s", s->path, (int)length,
                  line);
        call *c = &s->calls[s->n_calls++];
        const char *colon = memchr(line, ':', length), *arrow = memmem(line, length, " => ", 4);
        cr_assert(colon && arrow && colon < arrow, "%s: %.*s", s->path, (int)length, line);
        c->fails = fails;
        snprintf(c->function, sizeof c->function, "%.*s", (int)(colon - line) - 7, line + 7);
        snprintf(c->args, sizeof c->args, "%.*s", (int)(arrow - colon) - 1, colon + 1);
        snprintf(c->want, sizeof c->want, "%.*s", (int)(line + length - arrow) - 4, arrow + 4);
    }
}

/* Copies |from| up to |end|, replacing |word| with |by|. */
static void write_replaced(FILE *to, const char *from, const char *end, const char *word,
                           const char *by)
{
    size_t length = strlen(word);
    while (from < end) {
        const char *next = memmem(from, (size_t)(end - from), word, length);
        fwrite(from, 1, (size_t)((next ? next : end) - from), to);
        if (next)
            fputs(by, to);
        from = next ? next + length : end;
    }
}

static void expand_each(script *s)
{
    char *text = NULL, word[20], words[200];
    size_t length = 0;
    const char *from = s->text, *each;
    FILE *to = open_memstream(&text, &length);
    cr_assert(to);
    while ((each = strstr(from, "# each ")) != NULL) {
        const char *block = strchr(each, '\n'), *end = strstr(each, "# end\n");
        char *rest = NULL;
        cr_assert(block && end && sscanf(each, "# each %19[A-Z]: %199[^\n]", word, words) == 2,
                  "%s: %.40s", s->path, each);
        fwrite(from, 1, (size_t)(each - from), to);
        for (char *by = strtok_r(words, " ", &rest); by; by = strtok_r(NULL, " ", &rest))
            write_replaced(to, block + 1, end, word, by);
        from = end + strlen("# end\n");
    }
    fputs(from, to);
    fclose(to);
    free(s->text);
    s->text = text;
    s->length = length;
}

static void script_read(script *s, const char *path)
{
    *s = (script){.path = path};
    s->text = file_read(path, &s->length);
    expand_each(s);
    s->lenient = strstr(s->text, "\n# lenient\n") != NULL;
    read_calls(s);
}

/* --- packed functions of the host ------------------------------------------------------------ */

/* Destination passing: the last argument becomes twice the first (float32). */
static rlx_status packed_twice(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                               rlx_value *out, rlx_error *err)
{
    (void)cc, (void)out;
    if (n < 2 || args[0].kind != RLX_KIND_TENSOR || args[n - 1].kind != RLX_KIND_TENSOR)
        return rlx_fail(err, RLX_E_INVALID_ARG, "test.twice wants tensors");
    const float *from = rlx_tensor_data(args[0].as.tensor);
    float *to = rlx_tensor_mutable_data(args[n - 1].as.tensor);
    for (int64_t i = 0; i < rlx_tensor_numel(args[0].as.tensor); i++)
        to[i] = 2 * from[i];
    return RLX_OK;
}

/* Returns the number of arguments. */
static rlx_status packed_count(rlx_call_context *cc, const rlx_value *args, uint32_t n,
                               rlx_value *out, rlx_error *err)
{
    (void)cc, (void)args, (void)err;
    *out = rlx_int(n);
    return RLX_OK;
}

/* --- comparing values ------------------------------------------------------------------------ */

static double element(const rlx_tensor *t, int64_t i)
{
    rlx_dtype type = rlx_tensor_dtype(t);
    const char *at = (const char *)rlx_tensor_data(t) + (size_t)i * rlx_dtype_size(type);
    uint64_t bits = 0;
    memcpy(&bits, at, rlx_dtype_size(type));
    if (type.code == RLX_BFLOAT) {
        uint32_t wide = (uint32_t)bits << 16;
        float f;
        memcpy(&f, &wide, sizeof f);
        return f;
    }
    if (type.code == RLX_FLOAT && type.bits == 16) {
        double m = (double)(bits & 1023), e = (double)(bits >> 10 & 31);
        double v = e == 31  ? (m > 0 ? NAN : INFINITY)
                   : e == 0 ? ldexp(m, -24)
                            : ldexp(1024 + m, (int)e - 25);
        return bits >> 15 ? -v : v;
    }
    if (type.code == RLX_FLOAT && type.bits == 32) {
        float f;
        memcpy(&f, at, sizeof f);
        return f;
    }
    double d;
    memcpy(&d, at, sizeof d);
    return d;
}

static bool same_tensor(const rlx_tensor *a, const rlx_tensor *b)
{
    rlx_dtype type = rlx_tensor_dtype(a);
    uint32_t ndim = rlx_tensor_ndim(a);
    int64_t n = rlx_tensor_numel(a);
    if (!rlx_dtype_eq(type, rlx_tensor_dtype(b)) || ndim != rlx_tensor_ndim(b))
        return false;
    for (uint32_t i = 0; i < ndim; i++)
        if (rlx_tensor_dims(a)[i] != rlx_tensor_dims(b)[i])
            return false;
    if (type.code != RLX_FLOAT && type.code != RLX_BFLOAT)
        return n == 0 || memcmp(rlx_tensor_data(a), rlx_tensor_data(b),
                                (size_t)n * rlx_dtype_size(type)) == 0;
    double tolerance = type.bits == 16 ? 1e-2 : 1e-5;
    for (int64_t i = 0; i < n; i++) {
        double x = element(a, i), y = element(b, i);
        if (!(x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= tolerance * (1 + fabs(y))))
            return false;
    }
    return true;
}

static bool same(rlx_value a, rlx_value b)
{
    if (a.kind != b.kind)
        return false;
    switch ((rlx_kind)a.kind) {
    case RLX_KIND_NONE:
        return true;
    case RLX_KIND_INT:
    case RLX_KIND_BOOL:
        return a.as.i == b.as.i;
    case RLX_KIND_FLOAT:
        return fabs(a.as.f - b.as.f) <= 1e-5 * (1 + fabs(b.as.f));
    case RLX_KIND_DTYPE:
        return rlx_dtype_eq(a.as.dtype, b.as.dtype);
    case RLX_KIND_TENSOR:
        return same_tensor(a.as.tensor, b.as.tensor);
    case RLX_KIND_SHAPE:
        return rlx_shape_ndim(a.as.shape) == rlx_shape_ndim(b.as.shape) &&
               memcmp(rlx_shape_dims(a.as.shape), rlx_shape_dims(b.as.shape),
                      rlx_shape_ndim(a.as.shape) * sizeof(int64_t)) == 0;
    case RLX_KIND_TUPLE:
        for (uint32_t i = 0; i < rlx_tuple_count(a.as.tuple); i++)
            if (i >= rlx_tuple_count(b.as.tuple) ||
                !same(rlx_tuple_get(a.as.tuple, i), rlx_tuple_get(b.as.tuple, i)))
                return false;
        return rlx_tuple_count(a.as.tuple) == rlx_tuple_count(b.as.tuple);
    case RLX_KIND_STRING:
        return rlx_str_eq(rlx_string_get(a.as.string), rlx_string_get(b.as.string));
    case RLX_KIND_CLOSURE:
    case RLX_KIND_STORAGE:
    case RLX_KIND_OBJECT:
        return false;
    }
    return false;
}

/* --- running --------------------------------------------------------------------------------- */

/* Builds the value of "tuple(TEXT)" with a one-instruction program. */
static rlx_value value_of(rlx_test *t, const char *path, const char *text)
{
    static char program[2 * MAX_LINE];
    rlx_executable *exe = NULL;
    rlx_value out = rlx_none();
    snprintf(program, sizeof program,
             ".func v () -> object {\n  load_const r0, tuple(%s)\n  ret r0\n}\n", text);
    cr_assert_eq(rlx_test_try_load(t, program, &exe), RLX_OK, "%s: %s: %s", path, text,
                 t->error.message);
    rlx_vm *vm = rlx_test_vm(t, exe);
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("v"), NULL, 0, &out, &t->error));
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    return out;
}

/* |out| without tensors on devices: in the host's memory. */
static void bring_home(rlx_test *t, rlx_value *out)
{
    rlx_tensor *home = NULL;
    rlx_value items[64];
    if (out->kind == RLX_KIND_TENSOR) {
        RLX_OKAY(rlx_tensor_to_device(&t->allocator, out->as.tensor, NULL, &home, &t->error));
        rlx_value_release(*out);
        *out = rlx_of_tensor(home);
    } else if (out->kind == RLX_KIND_TUPLE) {
        const uint32_t n = rlx_tuple_count(out->as.tuple);
        rlx_tuple *tuple = NULL;
        cr_assert(n <= 64);
        for (uint32_t i = 0; i < n; i++) {
            items[i] = rlx_value_retain(rlx_tuple_get(out->as.tuple, i));
            bring_home(t, &items[i]);
        }
        RLX_OKAY(rlx_tuple_create(&t->allocator, n, items, &tuple, &t->error));
        for (uint32_t i = 0; i < n; i++)
            rlx_value_release(items[i]);
        rlx_value_release(*out);
        *out = rlx_of_tuple(tuple);
    }
}

/* A kernel that checks values names the value, or its place in one number, not the indices of its
 * place: "take: index 5 at [1]" is "take: index 5 is out of range", or "take: index is". */
static bool says(const char *message, const char *want, bool on_device)
{
    char text[200];
    const char *position = on_device ? strstr(want, " at [") : NULL;
    if (!position || strstr(message, want))
        return strstr(message, want) != NULL;
    int length = (int)(position - want);
    snprintf(text, sizeof text, "%.*s", length, want);
    if (strstr(message, text))
        return true;
    while (length > 0 && want[length - 1] != ' ')
        length--;
    snprintf(text, sizeof text, "%.*sis ", length, want);
    return strstr(message, text) != NULL;
}

static void run_call(rlx_test *t, rlx_vm *vm, const script *s, const call *c, const char *stage,
                     bool on_device)
{
    rlx_value args = value_of(t, s->path, c->args), out = rlx_none(), items[16];
    uint32_t n = rlx_tuple_count(args.as.tuple);
    rlx_error err = {0};
    cr_assert(n <= 16);
    for (uint32_t i = 0; i < n; i++)
        items[i] = rlx_tuple_get(args.as.tuple, i);
    rlx_status status = rlx_vm_invoke(vm, rlx_str_from(c->function), items, n, &out, &err);
    if (c->fails) {
        cr_expect(status != RLX_OK && says(err.message, c->want, on_device),
                  "%s (%s): %s(%s): \"%s\" lacks \"%s\"", s->path, stage, c->function, c->args,
                  status == RLX_OK ? "success" : err.message, c->want);
    } else if (status != RLX_OK) {
        cr_expect(false, "%s (%s): %s(%s): %s", s->path, stage, c->function, c->args, err.message);
    } else {
        rlx_value want = value_of(t, s->path, c->want);
        bring_home(t, &out);
        cr_expect(same(out, rlx_tuple_get(want.as.tuple, 0)), "%s (%s): %s(%s) is not %s", s->path,
                  stage, c->function, c->args, c->want);
        rlx_value_release(want);
    }
    rlx_value_release(out);
    rlx_value_release(args);
}

static void run_calls(rlx_test *t, rlx_executable *exe, const script *s, const char *stage,
                      bool on_device)
{
    static const struct {
        const char *name;
        rlx_packed_fn fn;
    } packed[] = {{"test.twice", packed_twice}, {"test.count", packed_count}};
    rlx_vm_options options = {.allocator = &t->allocator,
                              .registry = rlx_test_registry(t),
                              .threads = 3,
                              .debug_poison = true};
    rlx_vm *vm = NULL;
    RLX_OKAY(rlx_vm_create(exe, &options, &vm, &t->error));
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        RLX_OKAY(
            rlx_vm_register(vm, rlx_str_from(packed[i].name), packed[i].fn, NULL, NULL, &t->error));
    for (unsigned i = 0; i < s->n_calls; i++)
        run_call(t, vm, s, &s->calls[i], stage, on_device);
    rlx_vm_destroy(vm);
}

typedef struct stages {
    rlxc_context *ctx;
    char *texts[MAX_STAGES];
    const char *names[MAX_STAGES];
    unsigned n;
} stages;

static bool keep_stage(void *user, const rlxc_pass *pass, const rlxc_module *m, double seconds)
{
    stages *kept = user;
    const char *text = rlxc_print_module(kept->ctx, m);
    (void)seconds;
    if (kept->n < MAX_STAGES && (kept->n == 0 || strcmp(kept->texts[kept->n - 1], text) != 0)) {
        kept->names[kept->n] = pass->name;
        kept->texts[kept->n++] = strdup(text);
    }
    return true;
}

/* Compiles |text|, one stage of |s|, and runs the calls; |device|, if not NULL, is for its tensors;
 * |out_stages| gets the text after each pass. */
static void compile_and_run(rlx_test *t, const script *s, const char *text, int level,
                            const char *device, const char *stage, stages *out_stages)
{
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlx_exec_builder *builder = NULL;
    rlx_executable *exe = NULL;
    rlxc_options options;
    rlx_load_options load = {.allocator = &t->allocator, .trust_native = true};
    rlxc_pass_hooks hooks = {.after = keep_stage, .user = out_stages};
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &builder, &t->error));
    cr_assert(rlxc_options_init(ctx, &options, NULL, NULL, level));
    options.check = true;
    options.lenient = s->lenient;
    options.default_device = device;
    if (out_stages)
        out_stages->ctx = ctx;
    rlxc_module *m = rlxc_read_module(ctx, s->path, text, strlen(text));
    bool good = m && rlxc_compile_module(ctx, m, &options, out_stages ? &hooks : NULL, builder);
    const char *messages = rlxc_render_diagnostics(ctx);
    if (s->error[0])
        cr_expect(!good && strstr(messages, s->error), "%s (%s): \"%s\" lacks \"%s\"", s->path,
                  stage, good ? "success" : messages, s->error);
    else if (!good)
        cr_expect(false, "%s (%s): %s\n%s", s->path, stage, messages, out_stages ? "" : text);
    else
        RLX_OKAY(rlx_exec_builder_load(builder, &load, &exe, &t->error));
    rlx_exec_builder_destroy(builder);
    rlxc_context_destroy(ctx);
    if (exe)
        run_calls(t, exe, s, stage, device != NULL);
    rlx_executable_release(exe);
}

static bool has_text(const stages *kept, const char *text)
{
    for (unsigned i = 0; i < kept->n; i++)
        if (strcmp(kept->texts[i], text) == 0)
            return true;
    return false;
}

/* Also compiles the text printed after each pass at -O0 and -O2, equal texts once. A quick run
 * takes every sixteenth text, starting at a different one for each script. */
static void run_script(void *user, const char *path)
{
    rlx_test *t = user;
    static const int levels[] = {0, 2, 3};
    enum { N_LEVELS = sizeof levels / sizeof *levels };
    stages kept[N_LEVELS] = {{.n = 0}};
    script s;
    script_read(&s, path);
    cr_expect(s.n_calls > 0 || s.error[0], "%s has no calls", path);
    for (size_t k = 0; k < N_LEVELS; k++) {
        char stage[80];
        if (levels[k] == 3 && !rlx_test_takes(s.n_calls, 2))
            continue;
        snprintf(stage, sizeof stage, "-O%d", levels[k]);
        compile_and_run(t, &s, s.text, levels[k], NULL, stage, &kept[k]);
        for (unsigned i = 0; i < kept[k].n && !s.error[0] && levels[k] != 3; i++) {
            snprintf(stage, sizeof stage, "-O%d, printed after %s", levels[k], kept[k].names[i]);
            if (rlx_test_takes(i + s.n_calls, 16) &&
                (k == 0 || !has_text(&kept[0], kept[k].texts[i])))
                compile_and_run(t, &s, kept[k].texts[i], 0, NULL, stage, NULL);
        }
    }
    const bool is_of_devices = strncmp(path, "tests/e2e/device", strlen("tests/e2e/device")) == 0;
    if (!s.error[0] && rlx_device_count(NULL, "opencl", NULL) > 0 &&
        (is_of_devices || rlx_test_takes(s.n_calls, 8)))
        compile_and_run(t, &s, s.text, 2, "opencl:0", "-O2 on opencl:0", NULL);
    for (size_t k = 0; k < N_LEVELS; k++)
        for (unsigned i = 0; i < kept[k].n; i++)
            free(kept[k].texts[i]);
    free(s.text);
}

static void run_scripts(rlx_test *t, const char *prefix)
{
    DIR *dir = opendir("tests/e2e");
    unsigned n = 0;
    cr_assert(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name);
        char path[300];
        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0 || length < 3 ||
            strcmp(entry->d_name + length - 3, ".py") != 0)
            continue;
        snprintf(path, sizeof path, "tests/e2e/%s", entry->d_name);
        n += file_each_case(path, run_script, t);
    }
    closedir(dir);
    if (rlx_device_count(NULL, "opencl", NULL) <= 0)
        printf("skipped: OpenCL driver\n");
    cr_expect(n > 0, "no scripts tests/e2e/%s*.py", prefix);
}

/* A file belongs to the group that its name begins with. */
/* clang-format off */
#define GROUPS(X) \
    X(call) X(closures) X(constants) X(device) X(dialects) X(errors) X(if) X(lowered) X(match) \
    X(symbols) X(tir) X(value)
/* clang-format on */

/* One test per group, because each test costs a process. */
#define TEST_OF_GROUP(name)            \
    RLX_TEST(language, modules_##name) \
    {                                  \
        run_scripts(t, #name);         \
    }
GROUPS(TEST_OF_GROUP)

RLX_TEST(language, every_module_is_in_a_group)
{
#define NAME(name) #name,
    static const char *const groups[] = {GROUPS(NAME)};
    DIR *dir = opendir("tests/e2e");
    (void)t;
    cr_assert(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        bool found = entry->d_name[0] == '.';
        for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
            found = found || strncmp(entry->d_name, groups[i], strlen(groups[i])) == 0;
        cr_expect(found, "no group takes tests/e2e/%s", entry->d_name);
    }
    closedir(dir);
}

/* The three dialects of one module give the same IR. */
RLX_TEST(language, dialects_mean_the_same)
{
    static const char *const paths[] = {"tests/e2e/dialects.py#2022", "tests/e2e/dialects.py#2024",
                                        "tests/e2e/dialects.py#2026"};
    rlxc_context *ctx = rlxc_context_create(&t->allocator);
    rlxc_module *modules[3];
    script scripts[3];
    const char *why = "";
    for (int i = 0; i < 3; i++) {
        script_read(&scripts[i], paths[i]);
        modules[i] = rlxc_read_module(ctx, paths[i], scripts[i].text, scripts[i].length);
        cr_assert(modules[i], "%s", rlxc_render_diagnostics(ctx));
        cr_expect(rlxc_module_equal(ctx, modules[0], modules[i], &why), "%s: %s\n%s", paths[i], why,
                  rlxc_print_module(ctx, modules[i]));
    }
    rlxc_context_destroy(ctx);
    for (int i = 0; i < 3; i++)
        free(scripts[i].text);
}
