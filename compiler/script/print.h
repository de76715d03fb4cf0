/* Shared by the files of the printer: the state, names, literals, expressions, struct info.
 *
 * Output is collected in arena text. Each variable or buffer gets one name, unique among the names
 * in scope; a scope releases its names when it ends, so that sibling loops may both use `i`.
 * Nothing depends on addresses: names depend on hints and on the order of printing.
 */
#ifndef RLXC_SCRIPT_PRINT_H
#define RLXC_SCRIPT_PRINT_H

#include "compiler/script/script.h"

typedef struct rlxc_printer {
    rlxc_context *ctx;
    rlxc_text out;
    int indent;
    bool relax;      /* bare integers are int64 (graph level), else int32 (TIR) */
    bool quote_dims; /* signature of an outermost function: symbolic dims are strings */
    bool hints_only; /* fragments for messages: names are the plain hints */
    bool overflow;   /* an expression was too large to print: reported once */
    uint32_t nodes;  /* nodes printed of the current expression (a DAG may be exponential) */

    rlxc_map names;    /* variable or buffer -> its printed name */
    rlxc_map taken;    /* interned name -> anything, while in scope */
    rlxc_map counters; /* interned hint -> last number tried (there may be many `lv`) */
    RLXC_VEC(const char *) in_scope;

    rlxc_map loops;          /* loop variable -> its statement, for T.axis.remap */
    rlxc_map constant_index; /* constant -> 1 + index in the metadata block */
    RLXC_VEC(const rlxc_constant *) constants;
    const rlxc_kept *kept; /* constants whose bytes an earlier text has; NULL: none */
    uint8_t *used;         /* by variable id of the current outermost function */
    uint32_t n_used;       /* its length */
    const char *cls_name;  /* name of the module's class */
} rlxc_printer;

enum rlxc_print_precedence { /* Python's, lowest first */
                             RLXC_PREC_ANY,
                             RLXC_PREC_OR,
                             RLXC_PREC_AND,
                             RLXC_PREC_NOT,
                             RLXC_PREC_COMPARE,
                             RLXC_PREC_ADD,
                             RLXC_PREC_MUL,
                             RLXC_PREC_UNARY,
                             RLXC_PREC_ATOM
};

/* --- print_names.c */

void rlxc_printer_init(rlxc_printer *p, rlxc_context *ctx);
/* The name of |entity|; a new one made from |hint| at its first use. */
const char *rlxc_print_name(rlxc_printer *p, const void *entity, const char *hint);
/* Releases all names at the start of a top-level function. */
void rlxc_print_reset_names(rlxc_printer *p);
uint32_t rlxc_print_scope_begin(const rlxc_printer *p);
void rlxc_print_scope_end(rlxc_printer *p, uint32_t mark);

/* --- print_expr.c */

void rlxc_print_line(rlxc_printer *p); /* the indentation of a new line */
/* Shortest decimal text that reads back as |value|, Python's spelling, whatever the locale;
 * non-finite values as inf, -inf, nan. Returns |buffer|. */
enum { RLXC_FLOAT_TEXT = 40 };
const char *rlxc_float_text(double value, char buffer[RLXC_FLOAT_TEXT]);
void rlxc_print_quoted(rlxc_printer *p, const char *text);
void rlxc_print_expression(rlxc_printer *p, const rlxc_expr *e);
/* As above with parentheses if its precedence is below |precedence|. */
void rlxc_print_operand(rlxc_printer *p, const rlxc_expr *e, enum rlxc_print_precedence precedence);
/* "(a, b)", "(a,)", "()". */
void rlxc_print_dims(rlxc_printer *p, const rlxc_expr *const *dims, uint32_t n);
/* An index map as "lambda i, j: (j, i)". */
void rlxc_print_index_map(rlxc_printer *p, const rlxc_expr *map);
void rlxc_print_attr(rlxc_printer *p, const rlxc_attr *attr);
void rlxc_print_attr_dict(rlxc_printer *p, const rlxc_attrs *attrs);
const char *rlxc_print_buffer_name(rlxc_printer *p, const rlxc_buffer *buffer);

/* --- print_sinfo.c */

void rlxc_print_sinfo(rlxc_printer *p, const rlxc_sinfo *s);

/* --- print_stmt.c, print_tir.c */

bool rlxc_is_default_scope(const char *scope);
/* Prints the shape, then non-default fields, then ")". |data| (may be NULL): the text of the
 * pointer. */
void rlxc_print_buffer_args(rlxc_printer *p, const rlxc_buffer *b, const char *data);
/* Names the buffer; its pointer becomes "x.data" if it has no name yet. */
const char *rlxc_print_define_buffer(rlxc_printer *p, const rlxc_buffer *b);
void rlxc_print_statement(rlxc_printer *p, const rlxc_stmt *s);
/* Prints the body below the `with T.block` line of |s|, at the current indentation. */
void rlxc_print_block_body(rlxc_printer *p, const rlxc_stmt *s);
void rlxc_print_prim(rlxc_printer *p, const rlxc_prim_func *f);

/* --- print_relax.c, print_metadata.c */

void rlxc_print_relax(rlxc_printer *p, const rlxc_function *f);
/* R.const(1.5, "float32") for a finite unnamed scalar, else a reference to the metadata block. */
void rlxc_print_constant(rlxc_printer *p, const rlxc_constant *constant);
/* The one element of |constant| as a Python literal: True, -3, 1.5, float("inf"). */
enum { RLXC_SCALAR_TEXT = 56 };
const char *rlxc_scalar_text(const rlxc_constant *constant, char buffer[RLXC_SCALAR_TEXT]);
/* The metadata block for the constants collected so far; empty if there are none. */
void rlxc_print_metadata(rlxc_printer *p, rlxc_text *out);
/* Later texts have numbers for these constants. */
void rlxc_keep_constants(const rlxc_printer *p, rlxc_kept *kept);

#endif
