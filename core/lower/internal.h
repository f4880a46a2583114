/* SPDX-License-Identifier: BSD-3-Clause
 * What the files of lower/ share: the state of one function being lowered. */
#ifndef SWATHE_LOWER_INTERNAL_H
#define SWATHE_LOWER_INTERNAL_H
#include "lower/lower.h"

typedef struct LoopScope LoopScope;
typedef struct TryScope { /* the innermost body of a try */
    IrStmt *s;
    IrBlock *block;      /* where s is */
    const Node *finally; /* or NULL */
    LoopScope *loop;     /* around it */
    /* made when a jump runs a `finally` in the body: its handlers are not for that */
    IrVar *leaving;
    struct TryScope *up;
} TryScope;

typedef struct HandlerScope { /* the innermost handler, or failed body of what guards it */
    const Node *node;         /* a Handler, or NULL */
    struct HandlerScope *up;
} HandlerScope;

struct LoopScope { /* the innermost loop, for break and continue */
    const Node *node;
    IrVar *broke; /* set before a break when something must know; or NULL */
    struct LoopScope *up;
    struct LoopScope *around; /* as up, where a jump's `finally` stands in it, too */
};

typedef struct Beyond { /* a jump out of more than one loop */
    IrVar *flag;        /* is it under way? */
    const Node *at;
    LoopScope *target;
} Beyond;

/* A library function that is called where its caller has labels: they name its loops. */
typedef struct Variant {
    const Inst *in;
    const char **labels;
    int n_labels;
    IrFunc *f;
} Variant;

/* Of a list that stays as long as it is while a loop runs. */
typedef struct Known {
    const IrVar *object;
    IrExpr *len;
    int n, at[8];                /* columns, by the word where the object tells of them */
    IrVar *whole[8], *column[8]; /* with all that there is memory for; each as long as the list */
} Known;

typedef struct Lower {
    IrBuilder b;
    Cx *cx;
    const SemaUnit *unit;
    const Inst *in;
    IrFunc **funcs; /* by Inst.index */
    Val *slot;      /* by Var.id: where the variable lives; type NULL until used */
    Map flag;       /* Sym -> IrVar: is the name bound? only for flagged names */
    Map loop_var;   /* Var -> IrVar: loop variables read directly inside their loop */
    /* IrVar -> itself: arrays that a variable holds, or dropped already */
    Map kept;
    LoopScope *loop;
    IrVar *broke;         /* of the loop over a list that begins */
    LoopScope *innermost; /* around what is being written: not `loop`, in a jump's `finally` */
    int overriding;       /* bodies around whose `finally` jumps */
    Vec(Beyond) jumps;
    TryScope *tries;
    HandlerScope *handlers;
    Map given;            /* argument -> its Val, of calls whose arguments come in another order */
    const Node *stmt;     /* what is being lowered, where `:=` is in it; or NULL */
    bool rebinds;         /* the function has `:=` */
    const Node *unused;   /* the call that stands as a statement */
    const Call *splat_of; /* the call of a Python builtin whose unpacked tuple this is */
    Val splat;
    const Variant *as;     /* what is being lowered; NULL: the function as it is */
    Vec(Known) known;      /* the innermost loop's last */
    bool beyond;           /* elements behind a list's end are meant, too */
    bool objects;          /* the function has to do with lists or dicts */
    Vec(Variant) variants; /* to be lowered after the others */
} Lower;

/* lower.c */
Val var_val(Lower *l, const Var *v);
void var_assign(Lower *l, const Var *v, Val x);
void flag_set(Lower *l, const Var *v, bool bound);
void edge_moves(Lower *l, const Node *at, EdgeKind k);
bool edge_has_moves(Lower *l, const Node *at, EdgeKind k);
Val val_slot(Lower *l, const Type *t, const char *name); /* fresh variables for a type */
void slot_store(Lower *l, const Val *slot, Val x);       /* slot = x, converted */
int flat_count(const Val *v);                            /* how many flatten appends */
int flatten(const Val *v, IrArg *out, int n);            /* appended to out[n]; the new n */
void keep_arrays(Lower *l, const Val *v);
int drop_mark(Lower *l);
void drop_temps(Lower *l, int mark);
void check(Lower *l, IrExpr *ok, const char *exc, const char *format);
void raise_(Lower *l, const char *exc, const char *format);
/* made for the labels of the statement */
IrFunc *callee_func(Lower *l, const Inst *callee);

/* record.c: arrays of records */
typedef struct ListIndex { /* a list of places, of which NumPy makes an array when it is used */
    Val list;
    const Need *need; /* NULL: it is none */
} ListIndex;

typedef struct Place { /* what a subscript or a field names, before it is read or written */
    Val arr;
    NpIndex ix[SW_MAX_NDIM * 2];
    ListIndex list[SW_MAX_NDIM * 2]; /* where `twice` */
    int n;
    bool twice; /* it is read, and later stored to */
} Place;
void place_to_store(Lower *l, const Node *n, Place *p);
bool names_field(Lower *l, const Node *n); /* a['x'] or a.x, of records */
Val record_load(Lower *l, const Node *n, const Type *t);
const Const *record_dtype(Lower *l, const Call *c); /* an argument that is one; else NULL */
/* zeros, empty; of others: zeros_like, empty_like, copy */
Val record_new(Lower *l, const Call *c, NpCall *call);
Val record_over(Lower *l, const Val *bytes, const Const *c, const Type *t);
Val record_select(Lower *l, Val v, int n, NpIndex *ix, const Type *t);
void record_store(Lower *l, Val to, int n, NpIndex *ix, Val v, const Type *sel);
Val record_shape(Lower *l, Val v, const char *name, const Type *t);

/* stmt.c, message.c, loop.c, comprehension.c */
void lower_block(Lower *l, const Node *block);
void lower_stmt(Lower *l, const Node *n);
void lower_print(Lower *l, const Node *call);
Val lower_made_string(Lower *l, const Node *n); /* reports it */
typedef struct RaisedClass {
    const char *text; /* as ir_exc_derives reads it */
    bool own;         /* it has an __init__ or __new__ of its own */
    bool says;        /* what it says is the last argument */
} RaisedClass;
/* here; cause: IR_FROM_... */
void raise_class(Lower *l, const RaisedClass *cls, int n_msg, Node *const *msg, int cause);
int cause_site(Lower *l, const char *cls, const Node *from);
void return_val(Lower *l, Val v);
Val binop_into(Lower *l, const Node *n, const Call *c, Val old, Val r,
               const Type *result); /* of x += y: messages name x's shape */
/* masked.c: x[m] = value, which looks at what the same mask selects elsewhere */
bool masked_fits(Lower *l, const Node *target, const Node *value);
Val masked_value(Lower *l, const Node *n, const Val *like, const Val *mask);
bool masked_assign(Lower *l, const Node *target, const Node *value);
void assign_target(Lower *l, const Node *target, Val v);
void assign_item(Lower *l, const Node *target, Val v); /* that a loop goes through */
void lower_for(Lower *l, const Node *n);
bool assigns(const Node *n, Sym name); /* does it, to the name? */
void lower_while(Lower *l, const Node *n);
/* ---- iter.c: what is gone through. Begin is make_iter; then either the k-th is asked for (n is
 * known), or the next. */
typedef struct Iter Iter;
struct Iter {
    /* number of iterations: constant or frozen; NULL: only next tells */
    IrExpr *n;
    Val (*get)(Lower *l, Iter *it, IrExpr *k);
    /* sets has; the value is there where it is true. NULL: by n and get */
    Val (*next)(Lower *l, Iter *it, IrVar *has);
    /* get leaves the iteration of the loop around it (continue) where there is no k-th value */
    bool filters;
    bool strict; /* zip: at the end all must have ended */
    Val v;
    Iter *sub;
    int n_sub;
    const Type *type; /* of what get yields */
    IrExpr *start, *step;
    const Node *gen;  /* a generator expression */
    IrVar *at, *cell; /* how far next has come: a variable, or an array of one number */
    const struct DictView *dict;
};
/* changing: what the caller runs between two items may change lists and dicts */
Val iter_over(Lower *l, Val v); /* an iterator over it */
Iter make_iter(Lower *l, const Node *n, bool changing);
Iter range_iter(Lower *l, Val v); /* of a range */
IrVar *iter_start(Lower *l, IrExpr *e);
IrExpr *iter_place(Lower *l, const Iter *it);
void iter_go(Lower *l, const Iter *it, IrExpr *e);
void iter_step(Lower *l, const Iter *it, IrExpr *k, int by);
/* next has found v */
void iter_found(Lower *l, Val *slot, Val v, IrVar *has);
bool is_generated(const Node *n); /* a generator expression */
/* next will be asked for: before loops */
void iter_stand(Lower *l, Iter *it);
Val iter_next(Lower *l, Iter *it, IrVar *has);
/* The loop over it, from the first on (NULL) or a later one, with the builder inside, where *v is
 * the value. */
IrStmt *iter_loop(Lower *l, Iter *it, LoopKind kind, IrExpr *from, Val *v);
bool iter_ends(const Iter *it);
/* behind the loop: what strict=True asks */
void iter_end(Lower *l, const Iter *it);
/* The generators of a comprehension, and what to do with each combination that they yield. */
typedef struct Generators {
    const Node *comp;
    /* or NULL: before the first, where their number is known by then */
    void (*count)(Lower *l, IrExpr *n, void *arg);
    void (*body)(Lower *l, const Node *elt, void *arg);
    IrExpr *enough; /* or NULL: once it holds after body, no more are asked for */
    void (*begun)(Lower *l, void *arg); /* or NULL: once the first iterable is there */
    void *arg;
    bool changing; /* body may change lists and dicts, beyond what comp does */
} Generators;
void comprehension(Lower *l, const Generators *c);

/* expr.c */
const char *unbound_text(Lower *l, Sym name); /* what UnboundLocalError says */
void check_bound(Lower *l, const Node *name); /* UnboundLocalError when it may be */
Val expr(Lower *l, const Node *n);
Val expr_before(Lower *l, const Node *n); /* None among what it may be, where a value is needed */
IrExpr *truth(Lower *l, const Node *n);   /* in a test: short-circuits */
Val np_operator(Lower *l, const Node *at, const Call *c, Val *args, int n, const Type *result);
Val comparison(Lower *l, const Node *n, const Type *t); /* compare.c: an N_Compare */
Val binop(Lower *l, const Node *at, const Call *c, int op, Val a, Val r, const Type *result);
Val subscript_load(Lower *l, const Node *n);
/* lists: of each part that is one, or NULL */
int take_index(Lower *l, const Node *index, NpIndex *out, ListIndex *lists);
NpIndex index_of_list(Lower *l, const ListIndex *x); /* as it is now */
bool impure(const Lower *l, const Node *n);          /* may change what was read before */
bool call_is_pure(const Call *c);
/* effect.c */
void evaluate(Lower *l, const Node *e); /* for what it raises */
/* Of an expression whose value is known; of what it is made of. */
void known_effects(Lower *l, const Node *n);
void parts_effects(Lower *l, const Node *n);
bool must_run(const Lower *l, const Node *n);
/* its value now, whatever comes after */
Val pin(Lower *l, Val v);
bool any_later_impure(Lower *l, const Call *c, int from); /* arguments from `from` on */
int last_impure(const Lower *l, const Node *n); /* which kid is the last one that is; or -1 */
Val kid_value(Lower *l, const Node *n, int i);  /* that nothing behind it changes */
bool rebound(const Lower *l, Sym name); /* by `:=`, in the statement that is being lowered */
/* table.c: run-time index, in range */
Val as_tuple_elem(Lower *l, const Val *t, IrExpr *k, const Type *type);
/* Does as_tuple_elem read element k of t, as one of `type`, from constants of the module? */
bool tuple_is_table(Lower *l, const Val *t, const Type *type);
bool tuple_is_long(const Type *t);
/* Is a string one of these? NULL: they are few, or not all known. */
IrExpr *text_among(Lower *l, const Val *item, const Val *in);

/* caught.c */
void caught_bind(Lower *l, const Node *handler);
void caught_raise(Lower *l, Val e);
/* the error raised next has its text at %E */
void caught_nest(Lower *l, IrVar *e);
void caught_print(Lower *l, IrVar *e);
Val caught_text(Lower *l, const Val *e, int64_t what);
Val text_longer(Lower *l, const Call *c, const Type *t);
Val text_paste(Lower *l, const Call *c);
Val text_alike(Lower *l, const Call *c, const Type *t);
Val caught_arg(Lower *l, const Node *n, const Type *t);
Val caught_args(Lower *l, Val e, const Type *t);
Val lower_keyed(Lower *l, const Node *n, const Type *t); /* keyed.c */
Val keyed_values(Lower *l, Val o, const Type *t);
Val caught_attribute(Lower *l, const Node *n, Val e, const Type *t);

/* try.c */
void lower_try(Lower *l, const Node *n);
void lower_with(Lower *l, const Node *n);
void lower_raise(Lower *l, const Node *n);
/* each finally on the way out of the loop, or function; false: one goes elsewhere */
void jump_beyond(Lower *l, const Node *n);
bool leave_tries(Lower *l, bool function);
void lower_branch(Lower *l, IrBlock *into, const Node *block, const Node *at, EdgeKind k);

/* optional.c: what may be None */
IrExpr *truth_asked(Lower *l, const Inst *method, Val v);
Val boolop_asked(Lower *l, const Node *n, const Type *t, int from);
/* v as sema knows it: without tags that are known */
Val narrowed(Lower *l, Val v, const Type *t);
/* the value; raises where there is none */
Val needed(Lower *l, Val v, const Need *need);
void need_operands(Lower *l, int op, bool in_place, Val *a, Val *b);
void need_order(Lower *l, int op, Val *a, Val *b); /* a < b */
void need_container(Lower *l, Val *b);
IrExpr *equal_tags(Lower *l, const Val *a, const Val *b, IrExpr *same); /* same NULL: one is None */
Val stored(Lower *l, Val v, DType d); /* what an array of d holds of it */
void slice_parts(Lower *l, Val *start, Val *stop, Val *step);
static inline const Type *
type_before(const Info *i) /* what the node itself yields */
{
    return i->need ? i->need->from : i->type;
}

/* call.c, call_py.c */
/* a function value, with what it captures as that is now */
Val closure(Lower *l, const Type *t, const Scope *scope);
Val closure_or_none(Lower *l, const Type *t, const Info *i);
Val lower_call(Lower *l, const Node *n);
Val display(Lower *l, const Node *n); /* a list or tuple as nested tuples of values */
Val one_arg(Lower *l, const Call *c, int k, Val *splat, bool later_impure);
/* The expander of each row, by its name in the table; `at` is the Call, of type t. */
#define PY(id, params, typing, expander, ...)                                                      \
    Val emit_py_##expander(Lower *l, const Node *at, const Call *c, const Type *t);
#define OWN(id, params, typing, expander, ...)                                                     \
    Val emit_py_##expander(Lower *l, const Node *at, const Call *c, const Type *t);
#include "def/py.def"
Val range_element(Lower *l, Val r, const Node *index, const Type *t); /* r[index] */
Val py_call(Lower *l, const Node *n, const Call *c);
Val list_array(Lower *l, const Node *comp, const Type *elem);
Val scalar_cast(Lower *l, Val v, const Type *to);

/* heap.c: lists and dicts */
IrVar *heap_var(Lower *l, const char *name, const Type *t);
IrExpr *heap_word(Lower *l, IrVar *o, int k);
void heap_set_word(Lower *l, IrVar *o, int k, IrExpr *e);
IrVar *heap_get_column(Lower *l, IrVar *o, int at, const Type *leaf);
IrExpr *heap_len(Lower *l, const Val *o);
Val heap_load(Lower *l, const Val *o, int group, IrExpr *i);
void heap_store(Lower *l, const Val *o, int group, IrExpr *i, const Val *v);
void heap_fill(Lower *l, const Val *o, int group, IrExpr *i, const Val *v);
void heap_move(Lower *l, const Val *to, int group, IrExpr *i, const Val *from, int of, IrExpr *k);
Val heap_new(Lower *l, const Type *t);
Val heap_run_of(IrBuilder *b, Val v, const Type *t); /* val_row */
void heap_grow(Lower *l, const Val *o, int group, IrExpr *n);
void heap_room(Lower *l, const Val *o, IrExpr *n);
Val heap_bytes(Lower *l, const Val *o, const Type *t);
Val heap_list_of(Lower *l, const Type *t, int n, const Node *const *e); /* [e, ...] */
Val heap_display(Lower *l, const Node *n, const Type *t);
Val heap_dict_display(Lower *l, const Node *n, const Type *t);
Val heap_comprehension(Lower *l, const Node *n, const Type *t);
/* list(from), dict(from) */
Val heap_from(Lower *l, const Node *from, const Type *t, const Inst *set);
Val heap_subscript(Lower *l, const Node *n, Val o);
void heap_assign(Lower *l, const Node *t, Val v);
void heap_update(Lower *l, const Node *n);
Known *heap_known(Lower *l, const IrVar *o);
int heap_enter(Lower *l, const Node *loop);
void heap_leave(Lower *l, int mark);
/* checked: as many elements as targets; star: which takes the rest, or -1 */
void heap_unpack(Lower *l, Val v, int n, int star, Val *elem);
Val heap_row(Lower *l, const Node *n, const Call *c);
/* kept.c: an object that Python has in a slot between calls */
Val heap_kept(Lower *l, const Call *c, const Type *t);

/* object.c: instances of classes */
Val object_load(Lower *l, Val o, int field);
void object_set(Lower *l, Val o, int field, Val v);
Val object_make(Lower *l, const Node *n, const Call *c);
bool object_has_constant(Lower *l, const Node *n);
Val object_attr(Lower *l, const Node *n, Val o);
void object_assign(Lower *l, const Node *t, Val v);
void object_update(Lower *l, const Node *n); /* x.a += ... */
/* isinstance of one type or another */
Val member_test(Lower *l, Val v, const Call *c, const Type *t);
/* false: neither is an instance */
bool object_compares(Lower *l, int op, const Val *a, const Val *b, IrExpr **out);
Val lower_call_inst(Lower *l, const Node *n, const Call *c);

/* text.c: strings */
Val text_val(Lower *l, Val v);
bool text_is(const Val *v);
IrExpr *text_equal(Lower *l, const Val *a, const Val *b);
IrExpr *text_order(Lower *l, IrOp op, const Val *a, const Val *b);
IrExpr *text_contains(Lower *l, const Val *a, const Val *b);
Val text_operator(Lower *l, int op, Val a, Val b);
Val text_get(Lower *l, Iter *it, IrExpr *k);
Iter text_iter(Lower *l, Val v);
bool flat_iter(Lower *l, const Node *n, Iter *it); /* is it such an x.flat? */
void flat_assign(Lower *l, const Node *t, Val v);
bool text_parts(Lower *l, const Node *n, Iter *it); /* is it a call of split()? */
Val text_subscript_load(Lower *l, const Node *n, Val v);
void text_unpack(Lower *l, Val v, int n, Val *elem);
IrExpr *text_hashed(Lower *l, IrExpr *seed, const Val *v);
Val text_or_points(Lower *l, const Call *c, const Type *t);
Val text_joined(Lower *l, const Node *n);
Val text_owned(Lower *l, Val v);
Val text_of_value(Lower *l, const Node *n, const Call *c);
IrExpr *text_note(Lower *l, const Val *v, bool repr);
IrExpr *text_note_of(Lower *l, const Val *v);

/* heap_iter.c: how they are gone through */
typedef struct DictView DictView;
bool heap_changes(const Lower *l, const Node *n);
bool heap_changes_between(const Lower *l, const Node *iterable);
Val heap_iterable(Lower *l, const Node *n, Val v); /* of a dict, a list of its keys */
Iter heap_iter(Lower *l, Val v);
Val heap_next(Lower *l, Iter *it, IrVar *has);
IrExpr *heap_more(Lower *l, const Iter *it);
Val heap_pull(Lower *l, const Iter *it);
Val heap_next_reversed(Lower *l, Iter *it, IrVar *has);
bool heap_watched(Lower *l, const Node *n, bool down, Iter *it);
Val kernel_call(Lower *l, const Node *n, const Call *c); /* kernel.c */
/* call.c: with values, of its parameters' types */
Val inst_call(Lower *l, const Inst *callee, Val *param);
typedef struct Declared { /* a function of Python, by its signature */
    const char *name, *key;
    const ForeignSig *sig;
} Declared;
Val upcall_declared(Lower *l, const Node *n, const Declared *d, const Val *arg);
Val upcall_asked(Lower *l, const Node *n, const Call *c, const Type *t);
void upcalls_make_serial(IrModule *m); /* upcall.c: pranges that have one */
Val call_results(Lower *l, const Type *t, IrArg **outs, int *n);

/* grid.c: swathe.gpu */
Val grid_call(Lower *l, const Node *n, const Call *c);
Val grid_read(Lower *l, const Node *n, const Call *c); /* gpu.threadIdx.x */

/* arith.c: operators on Python and NumPy scalars, with the errors that they raise */
/* Python's numbers raise where NumPy's do not, and say what they were and what was asked. */
typedef enum Weak { STRONG, WEAK, WEAK_INTS, WEAK_DIVMOD } Weak;
IrExpr *scalar_binop(Lower *l, int op, IrExpr *a, IrExpr *b, DType d, Weak weak);
IrExpr *scalar_exact(Lower *l, int op, IrExpr *a, IrExpr *b); /* int64 or OverflowError */
IrExpr *exact_compare(Lower *l, IrOp op, const Val *a, const Val *b, DType in);
/* as == and < of tuples look at an element; none: it has no truth */
Val compared(Lower *l, const Val *v);
IrExpr *compare_scalars(Lower *l, IrOp op, const Val *a, const Val *b);
/* ---- recursion.c ---- */
void lower_mark_recursive(Arena *a, IrModule *m);

static inline IrExpr *
i64(Lower *l, int64_t v)
{
    return ir_int(l->cx, DT_i64, v);
}

/* No expression stands in two places: what is used once more is copied. */
static inline IrExpr *
again(Lower *l, IrExpr *e)
{
    return ir_copy_expr(l->cx, e);
}
#endif
