/* Prints struct info: R.Tensor((n, 4), dtype="float32"), R.Shape(ndim=2), R.Tuple(...) ...
 *
 * In the signature of an outermost function a dimension that has symbols is a string, because the
 * symbols are declared only in its body. */
#include "compiler/script/print.h"

static void print_dim(rlxc_printer *p, const rlxc_expr *dim)
{
    if (!p->quote_dims || dim->kind == RLXC_EXPR_INT) {
        rlxc_print_expression(p, dim);
        return;
    }
    rlxc_text whole = p->out; /* casts contain quotes, so the text is escaped as a string */
    p->out = (rlxc_text){.ctx = p->ctx};
    rlxc_print_expression(p, dim);
    const char *text = p->out.data != NULL ? p->out.data : "";
    p->out = whole;
    rlxc_print_quoted(p, text);
}

static void print_dim_list(rlxc_printer *p, const rlxc_sinfo *s, const char *open,
                           const char *close)
{
    rlxc_text_puts(&p->out, open);
    for (int32_t i = 0; i < s->ndim; i++) {
        if (i > 0)
            rlxc_text_puts(&p->out, ", ");
        print_dim(p, s->dims[i]);
    }
    rlxc_text_puts(&p->out, close);
}

static void print_tensor(rlxc_printer *p, const rlxc_sinfo *s)
{
    rlxc_text *out = &p->out;
    bool typed = !rlxc_dtype_is_void(s->dtype);
    rlxc_text_puts(out, "R.Tensor");
    if (s->ndim == RLXC_UNKNOWN_NDIM && !typed && s->vdevice == NULL)
        return;
    const char *separator = "(";
    if (s->ndim != RLXC_UNKNOWN_NDIM && s->dims != NULL) {
        print_dim_list(p, s, "((", s->ndim == 1 ? ",)" : ")");
        separator = ", ";
    }
    if (typed) {
        rlxc_text_printf(out, "%sdtype=\"%s\"", separator, rlxc_dtype_name(p->ctx, s->dtype));
        separator = ", ";
    }
    if (s->ndim != RLXC_UNKNOWN_NDIM && s->dims == NULL) {
        rlxc_text_printf(out, "%sndim=%d", separator, s->ndim);
        separator = ", ";
    }
    if (s->vdevice != NULL) {
        rlxc_text_printf(out, "%svdevice=", separator);
        rlxc_print_quoted(p, s->vdevice);
    }
    rlxc_text_puts(out, ")");
}

static void print_fields(rlxc_printer *p, const rlxc_sinfo *s)
{
    for (uint32_t i = 0; i < s->n_fields; i++) {
        if (i > 0)
            rlxc_text_puts(&p->out, ", ");
        rlxc_print_sinfo(p, s->fields[i]);
    }
}

static void print_callable(rlxc_printer *p, const rlxc_sinfo *s)
{
    rlxc_text_puts(&p->out, "R.Callable(");
    if (s->opaque) {
        if (s->ret != NULL) {
            rlxc_text_puts(&p->out, "ret=");
            rlxc_print_sinfo(p, s->ret);
            rlxc_text_puts(&p->out, ", ");
        }
        rlxc_text_printf(&p->out, "purity=%s)", s->pure ? "True" : "False");
        return;
    }
    rlxc_text_puts(&p->out, "(");
    print_fields(p, s);
    rlxc_text_puts(&p->out, s->n_fields == 1 ? ",), " : "), ");
    rlxc_print_sinfo(p, s->ret);
    rlxc_text_printf(&p->out, ", %s)", s->pure ? "True" : "False");
}

void rlxc_print_sinfo(rlxc_printer *p, const rlxc_sinfo *s)
{
    switch (s->kind) {
    case RLXC_SINFO_OBJECT:
        rlxc_text_puts(&p->out, "R.Object");
        return;
    case RLXC_SINFO_PRIM:
        if (s->value == NULL) {
            rlxc_text_printf(&p->out, "R.Prim(\"%s\")", rlxc_dtype_name(p->ctx, s->dtype));
            return;
        }
        rlxc_text_puts(&p->out, "R.Prim(value=");
        print_dim(p, s->value);
        rlxc_text_puts(&p->out, ")");
        return;
    case RLXC_SINFO_SHAPE:
        if (s->ndim == RLXC_UNKNOWN_NDIM || s->dims == NULL)
            rlxc_text_printf(&p->out, "R.Shape(ndim=%d)", s->ndim);
        else
            print_dim_list(p, s, "R.Shape([", "])");
        return;
    case RLXC_SINFO_TENSOR:
        print_tensor(p, s);
        return;
    case RLXC_SINFO_TUPLE:
        rlxc_text_puts(&p->out, "R.Tuple");
        if (s->n_fields > 0) {
            rlxc_text_puts(&p->out, "(");
            print_fields(p, s);
            rlxc_text_puts(&p->out, ")");
        }
        return;
    case RLXC_SINFO_CALLABLE:
        print_callable(p, s);
        return;
    }
}

const char *rlxc_sinfo_text(rlxc_context *ctx, const rlxc_sinfo *s)
{
    if (s == NULL)
        return "unknown";
    rlxc_printer p;
    rlxc_printer_init(&p, ctx);
    p.hints_only = true;
    p.relax = true;
    rlxc_print_sinfo(&p, s);
    return p.out.data != NULL ? p.out.data : "";
}
