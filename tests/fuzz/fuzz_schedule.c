/* Fuzz target: schedules. The first byte selects the kind of the rest: 's' schedule text or trace
 * JSON, applied to a small module; 'd' a database of tuned schedules; 'e' the steps of an entry for
 * one of the module's functions. An applied schedule must leave a well-formed module that prints to
 * text which parses to an equal one; anything else must be diagnosed. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compiler/driver/compile.h"
#include "compiler/driver/database.h"
#include "compiler/script/script.h"
#include "fuzz_memory.h"
#include "mutate_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char model[] =
    "@I.ir_module\nclass Module:\n"
    "    @T.prim_func(private=True)\n"
    "    def f(a: T.Buffer((12, 20), \"float32\"), b: T.Buffer((20, 8), \"float32\"), "
    "d: T.Buffer((12, 8), \"float32\")):\n"
    "        c = T.alloc_buffer((12, 8))\n"
    "        for i, j, k in T.grid(12, 8, 20):\n"
    "            with T.block(\"C\"):\n"
    "                vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
    "                with T.init():\n"
    "                    c[vi, vj] = T.float32(0)\n"
    "                c[vi, vj] = c[vi, vj] + a[vi, vk] * b[vk, vj]\n"
    "        for i, j in T.grid(12, 8):\n"
    "            with T.block(\"D\"):\n"
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "                d[vi, vj] = T.max(c[vi, vj], T.float32(0))\n"
    "    @R.function\n"
    "    def main(x: R.Tensor((12, 20), \"float32\"), w: R.Tensor((20, 8), \"float32\")):\n"
    "        cls = Module\n"
    "        y = R.call_tir(cls.f, (x, w), out_sinfo=R.Tensor((12, 8), \"float32\"))\n"
    "        return y\n";

#define TARGET "fuzz"

typedef struct before_rules {
    rlxc_context *ctx;
    uint64_t hash;
} before_rules;

static bool note_hash(void *user, const rlxc_pass *pass, const rlxc_module *module, double seconds)
{
    before_rules *b = user;
    (void)seconds;
    for (uint32_t i = 0; strcmp(pass->name, "verify_plan") == 0 && i < module->globals.count; i++)
        if (module->globals.items[i]->prim)
            b->hash = rlxc_prim_func_hash(b->ctx, module->globals.items[i]->prim);
    return true;
}

/* Lowers the model; the result must be a valid module. */
static uint64_t lower(rlxc_context *ctx, rlxc_rule_steps *steps, const rlxc_schedules *others)
{
    rlxc_options options;
    before_rules before = {.ctx = ctx};
    const rlxc_pass_hooks hooks = {&before, note_hash};
    if (!rlxc_options_init(ctx, &options, NULL, "x86-64-v3", 2))
        return 0;
    options.steps = steps;
    options.schedules = others;
    rlxc_module *module = rlxc_read_module(ctx, "m.py", model, sizeof model - 1);
    if (!module || !rlxc_lower_module(ctx, module, &options, &hooks))
        return before.hash;
    const char *printed = rlxc_print_module(ctx, module), *why;
    rlxc_module *again =
        printed ? rlxc_parse_module(ctx, "printed.py", printed, strlen(printed)) : NULL;
    if (printed && !rlxc_out_of_memory(ctx) &&
        (!rlxc_well_formed(ctx, module, "schedule", false) || !again ||
         !rlxc_module_equal(ctx, module, again, &why)))
        abort();
    return before.hash;
}

static void apply_text(rlxc_context *ctx, const char *text, size_t size)
{
    rlxc_schedules all = {0}, rules = {0}, others = {0};
    rlxc_rule_steps steps = {0};
    if (!rlxc_parse_schedules(ctx, "fuzz.sch", text, size, &all))
        return;
    for (uint32_t i = 0; i < all.items.count; i++)
        if (rlxc_rules_take(all.items.items[i]))
            RLXC_PUSH(ctx, &rules.items, all.items.items[i]);
        else
            RLXC_PUSH(ctx, &others.items, all.items.items[i]);
    steps.given = rules.items.count > 0 ? &rules : NULL;
    lower(ctx, &steps, others.items.count > 0 ? &others : NULL);
}

static void apply_database(rlxc_context *ctx, const char *text, size_t size)
{
    rlxc_database database;
    rlxc_rule_steps steps = {.stored = rlxc_database_find, .user = &database};
    const int file = memfd_create("database", 0);
    if (file < 0 || write(file, text, size) != (ssize_t)size)
        abort();
    const char *path = rlxc_internf(ctx, "/proc/self/fd/%d", file);
    if (rlxc_database_read(ctx, path, TARGET, true, &database))
        lower(ctx, &steps, NULL);
    close(file);
}

static void apply_entry(rlxc_context *ctx, const char *text)
{
    static uint64_t hash; /* hash of the model's function, once known */
    if (hash == 0) {
        rlxc_context *own = rlxc_context_create(&fuzz_allocator);
        rlxc_rule_steps none = {0};
        if (own)
            hash = lower(own, &none, NULL);
        rlxc_context_destroy(own);
    }
    const rlxc_database_entry entry = {.hash = hash,
                                       .function = "f",
                                       .target = TARGET,
                                       .dims = "",
                                       .steps = text,
                                       .machine = rlxc_machine_name(ctx),
                                       .version = RLX_VERSION};
    rlxc_database database = {.ctx = ctx};
    rlxc_rule_steps steps = {.stored = rlxc_database_find, .user = &database};
    RLXC_PUSH(ctx, &database.entries, entry);
    lower(ctx, &steps, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rlxc_context *ctx = size > 0 ? rlxc_context_create(&fuzz_allocator) : NULL;
    if (!ctx)
        return 0;
    char *text = malloc(size); /* the parsed steps keep pointers into it */
    if (!text)
        abort();
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    if (data[0] == 's')
        apply_text(ctx, text, size - 1);
    else if (data[0] == 'd')
        apply_database(ctx, text, size - 1);
    else if (data[0] == 'e')
        apply_entry(ctx, text);
    rlxc_render_diagnostics(ctx);
    rlxc_context_destroy(ctx);
    free(text);
    return 0;
}
