/* Shared by the two halves of the interpreter (private). */
#ifndef RLXV_INTERP_H
#define RLXV_INTERP_H

#include "vm/vm_impl.h"

static inline void rlxv_set_reg(rlxv_frame *f, uint32_t r, rlx_value v)
{
    rlx_value old = f->regs[r];
    f->regs[r] = v;
    rlxv_release_value(old);
}

static inline rlx_dtype rlxv_dtype_of_word(uint32_t w)
{
    return (rlx_dtype){(uint8_t)w, (uint8_t)(w >> 8), (uint16_t)(w >> 16)};
}

/* Copies a list of slots into the frame's gather area. */
static inline const int64_t *rlxv_gather_dims(rlxv_frame *f, const uint32_t *list)
{
    for (uint32_t i = 0; i < list[0]; i++)
        f->dims[i] = f->slots[list[1 + i]];
    return f->dims;
}

static inline const rlx_value *rlxv_gather_values(rlxv_frame *f, const uint32_t *list)
{
    for (uint32_t i = 0; i < list[0]; i++)
        f->values[i] = f->regs[list[1 + i]];
    return f->values;
}

/* --- instrument ------------------------------------------------------------------------------ */

static inline rlx_call_info rlxv_call_info(const rlx_vm *vm, const rlxv_frame *f, const uint32_t *w,
                                           rlx_call_kind kind, rlx_str name, const rlx_value *args,
                                           uint32_t n)
{
    return (rlx_call_info){.kind = kind,
                           .name = name,
                           .function = (uint32_t)(f->fn - vm->exe->functions),
                           .pc = (uint32_t)(w - f->fn->code),
                           .args = args,
                           .n_args = n};
}

static inline bool rlxv_tell_before(rlx_vm *vm, const rlx_call_info *info, rlx_value *replacement)
{
    return !vm->before || vm->before(vm->instrument_user, info, replacement);
}

static inline void rlxv_tell_after(rlx_vm *vm, const rlx_call_info *info, rlx_status status,
                                   rlx_value result)
{
    if (vm->after)
        vm->after(vm->instrument_user, info, status, result);
}

/* interp_host.c: call_kernel, call_builtin, call_packed at |w|. */
rlx_status rlxv_call_kernel(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err);
rlx_status rlxv_call_kernel_in(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err);
rlx_status rlxv_call_builtin(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err);
rlx_status rlxv_call_packed(rlx_vm *vm, rlxv_frame *f, const uint32_t *w, rlx_error *err);

#endif
