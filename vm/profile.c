/* Profiles: one row per instruction of the executable, filled by the interpreter while attached.

   The clock is read once per instruction: the end of one is the start of the next. A call's total
   runs from its instruction to its callee's return. */
#include "vm/need.h"
#include "vm/profile_work.h"
#include "vm/vm_impl.h"

#include <rlx/checked.h>
#include <string.h>

struct rlx_profile {
    rlx_allocator allocator;
    rlx_executable *exe;
    rlx_profile_row *rows;
    uint32_t n_rows;
    uint32_t *row_of; /* per code word of the executable */
    rlx_profile_event *events;
    uint32_t n_events, max_events;
    uint64_t dropped, created;
    uint32_t open; /* row whose instruction runs; RLX_NONE: none */
    uint64_t open_since;
    rlxv_profile_work work; /* of devices */
};

rlxv_profile_work *rlxv_profile_work_of(const rlx_profile *p)
{
    return (rlxv_profile_work *)(uintptr_t)&p->work;
}

uint64_t rlxv_profile_since(const rlx_profile *p)
{
    return p->open == RLX_NONE ? rlxv_now() : p->open_since;
}

static rlx_str name_of(const rlx_executable *exe, const rlxv_instruction *in)
{
    if (in->info->op == RLX_OP_CALL_KERNEL || in->info->op == RLX_OP_CALL_KERNEL_IN)
        return exe->kernels[in->operands[0].value].name;
    if (in->info->op == RLX_OP_CALL_BUILTIN)
        return exe->imports[in->operands[1].value];
    if (in->info->op == RLX_OP_CALL_FUNC)
        return exe->functions[in->operands[1].value].name;
    if (in->info->op == RLX_OP_CALL_PACKED)
        return rlx_string_get(exe->constants[in->operands[1].value].value.as.string);
    return rlx_str_from(in->info->name);
}

/* Counts the instructions, or fills their rows. */
static uint32_t walk(rlx_profile *p, bool fill)
{
    const rlx_executable *exe = p->exe;
    uint32_t n = 0;
    rlxv_instruction in;
    for (uint32_t f = 0; f < exe->n_functions; f++) {
        const rlxv_function *fn = &exe->functions[f];
        for (uint32_t pc = 0; pc < fn->n_words; pc += in.n_words, n++) {
            rlxv_decode(fn->code + pc, fn->n_words - pc, &in);
            if (!fill)
                continue;
            p->row_of[fn->code_offset + pc] = n;
            p->rows[n] = (rlx_profile_row){
                .function = f, .pc = pc, .op = in.info->op, .name = name_of(exe, &in)};
        }
    }
    return n;
}

rlx_status rlx_profile_create(const rlx_allocator *a, rlx_executable *exe, uint32_t max_events,
                              rlx_profile **out, rlx_error *err)
{
    RLXV_NEED(err, exe && out);
    rlx_profile *p = rlx_alloc(a, sizeof *p, _Alignof(rlx_profile));
    if (!p)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while creating a profile");
    memset(p, 0, sizeof *p);
    p->allocator = a ? *a : *rlx_default_allocator();
    p->exe = rlx_executable_retain(exe);
    rlxv_profile_work_init(p, &p->allocator, max_events);
    p->n_rows = walk(p, false);
    p->max_events = max_events;
    p->rows = rlx_alloc(a, p->n_rows * sizeof *p->rows, 16);
    p->row_of = rlx_alloc(a, exe->n_words * sizeof *p->row_of, 16);
    p->events = rlx_alloc(a, max_events * sizeof *p->events, 16);
    if (!p->rows || !p->row_of || !p->events) {
        rlx_profile_destroy(p);
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while creating a profile");
    }
    walk(p, true);
    rlx_profile_reset(p);
    *out = p;
    return RLX_OK;
}

void rlx_profile_destroy(rlx_profile *p)
{
    if (!p)
        return;
    rlx_allocator a = p->allocator;
    rlxv_profile_work_deinit(&p->work);
    rlx_free(&a, p->rows, p->n_rows * sizeof *p->rows, 16);
    rlx_free(&a, p->row_of, p->exe->n_words * sizeof *p->row_of, 16);
    rlx_free(&a, p->events, p->max_events * sizeof *p->events, 16);
    rlx_executable_release(p->exe);
    rlx_free(&a, p, sizeof *p, _Alignof(rlx_profile));
}

void rlx_profile_reset(rlx_profile *p)
{
    if (!p)
        return;
    for (uint32_t i = 0; i < p->n_rows; i++) {
        rlx_profile_row *r = &p->rows[i];
        r->count = r->total_ns = r->self_ns = r->max_ns = 0;
        r->min_ns = UINT64_MAX;
    }
    p->n_events = 0;
    p->dropped = 0;
    p->open = RLX_NONE;
    p->created = rlxv_now();
    rlxv_profile_work_reset(&p->work, p->created);
}

rlx_status rlx_vm_set_profile(rlx_vm *vm, rlx_profile *p, rlx_error *err)
{
    RLXV_NEED(err, vm);
    if (p && p->exe != vm->exe)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the profile is of another executable");
    if (vm->profile)
        rlxv_profile_work_settle(&vm->profile->work);
    vm->profile = p;
    vm->watch = p ? &p->work.watch : NULL;
    if (p)
        p->open = RLX_NONE;
    return RLX_OK;
}

static void add_event(rlx_profile *p, uint32_t row, uint32_t depth, uint64_t start, uint64_t end)
{
    if (p->n_events < p->max_events)
        p->events[p->n_events++] = (rlx_profile_event){row, depth, start - p->created, end - start};
    else
        p->dropped++;
}

static void add_sample(rlx_profile_row *r, uint64_t ns)
{
    r->count++;
    r->total_ns += ns;
    r->min_ns = ns < r->min_ns ? ns : r->min_ns;
    r->max_ns = ns > r->max_ns ? ns : r->max_ns;
}

/* Ends the open instruction at |now|. */
static void close_open(rlx_profile *p, uint64_t now, uint32_t depth)
{
    if (p->open == RLX_NONE)
        return;
    rlx_profile_row *r = &p->rows[p->open];
    r->self_ns += now - p->open_since;
    if (r->op != RLX_OP_CALL_FUNC && r->op != RLX_OP_CALL_CLOSURE) {
        add_sample(r, now - p->open_since);
        add_event(p, p->open, depth, p->open_since, now);
    }
    p->open = RLX_NONE;
}

void rlxv_profile_step(rlx_profile *p, const rlxv_frame *f, const uint32_t *pc, uint32_t depth)
{
    uint64_t now = rlxv_now();
    close_open(p, now, depth);
    p->open = p->row_of[f->fn->code_offset + (uint32_t)(pc - f->fn->code)];
    p->open_since = now;
}

void rlxv_profile_call(rlx_profile *p, rlxv_frame *callee)
{
    callee->profile_row = p->open;
    callee->start_ns = p->open_since;
}

void rlxv_profile_return(rlx_profile *p, const rlxv_frame *callee, uint32_t depth)
{
    uint64_t now = rlxv_now();
    close_open(p, now, depth);
    if (callee->profile_row == RLX_NONE)
        return; /* attached during the call */
    add_sample(&p->rows[callee->profile_row], now - callee->start_ns);
    add_event(p, callee->profile_row, depth - 1, callee->start_ns, now);
}

void rlxv_profile_stop(rlx_profile *p, uint32_t depth)
{
    close_open(p, rlxv_now(), depth + 1);
}

uint32_t rlx_profile_count(const rlx_profile *p)
{
    if (!p)
        return 0;
    return p->n_rows;
}

bool rlx_profile_get(const rlx_profile *p, uint32_t row, rlx_profile_row *out)
{
    if (!p || !out)
        return false;
    if (row >= p->n_rows)
        return false;
    *out = p->rows[row];
    if (out->count == 0)
        out->min_ns = 0;
    return true;
}

uint32_t rlx_profile_event_count(const rlx_profile *p)
{
    if (!p)
        return 0;
    return p->n_events;
}

bool rlx_profile_get_event(const rlx_profile *p, uint32_t i, rlx_profile_event *out)
{
    if (!p || !out)
        return false;
    if (i >= p->n_events)
        return false;
    *out = p->events[i];
    return true;
}

uint64_t rlx_profile_dropped_events(const rlx_profile *p)
{
    if (!p)
        return 0;
    return p->dropped;
}
