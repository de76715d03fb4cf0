/* Compiles a random program, runs it and compares with the reference evaluation. */
#ifndef RANDOM_PROGRAM_CHECK_H
#define RANDOM_PROGRAM_CHECK_H

#include "tests/random/program.h"

enum { MAX_MESSAGE = 2000, MAX_TEXT = 1 << 17 };

typedef struct outcome {
    bool failed;
    int result;                  /* the result of main that differs; -1: none */
    long long compared, skipped; /* numbers of elements */
    char message[MAX_MESSAGE];
} outcome;

/* Runs in a child process, which may crash or hang. */
void check_program(const program *p, outcome *out);

#endif
