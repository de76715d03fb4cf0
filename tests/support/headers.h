/* Checks that every function in a public header has a test. */
#ifndef RLX_TESTS_HEADERS_H
#define RLX_TESTS_HEADERS_H

#include <stdbool.h>
#include <stdint.h>

/* Expects the source |file| to call every function that |header| declares with RLX_API, except
 * those that |exempt| accepts. Returns the number of functions. */
uint32_t rlx_test_calls_all(const char *header, const char *file, bool (*exempt)(const char *name));

#endif
