/* Judges the memory plans of modules, for tests/mutants/run.py, which links it with a mutant of the
 * compiler. A module is a file, or random-SEED.
 *
 *     plan_check plans LEVEL MODULE...
 *     plan_check results LEVEL MODULE...     the same, and runs each accepted module
 *
 * "NAME plan HASH": every pass, the bytecode verifier and the file's plan check accept it; HASH is
 * of the module's text after all passes. "NAME refused BY: MESSAGE": BY is plan (the plan
 * verifier), compiler (another pass), bytecode (the loader) or file (rlx_executable_verify_plans).
 * "NAME result HASH": HASH is of the results of main(x, y, c) for several x, y and c, on poisoned
 * memory, with two calls of one VM compared after both are done; or "NAME fails: MESSAGE".
 *
 * Modules with "static_plan" in their names get that pass. Compiled at level 0, a module's names
 * and forms reach the planner as written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/base/hash.h"
#include "compiler/codegen/codegen.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/files.h"
#include "compiler/script/script.h"
#include "rlx/device.h"
#include "rlx/rlx.h"
#include "tests/compiler/random_program.h"

enum { MAX_KEPT = 64 };

/* --- what the modules call ---------------------------------------------------------------------
 */

typedef struct host {
    rlx_value kept[MAX_KEPT];
    uint32_t n_kept;
    uint64_t hash; /* of every value seen */
} host;

static void hash_value(host *h, rlx_value v)
{
    h->hash = rlxc_hash64_bytes(h->hash, &v.kind, sizeof v.kind);
    if (v.kind == RLX_KIND_TENSOR) {
        const rlx_tensor *t = v.as.tensor;
        h->hash =
            rlxc_hash64_bytes(h->hash, rlx_tensor_dims(t), rlx_tensor_ndim(t) * sizeof(int64_t));
        h->hash = rlxc_hash64_bytes(h->hash, rlx_tensor_data(t), rlx_tensor_nbytes(t));
    } else if (v.kind == RLX_KIND_TUPLE) {
        for (uint32_t i = 0; i < rlx_tuple_count(v.as.tuple); i++)
            hash_value(h, rlx_tuple_get(v.as.tuple, i)); /* the modules' types bound it */
    }
}

/* test.first(r, e): hashes r, returns e. */
static rlx_status first(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                        rlx_error *err)
{
    host *h = rlx_call_user(cc);
    if (n != 2)
        return rlx_fail(err, RLX_E_INVALID_ARG, "test.first needs two values");
    hash_value(h, args[0]);
    *out = rlx_value_retain(args[1]);
    return RLX_OK;
}

/* test.keep(x): keeps x after the call. */
static rlx_status keep(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                       rlx_error *err)
{
    host *h = rlx_call_user(cc);
    if (n == 0 || h->n_kept == MAX_KEPT)
        return rlx_fail(err, RLX_E_INVALID_ARG, "test.keep needs a value and room");
    rlx_call_export(cc, args[0]);
    h->kept[h->n_kept++] = rlx_value_retain(args[0]);
    *out = rlx_int(1);
    return RLX_OK;
}

/* test.fill(x, o): keeps x, copies it to o. */
static rlx_status fill(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                       rlx_error *err)
{
    RLX_TRY(keep(cc, args, n, out, err));
    if (n != 2 || args[0].kind != RLX_KIND_TENSOR || args[1].kind != RLX_KIND_TENSOR ||
        rlx_tensor_nbytes(args[0].as.tensor) != rlx_tensor_nbytes(args[1].as.tensor))
        return rlx_fail(err, RLX_E_INVALID_ARG, "test.fill needs two tensors of one size");
    memcpy(rlx_tensor_mutable_data(args[1].as.tensor), rlx_tensor_data(args[0].as.tensor),
           rlx_tensor_nbytes(args[0].as.tensor));
    return RLX_OK;
}

/* test.kept(): hashes the kept values. */
static rlx_status look(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                       rlx_error *err)
{
    host *h = rlx_call_user(cc);
    (void)args, (void)n, (void)err;
    for (uint32_t i = 0; i < h->n_kept; i++)
        hash_value(h, h->kept[i]);
    *out = rlx_int((int64_t)h->n_kept);
    return RLX_OK;
}

/* --- running -----------------------------------------------------------------------------------
 */

static rlx_value vector(int64_t n, float factor)
{
    rlx_tensor *x = NULL;
    if (rlx_tensor_create(NULL, RLX_F32, 1, &n, &x, NULL) != RLX_OK)
        return rlx_none();
    for (int64_t i = 0; i < n; i++)
        ((float *)rlx_tensor_mutable_data(x))[i] = factor * (float)(i % 13 + 1);
    return rlx_of_tensor(x);
}

static rlx_value condition(bool c)
{
    rlx_tensor *x = NULL;
    if (rlx_tensor_create(NULL, RLX_B8, 0, NULL, &x, NULL) != RLX_OK)
        return rlx_none();
    *(uint8_t *)rlx_tensor_mutable_data(x) = c;
    return rlx_of_tensor(x);
}

static rlx_status call_main(rlx_vm *vm, int turn, host *h, rlx_value *out, rlx_error *err)
{
    static const int64_t lengths[] = {5, 0, 300};
    const int64_t n = lengths[turn / 2];
    rlx_value args[3] = {vector(n, 1), vector(n, 0.5f), condition(turn % 2 == 0)};
    rlx_status status = rlx_vm_invoke(vm, RLX_STR("main"), args, 3, out, err);
    for (int i = 0; i < 3; i++) {
        hash_value(h, args[i]); /* the caller's arguments must not have been overwritten */
        rlx_value_release(args[i]);
    }
    return status;
}

static rlx_status register_all(rlx_vm *vm, host *h, rlx_error *err)
{
    RLX_TRY(rlx_vm_register(vm, RLX_STR("test.first"), first, h, NULL, err));
    RLX_TRY(rlx_vm_register(vm, RLX_STR("test.keep"), keep, h, NULL, err));
    RLX_TRY(rlx_vm_register(vm, RLX_STR("test.fill"), fill, h, NULL, err));
    return rlx_vm_register(vm, RLX_STR("test.kept"), look, h, NULL, err);
}

/* With a second CPU device for the modules that name one. */
static rlx_status create_registry(rlx_registry **out, rlx_error *err)
{
    const rlx_cpu_device arena = {
        .size = sizeof arena, .id = 1, .bytes = 1 << 20, .scope = "global.sram"};
    RLX_TRY(rlx_registry_create(NULL, out, err));
    rlx_status status = rlx_registry_add_cpu(*out, &arena, err);
    if (status != RLX_OK)
        rlx_registry_release(*out);
    return status;
}

static rlx_status run(const rlx_executable *exe, host *h, rlx_error *err)
{
    enum { TURNS = 6 };
    rlx_value out[TURNS];
    rlx_vm *vm = NULL;
    rlx_vm_options options = {.debug_poison = true};
    RLX_TRY(create_registry(&options.registry, err));
    rlx_status status = rlx_vm_create((rlx_executable *)(uintptr_t)exe, &options, &vm, err);
    rlx_registry_release(options.registry);
    RLX_TRY(status);
    status = register_all(vm, h, err);
    int n = 0;
    while (status == RLX_OK && n < TURNS) {
        out[n] = rlx_none();
        status = call_main(vm, n, h, &out[n], err);
        n++;
    }
    for (int i = 0; i < n; i++) {
        hash_value(h, out[i]);
        rlx_value_release(out[i]);
    }
    for (uint32_t i = 0; i < h->n_kept; i++) {
        hash_value(h, h->kept[i]);
        rlx_value_release(h->kept[i]);
    }
    rlx_vm_destroy(vm);
    return status;
}

/* --- judging -----------------------------------------------------------------------------------
 */

typedef struct judged {
    const char *name;
    int level;
    bool runs;
    uint64_t plan;
} judged;

/* Prints the message's first line. */
static void refused(const judged *j, const char *by, const char *message)
{
    const char *text = strstr(message, "error: ");
    text = text ? text + 7 : message;
    printf("%s refused %s: %.*s\n", j->name, by, (int)strcspn(text, "\n"), text);
}

static void refuse_compiled(judged *j, rlxc_context *ctx)
{
    const char *messages = rlxc_render_diagnostics(ctx);
    refused(j, strstr(messages, "memory plan: ") ? "plan" : "compiler", messages);
}

static bool compile(judged *j, rlxc_context *ctx, const char *text, size_t length,
                    rlx_exec_builder *builder)
{
    rlxc_options options;
    if (!rlxc_options_init(ctx, &options, NULL, "x86-64", j->level))
        return false;
    if (strstr(j->name, "static_plan"))
        options.requests[options.n_requests++] = "static_plan";
    rlxc_module *module = rlxc_read_module(ctx, j->name, text, length);
    bool fine = module && rlxc_lower_module(ctx, module, &options, NULL);
    if (!fine) {
        refuse_compiled(j, ctx);
        return false;
    }
    const char *printed = rlxc_print_module(ctx, module);
    j->plan = rlxc_hash64_bytes(UINT64_C(0xcbf29ce484222325), printed, strlen(printed));
    rlxc_native native = {0};
    rlx_error err = {0};
    fine = rlxc_emit_bytecode(ctx, module, &options, builder);
    if (fine && j->runs)
        fine = rlxc_compile_native(ctx, module, &options, RLXC_NATIVE_SHARED, &native) &&
               rlx_exec_builder_native(builder, rlx_str_from(native.triple), NULL, 0, native.data,
                                       native.size, &err) == RLX_OK;
    if (!fine)
        refuse_compiled(j, ctx);
    return fine;
}

static void load_and_run(judged *j, rlx_exec_builder *builder)
{
    rlx_executable *exe = NULL;
    rlx_error err = {0};
    const rlx_load_options load = {.trust_native = j->runs};
    host h = {.hash = UINT64_C(0xcbf29ce484222325)};
    if (rlx_exec_builder_load(builder, &load, &exe, &err) != RLX_OK) {
        refused(j, "bytecode", err.message);
        return;
    }
    if (rlx_executable_verify_plans(exe, &err) != RLX_OK)
        refused(j, "file", err.message);
    else if (!j->runs)
        printf("%s plan %016llx\n", j->name, (unsigned long long)j->plan);
    else if (run(exe, &h, &err) != RLX_OK)
        printf("%s fails: %s\n", j->name, err.message);
    else
        printf("%s result %016llx\n", j->name, (unsigned long long)h.hash);
    rlx_executable_release(exe);
}

static void judge(judged j, const char *text, size_t length)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    rlx_exec_builder *builder = NULL;
    if (ctx && rlx_exec_builder_create(NULL, &builder, NULL) == RLX_OK &&
        compile(&j, ctx, text, length, builder))
        load_and_run(&j, builder);
    rlx_exec_builder_destroy(builder);
    if (ctx)
        rlxc_context_destroy(ctx);
    fflush(stdout);
}

static void judge_random(judged j)
{
    const uint32_t seed = (uint32_t)strtoul(j.name + 7, NULL, 10);
    rlxc_context *ctx = rlxc_context_create(NULL);
    random_program *p = ctx ? rlxc_alloc(ctx, sizeof *p) : NULL;
    if (!p)
        return;
    p->text.ctx = ctx;
    rlxc_text_puts(&p->text, random_program_header);
    random_program_make(p, seed, 4 + seed % 20);
    judge(j, p->text.data, p->text.length);
    rlxc_context_destroy(ctx);
}

int main(int argc, char **argv)
{
    if (argc < 3 || (strcmp(argv[1], "plans") != 0 && strcmp(argv[1], "results") != 0)) {
        fprintf(stderr, "usage: %s plans|results LEVEL [random-SEED|MODULE.py]...\n", argv[0]);
        return 2;
    }
    for (int i = 3; i < argc; i++) {
        rlxc_context *ctx = rlxc_context_create(NULL);
        char *text = NULL;
        size_t length;
        const judged j = {argv[i], (int)strtol(argv[2], NULL, 10), strcmp(argv[1], "results") == 0,
                          0};
        if (strncmp(j.name, "random-", 7) == 0)
            judge_random(j);
        else if (ctx && rlxc_read_file(ctx, argv[i], 1 << 20, &text, &length))
            judge(j, text, length);
        else
            printf("%s is not read\n", argv[i]);
        free(text);
        if (ctx)
            rlxc_context_destroy(ctx);
    }
    return 0;
}
