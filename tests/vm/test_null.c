/* Calls every public function with NULL for each pointer in turn that its header does not allow to
 * be NULL: an error or an empty result, never a crash. The last test compares the list with the
 * headers. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include <rlx/loaders.h>

#include "tests/support/headers.h"
#include "tests/support/rlx_test.h"

#define REFUSED(call)                                                                    \
    do {                                                                                 \
        rlx_error err = {0};                                                             \
        rlx_status got = (call);                                                         \
        cr_expect_eq(got, RLX_E_INVALID_ARG, "%s gave %s", #call, rlx_status_name(got)); \
        cr_expect(strstr(err.message, "is NULL"), "%s: %s", #call, err.message);         \
    } while (0)
#define EMPTY(call) cr_expect(!(call), "%s", #call)

/* Passed for the pointers that are not NULL; never dereferenced. */
static uint64_t room[64];
static char buffer[8];
static const int64_t dims[1] = {1};
static const rlx_str text = {"main", 4}, no_text = {NULL, 4};

static int32_t kernel(void *const *buffers, const int64_t *sizes, rlx_kernel_context *ctx)
{
    (void)buffers;
    (void)sizes;
    (void)ctx;
    return 0;
}

static rlx_status packed(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                         rlx_error *e)
{
    (void)cc;
    (void)args;
    (void)n;
    (void)e;
    *out = rlx_none();
    return RLX_OK;
}

/* --- functions that take a call --------------------------------------------------------------- */

static rlx_status probe(rlx_call_context *cc, const rlx_value *args, uint32_t n, rlx_value *out,
                        rlx_error *e)
{
    (void)n;
    rlx_tensor *tensor = args[0].as.tensor;
    rlx_closure *closure = args[1].as.closure;
    rlx_storage *storage = NULL;
    RLX_TRY(rlx_call_alloc_storage(cc, 64, 64, &storage, e));
    rlx_call_output(cc, no_text);
    REFUSED(rlx_call_alloc_tensor(cc, RLX_F32, 1, NULL, (void *)room, &err));
    REFUSED(rlx_call_alloc_tensor(cc, RLX_F32, 1, dims, NULL, &err));
    REFUSED(rlx_call_copy_tensor(cc, NULL, (void *)room, &err));
    REFUSED(rlx_call_copy_tensor(cc, tensor, NULL, &err));
    REFUSED(rlx_call_product(cc, NULL, tensor, (void *)room, &err));
    REFUSED(rlx_call_product(cc, tensor, NULL, (void *)room, &err));
    REFUSED(rlx_call_product(cc, tensor, tensor, NULL, &err));
    REFUSED(rlx_call_alloc_storage(cc, 0, 64, NULL, &err));
    REFUSED(rlx_call_storage_tensor(NULL, storage, 0, RLX_F32, 1, dims, (void *)room, &err));
    REFUSED(rlx_call_storage_tensor(cc, NULL, 0, RLX_F32, 1, dims, (void *)room, &err));
    REFUSED(rlx_call_storage_tensor(cc, storage, 0, RLX_F32, 1, NULL, (void *)room, &err));
    REFUSED(rlx_call_storage_tensor(cc, storage, 0, RLX_F32, 1, dims, NULL, &err));
    REFUSED(rlx_call_view(cc, NULL, 1, dims, (void *)room, &err));
    REFUSED(rlx_call_view(cc, tensor, 1, NULL, (void *)room, &err));
    REFUSED(rlx_call_view(cc, tensor, 1, dims, NULL, &err));
    REFUSED(rlx_call_make_shape(cc, 1, NULL, (void *)room, &err));
    REFUSED(rlx_call_make_shape(cc, 1, dims, NULL, &err));
    REFUSED(rlx_call_make_tuple(cc, 1, NULL, (void *)room, &err));
    REFUSED(rlx_call_make_tuple(cc, 1, (void *)room, NULL, &err));
    REFUSED(rlx_call_make_string(cc, no_text, (void *)room, &err));
    REFUSED(rlx_call_make_string(cc, text, NULL, &err));
    REFUSED(rlx_call_closure(cc, NULL, (void *)room, 1, (void *)room, &err));
    REFUSED(rlx_call_closure(cc, closure, NULL, 1, (void *)room, &err));
    REFUSED(rlx_call_closure(cc, closure, (void *)room, 1, NULL, &err));
    REFUSED(rlx_call_packed(cc, no_text, (void *)room, 1, (void *)room, &err));
    REFUSED(rlx_call_packed(cc, text, NULL, 1, (void *)room, &err));
    REFUSED(rlx_call_packed(cc, text, (void *)room, 1, NULL, &err));
    rlx_value_release((rlx_value){RLX_KIND_STORAGE, 0, {.storage = storage}});
    *out = rlx_none();
    return RLX_OK;
}

/* --- all others ------------------------------------------------------------------------------- */

static const char program[] = ".func main (x: float32[s0!]) -> object symbols 1 {\n"
                              "    ret r0\n"
                              "}\n";

RLX_TEST(null, every_pointer_of_every_function)
{
    rlx_executable *exe = rlx_test_load(t, program);
    rlx_vm *vm = rlx_test_vm(t, exe);
    rlx_exec_builder *b;
    rlx_device_row row = {.kind = text, .scope = text, .target = text};
    rlx_code_image image = {.format = text};
    rlx_registry *registry = rlx_test_registry(t);
    const rlx_device_api api = {.size = sizeof api};
    rlx_device *device;
    rlx_tensor *tensor;
    rlx_profile *profile;
    rlx_closure *closure;
    rlx_opaque *opaque;
    rlx_new_file *file;
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &b, &t->error));
    RLX_OKAY(rlx_tensor_create(&t->allocator, RLX_F32, 1, dims, &tensor, &t->error));
    RLX_OKAY(rlx_profile_create(&t->allocator, exe, 0, &profile, &t->error));
    RLX_OKAY(rlx_vm_make_closure(vm, text, NULL, 0, &closure, &t->error));
    RLX_OKAY(rlx_opaque_create(&t->allocator, "tag", NULL, NULL, &opaque, &t->error));
    RLX_OKAY(rlx_new_file_begin("/dev/null", &file, &t->error));
    REFUSED(rlx_assemble(NULL, no_text, text, (void *)room, (void *)room, &err));
    REFUSED(rlx_assemble(NULL, text, no_text, (void *)room, (void *)room, &err));
    REFUSED(rlx_assemble(NULL, text, text, NULL, (void *)room, &err));
    REFUSED(rlx_assemble(NULL, text, text, (void *)room, NULL, &err));
    REFUSED(rlx_disassemble(NULL, NULL, 0, (void *)room, (void *)room, &err));
    REFUSED(rlx_disassemble(NULL, exe, 0, NULL, (void *)room, &err));
    REFUSED(rlx_disassemble(NULL, exe, 0, (void *)room, NULL, &err));
    REFUSED(rlx_disassemble_function(NULL, NULL, 0, (void *)room, (void *)room, &err));
    REFUSED(rlx_disassemble_function(NULL, exe, 0, NULL, (void *)room, &err));
    REFUSED(rlx_disassemble_function(NULL, exe, 0, (void *)room, NULL, &err));
    EMPTY(*rlx_name_text(no_text, buffer, 1));
    EMPTY(*rlx_name_text(text, NULL, 1));
    EMPTY(rlx_name_is_plain(no_text));
    EMPTY(*rlx_dtype_name(RLX_F32, NULL));
    EMPTY(rlx_dtype_parse(no_text, (void *)room));
    EMPTY(rlx_dtype_parse(text, NULL));
    EMPTY(rlx_function_instruction(NULL, 0, 0, (void *)room));
    EMPTY(rlx_function_instruction(exe, 0, 0, NULL));
    REFUSED(rlx_exec_builder_create(NULL, NULL, &err));
    REFUSED(rlx_exec_builder_const_expr(NULL, 0, (void *)room, &err));
    REFUSED(rlx_exec_builder_const_expr(b, 0, NULL, &err));
    REFUSED(rlx_exec_builder_slot_expr(NULL, 0, (void *)room, &err));
    REFUSED(rlx_exec_builder_slot_expr(b, 0, NULL, &err));
    REFUSED(rlx_exec_builder_expr(NULL, RLX_EXPR_ADD, 0, 0, 0, (void *)room, &err));
    REFUSED(rlx_exec_builder_expr(b, RLX_EXPR_ADD, 0, 0, 0, NULL, &err));
    REFUSED(rlx_exec_builder_type(NULL, (void *)room, (void *)room, &err));
    REFUSED(rlx_exec_builder_type(b, NULL, (void *)room, &err));
    REFUSED(rlx_exec_builder_type(b, (void *)room, NULL, &err));
    REFUSED(rlx_exec_builder_const_value(NULL, rlx_none(), (void *)room, &err));
    REFUSED(rlx_exec_builder_const_value(b, rlx_none(), NULL, &err));
    REFUSED(rlx_exec_builder_const_string(NULL, text, (void *)room, &err));
    REFUSED(rlx_exec_builder_const_string(b, no_text, (void *)room, &err));
    REFUSED(rlx_exec_builder_const_string(b, text, NULL, &err));
    REFUSED(rlx_exec_builder_const_shape(NULL, 1, dims, (void *)room, &err));
    REFUSED(rlx_exec_builder_const_shape(b, 1, NULL, (void *)room, &err));
    REFUSED(rlx_exec_builder_const_shape(b, 1, dims, NULL, &err));
    REFUSED(rlx_exec_builder_const_tuple(NULL, 1, (void *)room, (void *)room, &err));
    REFUSED(rlx_exec_builder_const_tuple(b, 1, NULL, (void *)room, &err));
    REFUSED(rlx_exec_builder_const_tuple(b, 1, (void *)room, NULL, &err));
    REFUSED(
        rlx_exec_builder_const_tensor(NULL, RLX_F32, 1, dims, (void *)room, (void *)room, &err));
    REFUSED(rlx_exec_builder_const_tensor(b, RLX_F32, 1, NULL, (void *)room, (void *)room, &err));
    REFUSED(rlx_exec_builder_const_tensor(b, RLX_F32, 1, dims, NULL, (void *)room, &err));
    REFUSED(rlx_exec_builder_const_tensor(b, RLX_F32, 1, dims, (void *)room, NULL, &err));
    REFUSED(rlx_exec_builder_const_weight(NULL, RLX_F32, 1, dims, 0, (void *)room, &err));
    REFUSED(rlx_exec_builder_const_weight(b, RLX_F32, 1, NULL, 0, (void *)room, &err));
    REFUSED(rlx_exec_builder_const_weight(b, RLX_F32, 1, dims, 0, NULL, &err));
    REFUSED(rlx_exec_builder_weights(NULL, &(rlx_weights){.program = room}, &err));
    REFUSED(rlx_exec_builder_weights(b, NULL, &err));
    REFUSED(rlx_exec_builder_weights(b, &(rlx_weights){.n = 0}, &err));
    REFUSED(rlx_exec_builder_weights(b, &(rlx_weights){.program = room, .n = 1}, &err));
    REFUSED(rlx_exec_builder_kernel(NULL, text, text, 1, (void *)room, 1, (void *)room, &err));
    REFUSED(rlx_exec_builder_kernel(b, no_text, text, 1, (void *)room, 1, (void *)room, &err));
    REFUSED(rlx_exec_builder_kernel(b, text, no_text, 1, (void *)room, 1, (void *)room, &err));
    REFUSED(rlx_exec_builder_kernel(b, text, text, 1, NULL, 1, (void *)room, &err));
    REFUSED(rlx_exec_builder_kernel(b, text, text, 1, (void *)room, 1, NULL, &err));
    REFUSED(rlx_exec_builder_import(NULL, text, (void *)room, &err));
    REFUSED(rlx_exec_builder_import(b, no_text, (void *)room, &err));
    REFUSED(rlx_exec_builder_import(b, text, NULL, &err));
    REFUSED(rlx_exec_builder_native(NULL, text, (void *)room, 1, (void *)room, 1, &err));
    REFUSED(rlx_exec_builder_native(b, no_text, (void *)room, 1, (void *)room, 1, &err));
    REFUSED(rlx_exec_builder_native(b, text, NULL, 1, (void *)room, 1, &err));
    REFUSED(rlx_exec_builder_native(b, text, (void *)room, 1, NULL, 1, &err));
    REFUSED(rlx_exec_builder_level(NULL, text, b, &err));
    REFUSED(rlx_exec_builder_level(b, no_text, b, &err));
    REFUSED(rlx_exec_builder_level(b, text, NULL, &err));
    rlx_exec_builder_set_compression(NULL, RLX_COMPRESSION_NONE);
    REFUSED(rlx_exec_builder_metadata(NULL, text, text, &err));
    REFUSED(rlx_exec_builder_metadata(b, no_text, text, &err));
    REFUSED(rlx_exec_builder_metadata(b, text, no_text, &err));
    REFUSED(rlx_exec_builder_declare(NULL, text, true, (void *)room, &err));
    REFUSED(rlx_exec_builder_declare(b, no_text, true, (void *)room, &err));
    REFUSED(rlx_exec_builder_declare(b, text, true, NULL, &err));
    REFUSED(rlx_exec_builder_begin(NULL, 0, (void *)room, 1, 0, 0, &err));
    REFUSED(rlx_exec_builder_begin(b, 0, NULL, 1, 0, 0, &err));
    REFUSED(rlx_exec_builder_slot_name(NULL, 0, text, &err));
    REFUSED(rlx_exec_builder_slot_name(b, 0, no_text, &err));
    REFUSED(rlx_exec_builder_result_name(NULL, text, &err));
    REFUSED(rlx_exec_builder_result_name(b, no_text, &err));
    REFUSED(rlx_exec_builder_location(NULL, text, 0, 0, text, &err));
    REFUSED(rlx_exec_builder_location(b, no_text, 0, 0, text, &err));
    REFUSED(rlx_exec_builder_location(b, text, 0, 0, no_text, &err));
    REFUSED(rlx_exec_builder_param_location(NULL, 0, text, 0, 0, &err));
    REFUSED(rlx_exec_builder_param_location(b, 0, no_text, 0, 0, &err));
    REFUSED(rlx_exec_builder_buffer(NULL, 0, 1, (void *)room, &err));
    REFUSED(rlx_exec_builder_buffer(b, 0, 1, NULL, &err));
    REFUSED(rlx_exec_builder_buffer_end(NULL, 0, &err));
    REFUSED(rlx_exec_builder_place_buffer(NULL, 0, 0, 0, &err));
    cr_expect_not(rlx_exec_builder_buffer_at(NULL, 0, (void *)room));
    cr_expect_not(rlx_exec_builder_buffer_at(b, 0, NULL));
    REFUSED(rlx_exec_builder_stated_buffer(NULL, (void *)room, (void *)room, &err));
    REFUSED(rlx_exec_builder_stated_buffer(b, NULL, (void *)room, &err));
    REFUSED(rlx_exec_builder_stated_buffer(b, (void *)room, NULL, &err));
    REFUSED(rlx_exec_builder_plan_tensor(NULL, 0, 0, (void *)room, &err));
    REFUSED(rlx_exec_builder_plan_tensor(b, 0, 0, NULL, &err));
    rlx_exec_builder_set_layout(NULL, NULL, NULL);
    REFUSED(rlx_exec_builder_device(NULL, &row, (void *)room, &err));
    REFUSED(rlx_exec_builder_device(b, NULL, (void *)room, &err));
    REFUSED(rlx_exec_builder_device(b, &row, NULL, &err));
    row.target = no_text;
    REFUSED(rlx_exec_builder_device(b, &row, (void *)room, &err));
    REFUSED(rlx_exec_builder_device_target(NULL, 1, text, &err));
    REFUSED(rlx_exec_builder_device_target(b, 1, no_text, &err));
    REFUSED(rlx_exec_builder_device_module(NULL, text, &image, 1, (void *)room, &err));
    REFUSED(rlx_exec_builder_device_module(b, no_text, &image, 1, (void *)room, &err));
    REFUSED(rlx_exec_builder_device_module(b, text, NULL, 1, (void *)room, &err));
    REFUSED(rlx_exec_builder_device_module(b, text, &image, 1, (void *)room, &err));
    REFUSED(rlx_exec_builder_device_module(b, text, &image, 1, NULL, &err));
    REFUSED(rlx_exec_builder_launches(NULL, 0, 0, (void *)room, 1, (void *)room, 1, &err));
    REFUSED(rlx_exec_builder_launches(b, 0, 0, NULL, 1, (void *)room, 1, &err));
    REFUSED(rlx_exec_builder_launches(b, 0, 0, (void *)room, 1, NULL, 1, &err));
    REFUSED(rlx_exec_builder_region_device(NULL, 0, 0, &err));
    REFUSED(rlx_exec_builder_label(NULL, (void *)room, &err));
    REFUSED(rlx_exec_builder_label(b, NULL, &err));
    REFUSED(rlx_exec_builder_bind(NULL, 0, &err));
    REFUSED(rlx_exec_builder_emit(NULL, RLX_OP_RET, (void *)room, 1, &err));
    REFUSED(rlx_exec_builder_emit(b, RLX_OP_RET, NULL, 1, &err));
    REFUSED(rlx_exec_builder_call_kernel(NULL, 0, (void *)room, 1, (void *)room, 1, &err));
    REFUSED(rlx_exec_builder_call_kernel(b, 0, NULL, 1, (void *)room, 1, &err));
    REFUSED(rlx_exec_builder_call_kernel(b, 0, (void *)room, 1, NULL, 1, &err));
    REFUSED(rlx_exec_builder_call(NULL, RLX_OP_RET, 0, 0, (void *)room, 1, &err));
    REFUSED(rlx_exec_builder_call(b, RLX_OP_RET, 0, 0, NULL, 1, &err));
    REFUSED(rlx_exec_builder_end(NULL, &err));
    REFUSED(rlx_exec_builder_finish(NULL, (void *)room, (void *)room, &err));
    REFUSED(rlx_exec_builder_finish(b, NULL, (void *)room, &err));
    REFUSED(rlx_exec_builder_finish(b, (void *)room, NULL, &err));
    REFUSED(rlx_exec_builder_load(NULL, NULL, (void *)room, &err));
    REFUSED(rlx_exec_builder_load(b, NULL, NULL, &err));
    REFUSED(rlx_exec_builder_save(NULL, "/nowhere/at/all", &err));
    REFUSED(rlx_exec_builder_save(b, NULL, &err));
    EMPTY(rlx_call_vm(NULL));
    EMPTY(rlx_call_user(NULL));
    rlx_call_output(NULL, text);
    EMPTY(rlx_call_kernel_context(NULL));
    REFUSED(rlx_call_alloc_tensor(NULL, RLX_F32, 1, dims, (void *)room, &err));
    REFUSED(rlx_call_copy_tensor(NULL, NULL, (void *)room, &err));
    REFUSED(rlx_call_product(NULL, NULL, NULL, (void *)room, &err));
    REFUSED(rlx_call_alloc_storage(NULL, 0, 64, (void *)room, &err));
    REFUSED(rlx_call_view(NULL, tensor, 1, dims, (void *)room, &err));
    REFUSED(rlx_call_make_shape(NULL, 1, dims, (void *)room, &err));
    REFUSED(rlx_call_make_tuple(NULL, 1, (void *)room, (void *)room, &err));
    REFUSED(rlx_call_make_string(NULL, text, (void *)room, &err));
    REFUSED(rlx_call_closure(NULL, closure, (void *)room, 1, (void *)room, &err));
    REFUSED(rlx_call_packed(NULL, text, (void *)room, 1, (void *)room, &err));
    rlx_call_export(NULL, rlx_none());
    EMPTY(rlx_cpu_has(no_text));
    EMPTY(rlx_cpu_feature_is_known(no_text));
    REFUSED(rlx_executable_load_file(NULL, NULL, (void *)room, &err));
    REFUSED(rlx_executable_load_file("/nowhere/at/all", NULL, NULL, &err));
    REFUSED(rlx_executable_load_memory(NULL, 1, NULL, (void *)room, &err));
    REFUSED(rlx_executable_load_memory((void *)room, 1, NULL, NULL, &err));
    EMPTY(rlx_executable_retain(NULL));
    REFUSED(rlx_executable_save(NULL, "/nowhere/at/all", &err));
    REFUSED(rlx_executable_save(exe, NULL, &err));
    REFUSED(rlx_executable_verify_constants(NULL, &err));
    EMPTY(rlx_executable_size(NULL));
    EMPTY(rlx_executable_level_count(NULL));
    EMPTY(rlx_executable_level(NULL));
    EMPTY(rlx_executable_level_info(NULL, 1, (void *)room));
    EMPTY(rlx_executable_level_info(exe, 1, NULL));
    EMPTY(rlx_executable_function_count(NULL));
    EMPTY(rlx_executable_function(NULL, 0, (void *)room));
    EMPTY(rlx_executable_function(exe, 0, NULL));
    EMPTY(rlx_executable_find_function(NULL, text) != RLX_NONE);
    EMPTY(rlx_executable_find_function(exe, no_text) != RLX_NONE);
    EMPTY(rlx_function_param_name(NULL, 0, 0).len);
    EMPTY(rlx_function_param_type(NULL, 0, 0) != RLX_NONE);
    EMPTY(rlx_function_result_count(NULL, 0));
    EMPTY(rlx_function_result_name(NULL, 0, 0).len);
    EMPTY(rlx_function_dim_name(NULL, 0, 0).len);
    EMPTY(*rlx_function_slot_name(NULL, 0, 0, buffer, 1));
    EMPTY(*rlx_function_slot_name(exe, 0, 0, NULL, 1));
    EMPTY(*rlx_function_signature(NULL, 0, buffer, 1));
    EMPTY(*rlx_function_signature(exe, 0, NULL, 1));
    EMPTY(rlx_function_location(NULL, 0, 0, (void *)room, (void *)room));
    EMPTY(rlx_function_location(exe, 0, 0, NULL, (void *)room));
    EMPTY(rlx_executable_type_count(NULL));
    EMPTY(rlx_executable_type(NULL, 0, (void *)room));
    EMPTY(rlx_executable_type(exe, 0, NULL));
    EMPTY(rlx_executable_expr_count(NULL));
    EMPTY(rlx_executable_expr(NULL, 0, (void *)room));
    EMPTY(rlx_executable_expr(exe, 0, NULL));
    REFUSED(rlx_executable_eval(NULL, 0, (void *)room, 1, (void *)room, &err));
    REFUSED(rlx_executable_eval(exe, 0, NULL, 1, (void *)room, &err));
    REFUSED(rlx_executable_eval(exe, 0, (void *)room, 1, NULL, &err));
    EMPTY(*rlx_type_text(NULL, 0, 0, buffer, 1));
    EMPTY(*rlx_type_text(exe, 0, 0, NULL, 1));
    EMPTY(*rlx_expr_text(NULL, 0, 0, buffer, 1));
    EMPTY(*rlx_expr_text(exe, 0, 0, NULL, 1));
    EMPTY(rlx_executable_kernel_count(NULL));
    EMPTY(rlx_executable_kernel(NULL, 0, (void *)room));
    EMPTY(rlx_executable_kernel(exe, 0, NULL));
    EMPTY(rlx_executable_device_count(NULL));
    EMPTY(rlx_executable_device(NULL, 0, (void *)room));
    EMPTY(rlx_executable_device(exe, 0, NULL));
    EMPTY(rlx_executable_device_module_count(NULL));
    EMPTY(rlx_executable_device_module(NULL, 0, (void *)room));
    EMPTY(rlx_executable_device_module(exe, 0, NULL));
    EMPTY(rlx_executable_code_image(NULL, 0, 0, (void *)room));
    EMPTY(rlx_executable_code_image(exe, 0, 0, NULL));
    EMPTY(rlx_executable_kernel_launch(NULL, 0, 0, (void *)room));
    EMPTY(rlx_executable_kernel_launch(exe, 0, 0, NULL));
    cr_expect_eq(rlx_executable_kernel_scratch(NULL, 0, 0), RLX_NONE);
    EMPTY(rlx_executable_kernel_param(NULL, 0, 0, (void *)room, (void *)room));
    EMPTY(rlx_executable_kernel_param(exe, 0, 0, NULL, (void *)room));
    EMPTY(rlx_executable_kernel_param(exe, 0, 0, (void *)room, NULL));
    EMPTY(rlx_executable_native(NULL, (void *)room, (void *)room, (void *)room, (void *)room));
    EMPTY(rlx_executable_native(exe, NULL, (void *)room, (void *)room, (void *)room));
    EMPTY(rlx_executable_native(exe, (void *)room, NULL, (void *)room, (void *)room));
    EMPTY(rlx_executable_native(exe, (void *)room, (void *)room, NULL, (void *)room));
    EMPTY(rlx_executable_native(exe, (void *)room, (void *)room, (void *)room, NULL));
    EMPTY(rlx_executable_native_feature(NULL, 0).len);
    EMPTY(rlx_executable_constant_count(NULL));
    EMPTY(rlx_executable_constant(NULL, 0).kind);
    EMPTY(rlx_executable_import_count(NULL));
    EMPTY(rlx_executable_import(NULL, 0).len);
    EMPTY(rlx_executable_metadata_count(NULL));
    EMPTY(rlx_executable_metadata(NULL, 0, (void *)room, (void *)room));
    EMPTY(rlx_executable_metadata(exe, 0, NULL, (void *)room));
    EMPTY(rlx_executable_metadata(exe, 0, (void *)room, NULL));
    REFUSED(rlx_write_file(NULL, (void *)room, 1, &err));
    REFUSED(rlx_write_file("/nowhere/at/all", NULL, 1, &err));
    REFUSED(rlx_new_file_begin(NULL, (void *)room, &err));
    REFUSED(rlx_new_file_begin("/nowhere/at/all", NULL, &err));
    REFUSED(rlx_new_file_write(NULL, (void *)room, 1, &err));
    REFUSED(rlx_new_file_write(file, NULL, 1, &err));
    REFUSED(rlx_new_file_end(NULL, RLX_OK, &err));
    REFUSED(rlx_check_output(NULL, (void *)room, 1, &err));
    REFUSED(rlx_key_generate(NULL, "/nowhere/at/all", NULL, &err));
    REFUSED(rlx_key_generate("/nowhere/at/all", NULL, NULL, &err));
    REFUSED(rlx_public_key_read(NULL, (void *)room, &err));
    REFUSED(rlx_public_key_read("/nowhere/at/all", NULL, &err));
    REFUSED(rlx_secret_key_read(NULL, (void *)room, &err));
    REFUSED(rlx_secret_key_read("/nowhere/at/all", NULL, &err));
    rlx_secret_key_wipe(NULL);
    EMPTY(rlx_key_id(NULL, (void *)room)[0]);
    EMPTY(rlx_key_id((void *)room, NULL)[0]);
    REFUSED(rlx_sign_file(NULL, NULL, (void *)room, NULL, NULL, &err));
    REFUSED(rlx_sign_file(NULL, "/nowhere/at/all", NULL, NULL, NULL, &err));
    EMPTY(rlx_executable_signer(NULL, (void *)room, (void *)room));
    REFUSED(rlx_memory_check(0, NULL, &err));
    EMPTY(rlx_function_plan(NULL, 0, (void *)room));
    EMPTY(rlx_function_plan(exe, 0, NULL));
    EMPTY(rlx_function_plan_buffer(NULL, 0, 0, (void *)room));
    EMPTY(rlx_function_plan_buffer(exe, 0, 0, NULL));
    EMPTY(rlx_function_plan_tensor(NULL, 0, 0, (void *)room, (void *)room));
    EMPTY(rlx_function_plan_tensor(exe, 0, 0, NULL, (void *)room));
    EMPTY(rlx_function_plan_tensor(exe, 0, 0, (void *)room, NULL));
    EMPTY(rlx_function_plan_device(NULL, 0, 0));
    EMPTY(rlx_function_plan_slots(NULL, 0, 0, (void *)room, 1));
    EMPTY(rlx_function_plan_slots(exe, 0, 0, NULL, 1));
    REFUSED(
        rlx_plan_compute(NULL, 0, 0, (void *)room, (void *)room, (void *)room, (void *)room, &err));
    REFUSED(rlx_plan_compute(exe, 0, 0, (void *)room, (void *)room, (void *)room, NULL, &err));
    REFUSED(rlx_executable_verify_plans(NULL, &err));
    REFUSED(rlx_profile_create(NULL, NULL, 0, (void *)room, &err));
    REFUSED(rlx_profile_create(NULL, exe, 0, NULL, &err));
    rlx_profile_reset(NULL);
    REFUSED(rlx_vm_set_profile(NULL, profile, &err));
    EMPTY(rlx_profile_count(NULL));
    EMPTY(rlx_profile_get(NULL, 0, (void *)room));
    EMPTY(rlx_profile_get(profile, 0, NULL));
    EMPTY(rlx_profile_event_count(NULL));
    EMPTY(rlx_profile_get_event(NULL, 0, (void *)room));
    EMPTY(rlx_profile_get_event(profile, 0, NULL));
    EMPTY(rlx_profile_work_count(NULL));
    EMPTY(rlx_profile_get_work(NULL, 0, (void *)room));
    EMPTY(rlx_profile_get_work(profile, 0, NULL));
    EMPTY(rlx_profile_work_event_count(NULL));
    EMPTY(rlx_profile_get_work_event(NULL, 0, (void *)room));
    EMPTY(rlx_profile_get_work_event(profile, 0, NULL));
    EMPTY(rlx_profile_dropped_events(NULL));
    REFUSED(rlx_time_evaluator(NULL, text, (void *)room, 1, NULL, (void *)room, &err));
    REFUSED(rlx_time_evaluator(vm, no_text, (void *)room, 1, NULL, (void *)room, &err));
    REFUSED(rlx_time_evaluator(vm, text, NULL, 1, NULL, (void *)room, &err));
    REFUSED(rlx_time_evaluator(vm, text, (void *)room, 1, NULL, NULL, &err));
    rlx_value_clear(NULL);
    REFUSED(rlx_tensor_create(NULL, RLX_F32, 1, NULL, (void *)room, &err));
    REFUSED(rlx_tensor_create(NULL, RLX_F32, 1, dims, NULL, &err));
    REFUSED(rlx_tensor_wrap(NULL, RLX_F32, 1, NULL, (void *)room, NULL, NULL, (void *)room, &err));
    RLX_FAILS(rlx_tensor_wrap(NULL, RLX_F32, 1, dims, NULL, NULL, NULL, &tensor, &t->error),
              RLX_E_INVALID_ARG, "null pointer");
    REFUSED(rlx_tensor_wrap(NULL, RLX_F32, 1, dims, (void *)room, NULL, NULL, NULL, &err));
    REFUSED(rlx_tensor_view(NULL, NULL, 1, dims, (void *)room, &err));
    REFUSED(rlx_tensor_view(NULL, tensor, 1, NULL, (void *)room, &err));
    REFUSED(rlx_tensor_view(NULL, tensor, 1, dims, NULL, &err));
    EMPTY(rlx_tensor_dtype(NULL).bits);
    EMPTY(rlx_tensor_ndim(NULL));
    EMPTY(rlx_tensor_dims(NULL));
    EMPTY(rlx_tensor_numel(NULL));
    EMPTY(rlx_tensor_nbytes(NULL));
    EMPTY(rlx_tensor_data(NULL));
    EMPTY(rlx_tensor_mutable_data(NULL));
    EMPTY(rlx_tensor_same_storage(tensor, NULL));
    REFUSED(rlx_tensor_from_dlpack(NULL, NULL, NULL, (void *)room, NULL, &err));
    REFUSED(rlx_tensor_from_dlpack(NULL, (void *)room, NULL, NULL, NULL, &err));
    REFUSED(rlx_tensor_to_dlpack(NULL, NULL, (void *)room, &err));
    REFUSED(rlx_tensor_to_dlpack(NULL, tensor, NULL, &err));
    REFUSED(rlx_shape_create(NULL, 1, NULL, (void *)room, &err));
    REFUSED(rlx_shape_create(NULL, 1, dims, NULL, &err));
    EMPTY(rlx_shape_ndim(NULL));
    EMPTY(rlx_shape_dims(NULL));
    REFUSED(rlx_tuple_create(NULL, 1, NULL, (void *)room, &err));
    REFUSED(rlx_tuple_create(NULL, 1, (void *)room, NULL, &err));
    EMPTY(rlx_tuple_count(NULL));
    EMPTY(rlx_tuple_get(NULL, 0).kind);
    REFUSED(rlx_string_create(NULL, no_text, (void *)room, &err));
    REFUSED(rlx_string_create(NULL, text, NULL, &err));
    EMPTY(rlx_string_get(NULL).len);
    REFUSED(rlx_opaque_create(NULL, NULL, (void *)room, NULL, NULL, &err));
    EMPTY(rlx_opaque_get(NULL, NULL));
    EMPTY(rlx_closure_function(NULL));
    EMPTY(rlx_closure_captured(NULL));
    REFUSED(rlx_registry_create(NULL, NULL, &err));
    EMPTY(rlx_registry_retain(NULL));
    REFUSED(rlx_registry_add_packed(NULL, text, packed, NULL, NULL, &err));
    REFUSED(rlx_registry_add_packed(registry, no_text, packed, NULL, NULL, &err));
    REFUSED(rlx_registry_add_packed(registry, text, NULL, NULL, NULL, &err));
    REFUSED(rlx_registry_add_kernel(NULL, text, kernel, &err));
    REFUSED(rlx_registry_add_kernel(registry, no_text, kernel, &err));
    REFUSED(rlx_registry_add_kernel(registry, text, NULL, &err));
    REFUSED(rlx_registry_add_device(NULL, &api, NULL, &err));
    REFUSED(rlx_registry_add_device(registry, NULL, NULL, &err));
    REFUSED(rlx_registry_add_device(registry, &api, NULL, &err));
    const rlx_section_api section = {.size = sizeof section};
    REFUSED(rlx_registry_add_section(NULL, &section, NULL, &err));
    REFUSED(rlx_registry_add_section(registry, NULL, NULL, &err));
    REFUSED(rlx_registry_add_section(registry, &section, NULL, &err));
    REFUSED(rlx_registry_load_plugin(NULL, "plugin.so", &err));
    REFUSED(rlx_registry_load_plugin(registry, NULL, &err));
    REFUSED(rlx_registry_add_cblas(NULL, &err));
    REFUSED(rlx_registry_add_dnnl(NULL, &err));
    REFUSED(rlx_registry_add_cpu(NULL, (void *)room, &err));
    REFUSED(rlx_registry_add_cpu(registry, NULL, &err));
    EMPTY(strcmp(rlx_device_kind(NULL, 0), "cpu"));
    EMPTY(rlx_device_count(NULL, NULL, NULL));
    REFUSED(rlx_device_look(NULL, NULL, 0, (void *)room, &err));
    REFUSED(rlx_device_look(NULL, "cpu", 0, NULL, &err));
    REFUSED(rlx_device_open(NULL, NULL, 0, &device, &err));
    REFUSED(rlx_device_open(NULL, "cpu", 0, NULL, &err));
    RLX_OKAY(rlx_device_open(NULL, "cpu", 0, &device, &t->error));
    EMPTY(rlx_device_retain(NULL));
    EMPTY(*rlx_device_name(NULL));
    EMPTY(rlx_device_type(NULL));
    EMPTY(rlx_device_id(NULL));
    EMPTY(rlx_device_facts(NULL));
    REFUSED(rlx_device_sync(NULL, &err));
    REFUSED(rlx_device_build(NULL, RLX_STR("opencl-c"), "", 0, NULL, NULL, &err));
    rlx_device_get_stats(NULL, (void *)room);
    rlx_device_get_stats(device, NULL);
    EMPTY(rlx_tensor_device(NULL));
    EMPTY(rlx_tensor_place(NULL).memory);
    REFUSED(rlx_tensor_create_on(NULL, NULL, NULL, RLX_F32, 1, dims, (void *)room, &err));
    REFUSED(rlx_tensor_create_on(NULL, device, NULL, RLX_F32, 1, NULL, (void *)room, &err));
    REFUSED(rlx_tensor_create_on(NULL, device, NULL, RLX_F32, 1, dims, NULL, &err));
    REFUSED(rlx_tensor_from_dlpack_on(NULL, NULL, (void *)room, NULL, (void *)room, &err));
    REFUSED(rlx_tensor_from_dlpack_on(NULL, device, NULL, NULL, (void *)room, &err));
    REFUSED(rlx_tensor_from_dlpack_on(NULL, device, (void *)room, NULL, NULL, &err));
    REFUSED(rlx_tensor_to_device(NULL, NULL, device, (void *)room, &err));
    REFUSED(rlx_tensor_to_device(NULL, tensor, device, NULL, &err));
    rlx_device_release(NULL);
    rlx_device_release(device);
    REFUSED(rlx_threads_create(NULL, 1, NULL, &err));
    EMPTY(rlx_threads_retain(NULL));
    REFUSED(rlx_vm_create(NULL, NULL, (void *)room, &err));
    REFUSED(rlx_vm_create(exe, NULL, NULL, &err));
    EMPTY(rlx_vm_executable(NULL));
    REFUSED(rlx_vm_register(NULL, text, packed, NULL, NULL, &err));
    REFUSED(rlx_vm_register(vm, no_text, packed, NULL, NULL, &err));
    REFUSED(rlx_vm_register(vm, text, NULL, NULL, NULL, &err));
    rlx_vm_set_instrument(NULL, NULL, NULL, NULL);
    REFUSED(rlx_vm_invoke(NULL, text, (void *)room, 1, (void *)room, &err));
    REFUSED(rlx_vm_invoke(vm, no_text, (void *)room, 1, (void *)room, &err));
    REFUSED(rlx_vm_invoke(vm, text, NULL, 1, (void *)room, &err));
    REFUSED(rlx_vm_invoke(vm, text, (void *)room, 1, NULL, &err));
    REFUSED(rlx_vm_invoke_index(NULL, 0, (void *)room, 1, (void *)room, &err));
    REFUSED(rlx_vm_invoke_index(vm, 0, NULL, 1, (void *)room, &err));
    REFUSED(rlx_vm_invoke_index(vm, 0, (void *)room, 1, NULL, &err));
    REFUSED(rlx_vm_invoke_closure(NULL, closure, (void *)room, 1, (void *)room, &err));
    REFUSED(rlx_vm_invoke_closure(vm, NULL, (void *)room, 1, (void *)room, &err));
    REFUSED(rlx_vm_invoke_closure(vm, closure, NULL, 1, (void *)room, &err));
    REFUSED(rlx_vm_invoke_closure(vm, closure, (void *)room, 1, NULL, &err));
    REFUSED(rlx_vm_make_closure(NULL, text, (void *)room, 1, (void *)room, &err));
    REFUSED(rlx_vm_make_closure(vm, no_text, (void *)room, 1, (void *)room, &err));
    REFUSED(rlx_vm_make_closure(vm, text, NULL, 1, (void *)room, &err));
    REFUSED(rlx_vm_make_closure(vm, text, (void *)room, 1, NULL, &err));
    REFUSED(rlx_vm_save_function(NULL, text, text, (void *)room, 1, &err));
    REFUSED(rlx_vm_save_function(vm, no_text, text, (void *)room, 1, &err));
    REFUSED(rlx_vm_save_function(vm, text, no_text, (void *)room, 1, &err));
    REFUSED(rlx_vm_save_function(vm, text, text, NULL, 1, &err));
    REFUSED(rlx_vm_set_input(NULL, text, (void *)room, 1, &err));
    REFUSED(rlx_vm_set_input(vm, no_text, (void *)room, 1, &err));
    REFUSED(rlx_vm_set_input(vm, text, NULL, 1, &err));
    REFUSED(rlx_vm_invoke_stateful(NULL, text, &err));
    REFUSED(rlx_vm_invoke_stateful(vm, no_text, &err));
    REFUSED(rlx_vm_get_output(NULL, text, (void *)room, 1, (void *)room, &err));
    REFUSED(rlx_vm_get_output(vm, no_text, (void *)room, 1, (void *)room, &err));
    REFUSED(rlx_vm_get_output(vm, text, NULL, 1, (void *)room, &err));
    REFUSED(rlx_vm_get_output(vm, text, (void *)room, 1, NULL, &err));
    REFUSED(rlx_vm_get_output_arity(NULL, text, (void *)room, 1, (void *)room, &err));
    REFUSED(rlx_vm_get_output_arity(vm, no_text, (void *)room, 1, (void *)room, &err));
    REFUSED(rlx_vm_get_output_arity(vm, text, NULL, 1, (void *)room, &err));
    REFUSED(rlx_vm_get_output_arity(vm, text, (void *)room, 1, NULL, &err));
    rlx_vm_get_stats(NULL, (void *)room);
    rlx_vm_get_stats(vm, NULL);
    rlx_vm_reset_stats(NULL);
    rlx_vm_trim(NULL);
    REFUSED(rlx_vm_sync(NULL, &err));
    rlx_value_release((rlx_value){RLX_KIND_TENSOR, 0, {.tensor = NULL}});
    (void)rlx_value_retain((rlx_value){RLX_KIND_TUPLE, 0, {.tuple = NULL}});
    const rlx_value bad[] = {{RLX_KIND_TENSOR, 0, {.tensor = NULL}}, {99, 0, {.i = 1}}};
    rlx_value out;
    for (int i = 0; i < 2; i++) {
        REFUSED(rlx_vm_invoke(vm, text, &bad[i], 1, &out, &err));
        REFUSED(rlx_vm_invoke_closure(vm, closure, &bad[i], 1, &out, &err));
        REFUSED(rlx_vm_set_input(vm, text, &bad[i], 1, &err));
        REFUSED(rlx_vm_save_function(vm, text, RLX_STR("s"), &bad[i], 1, &err));
        REFUSED(rlx_vm_make_closure(vm, text, &bad[i], 1, &closure, &err));
        REFUSED(rlx_tuple_create(NULL, 1, &bad[i], (rlx_tuple **)(void *)room, &err));
    }
    RLX_OKAY(rlx_vm_register(vm, RLX_STR("probe"), probe, NULL, NULL, &t->error));
    rlx_executable *caller = rlx_test_load(t, ".func main (x: object, y: object) -> object {\n"
                                              "    call_packed r2, \"probe\", [r0, r1]\n"
                                              "    ret r2\n"
                                              "}\n");
    rlx_vm *outer = rlx_test_vm(t, caller);
    RLX_OKAY(rlx_vm_register(outer, RLX_STR("probe"), probe, NULL, NULL, &t->error));
    const rlx_value args[] = {rlx_of_tensor(tensor), rlx_of_closure(closure)};
    RLX_OKAY(rlx_vm_invoke(outer, text, args, 2, &out, &t->error));
    rlx_vm_destroy(outer);
    rlx_executable_release(caller);
    RLX_OKAY(rlx_new_file_end(file, RLX_OK, &t->error));
    rlx_value_release(rlx_of_closure(closure));
    rlx_value_release((rlx_value){RLX_KIND_OBJECT, 0, {.opaque = opaque}});
    rlx_value_release(rlx_of_tensor(tensor));
    rlx_profile_destroy(profile);
    rlx_exec_builder_destroy(b);
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
}

RLX_TEST(null, absurd_numbers_of_threads)
{
    static const uint32_t counts[] = {1025, 1 << 20, UINT32_C(1) << 31, UINT32_MAX};
    rlx_executable *exe = rlx_test_load(t, program);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        rlx_threads *threads;
        rlx_vm *vm;
        const rlx_vm_options options = {.allocator = &t->allocator, .threads = counts[i]};
        RLX_FAILS(rlx_threads_create(&t->allocator, counts[i], &threads, &t->error),
                  RLX_E_INVALID_ARG, "at most 1024");
        RLX_FAILS(rlx_vm_create(exe, &options, &vm, &t->error), RLX_E_INVALID_ARG, "at most 1024");
    }
    for (uint32_t n = 0; n < 3; n++) {
        rlx_threads *threads;
        RLX_OKAY(rlx_threads_create(&t->allocator, n, &threads, &t->error));
        rlx_threads_release(threads);
    }
    rlx_executable_release(exe);
}

/* --- none is forgotten ------------------------------------------------------------------------ */

/* Functions whose pointers may all be NULL, or that have none. */
static bool takes_null(const char *name)
{
    static const char *const names[] = {"rlx_status_name",
                                        "rlx_str_from",
                                        "rlx_str_eq",
                                        "rlx_fail",
                                        "rlx_fail_v",
                                        "rlx_error_prefix",
                                        "rlx_dtype_size",
                                        "rlx_dtype_valid",
                                        "rlx_dtype_is_float",
                                        "rlx_dtype_is_packed",
                                        "rlx_float_format_of",
                                        "rlx_float_decode",
                                        "rlx_float_encode",
                                        "rlx_float_largest",
                                        "rlx_float_is_nan",
                                        "rlx_default_allocator",
                                        "rlx_alloc",
                                        "rlx_free",
                                        "rlx_version",
                                        "rlx_memory_now",
                                        "rlx_can_sign",
                                        "rlx_opcode_find",
                                        "rlx_dtype_word",
                                        "rlx_opcode_table",
                                        "rlx_builtin_table",
                                        "rlx_kind_name",
                                        "rlx_executable_release",
                                        "rlx_exec_builder_destroy",
                                        "rlx_registry_release",
                                        "rlx_threads_release",
                                        "rlx_profile_destroy",
                                        "rlx_vm_destroy"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* tests/compiler/test_library_null.c covers the compiler's headers, tests/bare the runtime without
 * an operating system. */
static bool of_others(const char *header)
{
    return strstr(header, "/compiler.h") || strstr(header, "/ir.h") || strstr(header, "/bare.h");
}

RLX_TEST(null, no_public_function_is_missing_here)
{
    glob_t headers;
    uint32_t n = 0;
    cr_assert_eq(glob("include/rlx/*.h", 0, NULL, &headers), 0);
    for (size_t i = 0; i < headers.gl_pathc; i++)
        if (!of_others(headers.gl_pathv[i]))
            n += rlx_test_calls_all(headers.gl_pathv[i], "tests/vm/test_null.c", takes_null);
    cr_expect_gt(n, 150, "%u functions were found", n);
    globfree(&headers);
}
