/* Builds executables with machine code, using the C compiler that built the tests. */
#ifndef RLX_TEST_NATIVE_IMAGE_H
#define RLX_TEST_NATIVE_IMAGE_H

#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__x86_64__)
#define TRIPLE "x86_64-pc-linux-gnu"
#else
#define TRIPLE "aarch64-unknown-linux-gnu"
#endif

/* A program whose main returns the int32 that the kernel "k" stores. |text| is the kernel's C
 * source, compiled in |folder|; it requires CPU feature |feature| (NULL: none). */
static inline rlx_exec_builder *native_builder(rlx_test *t, const char *folder, const char *text,
                                               const char *feature)
{
    static uint8_t object[1 << 20];
    char source[64], target[64], command[256];
    snprintf(source, sizeof source, "%s/k.c", folder);
    snprintf(target, sizeof target, "%s/k.so", folder);
    FILE *f = fopen(source, "w");
    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
    snprintf(command, sizeof command, "cc -shared -fPIC -O1 -o %s %s", target, source);
    cr_assert_eq(system(command), 0, "%s", command);
    f = fopen(target, "rb");
    size_t size = fread(object, 1, sizeof object, f);
    fclose(f);
    unlink(source);
    unlink(target);

    const rlx_str needs = rlx_str_from(feature ? feature : "");
    rlx_exec_builder *b;
    uint32_t tensor, kernel, fn, words[4];
    rlx_type_info type = {.kind = RLX_TYPE_TENSOR, .dtype = RLX_I32, .rank_known = true};
    RLX_OKAY(rlx_exec_builder_create(&t->allocator, &b, &t->error));
    RLX_OKAY(rlx_exec_builder_type(b, &type, &tensor, &t->error));
    rlx_kernel_param param = {tensor, true};
    RLX_OKAY(
        rlx_exec_builder_kernel(b, RLX_STR("k"), RLX_STR("k"), 0, &param, 1, &kernel, &t->error));
    RLX_OKAY(rlx_exec_builder_native(b, RLX_STR(TRIPLE), &needs, feature ? 1 : 0, object, size,
                                     &t->error));
    RLX_OKAY(rlx_exec_builder_declare(b, RLX_STR("main"), true, &fn, &t->error));
    RLX_OKAY(rlx_exec_builder_begin(b, fn, NULL, 0, tensor, 0, &t->error));
    words[0] = 0, words[1] = rlx_dtype_word(RLX_I32), words[2] = 0;
    RLX_OKAY(rlx_exec_builder_emit(b, RLX_OP_NEW_TENSOR, words, 3, &t->error));
    RLX_OKAY(rlx_exec_builder_call_kernel(b, kernel, NULL, 0, words, 1, &t->error));
    RLX_OKAY(rlx_exec_builder_emit(b, RLX_OP_RET, words, 1, &t->error));
    RLX_OKAY(rlx_exec_builder_end(b, &t->error));
    return b;
}

static inline image native_image(rlx_test *t, const char *folder, const char *text)
{
    image m;
    void *data;
    rlx_exec_builder *b = native_builder(t, folder, text, NULL);
    RLX_OKAY(rlx_exec_builder_finish(b, &data, &m.size, &t->error));
    m.data = data;
    rlx_exec_builder_destroy(b);
    return m;
}

#endif
