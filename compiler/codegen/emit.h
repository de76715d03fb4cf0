/* Relax -> bytecode: what the emit_*.c files share.
 *
 * emit.c       the module: functions, kernels, imports; errors of the builder
 * emit_expr.c  symbols and expressions -> slots; struct info -> types and patterns
 * emit_regs.c  variables and atoms -> registers; straight-line scopes
 * emit_body.c  bindings, IF, results
 * emit_call.c  kernels, functions, builtins, packed functions
 * emit_plan.c  the memory plan: regions, buffers, tensors
 * emit_pools.c  memory pools: candidates of a buffer, the choice at the end of a function
 * emit_constants.c  memory pools for constants
 * emit_order.c  the order of functions: callees first, if there are pools
 * emit_workspace.c  scratch memory of kernels in it
 * emit_device.c  devices, their code and launches
 * emit_op.c    the operators that reach code generation, one handler each
 *
 * Everything below reports its errors through the context and sets |failed|; values it then
 * returns are harmless zeros, so callers need not check each step. */
#ifndef RLXC_CODEGEN_EMIT_H
#define RLXC_CODEGEN_EMIT_H

#include "compiler/codegen/codegen.h"
#include "compiler/codegen/device.h"
#include "compiler/codegen/pool_fit.h"
#include "compiler/ir/pool.h"
#include "compiler/ir/rewrite.h"
#include "compiler/ir/sym.h"

typedef struct rlxc_bc_kernel { /* a called PrimFunc */
    const rlxc_prim_func *f;
    uint32_t index;
    const rlxc_expr **dims;
    uint32_t n_dims;
} rlxc_bc_kernel;

enum { RLXC_BC_MOST_POOLS = 64 };

typedef struct rlxc_bc_pool { /* a memory pool on one device */
    const rlxc_pool *pool;
    uint32_t device; /* row of the file's devices */
    uint64_t used;   /* bytes: by constants, or by a call; known at the end */
} rlxc_bc_pool;

typedef RLXC_VEC(uint8_t) rlxc_bc_candidates; /* indices of rlxc_bc_module.on_devices */

typedef struct rlxc_bc_pooled { /* a buffer of known size that lies in one of several pools */
    uint32_t buffer;
    uint64_t bytes;
    const rlxc_bc_candidates *pools;
    const char *what; /* for messages */
    rlxc_range range;
} rlxc_bc_pooled;

typedef struct rlxc_bc_module {
    rlxc_context *ctx;
    const rlxc_module *module;
    rlx_exec_builder *builder;
    rlxc_map kernels;              /* prim func -> rlxc_bc_kernel */
    rlxc_map functions;            /* relax function -> index + 1, as a pointer */
    rlxc_map values;               /* relax functions that closures are made of */
    rlxc_map constants;            /* tensor constant -> index + 1 */
    const rlxc_map *weights;       /* lifted constant -> 1 + its offset in the weights' file */
    const rlxc_device_code *codes; /* for devices */
    uint32_t n_codes;
    uint32_t *code_modules; /* of each, its module in the builder */
    const rlxc_layout_options *layout;
    rlxc_pools pools; /* of the module */
    RLXC_VEC(rlxc_bc_pool) on_devices;
    RLXC_VEC(const rlxc_vdevice *) rows; /* by row of the file's devices, from 1 */
    rlxc_map candidates;                 /* kind << 32 + row + 1 -> rlxc_bc_candidates */
    rlxc_map constant_rows;              /* row << 33 + constant + 1 -> row of its pool + 1 */
    rlxc_map global_of;                  /* function -> position in the module + 1 */
    rlxc_map pool_values;                /* functions that are used as values */
    rlxc_map needs;                      /* function -> bytes by pool of on_devices */
    rlxc_map taken;     /* function -> the same, by its own buffers (pool_needs.c) */
    rlxc_map recursive; /* functions that may be called again while they run */
    rlxc_map restarts;  /* calls of a function by itself that restart it, without a frame */
    bool failed;
} rlxc_bc_module;

/* Variables with slots, and the expressions built from them so far. */
typedef struct rlxc_bc_symbols {
    rlxc_map slots;    /* variable -> slot + 1 */
    rlxc_map compiled; /* expression -> builder expression + 1 */
} rlxc_bc_symbols;

typedef struct rlxc_bc_region { /* of the memory plan */
    uint32_t index;
    uint32_t n_slots; /* symbols with lower slots were bound at its layout */
    uint32_t device;
} rlxc_bc_region;

typedef struct rlxc_bc_room { /* for a buffer of the memory plan */
    rlxc_bc_region region;
    uint32_t bytes;                  /* expression */
    const rlxc_bc_candidates *pools; /* pools that may hold it instead; NULL: the region is fixed */
    uint64_t most;                   /* with |pools|: its bytes, rounded */
} rlxc_bc_room;

typedef struct rlxc_bc_place { /* a planned storage */
    bool is_planned, has_buffer, has_end;
    rlxc_bc_room room;
    uint32_t buffer; /* begins when the first tensor is made */
} rlxc_bc_place;

typedef struct rlxc_bc_planned { /* a tensor of the memory plan */
    uint32_t index;
    bool is_held;                 /* held by a live variable */
    struct rlxc_bc_planned *next; /* of the same buffer and type */
} rlxc_bc_planned;

typedef struct rlxc_bc_function {
    rlxc_bc_module *m;
    rlxc_context *ctx;
    const rlxc_function *f;
    rlxc_bc_symbols symbols;
    uint32_t n_slots;
    rlxc_map evaluated;                        /* expression -> slot + 1, in this scope */
    RLXC_VEC(const rlxc_expr *) evaluated_log; /* keys of |evaluated|, to close scopes */
    RLXC_VEC(uint32_t) free_slots;             /* for values that die with their instruction */
    RLXC_VEC(uint32_t) temp_slots;
    uint32_t *reg;  /* by variable id: register + 1, 0: none */
    uint32_t *uses; /* by variable id */
    uint8_t *depth; /* by variable id: nesting of the definition */
    uint32_t n_vars, n_regs, level;
    RLXC_VEC(uint32_t) free_regs;
    RLXC_VEC(uint32_t) temps;            /* registers to kill after the current instruction */
    rlxc_map loaded;                     /* constant index + 1 -> register + 1, in this scope */
    RLXC_VEC(uint64_t) loaded_log;       /* keys of |loaded| */
    RLXC_VEC(const rlxc_rvar *) defined; /* variables in order of definition */
    rlxc_bc_place *places;               /* by variable id of a planned storage */
    bool enters_branch;           /* only kills have been emitted in the innermost branch so far */
    rlxc_map planned;             /* buffer and type -> the tensors of the plan */
    rlxc_bc_planned **planned_of; /* by variable id */
    uint32_t n_regions;
    RLXC_VEC(rlxc_bc_region) regions; /* laid out on every path to here */
    RLXC_VEC(rlxc_bc_pooled) pooled;
    RLXC_VEC(const rlxc_function *) callees;
    bool calls_values; /* some callee is known at run time only */
    bool ended;        /* the path has ended: nothing more is emitted before the next label */
    uint32_t nothing;  /* register + 1 of results that are never read or killed */
    RLXC_VEC(rlxc_rvar *) killed; /* variables killed, innermost scope last */
    RLXC_VEC(uint32_t) killed_regs;
    rlxc_range range;
    rlxc_range located; /* the range last told to the builder */
} rlxc_bc_function;

/* Operands of one instruction, fields of a tuple, dimensions of a shape, parameters: an
 * instruction has at most 65535 words. */
enum { RLXC_BC_MAX_ITEMS = 60000 };

/* --- emit.c ---------------------------------------------------------------------------------- */
/* False, setting |failed|, if the builder returned an error. */
bool rlxc_bc_ok(rlxc_bc_module *m, rlxc_range range, rlx_status status, const rlx_error *err);
const rlxc_bc_kernel *rlxc_bc_kernel_of(rlxc_bc_module *m, const rlxc_prim_func *f,
                                        rlxc_range range);
/* False, and an error, when |n| things are more than RLXC_BC_MAX_ITEMS. */
bool rlxc_bc_fits(rlxc_bc_module *m, size_t n, const char *what, rlxc_range range);
uint32_t rlxc_bc_import(rlxc_bc_module *m, const char *builtin, rlxc_range range);
void rlxc_bc_op(rlxc_bc_function *fn, rlx_opcode op, const uint32_t *operands, uint32_t n);
#define RLXC_BC_EMIT(fn, op, ...)                           \
    rlxc_bc_op((fn), (op), (const uint32_t[]){__VA_ARGS__}, \
               (uint32_t)(sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)))

/* --- emit_expr.c ----------------------------------------------------------------------------- */
uint32_t rlxc_bc_expr(rlxc_bc_module *m, rlxc_bc_symbols *symbols, const rlxc_expr *e,
                      rlxc_range range);
/* A new slot. A temporary one is free again after the current binding. */
uint32_t rlxc_bc_new_slot(rlxc_bc_function *fn);
uint32_t rlxc_bc_temp_slot(rlxc_bc_function *fn);
/* The slot that holds |e|: a symbol's own, or one evaluated in this scope. */
uint32_t rlxc_bc_slot(rlxc_bc_function *fn, const rlxc_expr *e);
/* Gives a slot to each variable that is a whole dimension of |pattern| and has none yet, and
   appends it to |io_bound|. */
void rlxc_bc_bind_symbols(rlxc_bc_function *fn, const rlxc_sinfo *pattern, rlxc_var_list *io_bound);
/* The type of |s|. A variable of |binds| (may be NULL) is bound where it first is a whole
 * dimension, and removed from the map. Dimensions with unknown symbols are ANY if |lenient|, else
 * errors. */
uint32_t rlxc_bc_type(rlxc_bc_module *m, rlxc_bc_symbols *symbols, const rlxc_sinfo *s,
                      rlxc_map *binds, bool lenient, rlxc_range range);
/* match_type of register |reg| against |s|, binding its new symbols. */
void rlxc_bc_match(rlxc_bc_function *fn, uint32_t reg, const rlxc_sinfo *s);

/* --- emit_regs.c ----------------------------------------------------------------------------- */
uint32_t rlxc_bc_new_reg(rlxc_bc_function *fn);
uint32_t rlxc_bc_temp_reg(rlxc_bc_function *fn); /* killed by rlxc_bc_release_temps */
/* A register for |var|, which the next instruction defines. */
uint32_t rlxc_bc_define(rlxc_bc_function *fn, const rlxc_rvar *var);
uint32_t rlxc_bc_atom(rlxc_bc_function *fn, rlxc_atom atom);
/* The row of a tensor constant in the file. */
uint32_t rlxc_bc_tensor_constant(rlxc_bc_module *m, const rlxc_constant *c, rlxc_range range);
/* As above; a constant is loaded on |device|. */
uint32_t rlxc_bc_atom_on(rlxc_bc_function *fn, rlxc_atom atom, uint32_t device);
/* As above; constants in it are loaded on the device that |type|, the type of the destination,
   states; NULL: the host. */
uint32_t rlxc_bc_atom_as(rlxc_bc_function *fn, rlxc_atom atom, const rlxc_sinfo *type);
/* The registers of |args|, loaded on the devices of the first parameters of |callable|. */
uint32_t *rlxc_bc_args(rlxc_bc_function *fn, const rlxc_atom *args, uint32_t n,
                       const rlxc_sinfo *callable);
/* False, and an error, when a tuple or shape in |atom| is too long to be made. */
bool rlxc_bc_check_atom(rlxc_bc_function *fn, rlxc_atom atom);
void rlxc_bc_make_tuple(rlxc_bc_function *fn, const rlxc_rvar *var, const rlxc_atom *items,
                        uint32_t n);
/* Kills the temporaries of the current binding. */
void rlxc_bc_release_temps(rlxc_bc_function *fn);
void rlxc_bc_kill(rlxc_bc_function *fn, rlxc_rvar *var);
/* The slot of an integer atom: a PRIM, or a variable of Prim type. */
uint32_t rlxc_bc_atom_slot(rlxc_bc_function *fn, rlxc_atom atom);
/* The slot of a scalar parameter's argument: an integer, or for |is_float| the bits of a float64.
 */
uint32_t rlxc_bc_scalar_slot(rlxc_bc_function *fn, rlxc_atom atom, bool is_float);
/* Slots of all dimensions of a shape atom; false where their number is unknown. */
bool rlxc_bc_shape_slots(rlxc_bc_function *fn, rlxc_atom shape, const uint32_t **out,
                         uint32_t *out_n);

typedef struct rlxc_bc_scope { /* state that is restored at the end of a branch */
    uint32_t evaluated, loaded, defined, killed, regions, n_regs, n_free;
    uint32_t *free_regs;
} rlxc_bc_scope;
rlxc_bc_scope rlxc_bc_scope_open(rlxc_bc_function *fn);
/* At the end of a branch: kills the values that it made and that are still alive. */
void rlxc_bc_scope_end_branch(rlxc_bc_function *fn, const rlxc_bc_scope *scope);
/* Discards what was evaluated and loaded since; registers killed since are live again. */
void rlxc_bc_scope_rewind(rlxc_bc_function *fn, const rlxc_bc_scope *scope);
/* After the last branch: registers killed in it stay dead, those of the branches are free. */
void rlxc_bc_scope_close(rlxc_bc_function *fn, const rlxc_bc_scope *scope);

/* --- emit_plan.c ----------------------------------------------------------------------------- */
/* At the function's entry: lays out the regions that the signature's symbols determine. */
/* Emits an instruction that fails with |message| unless |holds|. */
void rlxc_bc_check(rlxc_bc_function *fn, const rlxc_expr *holds, const char *message);
void rlxc_bc_plan_entry(rlxc_bc_function *fn);
/* Begins and ends the use of a buffer of |size| bytes on |device|; |what|: for messages. */
uint32_t rlxc_bc_buffer(rlxc_bc_function *fn, const rlxc_expr *size, uint32_t device,
                        const char *what);
/* The outermost region on |device| that can hold |size|, or a new one. */
rlxc_bc_region rlxc_bc_region_on(rlxc_bc_function *fn, const rlxc_expr *size, uint32_t device);
void rlxc_bc_buffer_end(rlxc_bc_function *fn, uint32_t buffer);
/* Every symbol of |e| has a slot. */
bool rlxc_bc_are_bound(rlxc_bc_function *fn, const rlxc_expr *e);
/* The handlers of alloc_storage, alloc_tensor and kill_storage of planned storages. */
void rlxc_bc_planned_storage(rlxc_bc_function *fn, const rlxc_binding *b);
void rlxc_bc_kill_planned(rlxc_bc_function *fn, const rlxc_rvar *storage);
bool rlxc_bc_is_in_plan(const rlxc_bc_function *fn, rlxc_atom storage);
/* False without effect if the tensor has a dimension that was unknown when its region was laid out:
 * it then gets memory of its own. */
bool rlxc_bc_planned_tensor(rlxc_bc_function *fn, const rlxc_binding *b);

/* --- emit_pools.c ---------------------------------------------------------------------------- */
/* Reads the module's pools. */
bool rlxc_bc_find_pools(rlxc_bc_module *m);
/* The pools of the kind |holds| for a row of the file's devices; NULL: there are none for it. */
const rlxc_bc_candidates *rlxc_bc_pools_for(rlxc_bc_module *m, uint32_t device,
                                            rlxc_pool_kind holds);
/* |pool|: an index of |m->on_devices|. */
bool rlxc_bc_has_limit(const rlxc_bc_module *m, uint8_t pool);
/* Lays out, at the entry, the regions of the pools that may hold memory of that row. */
void rlxc_bc_enter_pools(rlxc_bc_function *fn, uint32_t device);
/* Room for |size| bytes in one of |pools|. */
rlxc_bc_room rlxc_bc_pool_room(rlxc_bc_function *fn, const rlxc_expr *size,
                               const rlxc_bc_candidates *pools);
/* At the end of the function: places its pooled buffers. */
void rlxc_bc_place_pools(rlxc_bc_function *fn);
/* Records in the metadata how large the pools are, and how much of them is used. */
void rlxc_bc_pool_metadata(rlxc_bc_module *m);

/* --- pool_needs.c ---------------------------------------------------------------------------- */
/* At the end of the function: how much of each pool its buffers take, as the file will state it. */
void rlxc_bc_note_taken(rlxc_bc_function *fn);
/* After all functions: proves |m->needs| and what the rows of pools state. */
void rlxc_bc_check_needs(rlxc_bc_module *m);

/* --- emit_constants.c ------------------------------------------------------------------------ */
/* Before any function: which pools hold the constants. */
bool rlxc_bc_place_constants(rlxc_bc_module *m);
/* The row whose pools may hold the constants read by a kernel that is called with |args|. */
uint32_t rlxc_bc_constants_device(rlxc_bc_module *m, const rlxc_prim_func *f, const rlxc_atom *args,
                                  uint32_t n, rlxc_range range);
/* The row where the tensor constant |index| lies for an operand on the row |device|: that of its
 * pool, if it has one. */
uint32_t rlxc_bc_constant_row(const rlxc_bc_module *m, uint32_t index, uint32_t device);

/* --- emit_order.c ---------------------------------------------------------------------------- */
/* The module's functions, callees before callers if there are pools. NULL if memory is out. */
const uint32_t *rlxc_bc_order(rlxc_bc_module *m);
/* True if closures of |f| may be made. */
bool rlxc_bc_is_value(const rlxc_bc_module *m, const rlxc_function *f);
/* True if the packed function or builtin |name|, given |args|, may call closures: it is not one of
 * the library's, or is given what may be a closure. */
bool rlxc_bc_calls_back(const char *name, const rlxc_atom *args, uint32_t n);

/* --- emit_workspace.c ------------------------------------------------------------------------ */
/* The buffer for scratch memory of the next call of |kernel|; the caller ends it. |device|: where a
 * device's kernel may have it, 0: nowhere. |values|: the kernel's dims at the call, NULL if
 * unknown. False: none is needed. */
bool rlxc_bc_workspace(rlxc_bc_function *fn, const rlxc_bc_kernel *kernel, uint32_t device,
                       const rlxc_expr *const *values, uint32_t *out_buffer);
/* True if |b| calls a kernel that may need some, on the row |*out_device| of the file's devices. */
bool rlxc_bc_has_scratch(rlxc_bc_function *fn, const rlxc_binding *b, uint32_t *out_device);

/* --- emit_device.c --------------------------------------------------------------------------- */
/* The builder's row of a vdevice, by its name in types, and by an index of explicit memory; 0: the
 * host's plain memory. */
uint32_t rlxc_bc_device(rlxc_bc_module *m, const char *vdevice, rlxc_range range);
/* The row of |pool| on the device |where|; NULL: the host. */
uint32_t rlxc_bc_pool_row(rlxc_bc_module *m, const rlxc_pool *pool, const rlxc_vdevice *where);
uint32_t rlxc_bc_device_at(rlxc_bc_module *m, rlxc_atom index, rlxc_range range);
/* The device of a kernel that is called with |args|; |*out_where|: its name in types, or NULL. */
uint32_t rlxc_bc_kernel_device(rlxc_bc_module *m, const rlxc_prim_func *f, const rlxc_atom *args,
                               uint32_t n, rlxc_range range, const char **out_where);
/* Adds the code of |m->codes|. */
bool rlxc_bc_device_code(rlxc_bc_module *m);
/* Adds the sections that external code generators wrote to the file. */
bool rlxc_bc_sections(rlxc_bc_module *m);
/* The kernel of |f|, and which of |m->codes| has it; NULL: there is none. */
const rlxc_device_kernel *rlxc_bc_device_kernel(const rlxc_bc_module *m, const rlxc_prim_func *f,
                                                uint32_t *out_code);
/* Makes the row |k| a device's kernel; |symbols|: its dims. */
void rlxc_bc_launches(rlxc_bc_module *m, const rlxc_bc_kernel *k, rlxc_bc_symbols *symbols,
                      rlxc_range range);
/* Finds the functions that closures are made of. */
void rlxc_bc_find_values(rlxc_bc_module *m);
/* At the entry of a function that the host, or an unknown caller through a closure, may call: moves
 * its arguments to the devices of its parameters, the host's included. */
void rlxc_bc_enter_devices(rlxc_bc_function *fn);
/* Converts |reg|, the result of an unknown closure, to type |to|; returns the register. */
uint32_t rlxc_bc_moved(rlxc_bc_function *fn, const rlxc_sinfo *to, uint32_t reg);
/* Converts |reg|, a value of type |from|, to type |to|; returns the register. A tensor in a value
 * of type Object, which the host may have made, is moved to the device in |to|. */
uint32_t rlxc_bc_unboxed(rlxc_bc_function *fn, rlxc_atom from, const rlxc_sinfo *to, uint32_t reg);

/* --- emit_body.c, emit_call.c, emit_op.c ----------------------------------------------------- */
/* Tells the builder the source of the following instructions; |name| is the binding's. */
void rlxc_bc_locate(rlxc_bc_function *fn, rlxc_range range, const char *name);
/* |tail|: the body's result is the function's, and may already have been returned. */
void rlxc_bc_body(rlxc_bc_function *fn, const rlxc_body *body, bool tail);
void rlxc_bc_call(rlxc_bc_function *fn, const rlxc_binding *b);
/* |tir_vars|: a shape with the scalar parameters that |args| leaves out, or NULL. */
void rlxc_bc_kernel_call(rlxc_bc_function *fn, const rlxc_prim_func *f, const rlxc_atom *args,
                         uint32_t n, const rlxc_atom *tir_vars);
/* Restarts the function with |args| (a tail call of itself). */
void rlxc_bc_again(rlxc_bc_function *fn, const rlxc_atom *args, uint32_t n);
/* var := callee(args): a function, a closure or an extern function. */
void rlxc_bc_callable(rlxc_bc_function *fn, const rlxc_rvar *var, rlxc_atom callee,
                      const rlxc_atom *args, uint32_t n);
void rlxc_bc_call_tir_dyn(rlxc_bc_function *fn, rlxc_atom callee, const rlxc_atom *args,
                          uint32_t n);
void rlxc_bc_operator(rlxc_bc_function *fn, const rlxc_binding *b);

#endif
