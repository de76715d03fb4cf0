/* Executables whose weights lie in a file of their own: the section, and programs that do not keep
 * their word. The compiler's files: tests/compiler/test_lift_params.c. */
#include "tests/vm/image.h"

#include "rlx/builder.h"

/* An executable that returns its weights, float32[4] at 16 and int8[3] at 0, made by |program|. */
static image weights_image(rlx_test *t, const char *program)
{
    image inner = image_of(t, program);
    rlx_exec_builder *b;
    uint32_t type, c[2], f;
    void *data;
    size_t size;
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &b, &t->error));
    RLX_OKAY(rlx_exec_builder_const_weight(b, RLX_F32, 1, (int64_t[]){4}, 16, &c[0], &t->error));
    RLX_OKAY(rlx_exec_builder_const_weight(b, RLX_I8, 1, (int64_t[]){3}, 0, &c[1], &t->error));
    RLX_OKAY(rlx_exec_builder_type(b, &(rlx_type_info){.kind = RLX_TYPE_OBJECT}, &type, &t->error));
    RLX_OKAY(rlx_exec_builder_declare(b, RLX_STR("main"), true, &f, &t->error));
    RLX_OKAY(rlx_exec_builder_begin(b, f, NULL, 0, type, 0, &t->error));
    for (uint32_t i = 0; i < 2; i++)
        RLX_OKAY(rlx_exec_builder_emit(b, RLX_OP_LOAD_CONST, (uint32_t[]){i, c[i]}, 2, &t->error));
    RLX_OKAY(rlx_exec_builder_emit(b, RLX_OP_MAKE_TUPLE, (uint32_t[]){2, 2, 0, 1}, 4, &t->error));
    RLX_OKAY(rlx_exec_builder_emit(b, RLX_OP_RET, (uint32_t[]){2}, 1, &t->error));
    RLX_OKAY(rlx_exec_builder_end(b, &t->error));
    const rlx_weight_place places[2] = {{16, 16}, {0, 3}};
    const char header[64] = "no header of a file here";
    const rlx_weights weights = {.size = 32,
                                 .header = header,
                                 .header_size = sizeof header,
                                 .program = inner.data,
                                 .program_size = inner.size,
                                 .places = places,
                                 .n = 2};
    RLX_OKAY(rlx_exec_builder_weights(b, &weights, &t->error));
    RLX_FAILS(rlx_exec_builder_weights(b, &weights, &t->error), RLX_E_INVALID_ARG, "set twice");
    RLX_OKAY(rlx_exec_builder_finish(b, &data, &size, &t->error));
    rlx_exec_builder_destroy(b);
    image_free(t, &inner);
    return (image){data, size};
}

#define SWAPS                                                               \
    ".func weights (small: int8[3], \"large 1\": float32[4]) -> object {\n" \
    "    make_tuple r2, [r1, r0]\n"                                         \
    "    ret r2\n"                                                          \
    "}\n"

static rlx_status load_with(rlx_test *t, const image *m, rlx_executable **out)
{
    rlx_tensor *small, *large;
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_I8, 1, (int64_t[]){3}, &small, &t->error));
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, 1, (int64_t[]){4}, &large, &t->error));
    memcpy(rlx_tensor_mutable_data(small), "abc", 3);
    memcpy(rlx_tensor_mutable_data(large), (float[]){1, 2, 3, 4}, 16);
    const rlx_named_tensor tensors[2] = {{"large 1", large}, {"small", small}};
    const rlx_load_options options = {
        .allocator = &t->allocator, .tensors = tensors, .n_tensors = 2};
    t->error = (rlx_error){0};
    const rlx_status status =
        rlx_executable_load_memory(m->data, m->size, &options, out, &t->error);
    rlx_value_release(rlx_of_tensor(small));
    rlx_value_release(rlx_of_tensor(large));
    return status;
}

RLX_TEST(weights, a_program_makes_them_of_tensors_given)
{
    image m = weights_image(t, SWAPS);
    rlx_executable *exe;
    rlx_value out;
    RLX_OKAY(load_with(t, &m, &exe));
    rlx_vm *vm = rlx_test_vm(t, exe);
    RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("main"), NULL, 0, &out, &t->error));
    const rlx_tensor *large = rlx_tuple_get(out.as.tuple, 0).as.tensor;
    cr_expect_eq(memcmp(rlx_tensor_data(large), (float[]){1, 2, 3, 4}, 16), 0);
    cr_expect_eq(memcmp(rlx_tensor_data(rlx_tuple_get(out.as.tuple, 1).as.tensor), "abc", 3), 0);
    cr_expect_null(rlx_tensor_mutable_data(rlx_tuple_get(out.as.tuple, 0).as.tensor));
    rlx_vm_destroy(vm);
    rlx_executable_release(exe); /* the results keep the weights */
    cr_expect_eq(memcmp(rlx_tensor_data(large), (float[]){1, 2, 3, 4}, 16), 0);
    rlx_value_release(out);
    RLX_FAILS(image_load(t, &m, &exe), RLX_E_NOT_FOUND, "none is given");
    image_free(t, &m);
}

RLX_TEST(weights, programs_that_make_something_else_are_refused)
{
    static const struct {
        const char *program, *said;
    } rows[] = {
        {".func other () -> object { load_const r0, none ret r0 }\n", "have no program"},
        {".func weights () -> object { load_const r0, none ret r0 }\n", "returned other weights"},
        {".func weights () -> object { make_tuple r0, [] ret r0 }\n", "returned other weights"},
        {".func weights () -> object { load_const r0, none make_tuple r1, [r0, r0] ret r1 }\n",
         "weight 0: the weights program returned another size"},
        {".func weights (small: int8[3]) -> object { make_tuple r1, [r0, r0] ret r1 }\n",
         "weight 0: the weights program returned another size"},
        {".func weights (small: int8[4]) -> object { make_tuple r1, [r0, r0] ret r1 }\n",
         "'small'"},
        {".func weights (absent: object) -> object { make_tuple r1, [r0, r0] ret r1 }\n",
         "tensor 'absent': there is none"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        image m = weights_image(t, rows[i].program);
        rlx_executable *exe;
        cr_expect_neq(load_with(t, &m, &exe), RLX_OK, "row %zu", i);
        cr_expect(strstr(t->error.message, rows[i].said), "row %zu: %s", i, t->error.message);
        image_free(t, &m);
    }
}

/* Every byte of the section, with other values and a right checksum. */
RLX_TEST(weights, damaged_sections_are_errors)
{
    image good = weights_image(t, SWAPS);
    const size_t size = (size_t)rlxv_load_u64(image_entry(&good, RLXV_SECTION_WEIGHTS) + 16);
    for (size_t i = 0; i < size; i++)
        for (int k = 0; k < 3; k++) {
            uint8_t *at = image_section(&good, RLXV_SECTION_WEIGHTS) + i;
            const uint8_t was = *at;
            rlx_executable *exe = NULL;
            *at = (uint8_t)(k == 0 ? was ^ 1 : k == 1 ? 0xff : was + 64);
            image_seal(&good);
            if (load_with(t, &good, &exe) == RLX_OK)
                rlx_executable_release(exe);
            else
                cr_expect_neq(t->error.message[0], '\0', "byte %zu", i);
            *at = was;
        }
    image_free(t, &good);
}
