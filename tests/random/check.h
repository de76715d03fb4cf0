/* Compiles a random program, runs it and compares with the plain evaluation. */
#ifndef RANDOM_PROGRAM_CHECK_H
#define RANDOM_PROGRAM_CHECK_H

#include "tests/random/program.h"

enum { MAX_MESSAGE = 2000, MAX_TEXT = 1 << 17 };

typedef struct outcome {
    bool failed;
    int result;                  /* of main, which differs; -1 */
    long long compared, skipped; /* elements */
    char message[MAX_MESSAGE];
} outcome;

/* In a child process, which may crash or hang. */
void check_program(const program *p, outcome *out);

#endif
