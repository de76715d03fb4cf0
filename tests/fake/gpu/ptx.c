/* Translates PTX to C, line by line: an instruction is a call of the function of ops.h that has its
 * name. All state spaces are memory of the host. What the translator does not know becomes C that
 * does not compile, so that it shows. */
#include "tests/fake/gpu/ptx.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ARGS = 24, MAX_KERNELS = 4096, MAX_PARAMS = 512, NAME = 256 };

typedef struct kernel {
    char name[NAME];
    uint32_t param_bytes;
    bool meets;
} kernel;

typedef struct translator {
    FILE *out;
    kernel kernels[MAX_KERNELS];
    uint32_t n_kernels, n_params, param_at[MAX_PARAMS];
    char param[MAX_PARAMS][NAME];
    char local[NAME]; /* a register of a block in braces; "": none */
    bool in_body;
} translator;

/* --- operands ----------------------------------------------------------------------------------
 */

/* A name as a C identifier. */
static void put_name(FILE *f, const char *s, size_t n)
{
    fputs("v_", f);
    for (size_t i = 0; i < n; i++)
        if (isalnum((unsigned char)s[i]) || s[i] == '_')
            fputc(s[i], f);
        else
            fprintf(f, "_%02x", (unsigned char)s[i]);
}

static size_t name_length(const char *s)
{
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || strchr("_$%.", s[n] ? s[n] : ' '))
        n++;
    return n;
}

static bool put_special(FILE *f, const char *s)
{
    static const char *const rows[][2] = {
        {"%tid", "t->tid"}, {"%ntid", "t->ntid"}, {"%ctaid", "t->ctaid"}, {"%nctaid", "t->nctaid"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = strlen(rows[i][0]);
        if (strncmp(s, rows[i][0], n) == 0 && s[n] == '.') {
            fprintf(f, "%s[%d]", rows[i][1], s[n + 1] - 'x');
            return true;
        }
    }
    if (strcmp(s, "%laneid") == 0)
        fputs("t->laneid", f);
    return strcmp(s, "%laneid") == 0;
}

static void put_operand(translator *t, const char *s)
{
    FILE *f = t->out;
    if (put_special(f, s))
        return;
    if (s[0] == '0' && (s[1] == 'f' || s[1] == 'd')) {
        fprintf(f, "0x%sull", s + 2);
    } else if (isdigit((unsigned char)s[0]) || s[0] == '-') {
        fprintf(f, "(R)(%sll)", s);
    } else if (s[0] == '%' || strcmp(s, t->local) == 0) {
        put_name(f, s, strlen(s));
    } else { /* the address of a variable */
        fputs("(R)(uintptr_t)", f);
        put_name(f, s, strlen(s));
    }
}

/* "[name+8]" */
static void put_address(translator *t, const char *s)
{
    char base[NAME];
    size_t n = name_length(s + 1);
    snprintf(base, sizeof base, "%.*s", (int)n, s + 1);
    const char *rest = s + 1 + n;
    for (uint32_t i = 0; i < t->n_params; i++)
        if (strcmp(t->param[i], base) == 0) {
            fprintf(t->out, "(R)(uintptr_t)(param + %u)", t->param_at[i]);
            base[0] = '\0';
        }
    if (base[0])
        put_operand(t, base);
    if (*rest == '+')
        fprintf(t->out, " + (R)(%.*sll)", (int)strcspn(rest + 1, "]"), rest + 1);
}

/* Splits "a, {b, c}, [d]" at the commas outside of braces; returns how many there are. */
static int split(char *s, char **args)
{
    int n = 0, depth = 0;
    while (*s && n < MAX_ARGS) {
        while (isspace((unsigned char)*s))
            s++;
        args[n++] = s;
        for (; *s && (depth > 0 || *s != ','); s++)
            depth += *s == '{' ? 1 : *s == '}' ? -1 : 0;
        char *end = s;
        if (*s)
            s++;
        while (end > args[n - 1] && isspace((unsigned char)end[-1]))
            end--;
        *end = '\0';
    }
    return n;
}

/* The elements of "{a, b}"; |s| itself if it is no list. */
static int elements(char *s, char **args)
{
    if (*s != '{') {
        args[0] = s;
        return 1;
    }
    s[strlen(s) - 1] = '\0';
    return split(s + 1, args);
}

/* --- instructions ------------------------------------------------------------------------------
 */

static void assign(translator *t, const char *to)
{
    if (strcmp(to, "_") != 0) {
        put_operand(t, to);
        fputs(" = ", t->out);
    }
}

static unsigned bytes_of_type(const char *type)
{
    return (unsigned)atoi(type + 1 + (type[0] == 'p')) / 8;
}

static void memory(translator *t, const char *type, bool is_load, char **args)
{
    char *items[MAX_ARGS];
    char *value = is_load ? args[0] : args[1], *at = is_load ? args[1] : args[0];
    int n = elements(value, items);
    for (int i = 0; i < n; i++) {
        if (is_load)
            assign(t, items[i]);
        fprintf(t->out, "%s_%s(", is_load ? "load" : "store", type);
        put_address(t, at);
        fprintf(t->out, " + %u", (unsigned)i * bytes_of_type(type));
        if (!is_load) {
            fputs(", ", t->out);
            put_operand(t, items[i]);
        }
        fputs("); ", t->out);
    }
}

/* Packs into and unpacks from a register. A vector loaded at once goes through memory first. */
static void move_vector(translator *t, const char *type, char **args)
{
    char *items[MAX_ARGS];
    const unsigned bits = bytes_of_type(type) * 8;
    const bool unpacks = args[0][0] == '{';
    int n = elements(unpacks ? args[0] : args[1], items);
    if (unpacks) {
        fputs("{ R whole = ", t->out);
        put_operand(t, args[1]);
        fputs("; ", t->out);
        for (int i = 0; i < n; i++) {
            assign(t, items[i]);
            fprintf(t->out, "whole >> %u & 0x%llxull; ", bits / (unsigned)n * (unsigned)i,
                    (1ull << bits / (unsigned)n) - 1);
        }
        fputs("}", t->out);
        return;
    }
    assign(t, args[0]);
    for (int i = 0; i < n; i++) {
        fprintf(t->out, "%s((", i ? " | " : "");
        put_operand(t, items[i]);
        fprintf(t->out, ") & 0x%llxull) << %u", (1ull << bits / (unsigned)n) - 1,
                bits / (unsigned)n * (unsigned)i);
    }
}

static void shuffle(translator *t, const char *op, char **args)
{
    char *bar = strchr(args[0], '|');
    if (bar)
        *bar = '\0';
    assign(t, args[0]);
    fprintf(t->out, "shuffle(t, '%c'", op[10]); /* shfl.sync.idx.b32 */
    for (int i = 1; i < 5; i++) {
        fputs(", ", t->out);
        put_operand(t, args[i]);
    }
    fputs(")", t->out);
}

static void matrix(translator *t, const char *op, char **args, int n)
{
    char *items[4][MAX_ARGS];
    int counts[4], total = 0;
    for (int i = 0; i < n && i < 4; i++)
        counts[i] = elements(args[i], items[i]);
    fputs("{ uint32_t in[] = {", t->out);
    for (int i = 1; i < 4; i++)
        for (int k = 0; k < counts[i]; k++, total++) {
            fputs("(uint32_t)", t->out);
            put_operand(t, items[i][k]);
            fputs(", ", t->out);
        }
    fprintf(t->out, "}; const uint32_t *all = t->gather(t, in, %d); uint32_t d[8]; ", total);
    for (const char *c = op; *c; c++)
        fputc(*c == '.' ? '_' : *c, t->out);
    fputs("(t->laneid, all, d); ", t->out);
    for (int k = 0; k < counts[0]; k++) {
        assign(t, items[0][k]);
        fprintf(t->out, "d[%d]; ", k);
    }
    fputs("}", t->out);
}

/* The name of the function for an instruction: without what does not matter to one thread. */
static void put_op(translator *t, const char *op)
{
    static const char *const dropped[] = {".uni", ".sync", ".aligned", ".approx", ".full", ".relu"};
    for (size_t i = 0; op[i];) {
        size_t k = 0;
        while (k < 3 && (strncmp(op + i, dropped[k], strlen(dropped[k])) != 0))
            k++;
        if (k < 3) {
            i += strlen(dropped[k]);
            continue;
        }
        fputc(op[i] == '.' ? '_' : op[i], t->out);
        i++;
    }
}

static void plain(translator *t, const char *op, char **args, int n)
{
    assign(t, args[0]);
    put_op(t, op);
    fputc('(', t->out);
    for (int i = 1; i < n; i++) {
        if (i > 1)
            fputs(", ", t->out);
        put_operand(t, args[i]);
    }
    fputc(')', t->out);
}

static bool begins(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

static void async_copy(translator *t, const char *op, char **args, int n)
{
    if (begins(op, "cp.async.commit_group")) {
        fputs("t->commit(t)", t->out);
    } else if (begins(op, "cp.async.wait_group")) {
        fprintf(t->out, "t->wait(t, %s)", args[0]);
    } else {
        fputs("t->copy(t, ", t->out);
        put_address(t, args[0]);
        fputs(", ", t->out);
        put_address(t, args[1]);
        fprintf(t->out, ", %s, (uint32_t)", args[2]);
        put_operand(t, args[n - 1]);
        fputc(')', t->out);
    }
}

static void instruction(translator *t, char *line)
{
    FILE *f = t->out;
    char *args[MAX_ARGS];
    kernel *own = &t->kernels[t->n_kernels - 1];
    if (*line == '@') {
        bool negated = line[1] == '!';
        char *end = line + strcspn(line, " \t");
        *end = '\0';
        fprintf(f, "if (%s", negated ? "!" : "");
        put_operand(t, line + 1 + negated);
        fputs(") { ", f);
        for (line = end + 1; isspace((unsigned char)*line);)
            line++;
        instruction(t, line);
        fputs(" }\n", f);
        return;
    }
    line[strcspn(line, ";")] = '\0';
    char *op = line, *rest = line + strcspn(line, " \t");
    if (*rest)
        *rest++ = '\0';
    int n = split(rest, args);
    const char *type = strrchr(op, '.');
    type = type ? type + 1 : op;
    if (begins(op, "bra")) {
        fputs("goto ", f);
        put_name(f, args[0], strlen(args[0]));
    } else if (strcmp(op, "ret") == 0 || strcmp(op, "exit") == 0) {
        fputs("return", f);
    } else if (strcmp(op, "trap") == 0) {
        fputs("{ t->trap(t); return; }", f);
    } else if (begins(op, "bar.sync") || begins(op, "barrier.sync") ||
               begins(op, "bar.warp.sync")) {
        own->meets = true;
        fputs(begins(op, "bar.warp") ? "t->exchange(t, ~0u, 0, t->laneid)" : "t->barrier(t)", f);
    } else if (begins(op, "shfl.sync")) {
        own->meets = true;
        shuffle(t, op, args);
    } else if (begins(op, "cp.async.")) {
        async_copy(t, op, args, n);
    } else if (begins(op, "mma.sync")) {
        own->meets = true;
        matrix(t, op, args, n);
    } else if (begins(op, "ld.") || begins(op, "st.")) {
        memory(t, type, *op == 'l', args);
    } else if (begins(op, "cvta.")) {
        assign(t, args[0]);
        put_operand(t, args[1]);
    } else if (begins(op, "mov.") && (args[0][0] == '{' || args[1][0] == '{')) {
        move_vector(t, type, args);
    } else {
        plain(t, op, args, n);
    }
    fputs(";\n", f);
}

/* --- declarations ------------------------------------------------------------------------------
 */

/* .reg .b32 %r<5>; */
static void registers(translator *t, const char *line)
{
    const char *name = strchr(line, '%'), *count = name ? strchr(name, '<') : NULL;
    int n = count ? atoi(count + 1) : 0;
    if (!name)
        return;
    for (int i = 0; i < n; i++) {
        fputs("R ", t->out);
        put_name(t->out, name, (size_t)(count - name));
        fprintf(t->out, "%d = 0; ", i);
    }
    if (!count) { /* .reg .b64 %SP; */
        fputs("R ", t->out);
        put_name(t->out, name, name_length(name));
        fputs(" = 0;", t->out);
    }
    fputs("\n", t->out);
}

/* .shared .align 128 .b8 s[1024]; or with = {1, 2, 3}; .local in a function. */
static void variable(translator *t, const char *line)
{
    const char *align = strstr(line, ".align "), *bracket = strchr(line, '[');
    const char *type = strstr(line, ".b"), *first = bracket ? bracket : line + strcspn(line, ";=");
    const bool shared = strstr(line, ".shared") != NULL, sized = strstr(line, ".extern") != NULL;
    while (first > line && isspace((unsigned char)first[-1]))
        first--;
    const char *end = first;
    while (first > line && !isspace((unsigned char)first[-1]))
        first--;
    unsigned item = type ? (unsigned)atoi(type + 2) / 8 : 1;
    while (type && item == 0) { /* ".b" of a name */
        type = strstr(type + 2, ".b");
        item = type ? (unsigned)atoi(type + 2) / 8 : 1;
    }
    if (sized) {
        fputs("#define ", t->out);
        put_name(t->out, first, (size_t)(end - first));
        fputs(" t->shared\n", t->out);
        return;
    }
    fprintf(t->out, "%s uint%u_t ", t->in_body && !shared ? "" : "static", item * 8);
    put_name(t->out, first, (size_t)(end - first));
    fprintf(t->out, "[%d] __attribute__((aligned(%d)))", bracket ? atoi(bracket + 1) : 1,
            align ? atoi(align + 7) : 16);
    const char *values = strchr(line, '=');
    fprintf(t->out, " %s\n", values ? values : ";");
}

static void begin_kernel(translator *t, const char *line)
{
    const char *name = strstr(line, ".entry ") + 7;
    kernel *k = &t->kernels[t->n_kernels++];
    *k = (kernel){0};
    snprintf(k->name, sizeof k->name, "%.*s", (int)name_length(name), name);
    t->n_params = 0;
}

/* .param .u64 .ptr .global .align 1 name, */
static void parameter(translator *t, const char *line)
{
    kernel *k = &t->kernels[t->n_kernels - 1];
    unsigned size = bytes_of_type(strchr(line, '.') + 8);
    const char *end = line + strlen(line);
    while (end > line && (isspace((unsigned char)end[-1]) || end[-1] == ',' || end[-1] == ')'))
        end--;
    const char *name = end;
    while (name > line && !isspace((unsigned char)name[-1]))
        name--;
    k->param_bytes = (k->param_bytes + size - 1) / size * size;
    t->param_at[t->n_params] = k->param_bytes;
    snprintf(t->param[t->n_params++], NAME, "%.*s", (int)(end - name), name);
    k->param_bytes += size;
}

/* "{ .reg .b32 tmp; mov.b64 {%r1, tmp}, %rd1; }" on one line. */
static void block(translator *t, char *line)
{
    fputs("{ ", t->out);
    for (char *end; (end = strchr(line, ';')); line = end + 1) {
        *end = '\0';
        while (isspace((unsigned char)*line))
            line++;
        if (begins(line, ".reg")) {
            snprintf(t->local, sizeof t->local, "%s", strrchr(line, ' ') + 1);
            fputs("R ", t->out);
            put_name(t->out, t->local, strlen(t->local));
            fputs("; ", t->out);
        } else {
            instruction(t, line);
        }
    }
    t->local[0] = '\0';
    fputs("}\n", t->out);
}

static void statement(translator *t, char *line)
{
    while (isspace((unsigned char)*line))
        line++;
    char *comment = strstr(line, "//");
    if (comment)
        *comment = '\0';
    size_t n = name_length(line);
    if (*line == '\0' || begins(line, ".version") || begins(line, ".target") ||
        begins(line, ".address_size") || begins(line, ".maxntid") || begins(line, ".reqntid") ||
        begins(line, ".minnctapersm") || begins(line, ".pragma") || *line == ')')
        return;
    if (strstr(line, ".entry ")) {
        begin_kernel(t, line);
    } else if (begins(line, ".param")) {
        parameter(t, line);
    } else if (*line == '{' && !t->in_body) {
        t->in_body = true;
        fputs("static void ", t->out);
        put_name(t->out, t->kernels[t->n_kernels - 1].name,
                 strlen(t->kernels[t->n_kernels - 1].name));
        fputs("(const unsigned char *param, gpu_thread *t)\n{\n(void)param, (void)t;\n", t->out);
    } else if (*line == '{') {
        block(t, line + 1);
    } else if (*line == '}' && t->in_body) {
        t->in_body = false;
        fputs(";\n}\n", t->out);
    } else if (begins(line, ".reg")) {
        registers(t, line);
    } else if (*line == '.') {
        variable(t, line);
    } else if (line[n] == ':') {
        put_name(t->out, line, n);
        fputs(":;\n", t->out);
    } else {
        instruction(t, line);
    }
}

static bool translate(const char *text, FILE *out)
{
    translator *t = calloc(1, sizeof *t);
    char *copy = strdup(text), *save = NULL;
    if (!t || !copy) {
        free(t);
        free(copy);
        return false;
    }
    t->out = out;
    fputs("#include \"tests/fake/gpu/ops.h\"\n", out);
    for (char *line = strtok_r(copy, "\n", &save); line && t->n_kernels < MAX_KERNELS;
         line = strtok_r(NULL, "\n", &save)) {
        /* an instruction on several lines */
        while (t->in_body && strstr(line, "mma.sync") && !strchr(line, ';') && save && *save) {
            char *next = strtok_r(NULL, "\n", &save);
            memmove(line + strlen(line) + 1, next, strlen(next) + 1);
            line[strlen(line)] = ' ';
        }
        statement(t, line);
    }
    fputs("__attribute__((visibility(\"default\"))) const gpu_row gpu_table[] = {\n", out);
    for (uint32_t i = 0; i < t->n_kernels; i++) {
        fprintf(out, "{\"%s\", ", t->kernels[i].name);
        put_name(out, t->kernels[i].name, strlen(t->kernels[i].name));
        fprintf(out, ", %u, %d},\n", t->kernels[i].param_bytes, t->kernels[i].meets);
    }
    fputs("{0, 0, 0, 0}};\n", out);
    free(t);
    free(copy);
    return true;
}

/* Why a command failed: its status, and the first line of what it said. */
static void explain(int status, const char *source, const char *said, char *log, size_t size)
{
    char line[200] = "";
    FILE *f = fopen(said, "r");
    if (f && !fgets(line, sizeof line, f))
        line[0] = '\0';
    if (f)
        fclose(f);
    line[strcspn(line, "\n")] = '\0';
    snprintf(log, size, "%s does not compile: status %#x: %s", source, (unsigned)status, line);
}

void *gpu_load(const char *text, const gpu_row **out, char *log, size_t size)
{
    char folder[] = "/tmp/rlx-ptx-XXXXXX", source[64], object[64], said[64], command[400];
    *out = NULL;
    if (!mkdtemp(folder)) {
        snprintf(log, size, "%s: %s", folder, strerror(errno));
        return NULL;
    }
    snprintf(source, sizeof source, "%s/m.c", folder);
    snprintf(object, sizeof object, "%s/m.so", folder);
    snprintf(said, sizeof said, "%s/log", folder);
    snprintf(command, sizeof command,
             "cc -w -Werror=implicit-function-declaration -O1 -ffp-contract=off "
             "-fno-strict-aliasing -shared -fPIC -I" FAKE_ROOT " -o %s %s -lm 2>%s",
             object, source, said);
    FILE *f = fopen(source, "w");
    void *handle = NULL;
    bool fine = f && translate(text, f);
    fine = f && fclose(f) == 0 && fine;
    const int status = fine ? system(command) : -1;
    if (status == 0)
        handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    *out = handle ? dlsym(handle, "gpu_table") : NULL;
    if (status == 0 && !handle)
        snprintf(log, size, "%s: %s", object, dlerror());
    else if (!handle)
        explain(status, source, said, log, size);
    if (!handle)
        return NULL; /* the folder stays, to look at */
    unlink(source);
    unlink(object);
    unlink(said);
    rmdir(folder);
    return handle;
}
