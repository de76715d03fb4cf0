/* Replaces Criterion under ThreadSanitizer, whose shadow memory occupies the addresses of
 * Criterion's arena. Tests register themselves; each process runs many of them. A failed assertion
 * ends its process; a failed expectation only fails its test. */
#ifndef RLX_TEST_PLAIN_RUNNER_H
#define RLX_TEST_PLAIN_RUNNER_H

#include <stdbool.h>
#include <string.h>

void rlx_plain_add(const char *suite, const char *name, void (*body)(void));
void rlx_plain_check(bool fatal, bool ok, const char *file, int line, const char *what,
                     const char *format, ...);

#define Test(suite, name)                                               \
    static void suite##_##name##_plain(void);                           \
    __attribute__((constructor)) static void suite##_##name##_add(void) \
    {                                                                   \
        rlx_plain_add(#suite, #name, suite##_##name##_plain);           \
    }                                                                   \
    static void suite##_##name##_plain(void)

#define RLX_PLAIN(fatal, cond, text, ...) \
    rlx_plain_check(fatal, cond, __FILE__, __LINE__, text, "" __VA_ARGS__)
#define cr_assert(cond, ...) RLX_PLAIN(true, (cond), #cond, __VA_ARGS__)
#define cr_assert_not(cond, ...) RLX_PLAIN(true, !(cond), "not " #cond, __VA_ARGS__)
#define cr_assert_eq(a, b, ...) RLX_PLAIN(true, (a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_assert_neq(a, b, ...) RLX_PLAIN(true, (a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_assert_lt(a, b, ...) RLX_PLAIN(true, (a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_assert_leq(a, b, ...) RLX_PLAIN(true, (a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_assert_gt(a, b, ...) RLX_PLAIN(true, (a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_assert_geq(a, b, ...) RLX_PLAIN(true, (a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_assert_null(a, ...) RLX_PLAIN(true, (a) == NULL, #a " is null", __VA_ARGS__)
#define cr_assert_not_null(a, ...) RLX_PLAIN(true, (a) != NULL, #a " is not null", __VA_ARGS__)
#define cr_assert_str_eq(a, b, ...) \
    RLX_PLAIN(true, strcmp((a), (b)) == 0, #a " eq " #b, __VA_ARGS__)
#define cr_expect(cond, ...) RLX_PLAIN(false, (cond), #cond, __VA_ARGS__)
#define cr_expect_not(cond, ...) RLX_PLAIN(false, !(cond), "not " #cond, __VA_ARGS__)
#define cr_expect_eq(a, b, ...) RLX_PLAIN(false, (a) == (b), #a " == " #b, __VA_ARGS__)
#define cr_expect_neq(a, b, ...) RLX_PLAIN(false, (a) != (b), #a " != " #b, __VA_ARGS__)
#define cr_expect_lt(a, b, ...) RLX_PLAIN(false, (a) < (b), #a " < " #b, __VA_ARGS__)
#define cr_expect_leq(a, b, ...) RLX_PLAIN(false, (a) <= (b), #a " <= " #b, __VA_ARGS__)
#define cr_expect_gt(a, b, ...) RLX_PLAIN(false, (a) > (b), #a " > " #b, __VA_ARGS__)
#define cr_expect_geq(a, b, ...) RLX_PLAIN(false, (a) >= (b), #a " >= " #b, __VA_ARGS__)
#define cr_expect_float_eq(a, b, e, ...) \
    RLX_PLAIN(false, (a) - (b) <= (e) && (b) - (a) <= (e), #a " == " #b, __VA_ARGS__)
#define cr_expect_null(a, ...) RLX_PLAIN(false, (a) == NULL, #a " is null", __VA_ARGS__)
#define cr_expect_not_null(a, ...) RLX_PLAIN(false, (a) != NULL, #a " is not null", __VA_ARGS__)
#define cr_expect_str_eq(a, b, ...) \
    RLX_PLAIN(false, strcmp((a), (b)) == 0, #a " eq " #b, __VA_ARGS__)
#define cr_expect_str_neq(a, b, ...) \
    RLX_PLAIN(false, strcmp((a), (b)) != 0, #a " neq " #b, __VA_ARGS__)
#define cr_expect_arr_eq(a, b, size, ...) \
    RLX_PLAIN(false, memcmp((a), (b), (size)) == 0, #a " eq " #b, __VA_ARGS__)

#endif
