/* Every message of the verifier and the loader has a row here that triggers it: text that assembles
 * but must not verify, or a valid image with changed words. */
#include "image.h"

#include <stdio.h>

static void expect_refused(rlx_test *t, size_t row, rlx_status status, rlx_executable *exe,
                           const char *message)
{
    cr_expect(status != RLX_OK && strstr(t->error.message, message),
              "row %zu: expected \"%s\", got \"%s\"", row, message,
              status == RLX_OK ? "success" : t->error.message);
    if (status == RLX_OK)
        rlx_executable_release(exe);
}

RLX_TEST(verify, flow_and_rules)
{
    static const struct {
        const char *body, *message;
    } rows[] = {
        {"ret r0", "pc 0 (ret): register 0 is used before it is assigned"},
        {"load_const r0, none", "does not end with ret or goto"},
        {"load_const r0, none\n kill r0\n ret r0",
         "pc 5 (ret): register 0 is used after it was killed"},
        {"load_const r0, none\n kill r0\n kill r0\n goto L\nL: goto L",
         "pc 5 (kill): register 0 is used after it was killed"},
        {"load_const r1, true\n if r1, L\n load_const r0, none\nL: ret r0",
         "(ret): register 0 is not assigned on every path"},
        {"load_const r0, true\n if r0, L\n kill r0\nL: goto L",
         "(join): register 0 is killed on one path and live on another"},
        {"load_const r0, true\nL: kill r0\n goto L",
         "(join): register 0 is killed on one path and live on another"},
        {"new_tensor r0, float32, [s3]\n ret r0", "pc 0 (new_tensor): slot 3 is used before"},
        {"eval_slot s0, s1 + 1\n load_const r0, none\n ret r0", "slot 1 is used before"},
        {"load_const r0, shape [2]\n match_shape r0, shape[s0 + 1]\n ret r0",
         "slot 0 is used before"},
        {"load_const r0, true\n if r0, L\n eval_slot s0, 1\nL: make_shape r1, [s0]\n ret r1",
         "slot 0 is not assigned on every path"},
        {"load_const r0, none\n view r1, r0, []\n ret r1", "(view): register 0 has the wrong kind"},
        {"load_const r0, int 1\n tuple_item r1, r0, 0\n ret r1", "register 0 has the wrong kind"},
        {"load_const r0, int 1\n eval_slot s0, 0\n alloc_tensor r1, r0, s0, int8, []\n ret r1",
         "(alloc_tensor): register 0 has the wrong kind"},
        {"load_const r0, \"x\"\n if r0, L\nL: ret r0", "(if): register 0 has the wrong kind"},
        {"make_tuple r0, []\n move r1, r0\n shape_of r2, r1\n ret r2",
         "register 1 has the wrong kind"},
        {"make_tuple r0, []\n call_closure r1, r0, []\n ret r1", "register 0 has the wrong kind"},
        {"eval_slot s0, 1\n alloc_storage r0, s0, 3\n ret r0", "alignment is not a power of two"},
        {"eval_slot s0, 1\n alloc_storage r0, s0, 8192\n ret r0",
         "alignment is not a power of two"},
        {"eval_slot s0, 1\n new_tensor r0, int8, [s0, s0, s0, s0, s0, s0, s0, s0, s0, s0, s0, s0, "
         "s0, s0, s0, s0, s0]\n ret r0",
         "rank is too high"},
        {"load_const r0, none\n to_vdevice r1, r0, v1\n ret r1", "device 1 does not exist"},
        {"load_const r0, shape [1]\n match_shape r0, int8[1]\n ret r0", "type is not a shape type"},
        {"load_const r0, none\n call_packed r1, c0, []\n ret r1", "name is not a string constant"},
        {"call_func r0, @f, [r0]\n ret r0", "wrong number of arguments for the function"},
        {"load_const r0, none\n again [r0]", "wrong number of arguments for the function"},
        {"again [r0]", "wrong number of arguments for the function"},
        {"load_const r0, none\n make_closure r1, @f, [r0]\n ret r1",
         "binds more arguments than the function has"},
        {"call_kernel k0, [], []\n goto L\nL: goto L", "wrong number of dims for the kernel"},
        {"eval_slot s0, 1\n call_kernel k0, [s0], []\n goto L\nL: goto L",
         "wrong number of buffers for the kernel"},
        {"call_builtin r0, \"vm.builtin.copy\", []\n ret r0",
         "wrong number of arguments for the builtin"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2048];
        rlx_executable *exe;
        snprintf(text, sizeof text,
                 ".const c0 = none\n.kernel k0 \"k\" dims 1 (float32[s0])\n"
                 ".func f () -> object {\n %s\n}\n",
                 rows[i].body);
        t->error = (rlx_error){0};
        rlx_status status = rlx_test_try_load(t, text, &exe);
        expect_refused(t, i, status, exe, rows[i].message);
    }
}

RLX_TEST(verify, signatures_and_tables)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {".func f (x: int8[s0!], y: int8[s0!]) -> object symbols 1 {\n ret r0\n}",
         "a symbol is bound twice"},
        {".func f (x: int8[s0]) -> object symbols 1 {\n ret r0\n}",
         "a symbol is bound by no parameter"},
        {".func f (x: int8[s0!]) -> object {\n ret r0\n}",
         "a type uses a slot that is not a symbol"},
        {".func f (x: int8[s0!]) -> int8[s1] symbols 1 {\n eval_slot s1, 1\n ret r0\n}",
         "the result type uses more than the parameters' symbols"},
        {".func f (x: int8[s0!]) -> int8[s0!] symbols 1 {\n ret r0\n}",
         "the result type uses more than the parameters' symbols"},
        {".func f (x: object) -> object {\n kill r0\n goto L\nL: goto L\n}",
         "kills an argument register"},
        {".func f (x: object) -> object {\n load_const r0, none\n ret r0\n}",
         "defines an argument register"},
        {".func f (x: int8[1]) -> object {\n tuple_item r1, r0, 0\n ret r1\n}",
         "register 0 has the wrong kind"},
        {".func f () -> object {\nL: goto L\n}\n.func f () -> object {\nL: goto L\n}",
         "has the name of an earlier one"},
        {".kernel k0 \"k\" dims 0 (int8[?])", "dimension is not an expression"},
        {".kernel k0 \"k\" dims 1 (int8[s0!])", "dimension is not an expression"},
        {".kernel k0 \"k\" dims 0 (tensor[1])", "lacks a dtype or a rank"},
        {".kernel k0 \"k\" dims 0 (int8[*])", "lacks a dtype or a rank"},
        {".kernel k0 \"k\" dims 0 (object)", "lacks a dtype or a rank"},
        {".import b0 \"no.such.builtin\"", "this library has no builtin 'no.such.builtin'"},
        {".const c0 = \"\\xff\"", "is not UTF-8"},
        {".type t0 = prim(float32, ?)", "has what its kind cannot have"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rlx_executable *exe;
        t->error = (rlx_error){0};
        rlx_status status = rlx_test_try_load(t, rows[i].text, &exe);
        expect_refused(t, i, status, exe, rows[i].message);
    }
}

static const char good[] = ".const c0 = none\n.const c1 = \"s\"\n"
                           ".func f (x: float32[s0!]) -> object symbols 1 {\n"
                           "  eval_slot s1, s0 + 1\n"      /* pc 0: op, w, e */
                           "  load_const r1, c1\n"         /* pc 3: op, d, c */
                           "  make_tuple r2, [r0, r1]\n"   /* pc 6: op, d, n, R, R */
                           "  match_type r1, object\n"     /* pc 11: op, r, t */
                           "  new_tensor r3, int8, [s1]\n" /* pc 14: op, d, y, n, S */
                           "  goto L\n"                    /* pc 19: op, j */
                           "L: ret r2\n}\n";               /* pc 21: op, r */

RLX_TEST(verify, words_changed_in_the_code)
{
    static const struct {
        uint32_t word, value;
        const char *message;
    } rows[] = {
        {0, 3u << 16 | 0xff, "pc 0 (instruction): unknown opcode"},
        {0, 3u << 16 | 0x124, "reserved bits are set"},
        {0, 0x24, "instruction leaves the function"},
        {0, 200u << 16 | 0x24, "instruction leaves the function"},
        {0, 2u << 16 | 0x24, "instruction is too short"},
        {0, 6u << 16 | 0x24, "instruction is too long"},
        {1, 77, "slot out of range"},
        {2, 77, "expression out of range"},
        {4, 77, "register out of range"},
        {4, 0, "defines an argument register"},
        {5, 77, "constant out of range"},
        {8, 3, "list leaves the instruction"},
        {8, 0xffffffff, "list leaves the instruction"},
        {8, 1, "instruction is too long"},
        {9, 77, "register out of range"},
        {13, 77, "type out of range"},
        {16, 0, "dtype does not exist"},
        {18, 0xffffffff, "slot out of range"},
        {20, 22, "jump goes into an instruction"},
        {20, 23, "jump leaves the function"},
        {21, 2u << 16 | 0x13, "does not end with ret or goto"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        image m = image_of(t, good);
        rlx_executable *exe;
        image_store(image_section(&m, RLXV_SECTION_CODE) + 4 * rows[i].word, rows[i].value, 4);
        image_seal(&m);
        t->error = (rlx_error){0};
        rlx_status status = image_load(t, &m, &exe);
        expect_refused(t, i, status, exe, rows[i].message);
        image_free(t, &m);
    }
}

RLX_TEST(verify, header_and_sections)
{
    enum { HEADER, ENTRY, SECTION };
    static const struct {
        int what;
        uint32_t section, offset;
        uint64_t value;
        int bytes;
        bool seal;
        rlx_status status;
        const char *message;
    } rows[] = {
        {HEADER, 0, 0, 'x', 1, true, RLX_E_INVALID_MODULE, "does not begin like one"},
        {HEADER, 0, 8, 2, 2, true, RLX_E_VERSION, "format 2.2, this library reads 1.0 to 1.6"},
        {HEADER, 0, 10, 7, 2, true, RLX_E_VERSION, "format 1.7, this library reads 1.0 to 1.6"},
        {HEADER, 0, 12, 1, 4, true, RLX_E_INVALID_MODULE, "unknown flags"},
        {HEADER, 0, 60, 1, 1, true, RLX_E_INVALID_MODULE, "unknown flags"},
        {HEADER, 0, 16, 1, 8, true, RLX_E_INVALID_MODULE, "its size is not what the header says"},
        {HEADER, 0, 24, 1000, 4, true, RLX_E_INVALID_MODULE, "too many sections"},
        {HEADER, 0, 32, 0, 8, false, RLX_E_INVALID_MODULE, "header's checksum is wrong"},
        {ENTRY, RLXV_SECTION_TYPES, 8, 64, 8, true, RLX_E_INVALID_MODULE, "out of place"},
        {ENTRY, RLXV_SECTION_TYPES, 16, UINT64_MAX, 8, true, RLX_E_INVALID_MODULE, "out of place"},
        {ENTRY, RLXV_SECTION_TYPES, 4, 4, 4, true, RLX_E_INVALID_MODULE, "unknown section flags"},
        {ENTRY, RLXV_SECTION_TYPES, 4, 2, 4, true, RLX_E_INVALID_MODULE,
         "no valid compressed size"},
        {ENTRY, RLXV_SECTION_TYPES, 0, 99, 4, true, RLX_E_VERSION, "section 99 is required"},
        {ENTRY, RLXV_SECTION_TYPES, 0, 2, 4, true, RLX_E_INVALID_MODULE, "section 2 appears twice"},
        {ENTRY, RLXV_SECTION_TYPES, 32, 1000, 4, true, RLX_E_INVALID_MODULE,
         "too small for 1000 rows"},
        {ENTRY, RLXV_SECTION_TYPES, 32, 1, 4, true, RLX_E_INVALID_MODULE, "bytes too many"},
        {ENTRY, RLXV_SECTION_STRINGS, 0, RLXV_SECTION_DATA, 4, true, RLX_E_INVALID_MODULE,
         "data section is not the last"},
        {SECTION, RLXV_SECTION_TYPES, 0, 1, 4, false, RLX_E_INVALID_MODULE, "is damaged"},
        {SECTION, RLXV_SECTION_TYPES, 0, 9, 4, true, RLX_E_INVALID_MODULE, "type 0: unknown kind"},
        {SECTION, RLXV_SECTION_TYPES, 4, 7, 4, true, RLX_E_INVALID_MODULE, "cannot have"},
        {SECTION, RLXV_SECTION_TYPES, 8, UINT32_MAX, 4, true, RLX_E_INVALID_MODULE, "ends early"},
        {SECTION, RLXV_SECTION_TYPES, 12, 5, 4, true, RLX_E_INVALID_MODULE,
         "type 0: bad dimension"},
        {SECTION, RLXV_SECTION_EXPRS, 0, 99, 4, true, RLX_E_INVALID_MODULE, "unknown operation"},
        {SECTION, RLXV_SECTION_EXPRS, 36, 2, 4, true, RLX_E_INVALID_MODULE, "later expression"},
        {SECTION, RLXV_SECTION_CONSTANTS, 0, 99, 4, true, RLX_E_INVALID_MODULE,
         "constant 0: unknown kind"},
        {SECTION, RLXV_SECTION_CONSTANTS, 8, 77, 4, true, RLX_E_INVALID_MODULE,
         "string 77 does not exist"},
        {SECTION, RLXV_SECTION_STRINGS, 0, 1000, 4, true, RLX_E_INVALID_MODULE,
         "leaves its section"},
        {SECTION, RLXV_SECTION_FUNCTIONS, 4, 2, 4, true, RLX_E_INVALID_MODULE,
         "function 0: bad row"},
        {SECTION, RLXV_SECTION_FUNCTIONS, 8, 0, 4, true, RLX_E_INVALID_MODULE,
         "more parameters than"},
        {SECTION, RLXV_SECTION_FUNCTIONS, 8, 1u << 30, 4, true, RLX_E_INVALID_MODULE,
         "too many registers"},
        {SECTION, RLXV_SECTION_FUNCTIONS, 20, 99, 4, true, RLX_E_INVALID_MODULE, "bad row"},
        {SECTION, RLXV_SECTION_FUNCTIONS, 24, 1, 4, true, RLX_E_INVALID_MODULE,
         "leaves the code section"},
        {SECTION, RLXV_SECTION_FUNCTIONS, 28, 21, 4, true, RLX_E_INVALID_MODULE,
         "words that belong to no function"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        image m = image_of(t, good);
        rlx_executable *exe;
        uint8_t *at = rows[i].what == HEADER  ? m.data
                      : rows[i].what == ENTRY ? image_entry(&m, rows[i].section)
                                              : image_section(&m, rows[i].section);
        image_store(at + rows[i].offset, rows[i].value, rows[i].bytes);
        if (rows[i].seal)
            image_seal(&m);
        t->error = (rlx_error){0};
        rlx_status status = image_load(t, &m, &exe);
        expect_refused(t, i, status, exe, rows[i].message);
        cr_expect(status == rows[i].status, "row %zu: %s", i, rlx_status_name(status));
        image_free(t, &m);
    }
}

RLX_TEST(verify, names_of_results)
{
    static const char named[] =
        ".func f (x: int64[]) -> int64[] {\n    .results \"y\"\n    ret r0\n}\n"
        ".func g (x: int64[]) -> tuple(int64[], int64[]) {\n"
        "    .results \"a\", \"\"\n"
        "    make_tuple r1, [r0, r0]\n    ret r1\n}\n";
    /* rows: function 0, 1, "y"; function 1, 2, "a", "" */
    static const struct {
        uint32_t offset, value;
        const char *message; /* NULL: sound */
    } rows[] = {
        {0, 0, NULL},
        {0, 2, "names row 0: is out of range or order"},
        {0, 1, "names row 0: is out of range or order"}, /* g has two results */
        {4, 0, "names row 0: is out of range or order"},
        {4, 2, "names row 0: is out of range or order"},
        {4, UINT32_MAX, "names row 0: is out of range or order"},
        {8, 77, "string 77 does not exist"},
        {12, 0, "names row 1: is out of range or order"},
        {16, 1, "names row 1: is out of range or order"},
        {16, 3, "names row 1: is out of range or order"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        image m = image_of(t, named);
        rlx_executable *exe = NULL;
        image_store(image_section(&m, RLXV_SECTION_NAMES) + rows[i].offset, rows[i].value, 4);
        image_seal(&m);
        t->error = (rlx_error){0};
        rlx_status status = image_load(t, &m, &exe);
        if (rows[i].message) {
            expect_refused(t, i, status, exe, rows[i].message);
        } else {
            cr_assert_eq(status, RLX_OK, "%s", t->error.message);
            cr_expect(rlx_str_eq(rlx_function_result_name(exe, 1, 0), RLX_STR("a")));
            cr_expect_eq(rlx_function_result_name(exe, 1, 2).len, 0u);
            rlx_executable_release(exe);
        }
        image_free(t, &m);
    }
    /* A library that does not know the section skips it. */
    image m = image_of(t, named);
    rlx_executable *exe = NULL;
    image_store(image_entry(&m, RLXV_SECTION_NAMES), 60, 4);
    image_seal(&m);
    cr_expect_eq(image_load(t, &m, &exe), RLX_OK, "%s", t->error.message);
    cr_expect_eq(rlx_function_result_name(exe, 0, 0).len, 0u);
    rlx_executable_release(exe);
    image_free(t, &m);
}

RLX_TEST(verify, an_unknown_optional_section_is_skipped)
{
    image m =
        image_of(t, ".meta \"k\" \"v\"\n.func f () -> object {\n load_const r0, none\n ret r0\n}");
    rlx_executable *exe;
    image_store(image_entry(&m, RLXV_SECTION_METADATA), 77, 4);
    image_seal(&m);
    RLX_OKAY(image_load(t, &m, &exe));
    cr_expect_eq(rlx_executable_metadata_count(exe), 0);
    rlx_executable_release(exe);
    image_free(t, &m);
}

/* Long straight-line code and a long chain of branches: verification must be roughly linear to
 * finish. */
RLX_TEST(verify, long_code_is_verified_quickly)
{
    enum { N = 100000 };
    for (int branches = 0; branches < 2; branches++) {
        rlx_exec_builder *b;
        rlx_executable *exe;
        rlx_load_options options = {.allocator = &t->allocator};
        uint32_t object, f, one, op[3];
        rlx_type_info type = {.kind = RLX_TYPE_OBJECT};
        RLX_OKAY(rlx_exec_builder_create(&t->allocator, &b, &t->error));
        RLX_OKAY(rlx_exec_builder_type(b, &type, &object, &t->error));
        RLX_OKAY(rlx_exec_builder_const_value(b, rlx_bool(true), &one, &t->error));
        RLX_OKAY(rlx_exec_builder_declare(b, RLX_STR("f"), true, &f, &t->error));
        RLX_OKAY(rlx_exec_builder_begin(b, f, NULL, 0, object, 0, &t->error));
        op[0] = 0, op[1] = one;
        RLX_OKAY(rlx_exec_builder_emit(b, RLX_OP_LOAD_CONST, op, 2, &t->error));
        for (uint32_t i = 1; i < N; i++) {
            op[0] = i, op[1] = branches ? 0 : i - 1;
            RLX_OKAY(rlx_exec_builder_emit(b, RLX_OP_MOVE, op, 2, &t->error));
            if (branches && i % 10 == 0) {
                RLX_OKAY(rlx_exec_builder_label(b, &op[1], &t->error));
                RLX_OKAY(rlx_exec_builder_emit(b, RLX_OP_IF, op, 2, &t->error));
                RLX_OKAY(rlx_exec_builder_bind(b, op[1], &t->error));
            } else if (i > 1 && !branches) {
                op[0] = i - 1;
                RLX_OKAY(rlx_exec_builder_emit(b, RLX_OP_KILL, op, 1, &t->error));
            }
        }
        op[0] = N - 1;
        RLX_OKAY(rlx_exec_builder_emit(b, RLX_OP_RET, op, 1, &t->error));
        RLX_OKAY(rlx_exec_builder_end(b, &t->error));
        RLX_OKAY(rlx_exec_builder_load(b, &options, &exe, &t->error));
        rlx_exec_builder_destroy(b);
        rlx_vm *vm = rlx_test_vm(t, exe);
        rlx_value out;
        RLX_OKAY(rlx_vm_invoke(vm, RLX_STR("f"), NULL, 0, &out, &t->error));
        cr_expect_eq(out.as.i, 1);
        rlx_vm_destroy(vm);
        rlx_executable_release(exe);
    }
}
