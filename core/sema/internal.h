/* SPDX-License-Identifier: BSD-3-Clause
 * Shared by the files of sema/, private to the folder. Expressions yield a Sem (type and,
 * where known, value); a mistake is reported once and yields type_unknown, which silences
 * whatever follows from it. sema.c, stmt.c, env.c, expr.c, bind.c walk the program;
 * ufunc.c and call_*.c know the types of library functions, operators, attributes and
 * subscripts. */
#ifndef SWATHE_SEMA_INTERNAL_H
#define SWATHE_SEMA_INTERNAL_H
#include "sema/sema.h"

enum { SEMA_MAX_NDIM = 16 }; /* axes of an array: what the later stages have room for */

typedef struct Sem {
    const Type *type; /* never NULL; TY_UNKNOWN after a mistake or in an unfinished recursion */
    const Const *cst; /* NULL: not known at compile time */
} Sem;

/* What types nothing tells are: each is tried where the one before was no good. See site.c. */
enum { SETTLE_INT = 1, SETTLE_FLOAT, SETTLE_TEXT, SETTLE_OWN };

/* A class that declares no fields is one for all calls, or see class_variant.c. */
enum { VARIANTS_NONE, VARIANTS_BY_TYPES, VARIANTS_BY_PLACES };
typedef struct SignatureClass {
    ObjClass *cls; /* its `of` is the generator's */
    int n;
    const Type **type; /* of the arguments, and of what is captured */
    const Node *at;    /* the call, and in which instance; NULL: any */
    const Inst *in;
} SignatureClass;

typedef struct Frame Frame; /* the instance being inferred: env.c */
typedef struct Sema {
    Cx *cx;
    Arena *a;      /* &cx->arena */
    TypeTable *tt; /* cx->types */
    Diags *diags;  /* &cx->diags */
    SemaUnit *unit;
    const Program *prog;
    Frame *fr;            /* innermost instance */
    const Node *label_at; /* the call of label() that stands as a statement */
    const Node *stmt;     /* the current one */
    const Node *unbound;  /* where it is sure to raise: ends.c; or NULL */
    int ended;            /* of what raises: errors that there were before */
    Need ended_by;        /* what it raises, where that is no call */
    const Node *sole;     /* the value of an assignment to one target */
    const Node *through;  /* what a loop goes through, which is inferred */
    const Node *taken;    /* likewise, what iter(), list(), len() and their kin are given */
    const Node *copied; /* the call of np.array or the like whose arguments are inferred, or NULL */
    const Node *callee; /* what is called, if it is no method that the compiler knows */
    const Node *star;   /* what bind_star has inferred, of the call at hand, or NULL */
    bool big_ok;        /* the next expression may be a constant int beyond int64: sema_operand */
    unsigned bindings, needs; /* so far: Slot.serial; Infos with a Need */
    bool names_missing;       /* an import was refused: names that are unknown are its fault */
    /* types of empty lists that were found out; that are not known yet: see site.c */
    int found, open;
    int settle;        /* those that nothing tells may be any: one of these */
    bool grows;        /* some type does in each round: an error */
    bool wait;         /* in this round only those of arguments: for these it is another instance */
    Unroll unroll;     /* what is to be unrolled before all is typed again; no loop: nothing */
    int unrolled;      /* nodes that this has made so far */
    Map items;         /* of dicts with known keys, by the node of the dict: nodes made for them */
    bool again;        /* there are new ones, and all is typed again */
    bool want_keyed;   /* that is to be so: */
    bool all_keyed;    /* each dict display with known keys is one of them, and none an object */
    bool want_choices; /* unlike functions in a display met, as in a loop that wasn't unrolled: */
    bool choices;      /* one of them is a value, see choice.c */
    bool want_lists;   /* a display of functions was to be changed: */
    bool lists;        /* these are lists, and else tuples */
    bool want_wide;    /* a float was put among ints: */
    bool want_none;    /* what may be None was put where nothing is; without that, all is well: */
    bool for_none;     /* that is why it is wide; where it is no good: */
    bool none_raises;
    const FuncDef *rows_of;  /* calls itself with ever longer tuples: it takes some of any length */
    bool empty_rows;         /* () is an empty tuple of any length: one is to be an element */
    bool wide;               /* what containers hold that are made here may become wider */
    Vec(TypeVar *) widening; /* all that were made since then */
    bool want_signatures;    /* objects of one generator were given values of unlike types: */
    bool signatures;         /* they have a class for each signature: signature_class.c */
    /* What has no common type met; that is a value of one or another. */
    bool want_either, either, want_apart;
    bool either_refused; /* what that can't do is the error to be shown */
    bool want_dicts;     /* a dict display with known keys is its values: */
    bool dicts;          /* none is; what they hold is of one type or another */
    bool want_variants;  /* one class of undeclared fields was made in two places: */
    int variants;        /* it is several, see class_variant.c */
    Vec(SignatureClass) signature_classes;
    bool empty_lists;  /* a dict of several empty lists was made: they may be of unlike types */
    bool want_objects; /* likewise: */
    bool objects;      /* dicts with known keys are objects where they can be: keyed_object.c */
    Map defaults; /* Node -> Const: defaults of nested functions, known when they are defined */
} Sema;

/* ---- signature.c: the explicit signature that takes these arguments, which become its types.
 * NULL: none does (an error) ---- */
const Signature *signature_choose(Sema *s, const Node *e, const FuncDef *fd, const Type **types,
                                  const Const **csts);
/* What the call yields, where the function yields `have`. */
const Type *signature_result(Sema *s, const Signature *g, const Type *have);

/* ---- expressions: expr.c ------------------------------------------------------------- */
Sem sema_expr(Sema *s, const Node *e); /* infers, records Info, returns */
/* likewise, where an int beyond int64 is welcome: see big_report */
Sem sema_operand(Sema *s, const Node *e);
void big_report(Sema *s, const Node *e, const Const *c); /* OverflowError */
/* a bool, or a member of an IntEnum, or an int? */
void mixed_report(Sema *s, const Node *at, const char *what, const Type *t);
/* Likewise, for a value that a name takes: a function is then without its captures, which are
 * looked up when the name is used, as a `def`'s are. */
Sem sema_function(Sema *s, const Node *e);
Sem sema_known(Sema *s, const Node *e);       /* what sema_expr said of it before */
void sema_set(Sema *s, const Node *e, Sem v); /* overrides what is recorded (rarely needed) */
Sem sema_unknown(Sema *s);
static inline bool
sem_bad(Sem v)
{
    return v.type->kind == TY_UNKNOWN;
}
static inline Sem
sem_of(const Type *t)
{
    return (Sem){t, NULL};
}
Sem sem_const(Sema *s, const Const *c);     /* its type and itself */
const Const *const_int(Sema *s, int64_t v); /* weak */
const Const *const_bool(Sema *s, bool v);
const Const *const_float(Sema *s, double v);
const Const *const_complex(Sema *s, double re, double im);
const Const *const_none(Sema *s);
const Const *const_str(Sema *s, const char *v);
/* 1 true, 0 false, -1 not known: the truth of a value at compile time (None, "", (), 0). */
int const_truth(const Const *c);
/* what has __index__: integers, also 0-d, and Python's bools; NumPy's bools have none */
bool is_int_type(const Type *t);
bool is_size_type(const Type *t); /* the same without bools, as NumPy's shapes and axes are */
bool const_as_int(const Const *c, int64_t *out); /* CV_INT, CV_BOOL, integer NPSCALAR */

/* ---- errors: env.c -------------------------------------------------------------------- */
Diag *sema_error(Sema *s, DiagId id, const Node *at, const char *fmt, ...) SW_PRINTF(4, 5);
/* TypeError-like: sema_type_error(s, at, "...") then return sema_unknown(s). */
Diag *sema_type_error(Sema *s, const Node *at, const char *fmt, ...) SW_PRINTF(3, 4);
/* `what` says what is read-only. */
void sema_readonly(Sema *s, const Node *at, const char *what);
/* diag_hint with "did you mean 'x'?" when a candidate is near. */
/* advice.c: messages for common mistakes, in CPython's words, with a hint. */
Diag *sema_no_attribute(Sema *s, const Node *f, const Type *t);
void sema_no_item_store(Sema *s, const Node *at, const Type *t);
const char *sema_public_name(Sema *s, const FuncDef *fd);
void advise_self(Sema *s, Diag *d, const char *method, const char *first, int n);
void advise_attribute(Sema *s, Diag *d, const Node *of, const Type *t, const char *name);
Diag *sema_not_iterable(Sema *s, const Node *at, const Type *t);
Diag *sema_not_indexed(Sema *s, const Node *e, const Node *of, const Type *t);
const Type *sema_no_length(Sema *s, const Node *at, const Node *of, const Type *t); /* NULL */
Diag *sema_unhashable(Sema *s, const Node *at, const Type *t); /* NULL: it is not one of those */
void sema_bad_position(Sema *s, const Node *i, const char *what, const Node *of, const Type *t);
const char *operator_text(Sema *s, const Node *at, int op); /* "+=" in an assignment */
Sem sema_bad_operands(Sema *s, const Node *at, int op, const char *what, const Type *a,
                      const Type *b);
void advise_element(Sema *s, Diag *d, const Type *elem, const Type *v);
void advise_number(Sema *s, Diag *d, const Node *at, const Type *t); /* where a number is needed */
Diag *sema_bad_format(Sema *s, const Node *e, const char *spec, const Type *t, bool text);
bool sema_takes_code(Sema *s, const Node *e, const char *spec, const Type *t);
/* joined.c: an f-string, and a part of one */
Sem sema_joined(Sema *s, const Node *e);
Sem sema_formatted(Sema *s, const Node *e);
void sema_not_unpacked(Sema *s, const Node *at, const Type *t, int names);
Sem sema_bad_order(Sema *s, const Node *at, const char *op, const Type *a, const Type *b);
bool text_takes(Sema *s, const Node *call, const char *function, const Call *c,
                const Type *const *types);
const char *class_name(Sema *s, const Type *t); /* as CPython's messages have it: "list" */
void sema_hint_nearest(Sema *s, Diag *d, const char *word, const char *const *cands, int n);

/* ---- calls: bind.c -------------------------------------------------------------------- */
/* Arguments of a bound call, by parameter index of the row (see Call in sema.h): every argument has
 * been through sema_expr already. type == NULL: omitted by the caller. Elements of a splatted tuple
 * included. */
Sem sema_arg(Sema *s, const Call *c, int k);
const Node *sema_arg_node(const Call *c, int k); /* for spans; NULL when omitted or from a splat */
/* Bind a Call node's arguments to a row (self, when not NULL, is arg[0]) and infer each. false
 * after a diag. */
bool bind_args(Sema *s, const Node *call, const Builtin *fn, const Node *self, Call *out);

/* Call a function value (TY_FUNC, TY_BUILTIN) with argument types only, as lib-like helpers may
 * need. */
const Inst *sema_instantiate(Sema *s, const Node *at, const FuncDef *fd, int n,
                             const Type *const *types, const Const *const *csts);

/* ---- iteration: iter.c ----------------------------------------------------------------- */
/* Type of what `for x in v` binds: range -> weak int, 1-D array -> strong scalar, n-D array ->
 * view, tuple -> join of its elements, TY_ITER (ref = the Builtin row of
 * iter/enumerate/zip/reversed, elems = the types iterated over), TY_LIST -> its element. TY_UNKNOWN
 * after a diag. */
const Type *sema_iter_elem(Sema *s, const Node *at, const Type *v);
void sema_want_later(Sema *s, const Node *e);
void sema_want_object(Sema *s, const Node *e);
/* may a variable or a field? else that is an error at `at` */
bool sema_may_hold(Sema *s, const Node *at, Sem v);
const char *heap_update_by(Sema *s, const HeapClass *c);
bool cast_is_number(Sema *s, const Const *c, DType d); /* call_cast.c: may a string be read now? */
void sema_want_list(Sema *s, const Node *e);
/* A name is a range on one path and a list on another: a list of the range, if nobody can tell. */
void iter_range_as_list(Sema *s, Sym name, const Type *a, const Type *b);
/* An iterator, or an instance with one, is asked for one element more than there are targets, and
 * has the others afterwards: a list of these. */
Sem iter_unpacked(Sema *s, const Node *t, Sem v, const Node *value);
/* A slice that is a value is an index of what takes them as they are written; false: it is none. */
bool sema_want_slice(Sema *s, const Node *index, const Type *of, Sem idx);
bool sema_is_later(Sema *s, const Node *e, Sem v);
bool sema_is_iterable(const Type *t);
/* An iterable; target: what its elements are assigned to. */
Sem sema_iterated(Sema *s, const Node *e, const Node *target);
/* Certain to yield nothing: a tuple without elements, or one of those that are gone through
 * together. */
bool sema_iter_empty(const Type *t);
/* what a `for` goes through: generator expressions in it */
void sema_check_late(Sema *s, const Node *loop, const Node *e);

/* ======================================================================================
 * What types operators and library calls (ufunc.c, call_np.c, call_py.c, call_math.c, call_attr.c)
 * ====================================================================================== */
/* Result of a ufunc or operator on scalars and arrays: dtypes, weakness, broadcast rank, layout.
 * Fills out->in, n_in, out, n_out (kind and fn too). Two results (divmod, modf, frexp): a tuple
 * type. NULL after a diag. `csts` may be NULL, as may its elements. Constants are not folded here:
 * expr.c folds weak scalars before. */
const Type *exponent_type(Sema *s, const Type *a, const Type *b, const Const *c); /* of a ** b */
const Type *ufunc_type(Sema *s, const Node *at, const Builtin *fn, int n, const Type *const *args,
                       const Const *const *csts, Call *out);

/* Types a call of any row but BF_LIB, whose arguments are bound in out (sema_arg). The Sem's cst
 * when the result is known at compile time (len of a tuple, isinstance, np.ndim). TY_UNKNOWN after
 * a diag. */
Sem call_builtin(Sema *s, const Node *call, const Builtin *fn, const Node *self, Call *out);

/* A call of a dtype: float(x), int(x), np.float32(x), np.int64(array): CALL_CAST. dt is a
 * TY_DTYPE. */
Sem call_cast(Sema *s, const Node *call, const Type *dt, int n_args, const Node *const *args,
              Call *out);

/* `value.name` on an array, scalar or dtype; an array METHOD is not asked for here (a Call whose
 * function is an Attribute looks it up with builtin_method first). Reports with the nearest
 * spelling. */
Sem attr_type(Sema *s, const Node *at, Sem value, Sym name);
bool is_part_place(const Node *t, const Type *of);      /* a.real, a.imag as targets */
const Type *part_place(Sema *s, const Node *t, Sem of); /* NULL after a diagnostic */

/* `value[index]` on an array. The index has been through sema_expr: sema_known(s, index); an
 * N_Slice has a TY_SLICE of its parts' types, a Tuple node a tuple type. `store`: as the target of
 * an assignment: then the type of what is assigned to (a scalar or a view), and an error when the
 * array is readonly. NULL after a diag. */
const Type *subscript_type(Sema *s, const Node *at, const Type *value, const Node *index,
                           bool store);

/* Integers or masks are among the indices: the value is a copy, not a view. */
bool subscript_takes_arrays(Sema *s, const Node *index);

/* type_join, but a constant that the other's dtype cannot hold makes both int64 or wider: -1 with a
 * uint8. */
const Type *type_join_values(Sema *s, const Type *a, const Const *ac, const Type *b,
                             const Const *bc);

/* An assignment value -> element or view of type `to` (a[i] = v, a[:] = v, a += v with same_kind =
 * true): false after a diag when the ranks or dtypes do not allow it. */
bool check_store(Sema *s, const Node *at, const Type *to, Sem v, bool same_kind);

/* record.c */
const Type *record_of(Sema *s, const Const *c, int ndim); /* of a CV_RECORD, newly made */
/* one that takes records and makes new ones */
bool record_is_created(const Builtin *fn);
Sem record_attribute(Sema *s, const Node *e, const Type *t);
bool record_text(Sema *s, const Node *e, const Type *t, const char *name, Sem *out);
const Type *record_subscript(Sema *s, const Node *at, const Type *t, const Node *index, bool store);
/* The type of what a[i], a['x'], a.x (Subscript or Attribute) names as a target; NULL after a
 * message, or when `obj` is neither an array nor records. */
const Type *sema_place(Sema *s, const Node *t, const Type *obj);
/* check_store, of records too */
bool sema_check_place(Sema *s, const Node *at, const Type *to, Sem v, bool same_kind);

/* ======================================================================================
 * The walk itself: environments, instances, control flow
 * ====================================================================================== */
/* What a name holds at one point of control flow. `clash`: two paths brought types that have no
 * join; an error only where the name is then read. */
typedef struct Slot {
    const Var *var; /* NULL: bound on no path */
    bool maybe;     /* some path leaves it unbound */
    const Const *cst;
    /* it holds a function that took this variable before its last assignment */
    Sym stale;
    const Node *def; /* where it got this type, for notes; NULL: a parameter */
    const struct Clash {
        const Type *a, *b;
        const Node *a_at, *b_at;
    } * clash;
    const Type *as;  /* what the Var's type is known to be here (narrow.c), or NULL */
    unsigned serial; /* of the binding: of two equal ones the value is the same */
    bool was;        /* bound on some path that leads here, perhaps no more */
    bool gone;       /* of two types on two paths, and assigned before it is read again */
} Slot;

typedef struct Env {
    bool dead;  /* control does not come here */
    int n;      /* slots allocated; names beyond are unbound */
    Slot *slot; /* by name index of the frame */
} Env;

/* Where control may arrive from several places: the paths are kept until all are known. */
typedef struct Path {
    Env env;
    const Node *at;
    EdgeKind kind;
} Path;
typedef Vec(Path) Paths;

typedef struct LoopCtx {
    const Node *node;
    Paths breaks, continues;
    struct LoopCtx *up;
} LoopCtx;

typedef struct TryCtx { /* names that the body assigns keep one type over body and handlers */
    Map pin;            /* Sym -> Pin */
    bool changed;
    const Node *of; /* a try: what its handlers do not ask for has any type */
    bool loops;     /* a comprehension, which runs again */
    struct TryCtx *up;
} TryCtx;
typedef struct Pin {
    const Type *type;
    const Node *at;
    bool deleted; /* somewhere in the body */
} Pin;

struct Frame {
    Frame *up;
    Inst *in;
    const Node *call; /* where it is called from, in up's function; NULL at the root */
    Map index;        /* Sym -> 1 + name index */
    Vec(Sym) names;
    Env env;
    LoopCtx *loop;
    TryCtx *try_;
    Scope *scope;
    Map flagged; /* Sym: its Vars need a flag */
    bool in_handler;
    int finals;          /* finally blocks around */
    const Node *handler; /* the innermost, or the try whose finally this is */
    bool optional;       /* some variable may be None, or an element of it */
    int nested;          /* blocks around the statement */
    struct Live *live;   /* live.c: made when it is first asked */
    const Type *ret;     /* joined so far; UNKNOWN at the start */
    const Node *ret_at;
    const Const *ret_cst; /* what all returns so far yield, if they do; a bool */
    const Type *ret_each; /* their types as one or another, numbers apart; NULL: they can't be */
    Vec(Var *) vars;
    Map named; /* name -> its youngest Var */
    /* depth of the outermost unfinished instance that this one's types rest on */
    int low;
    int depth;
};

/* env.c */
int env_index(Sema *s, Sym name);  /* adds the name */
Slot *env_slot(Sema *s, Sym name); /* to change it; scopes resolved */
/* Does a value of this type hold a function of this one that has taken the variable? */
bool env_captures(Sema *s, const Type *t, Sym name);
Slot *env_find(Sema *s, Sym name); /* NULL when the function has no such local */
Sym env_resolve(Sema *s, Sym name);
Env env_copy(Sema *s, const Env *e);
const Var *env_var(Sema *s, Sym name, const Type *t); /* the Var of a (name, type) */
void env_flag(Sema *s, Sym name);
const Var *env_bind(Sema *s, Sym name, Sem v, const Node *at); /* assignment; the Var written */
void env_unbind(Sema *s, Sym name);
/* and the moves on each path's edge. behind: the statement after which they meet, or NULL */
Env env_join(Sema *s, int n, const Path *paths, const Node *behind);
/* head = join(head, back); did a type or bound-ness change? */
bool env_widen(Sema *s, Env *head, const Env *back, const Node *loop);
void env_edge(Sema *s, const Path *from, const Env *to); /* the moves that take `from` into `to` */
/* live.c: is a local surely assigned before it is read again, from the head of a loop or behind a
 * statement on? */
bool live_is_dead(Sema *s, Sym name, const Node *at, bool head);
/* where the handlers of a try begin */
bool live_is_dead_caught(Sema *s, Sym name, const Node *at);
/* drops the constants of names assigned in body */
void env_forget(Sema *s, const Node *body);
/* names that a piece assigns go into a TryCtx; the piece is typed until they keep their types */
void sema_pin_name(Sema *s, const Node *at, Sym name, void *ctx);
void sema_guarded(Sema *s, const Node *n, EdgeKind edge, TryCtx *c, const Env *entry,
                  void (*body)(Sema *s, const Node *n));
void env_walk_assigned(Sema *s, const Node *n,
                       void (*f)(Sema *s, const Node *at, Sym name, void *arg), void *arg);
Info *info_of(Sema *s, const Node *n);
int diag_mark(Sema *s);
void sema_never_settles(Sema *s, const FuncDef *fd, int mark);
/* sema.c: all instances, but not what was found out */
void sema_forget(Sema *s, int mark);
/* attempts.c */
const Type *sema_infer(Sema *s, const FuncDef *fd, int n, const Type **types, Inst **root);
bool sema_check_axes(Sema *s, const FuncDef *fd, int n, const Type *const *args);
void diag_rewind(Sema *s, int mark);
typedef Vec(Diag *) DiagList;
void diag_copy(Sema *s, int mark, DiagList *to);
void diag_put(Sema *s, int mark, const DiagList *from);
void env_clash(Sema *s, const Node *use, Sym name, const struct Clash *c);

/* narrow.c */
const Type *slot_type(const Slot *slot); /* of a bound one */
/* The types of names that `body` assigns have not converged; `before`: the last round but one. */
void env_grows(Sema *s, const Node *body, Env *before);
void env_tell_growing(Sema *s, const Node *at, Sym name); /* that the type of one has not */
/* How often a body is typed at most: less often once a type was found to grow, since loops in loops
 * would else come to a power of that. */
int env_rounds(const Sema *s);
/* what is known where the test, which has been typed, is so */
void sema_narrow(Sema *s, const Node *test, bool truth);
/* an operand of `and`, `or` where it is the result */
const Type *sema_decided(Sema *s, const Type *t, int op);
void env_common(Sema *s, Env *to, const Env *b);
void env_unnarrow(Sema *s, const Env *then);
/* v, which e is, where None won't do: exc is raised for it. */
Sem sema_need(Sema *s, const Node *e, Sem v, const char *exc, const char *fmt, ...) SW_PRINTF(5, 6);
Sem sema_need_made(Sema *s, const Node *e, Sem v, const char *maker, const Const *with);
void sema_need_args(Sema *s, const Call *c);                         /* of a row */
void sema_need_sizes(Sema *s, const FuncDef *method, const Call *c); /* of a library's class */
bool sema_may_change(Sema *s, const Node *n);                        /* a list */
void sema_need_index(Sema *s, const Node *index, const Type *of);
const char *python_name(Sema *s, const Type *t); /* as messages have it: "int", "NoneType" */

/* sema.c */
/* what is no compiled code can run in Python */
extern const char sema_objmode_hint[];
const Type *sema_call_inst(Sema *s, const Node *at, const FuncDef *fd, int n, const Type **types,
                           const Const **csts, Inst **out);

void sema_guess(Sema *s, TypeVar *v);             /* a type that nothing tells */
bool sema_never_returns(Sema *s, const Inst *in); /* every path raises */
void sema_returned(Sema *s);                      /* a `return` was seen */

/* stmt.c, loop.c, try.c */
/* calls or assigns something: what was evaluated before it may change */
/* ends.c */
bool sema_has_effect(const Node *n);
bool ends_only_raises(Sema *s, const Node *e); /* a call of a function whose every path raises */
bool ends_here(Sema *s, const Node *e);        /* is the call such a one, and evaluated first? */
void ends_statement(Sema *s, const Node *n);
bool ends_raising(Sema *s, const Node *e, const char *exc, const char *text);
/* never reached: forgets what was said of it */
void sema_dead(Sema *s, const Node *n);
void sema_defaults(Sema *s, const Node *e);
void sema_branch(Sema *s, const Node *block);
/* label.c: how many calls of label() begin at block->kid[i]; whether what follows suits them */
int sema_label_run(Sema *s, const Node *block, int i);
void sema_check_labels(Sema *s, const Node *block, int first, int n);
const Type *sema_type_label(Sema *s, const Node *call, Sem name);
void sema_check_schedule(Sema *s); /* every label in it is one of the program's */
void sema_block(Sema *s, const Node *block);
void sema_stmt(Sema *s, const Node *n);
void sema_assign(Sema *s, const Node *target, Sem v, const Node *value);
int sema_test(Sema *s, const Node *test); /* 1, 0: known; -1 */
void sema_for(Sema *s, const Node *n);
void sema_while(Sema *s, const Node *n);
void sema_return(Sema *s, const Node *n); /* returns.c */
/* unroll.c: around the typing of a loop or comprehension, which may have to be unrolled */
unsigned sema_rounds_begin(Sema *s);
void sema_rounds_end(Sema *s, const Node *n, unsigned before);
void sema_check_rounds(Sema *s, const Node *e);
int sema_test_rounds(Sema *s, const Node *test);
void sema_want_display(Sema *s, const Node *e);
const Const *sema_range_tuple(Sema *s, const Node *e);
Sem sema_unpacked(Sema *s, const Node *e, Sem v, int names);
void sema_try(Sema *s, const Node *n);
/* caught.c: the type of its name */
const Type *sema_caught(Sema *s, const Node *body, const Node *handler, RaisedUse use);
void sema_tell_raised(Sema *s);
/* raised.c: of which class a caught exception is */
bool raised_is_value(const Type *t);
bool raised_is(const Type *t);
bool raised_is_class(const Type *t);
const char *raised_name(const Const *cls);
const Type *raised_class_of(Sema *s, const Type *t);
bool raised_row(Sema *s, const Node *e, const Call *c, Sem *out);
bool raised_compare(Sema *s, const Node *e, Sem a, Sem b, Sem *out);
RaisedUse raised_use(const FuncDef *exit);
Sem sema_caught_arg(Sema *s, const Node *e);
Sem sema_caught_own(Sema *s, const Node *e, const Type *t);
Sem sema_caught_args(Sema *s, const Node *at, const Type *t);
void sema_raise(Sema *s, const Node *n);
void sema_with(Sema *s, const Node *n); /* with.c */
void sema_with_body(Sema *s, const Node *n);
void sema_aug(Sema *s, const Node *n);
void sema_unsupported(Sema *s, const Node *n, const char *what); /* with what to use instead */
void sema_refuse_outside(Sema *s, const Node *e, const char *what);

/* expr.c, name.c, operator.c, tuple.c, invoke.c, compare.c: one family of expressions each */
Sem expr_name(Sema *s, const Node *e);
/* a method that takes what is outside, where Python calls it by itself */
void sema_check_root(Sema *s, const Inst *root, const Type *ret);
void sema_check_packed(Sema *s, const FuncDef *fd);
void sema_takes_outer(Sema *s, const Node *at, const FuncDef *fd);
Sem expr_attribute(Sema *s, const Node *e);
Sem expr_binop(Sema *s, const Node *e);
Sem sema_beside_array(Sema *s, const Node *at, const Node *e, Sem v);
/* Of two operands, a list beside an array is one, too. */
void operands_beside_array(Sema *s, const Node *x, Sem *a, const Node *y, Sem *b);
const char *operand_sequence(Sem v);        /* "list", "tuple" */
bool operands_list_and_tuple(Sem a, Sem b); /* one of each: [1] and (1,) */
enum { NEAREST = 2 };
/* An operand that leaves int64 and could not be folded away: beside a float it is one, a NumPy
 * integer may hold it (ufunc_type asks), and what computes with int64 cannot have it. `way`:
 * how it may be rounded beside a Python float (big_round), which compares exactly. */
bool operand_settle_big(Sema *s, const Node *at, Sem *v, const Type *other, int way);
Sem expr_binop_values(Sema *s, const Node *at, int op, Sem a, Sem b, Call **call);
Sem expr_unary(Sema *s, const Node *e);
Sem expr_compare(Sema *s, const Node *e);
Sem expr_tuple(Sema *s, const Node *e);
Sem expr_list(Sema *s, const Node *e);
Sem expr_subscript(Sema *s, const Node *e);
Sem expr_call(Sema *s, const Node *e);
Sem expr_comprehension(Sema *s, const Node *e);
Sem closure_of(Sema *s, const Node *at, const FuncDef *fd); /* captures what is in scope here */
/* of a variable that holds a raw one, perhaps None, or one of several */
const Type *closure_with_captures(Sema *s, const Node *at, const Type *raw);
bool closure_is_raw(const Type *t); /* it has captured nothing yet, as its own variable holds it */
enum { TUPLE_REPEATED = 1000 };     /* elements that (0,) * n may have */
Sem tuple_binop(Sema *s, const Node *at, int op, Sem a, Sem b);
Sem tuple_elem(Sema *s, Sem t, int k);
/* The method or property of a class of named tuples; NULL: it has none of this name. */
const FuncDef *tuple_function(Sema *s, const Type *t, Sym name);
Sem tuple_property(Sema *s, const Node *e, const FuncDef *fd);
Sem tuple_class_call(Sema *s, const Node *e, const Const *cls, Call *out);
/* a list display used where a tuple does as well */
/* a display with displays in it, beside what is none: None, a list in a variable */
bool list_is_mixed(Sema *s, const Node *e, Sem v);
/* `for x in [1, 2]`, `x in [1, 2]`, `a, b = [1, 2]`: a display that is consumed where it stands, as
 * its elements, unless it is mixed. Displays in it are so to the depth at which they are consumed,
 * too; below, they are lists. */
enum { ALL_DEPTHS = 99 };
Sem list_as_elements(Sema *s, const Node *e, Sem v, int depth);
Sem list_as_tuple(Sema *s, const Node *e, Sem v); /* what is in it is taken out */
void env_maybe(Sema *s, const Env *before);       /* what was assigned since may not have been */
const Const *const_tuple(Sema *s, int n, const Const *const *elems);
/* f(*x) alone of what can be gone through, but is no tuple; *of: x */
bool bind_star(Sema *s, const Node *e, Sem *of);
bool bind_spread(Sema *s, const Node *e, const FuncDef *fd, int self, Sem *out);
bool bind_spread_fields(Sema *s, const Node *e, const Const *cls, Sem *out);
bool bind_inst(Sema *s, const Node *call, const FuncDef *fd, const Node *self, Call *out,
               const Type **types, const Const **csts);
bool is_exc_class(const Const *c);
/* of swathe.gpu, or of a name in it; 0: of neither */
int grid_names(Sema *s, const char *module, const char **out);
/* call_grid.c: gpu.threadIdx.x and its like are numbers */
Sem grid_value(Sema *s, const Node *e, Sem v);

/* heap.c: lists and dicts */
/* a display that is to last becomes an object; others stay */
Sem heap_indexed(Sema *s, const Node *e, const Node *index, Sem v);
bool heap_is_sum(const Node *e); /* [0] * 3, [1] + [2]: made of displays */
bool heap_is_list(Sem v);        /* in whatever form */
Sem heap_value(Sema *s, const Node *e, Sem v);
Sem heap_list_display(Sema *s, const Node *e);
Sem heap_call(Sema *s, const Node *e, const char *name, int n, const Node *const *arg);
Sem heap_call_given(Sema *s, const Node *e, const char *name, int n, const Node *const *arg,
                    const Const *const *given);
Sem heap_call_known(Sema *s, const Node *e, const char *name, int n, const Node *const *arg);
/* lowering is to call it, without a node that says so: sema_helper finds it */
bool object_delete(Sema *s, const Node *t);
Sem value_call(Sema *s, const Node *t, const FuncDef *fd, int n, const Sem *v);
/* flat.c: x.flat; false: it is none, or what a vector is for */
bool flat_item(Sema *s, const Node *e, Sem idx, Sem *out);
bool flat_store(Sema *s, const Node *t, Sem idx, Sem v);
bool flat_aug(Sema *s, const Node *n);
void flat_named(Sema *s, const Node *stmt); /* of an assignment whose value is typed */
bool flat_given(Sema *s, const Node *call, const FuncDef *fd); /* refused, after a message */
void heap_help(Sema *s, const Node *at, const char *name, int n, const Type **types);
Sem heap_array(Sema *s, const Node *e, const Call *c);
Sem heap_as_array(Sema *s, const Node *e, Sem v);
/* list_sizes.c: a list where a shape is asked for, as a tuple */
void sema_list_as_sizes(Sema *s, const Node *e);
Sem heap_stored_array(Sema *s, const Node *e, Sem v);
const char *heap_view_name(Sema *s, const Node *n); /* "dict_keys", of d.keys(); NULL: none */
const FuncDef *heap_method(Sema *s, const Node *f, const Type *object);
Sem heap_binop(Sema *s, const Node *e, int op, Sem a, Sem b);
Sem heap_compare(Sema *s, const Node *e, int op, Sem a, Sem b);
Sem sema_dict_display(Sema *s, const Node *e);
Sem heap_keyed_of(Sema *s, const Node *e, const Type *pair); /* a dict's or set's comprehension */
/* list(x); NULL after a message */
const Type *heap_list_from(Sema *s, const Node *at, const Node *from, Sem v);
const Type *heap_dict_from(Sema *s, const Node *at, const HeapClass *cls, const Type **kv,
                           const Node *from, Sem v);
const Type *heap_set_from(Sema *s, const Node *at, const HeapClass *cls, const Node *from, Sem v);
/* ---- heap_collections.c, and what it asks of heap.c ---- */
/* site.c */
const Type *heap_empty_site(Sema *s, const Node *e, int k); /* what is still to be found of it */
const Type *heap_known_element(Sema *s, const Node *e, int k, const Type *t);
void site_begin_widening(Sema *s, int n, const Type **types); /* of the arguments */
bool site_end_widening(Sema *s);
void site_arrayed(const Type *list);
void site_awaits(const Type *container);
void site_indexed(Sema *s, const Type *t, const Type *index);
void site_stored(Sema *s, const Type *t, const Type *index);
void site_forget(Sema *s, int n, const Type *const *args);
void site_called(Sema *s, const Type *t, const char *method);
bool call_nothing_of(Node *e, const Type *value); /* `()` becomes an empty list or set */
void site_gone_through(Sema *s, const Type *t);
void site_unpacked(Sema *s, const Type *t, int n);
void site_beside(Sema *s, const Type *t, const Type *other);
void site_compared(Sema *s, int op, const Type *a, const Type *b);
void site_forget_arg(const Type *t);
const Type *site_open_arg(Sema *s, const Type *t); /* with variables for what is open in it */
const Type *heap_yielded(Sema *s, const Node *at, const Node *from, Sem v);
bool heap_add_pair(Sema *s, const Node *at, const Type **kv, const Type *k, const Type *v);
void heap_known_pair(Sema *s, const Node *e, const HeapClass *c, const Type **kv);
/* an object of these types, and the function by which elements get into it: info->before */
Sem heap_filled(Sema *s, const Node *e, const HeapClass *cls, const Type *const *kv,
                const char *by);
const Type *heap_default(Sema *s, const Node *at, const Type *object); /* of a defaultdict */
/* one that takes another's keys and values: info->before is its update */
const Type *heap_filled_by(Sema *s, const Node *e, const HeapClass *cls, const Type **kv,
                           const Type *from);
Sem heap_shown(Sema *s, const Node *e, Sem v); /* it is printed, or part of a message */
/* expr.c: values whose repr is written in messages */
bool sema_has_repr(const Type *t);
bool heap_sort(Sema *s, const Node *at, const Type *list, Sem reverse, Sem key);
const Type *heap_sum(Sema *s, const Node *at, const char *by, const Type *list, Sem start);
const Type *heap_extreme(Sema *s, const Node *at, const Type *list, const char *what, Sem key,
                         Sem dflt);
/* it is unpacked, with a starred target */
void heap_rest(Sema *s, const Node *at, const Type *list);
void heap_keys(Sema *s, const Node *at, const Type *dict); /* it is iterated over */
Sem heap_needed_index(Sema *s, const Node *i, const Type *of, Sem idx, bool is_read);
Sem sema_heap_subscript(Sema *s, const Node *e, Sem v, Sem idx);
void sema_heap_store(Sema *s, const Node *t, Sem obj, Sem idx, Sem v, const Node *value);
Sem heap_delete(Sema *s, const Node *t);
Sem heap_aug(Sema *s, const Node *n, Sem obj);
void heap_aug_place(Sema *s, const Node *n, Sem obj, Sem by);
/* ---- time.c: dates and time spans ---- */
const Type *time_refuse(Sema *s, const Node *at, const char *what, const Type *t);
Sem time_new(Sema *s, const Node *e, const Type *dt, Call *c);

/* ---- object.c: instances of classes ---- */
Sem object_new(Sema *s, const Node *e, const Const *cls);
Sem object_attribute(Sema *s, const Node *e, Sem v);
Sem object_class_attribute(Sema *s, const Node *e, Sem v); /* C.x, C.f: of the class itself */
/* true: *out is what x.f(...) or C.f(...) yields */
bool object_call(Sema *s, const Node *e, Sem self, Sem *out);
void object_store(Sema *s, const Node *t, Sem obj, Sem v, const Node *value);
void object_aug(Sema *s, const Node *n, Sem obj); /* obj.a += ..., obj["a"] += ... */
bool object_is_enum(const Type *t);               /* a member of one */
bool object_compare(Sema *s, const Node *e, Sem a, Sem b, Sem *out);
bool object_store_tuple(Sema *s, const Node *t, Sem obj, Sem v, const Node *value);
void object_store_item(Sema *s, const Node *t, Sem obj, Sem idx, Sem v, const Node *value);
/* object_infer.c: fields whose types use has to tell. Begins anew; true: instances that are made
 * here are tried as such as arguments are */
void object_forget(Sema *s); /* what was found out of fields */
bool object_begin(Sema *s, bool try_same);
/* specialise.c: the value of an argument that a function is compiled for, or NULL; is it a number
 * that is known, or a tuple of such; is it one that isn't, or has one in it? */
const Const *inst_specialises(const FuncDef *fd, const Type *t, const Const *c);
enum { MAX_KNOWN = 3 }; /* as many strings are known that a function calls itself with */
bool inst_ever_another(Sema *s, const FuncDef *fd, int i, const Const *c);
const Type *inst_any_length(Sema *s, const Node *at, const Type *t, int k);
bool inst_number_known(const Const *c);
bool inst_number_unknown(const Type *t, const Const *c);
/* class_variant.c, signature_class.c: as `of`, but what its open fields hold is to be found out */
ObjClass *class_of_its_own(Sema *s, const ObjClass *of);
const ObjClass *variant_class(Sema *s, const Node *e, const ObjClass *of);
const ObjClass *signature_class(Sema *s, const ObjClass *of);
void signature_stored(Sema *s, const ObjClass *c, const Type *to, const Type *v);
const char *bind_misfit(Sema *s, const FuncDef *fd, int hidden, int n, const Type *named);
/* choice.c */
Sem choice_call(Sema *s, const Node *e);
Sem choice_subscript(Sema *s, const Node *e, Sem v, Sem idx);
bool choice_is_made(Sema *s, const Type *a, const Type *b, const Type *both);
const Type *choice_of_elements(Sema *s, const Type *a, const Type *b, const Type *both);
bool choice_is_of_defs(const Type *t);
bool choice_attribute(Sema *s, const Node *e, Sem v, Sem *out);
int choice_compares(Sema *s, const Type *a, const Type *b);
/* family.c */
void family_begin(Sema *s);
void family_grow(Sema *s, const Type **args, int n);
bool family_asked(Sema *s, int before);
bool family_is(const Sema *s, const Type *t);
bool family_compare(Sema *s, const Node *e, Sem *out);
bool class_compare(Sema *s, const Node *e, Sem *out); /* class_of.c */
bool family_row(Sema *s, const Node *e, const Call *c, Sem *out);
/* either.c: false where no value is of one type or another */
bool either_is(const Type *t);     /* or it may be None */
bool either_within(const Type *t); /* or it is a tuple with such a value */
void either_want(Sema *s);
bool either_has_parts(const Sema *s, const Type *t, int n); /* may it be so many elements? */
bool either_asks(const Sema *s); /* is this a function that asks one of several types? */
bool either_compare(Sema *s, const Node *e, Sem *out);
const Type *either_left(Sema *s, const Type *t, const Call *c, bool truth);
bool either_binop(Sema *s, const Node *e, const Node *an, Sem a, const Node *bn, Sem b, Sem *out);
bool either_compared(Sema *s, const Node *e, Sem a, Sem b, Sem *out);
bool either_unary(Sema *s, const Node *e, Sem a, Sem *out);
bool either_subscript(Sema *s, const Node *e, Sem v, Sem idx, Sem *out);
bool either_cast(Sema *s, const Node *e, Sem v, const Type *to, Sem *out);
bool either_refuse(Sema *s, const Node *e, const char *what, const Type *t); /* after an error */
const Method *either_method(const Sema *s, const char *name); /* NULL: it is refused */
bool either_is_key(const Type *t);
bool either_row(Sema *s, const Node *e, const Call *c, Sem *out);
/* In the library's functions that are asked of each type: true where Python has no such operator,
 * and what runs raises. */
bool either_no_binop(Sema *s, const Node *e, Sem a, Sem b, Sem *out);
bool either_no_compare(Sema *s, const Node *e, Sem a, Sem b, Sem *out);
bool either_no_unary(Sema *s, const Node *e, Sem a, Sem *out);
bool either_no_subscript(Sema *s, const Node *e, Sem v, Sem idx, Sem *out);
bool either_no_row(Sema *s, const Node *e, const Call *c, Sem *out);
void object_open(Sema *s, const ObjClass *of); /* one is made */
bool object_learn(Sema *s, const ObjClass *c, int k, Sem v);
/* Is it an instance whose class says how it is written? See object_text.c */
bool object_has_text(const Sema *s, const Type *t, bool repr);
bool object_text_row(Sema *s, const Node *e, const Call *c, Sem *out);
Sem object_shown(Sema *s, const Node *e, Sem v, const char *by);
Sem object_formatted(Sema *s, const Node *e, Sem v);
bool text_is_there(const Sema *s, const Type *t);    /* what str() and repr() can make of it */
bool object_told(Sema *s, const Type *t, Map *seen); /* seen: classes that it was asked of */
bool object_is_open(const Type *t);                  /* are there such instances in it? */
void object_end(Sema *s, const FuncDef *fd, const Type *ret);
/* invoke.c */
Sem call_function(Sema *s, const Node *e, const Type *ft, const FuncDef *fd, const Node *self,
                  const Builtin *row);
Sem call_give_up(Sema *s, const Node *e);

/* ---- keyed.c: dicts with known keys, of unlike values ---- */
const char *keyed_key(Sema *s, const Node *e);
bool keyed_is_display(Sema *s, const Node *e); /* of a dict, whose parts have been typed */
Sem keyed_display(Sema *s, const Node *e);
/* csts: NULL: not all are known */
Sem keyed_made(Sema *s, int n, const Sym *keys, const Type *const *types, const Const *const *csts);
Sem keyed_subscript(Sema *s, const Node *e, Sem v);
const Method *keyed_text_method(const Sema *s, const char *name);
const FuncDef *keyed_method(Sema *s, const Node *f, Sem self); /* NULL after a message */
bool keyed_attribute(Sema *s, const Node *e, Sem v, Sem *out);
/* true: *out is what the comparison yields */
bool keyed_compare(Sema *s, const Node *e, Sem a, Sem b, Sem *out);
void keyed_store(Sema *s, const Node *t);
Sem tuple_fields(Sema *s, int n, const Sym *names);
bool tuple_replace(Sema *s, const Node *e, Sem self, Sem *out); /* false: it is no such call */
const Node *keyed_part(Sema *s, const Node *e, Sym key);
void keyed_wanted(Sema *s, const Node *at, Sem v);      /* where another one is: an error */
bool keyed_gone_through(Sema *s, const Node *e, Sem v); /* whether it was one: an error */

/* ---- keyed_object.c: those that are objects ---- */
const ObjClass *keyed_class(const Type *t);
Sem keyed_as_values(Sema *s, Sem v); /* any other value as it is */
Sem keyed_object(Sema *s, const Node *e, Sem v);
void keyed_want_object(Sema *s, const Type *t);
bool keyed_merges(Sema *s, Sem a, Sem b);
bool keyed_among(int n, const Type *const *args);
bool keyed_is_open(TypeTable *tt, const Type *t);
bool list_is_unlike(Sema *s, const Node *e); /* tuple.c: a display of arrays */
const Const *tuple_class_of(Sema *s, const Type *t);
Sem keyed_object_subscript(Sema *s, const Node *e, Sem v);
int keyed_object_place(Sema *s, const Node *t, const ObjClass *c);
bool keyed_holds(Sema *s, const Type *to, const Type *v);
void keyed_hint(Sema *s, Diag *d, const Type *to, const Type *v);

void sema_view(Sema *s, const Node *stmt); /* views.c: of an assignment */
/* How often is it bound? inside: a use counts, too; uses: those in functions inside do. */
int sema_bindings(const Node *n, Sym name, bool inside, bool uses);

/* ---- text.c: strings as values ---- */
Sem text_value(Sema *s, const Node *e, Sem v);
/* Does what is evaluated later call what may change what the k-th kid, a text, shows? expr.c */
bool sema_shows_changing(Sema *s, const Node *print, int k);
Sem text_passed(Sema *s, const Node *at, Sem v);
Sem text_made(Sema *s, const Node *e, Sem v);
void text_shown(Sema *s, const Node *e, const Type *t);
void text_printed(Sema *s, const Node *print);
void text_raised(Sema *s, int n, Node *const *arg);
void text_kept(Sema *s, const Node *at, const Type *t);
/* type NULL: neither is a string that is a value */
Sem text_binop(Sema *s, const Node *at, int op, Sem a, Sem b);
void text_compares(Sema *s, const Node *at, const Type *a, const Type *b, int op);
Sem bytes_in(Sema *s, const Node *at, const Type *a);
Sem text_subscript(Sema *s, const Node *e, Sem v, Sem idx);
const FuncDef *text_method(Sema *s, const Node *call, const Node *f, Sem self);
int text_method_names(const Type *t, const char **names, int most);
bool text_has_method(const Type *t, const char *name);
/* bound.c: a method that is not called where it stands */
bool bound_method(Sema *s, const Node *e, Sem v, Sem *out);
bool bound_by(const FuncDef *fd);
bool sema_holds(Sema *s, const Type *t, bool (*is)(const Type *t, const void *arg),
                const void *arg);
bool bound_special(Sema *s, const Type *t, Sym name, const FuncDef **fd);
bool text_cast(Sema *s, const Node *e, Sem v, const Type *to, Sem *out);
bool text_row(Sema *s, const Node *e, const Call *c, Sem *out);

/* element.c */
const Type *heap_held_open(Sema *s, Sem v);
bool list_of_functions(int n, const Type *const *elems);
void list_want_functions(Sema *s, const Type *t);
void heap_want_wide(Sema *s, const Type *a, const Type *b);
bool heap_check_key(Sema *s, const Node *at, const Type *object, const Type *key, const Type *v,
                    bool kept);
bool heap_check_element(Sema *s, const Node *at, const Type *object, const Type *elem,
                        const Type *v);
#include "sema/special.h"
#endif
