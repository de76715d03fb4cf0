/* Public headers held against the tests of their functions. */
#ifndef RLX_TESTS_HEADERS_H
#define RLX_TESTS_HEADERS_H

#include <stdbool.h>
#include <stdint.h>

/* Expects that the source |file| calls every function that |header| declares with RLX_API, but for
   those that |exempt| names. Returns the number of functions. */
uint32_t rlx_test_calls_all(const char *header, const char *file, bool (*exempt)(const char *name));

#endif
