/* Fuzz target: any bytes as TVMScript. What parses must be well formed or be diagnosed, and must
 * print to text that parses again to an equal module. Half of the mutations work on words and
 * lines, so that they get past the lexer. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/script/script.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rlxc_context *ctx = rlxc_context_create(NULL);
    if (!ctx)
        return 0;
    char *text = malloc(size + 1); /* the parser keeps pointers into it */
    if (!text)
        abort();
    if (size > 0)
        memcpy(text, data, size);
    rlxc_module *module = rlxc_parse_module(ctx, "fuzz.py", text, size);
    rlxc_render_diagnostics(ctx);
    if (module && rlxc_well_formed(ctx, module, "parse", false)) {
        const char *printed = rlxc_print_module(ctx, module);
        rlxc_module *again =
            printed ? rlxc_parse_module(ctx, "printed.py", printed, strlen(printed)) : NULL;
        const char *why;
        if (printed && !rlxc_out_of_memory(ctx) &&
            (!again || !rlxc_module_equal(ctx, module, again, &why)))
            abort();
    }
    rlxc_context_destroy(ctx);
    free(text);
    return 0;
}

static uint32_t next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static bool is_word(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

/* The word, line or single byte at a random place. */
static void pick(const uint8_t *data, size_t size, bool line, uint32_t *state, size_t *out_begin,
                 size_t *out_end)
{
    size_t begin = next(state) % size, end = begin;
    while (begin > 0 && (line ? data[begin - 1] != '\n' : is_word(data[begin - 1])))
        begin--;
    while (end < size && (line ? data[end] != '\n' : is_word(data[end])))
        end++;
    *out_begin = begin;
    *out_end = end < size && (line || end == begin) ? end + 1 : end;
}

/* Replaces data[begin, end) by |text|, or drops it where the result would be too long. */
static size_t splice(uint8_t *data, size_t size, size_t max_size, size_t begin, size_t end,
                     const void *text, size_t length)
{
    if (size - (end - begin) + length > max_size)
        length = 0;
    memmove(data + begin + length, data + end, size - end);
    if (length > 0)
        memcpy(data + begin, text, length);
    return size - (end - begin) + length;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static const char *const words[] = {"R.add",
                                        "R.call_tir",
                                        "R.match_cast",
                                        "R.Tensor",
                                        "R.Shape",
                                        "R.Tuple",
                                        "R.Prim",
                                        "R.Object",
                                        "R.const",
                                        "R.shape",
                                        "n",
                                        "x",
                                        "cls",
                                        "0",
                                        "-1",
                                        "2",
                                        "1.5",
                                        "True",
                                        "None",
                                        "\"n\"",
                                        "\"float32\"",
                                        "\"int64\"",
                                        "[",
                                        "]",
                                        "(",
                                        ")",
                                        "()",
                                        "[]",
                                        ",",
                                        ":",
                                        "=",
                                        "if c:",
                                        "else:",
                                        "return x",
                                        "T.int64()",
                                        "T.int64",
                                        "T.float32(1)",
                                        "T.Buffer",
                                        "T.handle",
                                        "T.grid",
                                        "T.block",
                                        "T.init()",
                                        "T.Ramp",
                                        "T.Select",
                                        "T.Cast",
                                        "T.exp",
                                        "9223372036854775807",
                                        "with",
                                        "for",
                                        "while",
                                        "in",
                                        "not",
                                        "and",
                                        "//",
                                        "%",
                                        "**",
                                        "<<",
                                        "lambda a:",
                                        "@R.function",
                                        "sinfo_args=",
                                        "out_sinfo=",
                                        "dtype=",
                                        "ndim=",
                                        "axis=",
                                        "metadata"};
    uint32_t state = seed;
    if (size == 0 || next(&state) % 2 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    size_t begin, end, from, to;
    bool line = next(&state) % 3 == 0;
    pick(data, size, line, &state, &begin, &end);
    if (next(&state) % 3 == 0) {
        const char *word = words[next(&state) % (sizeof words / sizeof *words)];
        return splice(data, size, max_size, begin, end, word, strlen(word));
    }
    pick(data, size, line, &state, &from, &to);
    uint8_t copy[512];
    size_t length = to - from < sizeof copy ? to - from : sizeof copy;
    memcpy(copy, data + from, length);
    if (next(&state) % 2 == 0)
        end = begin; /* insert */
    return splice(data, size, max_size, begin, end, copy, length);
}
