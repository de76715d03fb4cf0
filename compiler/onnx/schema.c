/* Nodes against the schemas of their operators: inputs, outputs and attributes of the operator set
 * that the model imports.
 *
 * The rows are data (schema*.def); a schema holds from the operator set where it begins to the next
 * row of its operator. Handlers check values (ranges, ranks) themselves; types.c checks element
 * types.
 */
#include "compiler/onnx/schema.h"

#include <inttypes.h>
#include <string.h>

typedef struct schema {
    const char *name;
    int64_t since;
    const char *inputs, *outputs; /* NULL: the operator was removed */
    const char *attributes;
} schema;

#define RLXC_OX_SCHEMA(name, since, inputs, outputs, attributes) \
    {#name, since, inputs, outputs, attributes},
#define RLXC_OX_REMOVED(name, since) {#name, since, NULL, NULL, NULL},
static const schema standard[] = {
#include "compiler/onnx/schema_standard.def"
};
static const schema microsoft[] = {
#include "compiler/onnx/schema_microsoft.def"
};
static const schema nchwc[] = {
#include "compiler/onnx/schema_layouts.def"
};
static const schema nhwc[] = {
#include "compiler/onnx/schema_channels_last.def"
};
#undef RLXC_OX_SCHEMA
#undef RLXC_OX_REMOVED

static const struct {
    const char *domain;
    const schema *rows;
    size_t n;
} tables[] = {
#define RLXC_OX_DOMAIN(name, newest, rows) {name, rows, sizeof rows / sizeof *rows},
#include "compiler/onnx/domains.def"
};

/* Kinds of attributes, by the letters of the rows. */
static const struct {
    char letter;
    Onnx__AttributeProto__AttributeType type;
    const char *text;
} kinds[] = {
    {'i', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT, "an integer"},
    {'f', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT, "a float"},
    {'s', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING, "a string"},
    {'I', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS, "a list of integers"},
    {'F', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS, "a list of floats"},
    {'S', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS, "a list of strings"},
    {'t', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR, "a tensor"},
    {'g', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH, "a graph"},
    {'p', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__SPARSE_TENSOR, "a sparse tensor"},
    {'y', ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTO, "a type"},
};

enum { N_KINDS = sizeof kinds / sizeof *kinds, NAME_SHOWN = 100, FIRST_IR_WITH_TYPES = 2 };

bool rlxc_ox_is_standard(const char *domain)
{
    return !domain || !*domain || strcmp(domain, "ai.onnx") == 0;
}

int64_t rlxc_ox_version_of(const rlxc_ox_imports *imports, const char *domain)
{
    for (size_t i = 0; i < imports->n; i++) {
        const char *given = imports->sets[i]->domain ? imports->sets[i]->domain : "";
        if (rlxc_ox_is_standard(domain) ? rlxc_ox_is_standard(given) : strcmp(given, domain) == 0)
            return imports->sets[i]->version;
    }
    return 0;
}

/* The newest row of |name| that |version| knows, else the oldest; NULL: there is none. */
static const schema *find(const char *domain, const char *name, int64_t version)
{
    const schema *found = NULL;
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (size_t i = 0; i < tables[t].n && strcmp(tables[t].domain, domain) == 0; i++) {
            const schema *s = &tables[t].rows[i];
            if (strcmp(s->name, name) == 0 && (!found || s->since <= version))
                found = s;
        }
    return found;
}

/* Checks |names| against the slots of a schema; |what| is "input" or "output". */
static void check_places(rlxc_ox *im, const char *places, char *const *names, size_t n,
                         const char *what)
{
    const size_t most = strlen(places);
    const bool open = most > 0 && strchr("+*", places[most - 1]);
    if (n > most && !open) {
        rlxc_ox_report(im, "%zu %ss; the operator has at most %zu", n, what, most);
        return;
    }
    for (size_t i = 0; i < most; i++) {
        const bool given = i < n && (places[i] == '+' || (names[i] && *names[i]));
        if (!given && (places[i] == 'x' || places[i] == '+')) {
            rlxc_ox_report(im, "%s %zu is missing", what, i);
            return;
        }
    }
}

/* Finds a name in |list|, where names end at a space or the end of the text. */
static size_t part(const char *list, const char *separators)
{
    return strcspn(list, separators);
}

/* The description after |name| in |attributes|, or NULL. */
static const char *described(const char *attributes, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = attributes; *at; at += *at == ' ') {
        if (part(at, "!:") == length && memcmp(at, name, length) == 0)
            return at + length;
        at += part(at, " ");
    }
    return NULL;
}

/* The names of |attributes|, or the strings after '=', with commas between them. */
static const char *listed(rlxc_ox *im, const char *from, const char *ends, char separator)
{
    rlxc_text text = {.ctx = im->ctx};
    const char stop[3] = {separator, ' ', '\0'};
    for (const char *at = from; *at;) {
        rlxc_text_puts(&text, text.length && part(at, ends) > 0 ? ", " : "");
        rlxc_text_add(&text, at, part(at, ends));
        at += part(at, stop);
        if (*at != separator)
            break;
        at++;
    }
    return text.length ? rlxc_intern(im->ctx, text.data, text.length) : "none";
}

static const char *kind_text(Onnx__AttributeProto__AttributeType type)
{
    for (size_t k = 0; k < N_KINDS; k++)
        if (kinds[k].type == type)
            return kinds[k].text;
    return "of an unknown kind";
}

/* True if |a| holds a value of another kind than its type. */
static bool holds_other(const Onnx__AttributeProto *a)
{
    const bool held[N_KINDS] = {a->has_i,      a->has_f,        a->has_s,
                                a->n_ints > 0, a->n_floats > 0, a->n_strings > 0,
                                a->t != NULL,  a->g != NULL,    a->sparse_tensor != NULL,
                                false};
    for (size_t k = 0; k < N_KINDS; k++)
        if (held[k] && kinds[k].type != a->type)
            return true;
    return false;
}

/* Checks |a| against |spec|: "!:s=a|b" or ":i". */
static void check_attribute(rlxc_ox *im, const Onnx__AttributeProto *a, const char *spec)
{
    const char letter = spec[*spec == '!' ? 2 : 1];
    const char *choices = spec + (*spec == '!' ? 3 : 2);
    size_t k = 0;
    while (k + 1 < N_KINDS && kinds[k].letter != letter)
        k++;
    if (!a->has_type) {
        if (im->model->ir_version >= FIRST_IR_WITH_TYPES)
            rlxc_ox_report(im, "attribute '%s' declares no type", a->name);
        return;
    }
    if (a->type != kinds[k].type) {
        rlxc_ox_report(im, "attribute '%s' must be %s, is %s", a->name, kinds[k].text,
                       kind_text(a->type));
        return;
    }
    if (a->ref_attr_name && *a->ref_attr_name)
        return; /* its value is that of the function's call, checked there */
    if (holds_other(a)) {
        rlxc_ox_report(im, "attribute '%s' is declared as %s but holds another type", a->name,
                       kinds[k].text);
        return;
    }
    if (*choices != '=')
        return;
    const char *given = a->has_s ? rlxc_intern(im->ctx, (const char *)a->s.data, a->s.len) : "";
    const size_t length = strlen(given);
    for (const char *at = choices + 1;; at++) {
        if (part(at, "| ") == length && memcmp(at, given, length) == 0)
            return;
        at += part(at, "| ");
        if (*at != '|')
            break;
    }
    char text[NAME_SHOWN];
    rlxc_ox_report(im, "attribute '%s' is '%s'; expected one of: %s", a->name,
                   rlx_name_text(rlx_str_from(given), text, sizeof text),
                   listed(im, choices + 1, "| ", '|'));
}

static const Onnx__AttributeProto *given(const Onnx__NodeProto *node, const char *name,
                                         size_t length)
{
    for (size_t i = 0; i < node->n_attribute; i++) {
        const char *has = node->attribute[i]->name;
        if (has && strlen(has) == length && memcmp(has, name, length) == 0)
            return node->attribute[i];
    }
    return NULL;
}

static void check_attributes(rlxc_ox *im, const Onnx__NodeProto *node, const char *attributes)
{
    for (size_t i = 0; i < node->n_attribute; i++) {
        const Onnx__AttributeProto *a = node->attribute[i];
        const char *spec = a->name ? described(attributes, a->name) : NULL;
        if (spec)
            check_attribute(im, a, spec);
        else if (!a->name || strncmp(a->name, "__", 2) != 0) { /* __: a tool's own notes */
            char text[NAME_SHOWN];
            rlxc_ox_report(im, "unknown attribute '%s'; expected one of: %s",
                           rlx_name_text(rlx_str_from(a->name ? a->name : ""), text, sizeof text),
                           listed(im, attributes, "!:", ' '));
        }
    }
    for (const char *at = attributes; *at; at += *at == ' ') {
        const size_t length = part(at, "!:");
        if (at[length] == '!' && !given(node, at, length))
            rlxc_ox_report(im, "attribute '%.*s' is missing", (int)length, at);
        at += part(at, " ");
    }
}

void rlxc_ox_check_node(rlxc_ox *im, const Onnx__NodeProto *node, const rlxc_ox_imports *imports)
{
    const char *domain = node->domain ? node->domain : "";
    int64_t version = rlxc_ox_version_of(imports, domain);
    if (version < 1 && !rlxc_ox_is_standard(domain))
        version = INT64_MAX; /* ONNX Runtime takes its own domains as imported */
    const schema *s = find(domain, node->op_type ? node->op_type : "", version);
    if (!s || version < 1)
        return;
    im->node = node;
    if (s->since > version)
        rlxc_ox_report(im, "the operator needs opset %" PRId64 ", the model imports %" PRId64,
                       s->since, version);
    else if (!s->inputs)
        rlxc_ox_report(
            im, "the operator exists only up to opset %" PRId64 ", the model imports %" PRId64,
            s->since - 1, version);
    else {
        check_places(im, s->inputs, node->input, node->n_input, "input");
        check_places(im, s->outputs, node->output, node->n_output, "output");
        check_attributes(im, node, s->attributes);
    }
}
