/* Weights in a file of their own: constants without bytes, and their section (load_weights.c). */
#include "vm/builder_write.h"
#include "vm/need.h"

#include <rlx/checked.h>
#include <string.h>

rlx_status rlx_exec_builder_const_weight(rlx_exec_builder *b, rlx_dtype dtype, uint32_t ndim,
                                         const int64_t *dims, uint64_t offset, uint32_t *out,
                                         rlx_error *err)
{
    static const uint8_t nothing;
    RLXV_NEED(err, b && (dims || ndim == 0) && out);
    if (offset >= RLXV_IN_WEIGHTS)
        return rlx_fail(err, RLX_E_LIMIT, "the weights are too large");
    RLX_TRY(rlx_exec_builder_const_tensor(b, dtype, ndim, dims, &nothing, out, err));
    b->constants[*out].bits = offset | RLXV_IN_WEIGHTS;
    b->constants[*out].nbytes = 0;
    return RLX_OK;
}

rlx_status rlx_exec_builder_weights(rlx_exec_builder *b, const rlx_weights *weights, rlx_error *err)
{
    RLXV_NEED(err, b && weights && weights->program && (weights->places || weights->n == 0));
    rlx_weights *w = &b->weights;
    if (w->program)
        return rlx_fail(err, RLX_E_INVALID_ARG, "the weights are set twice");
    rlx_weight_place *places = rlxv_arena_alloc(&b->arena, weights->n, sizeof *places);
    void *program = rlxv_arena_alloc(&b->arena, weights->program_size, 1);
    if (!places || !program)
        return rlx_fail(err, RLX_E_NOMEM, "out of memory while building an executable");
    if (weights->n)
        memcpy(places, weights->places, weights->n * sizeof *places);
    memcpy(program, weights->program, weights->program_size);
    *w = *weights;
    w->places = places;
    w->program = program;
    b->weights_checksum = rlxv_checksum(weights->header, weights->header_size);
    return RLX_OK;
}

void rlxv_put_weights(rlxv_program *p)
{
    const rlx_weights *w = &p->b->weights;
    rlxv_buffer *out = &p->sections[RLXV_SECTION_WEIGHTS];
    if (!w->program)
        return;
    p->counts[RLXV_SECTION_WEIGHTS] = w->n;
    rlxv_buffer_u64(out, w->size);
    rlxv_buffer_u64(out, w->header_size);
    rlxv_buffer_u64(out, p->b->weights_checksum);
    for (uint32_t i = 0; i < w->n; i++) {
        rlxv_buffer_u64(out, w->places[i].offset);
        rlxv_buffer_u64(out, w->places[i].nbytes);
    }
    rlxv_buffer_u64(out, w->program_size);
    rlxv_buffer_write(out, w->program, w->program_size);
}
