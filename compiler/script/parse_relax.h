/* Shared by the files that parse Relax functions. */
#ifndef RLXC_SCRIPT_PARSE_RELAX_H
#define RLXC_SCRIPT_PARSE_RELAX_H

#include "compiler/script/parse.h"

/* The state after a list of statements. */
typedef struct rlxc_relax_progress {
    bool returned;
    const char *name; /* bound by the last statement; NULL when it bound nothing */
    rlxc_atom value;
    const rlxc_sinfo *annotation;
    bool copied;      /* the last binding of p->block only names |value| */
    bool is_function; /* `return` is allowed here */
} rlxc_relax_progress;

/* Parses the statements of |block|, which has begun. */
void rlxc_relax_statements(rlxc_parser *p, rlxc_py_block *block, rlxc_relax_progress *io);
/* Parses an if with its branches, at `if` or `elif`. */
void rlxc_relax_if(rlxc_parser *p, rlxc_relax_progress *io);
/* Records that |b|, which binds |name|, was the last statement. */
void rlxc_relax_note_binding(rlxc_parser *p, rlxc_relax_progress *io, const char *name,
                             rlxc_binding *b);

#endif
