/* The runtime half of the tally: reads the programs of a section and runs them. A section is bytes
   of a file, so everything in a program is checked when it is loaded, and running it needs no
   checks. Build:
   cc -shared -fPIC tally_runtime.c -o tally_runtime.so $(pkg-config --cflags rlx)
   rlx run model.rlx --plugin ./tally_runtime.so */
#include "tally.h"

#include <rlx/rlx.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOAD, FILL, STORE, FIRST, WORD = 16 };

typedef float row[TALLY_LANES];

#define DEFINE(name, op, pattern, reads, value)               \
    static void run_##name(row out, const row x, const row y) \
    {                                                         \
        for (int i = 0; i < TALLY_LANES; i++) {               \
            const float a = x[i], b = y[i];                   \
            (void)b;                                          \
            out[i] = value;                                   \
        }                                                     \
    }
TALLY_INSTRUCTIONS(DEFINE)
#undef DEFINE

static const struct {
    const char *name;
    int reads;
    void (*run)(row out, const row x, const row y);
} table[] = {
#define ROW(name, op, pattern, reads, value) {#name, reads, run_##name},
    TALLY_INSTRUCTIONS(ROW)
#undef ROW
};
enum { N_TABLE = sizeof table / sizeof *table };

typedef struct instruction {
    int code;        /* LOAD, FILL, STORE; FIRST and more: a row of the table */
    int row;         /* that it writes; of STORE: that it reads */
    int reads[2];    /* rows; of LOAD and STORE the tensor */
    uint32_t number; /* the bits of a float */
} instruction;

typedef struct program {
    char symbol[TALLY_SYMBOL + 1];
    int operands, results, n;
    instruction *code;
    struct program *next;
} program;

/* --- loading -----------------------------------------------------------------------------------
 */

static void unload(void *user, void *section)
{
    (void)user;
    for (program *p = section, *next; p != NULL; p = next) {
        next = p->next;
        free(p->code);
        free(p);
    }
}

static bool below(int value, int limit)
{
    return value >= 0 && value < limit;
}

static bool known_row(const bool *known, int at)
{
    return below(at, TALLY_ROWS) && known[at];
}

/* Rows are written before they are read: |known| are those that hold something. */
static bool read_instruction(const program *p, const char *line, bool *known, instruction *out)
{
    char word[WORD];
    int a = -1, b = -1, c = -1;
    *out = (instruction){.code = -1};
    if (sscanf(line, "fill %d %x", &a, &out->number) == 2) {
        out->code = FILL;
    } else if (sscanf(line, "load %d %d", &a, &b) == 2 && below(b, p->operands)) {
        out->code = LOAD;
    } else if (sscanf(line, "store %d %d", &b, &a) == 2 && below(b, p->results) &&
               known_row(known, a)) {
        out->code = STORE;
    } else {
        const int n = sscanf(line, "%15s %d %d %d", word, &a, &b, &c);
        for (int i = 0; i < N_TABLE; i++)
            if (n == 2 + table[i].reads && strcmp(table[i].name, word) == 0 &&
                known_row(known, b) && (table[i].reads == 1 || known_row(known, c)))
                out->code = FIRST + i;
    }
    out->row = a;
    out->reads[0] = b;
    out->reads[1] = c;
    if (out->code < 0 || !below(a, TALLY_ROWS))
        return false;
    known[a] = true;
    return true;
}

/* The lines up to "end"; where the next program begins, or NULL. */
static char *read_code(program *p, char *text)
{
    bool known[TALLY_ROWS] = {false}, stored[TALLY_TENSORS] = {false};
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = 0;
        if (strcmp(line, "end") == 0) {
            for (int i = 0; i < p->results; i++)
                if (!stored[i])
                    return NULL;
            return end + 1;
        }
        instruction *code = realloc(p->code, (size_t)(p->n + 1) * sizeof *code);
        if (code == NULL)
            return NULL;
        p->code = code;
        if (!read_instruction(p, line, known, &code[p->n]))
            return NULL;
        if (code[p->n].code == STORE)
            stored[code[p->n].reads[0]] = true;
        p->n++;
    }
    return NULL;
}

/* The program at |*text|, which moves past it; NULL if it is malformed. */
static program *read_program(char **text)
{
    program *p = calloc(1, sizeof *p);
    int length = 0;
    if (p != NULL &&
        sscanf(*text, "program %127s %d %d\n%n", p->symbol, &p->operands, &p->results, &length) ==
            3 &&
        length > 0 && below(p->operands - 1, TALLY_TENSORS) &&
        below(p->results - 1, TALLY_TENSORS) && (*text = read_code(p, *text + length)) != NULL)
        return p;
    unload(NULL, p);
    return NULL;
}

static rlx_status load(void *user, const rlx_code_image *image, void **out, rlx_error *err)
{
    program *first = NULL;
    char *text = calloc(1, image->size + 1);
    (void)user;
    if (text == NULL)
        return rlx_fail(err, RLX_E_NOMEM, "tally: out of memory");
    memcpy(text, image->data, image->size);
    char *at = text;
    while (*at != 0) {
        program *p = read_program(&at);
        if (p == NULL)
            break;
        p->next = first;
        first = p;
    }
    const bool ok = at == text + image->size;
    free(text);
    *out = first;
    if (ok)
        return RLX_OK;
    unload(NULL, first);
    return rlx_fail(err, RLX_E_INVALID_MODULE, "tally: the section is damaged");
}

/* --- running -----------------------------------------------------------------------------------
 */

/* Elements |at| to |at| + |n| of all tensors: operands and, behind them, results. */
static void run_tile(const program *p, const rlx_value *tensors, size_t at, size_t n)
{
    row rows[TALLY_ROWS];
    for (int i = 0; i < p->n; i++) {
        const instruction *s = &p->code[i];
        if (s->code == LOAD) {
            const float *from = rlx_tensor_data(tensors[s->reads[0]].as.tensor);
            memset(rows[s->row], 0, sizeof(row));
            memcpy(rows[s->row], from + at, n * sizeof(float));
        } else if (s->code == FILL) {
            for (int k = 0; k < TALLY_LANES; k++)
                memcpy(&rows[s->row][k], &s->number, sizeof s->number);
        } else if (s->code == STORE) {
            float *to = rlx_tensor_mutable_data(tensors[p->operands + s->reads[0]].as.tensor);
            memcpy(to + at, rows[s->row], n * sizeof(float));
        } else {
            const int b = table[s->code - FIRST].reads == 2 ? s->reads[1] : s->reads[0];
            table[s->code - FIRST].run(rows[s->row], rows[s->reads[0]], rows[b]);
        }
    }
}

static rlx_status run(rlx_call_context *cc, const rlx_value *args, uint32_t n_args, rlx_value *out,
                      rlx_error *err)
{
    const program *p = rlx_call_user(cc);
    if (n_args != (uint32_t)(p->operands + p->results))
        return rlx_fail(err, RLX_E_INVALID_ARG, "tally: %s has %d operands and %d results",
                        p->symbol, p->operands, p->results);
    for (uint32_t i = 0; i < n_args; i++)
        if (args[i].kind != RLX_KIND_TENSOR ||
            !rlx_dtype_eq(rlx_tensor_dtype(args[i].as.tensor), RLX_F32) ||
            rlx_tensor_numel(args[i].as.tensor) != rlx_tensor_numel(args[0].as.tensor) ||
            rlx_tensor_data(args[i].as.tensor) == NULL)
            return rlx_fail(err, RLX_E_INVALID_ARG,
                            "tally: %s needs tensors of float32 of one size, of the host",
                            p->symbol);
    const size_t n = (size_t)rlx_tensor_numel(args[0].as.tensor);
    for (size_t at = 0; at < n; at += TALLY_LANES)
        run_tile(p, args, at, n - at < TALLY_LANES ? n - at : TALLY_LANES);
    *out = rlx_none();
    return RLX_OK;
}

static rlx_packed_fn find(void *user, void *section, rlx_str symbol, void **out_user)
{
    (void)user;
    for (program *p = section; p != NULL; p = p->next) {
        if (!rlx_str_eq(symbol, rlx_str_from(p->symbol)))
            continue;
        *out_user = p;
        return run;
    }
    return NULL;
}

RLX_API rlx_status rlx_plugin_runtime(rlx_registry *r, rlx_error *err)
{
    const rlx_section_api tally = {
        .size = sizeof tally, .kind = "tally", .load = load, .find = find, .unload = unload};
    return rlx_registry_add_section(r, &tally, NULL, err);
}
