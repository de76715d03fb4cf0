/* Models with less shape information: input dimensions without numbers and names, or even unknown
 * ranks. The stored data remains the reference. */
#include <onnx/onnx.pb-c.h>
#include <stdlib.h>

#include "tests/onnx/case.h"

static void forget(Onnx__TypeProto *t, bool ranks)
{
    if (!t || t->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE || !t->tensor_type->shape)
        return;
    Onnx__TensorShapeProto *shape = t->tensor_type->shape;
    for (size_t i = 0; i < shape->n_dim; i++)
        shape->dim[i]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE__NOT_SET;
    if (ranks)
        t->tensor_type->shape = NULL;
}

unsigned char *unknown_rewrite(const unsigned char *model, size_t length, bool ranks,
                               size_t *out_length)
{
    Onnx__ModelProto *m = onnx__model_proto__unpack(NULL, length, model);
    if (!m || !m->graph)
        return NULL;
    Onnx__GraphProto *g = m->graph;
    for (size_t i = 0; i < g->n_input; i++)
        forget(g->input[i]->type, ranks);
    for (size_t i = 0; i < g->n_output; i++)
        forget(g->output[i]->type, true);
    g->n_value_info = 0;
    unsigned char *packed = malloc(onnx__model_proto__get_packed_size(m) + 1);
    if (packed)
        *out_length = onnx__model_proto__pack(m, packed);
    return packed; /* the message is not freed: it shares memory with the model read */
}
