/* Greedy text generation with the character GPT: loads model.rlx and calls it once per new token.
 *
 *     generate MODEL.rlx VOCABULARY.json PROMPT COUNT
 *
 * Prints the prompt and COUNT more characters, then tokens per second on stderr. It links only
 * librlx and serves as an example of embedding: load, create a VM, wrap a buffer as a tensor,
 * invoke, read the result. Once a sequence exceeds the model's window, only its last WINDOW
 * characters are passed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rlx/rlx.h>

enum { WINDOW = 128, MAX_VOCABULARY = 256, MAX_TEXT = 1 << 16 };

/* The vocabulary file is a JSON list of one-character strings; only the escapes \n, \t, \" and \\
 * occur. */
static int read_vocabulary(const char *path, char *out_characters)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return -1;
    int count = 0, c;
    bool inside = false;
    while ((c = fgetc(file)) != EOF && count < MAX_VOCABULARY) {
        if (!inside) {
            inside = c == '"';
            continue;
        }
        if (c == '\\') {
            c = fgetc(file);
            c = c == 'n' ? '\n' : c == 't' ? '\t' : c;
        }
        out_characters[count++] = (char)c;
        inside = fgetc(file) != '"';
    }
    fclose(file);
    return inside ? -1 : count;
}

static int fail(const rlx_error *err)
{
    fprintf(stderr, "generate: %s\n", err->message);
    return 1;
}

static int64_t arg_max(const float *row, int64_t n)
{
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++) {
        if (row[i] > row[best])
            best = i;
    }
    return best;
}

/* One step: finds the most likely character after the |n| tokens at |tokens|. */
static rlx_status next_token(rlx_vm *vm, int64_t *tokens, int64_t n, int64_t *out, rlx_error *err)
{
    const int64_t dims[2] = {1, n};
    rlx_tensor *input = NULL;
    RLX_TRY(rlx_tensor_create(NULL, RLX_I64, 2, dims, &input, err));
    memcpy(rlx_tensor_mutable_data(input), tokens, (size_t)n * sizeof *tokens);
    rlx_value argument = rlx_of_tensor(input), logits = rlx_none();
    rlx_status status = rlx_vm_invoke(vm, RLX_STR("main"), &argument, 1, &logits, err);
    if (status == RLX_OK) {
        const int64_t *shape = rlx_tensor_dims(logits.as.tensor);
        const float *rows = rlx_tensor_data(logits.as.tensor);
        *out = arg_max(rows + (shape[1] - 1) * shape[2], shape[2]);
    }
    rlx_value_release(logits);
    rlx_value_release(argument);
    return status;
}

static int generate(rlx_vm *vm, const char *characters, int n_characters, const char *prompt,
                    int64_t count)
{
    static int64_t tokens[MAX_TEXT];
    rlx_error err = {0};
    int64_t n = 0;
    for (const char *p = prompt; *p && n < WINDOW; p++) {
        const char *at = memchr(characters, *p, (size_t)n_characters);
        if (!at) {
            fprintf(stderr, "generate: the vocabulary has no '%c'\n", *p);
            return 1;
        }
        tokens[n++] = at - characters;
    }
    if (n == 0 || count < 0 || count > MAX_TEXT - n) {
        fprintf(stderr, "generate: empty prompt, or a count out of range\n");
        return 2;
    }
    fputs(prompt, stdout);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int64_t i = 0; i < count; i++, n++) {
        int64_t first = n > WINDOW ? n - WINDOW : 0;
        if (next_token(vm, tokens + first, n - first, &tokens[n], &err) != RLX_OK)
            return fail(&err);
        if (tokens[n] >= n_characters)
            return 1;
        putchar(characters[tokens[n]]);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds =
        (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    fflush(stdout);
    fprintf(stderr, "\n%lld tokens, %.1f tokens/s\n", (long long)count, (double)count / seconds);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: generate MODEL.rlx VOCABULARY.json PROMPT COUNT\n");
        return 2;
    }
    char characters[MAX_VOCABULARY];
    int n_characters = read_vocabulary(argv[2], characters);
    if (n_characters <= 0) {
        fprintf(stderr, "generate: %s: not a vocabulary\n", argv[2]);
        return 1;
    }
    rlx_error err = {0};
    rlx_executable *exe = NULL;
    rlx_vm *vm = NULL;
    const rlx_load_options load = {.trust_native = true}; /* we compiled this file ourselves */
    if (rlx_executable_load_file(argv[1], &load, &exe, &err) != RLX_OK)
        return fail(&err);
    if (rlx_vm_create(exe, NULL, &vm, &err) != RLX_OK) {
        rlx_executable_release(exe);
        return fail(&err);
    }
    int status = generate(vm, characters, n_characters, argv[3], strtoll(argv[4], NULL, 10));
    rlx_vm_destroy(vm);
    rlx_executable_release(exe);
    return status;
}
