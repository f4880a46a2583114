/* SPDX-License-Identifier: BSD-3-Clause
 * Names, types, calls. Takes a Program and the types of the root's arguments; yields one
 * Inst for each (function, argument types) reached, with a fact for each node. Types flow
 * forward along control flow: a variable may have another type after each assignment, and
 * where paths meet the types join (or the user is shown both assignments). A (name, type)
 * pair is a Var; an Edge says which Vars are converted when control takes that way. */
#ifndef SWATHE_SEMA_H
#define SWATHE_SEMA_H
#include "ast/ast.h"

typedef struct Var {
    Sym name;
    const Type *type;
    int id;             /* dense in the Inst */
    bool flagged;       /* some use of this *name* must test at run time whether it is bound.
                            All Vars of one name share one flag */
    struct Var *before; /* of the same name, with another type; or NULL */
} Var;

typedef enum EdgeKind {
    EDGE_THEN,        /* If: end of the then block */
    EDGE_ELSE,        /* If: end of the else block, or of no else */
    EDGE_ENTRY,       /* For, While: before the first test. Try: before its body */
    EDGE_BACK,        /* For, While: end of the body */
    EDGE_JUMP,        /* at a Break or Continue node */
    EDGE_EXIT,        /* For, While: leaving by the test, after the else block */
    EDGE_TRY_END,     /* Try: end of body + else */
    EDGE_HANDLER_END, /* Handler: end of its body */
    EDGE_GUARD,       /* Try with a finally: before all of it */
} EdgeKind;

typedef struct Move { /* to = (to->type)from; a `from` of NULL: the name is unbound on this edge */
    const Var *from, *to;
} Move;
typedef struct Edge {
    const Node *at;
    EdgeKind kind;
    Vec(Move) moves;
} Edge;

typedef enum CallKind {
    CALL_INST,        /* another compiled function */
    CALL_BUILTIN,     /* a row of the builtin table; see fn->family */
    CALL_CAST,        /* float(x), np.float32(x): to result type; scalars, arrays for np.X(array) */
    CALL_TUPLE_CLASS, /* Point(1, 2) */
    CALL_EXC,         /* ValueError("..."): only in raise */
} CallKind;

typedef struct CallKey { /* an argument by its name */
    Sym key;
    const Node *value;
} CallKey;

typedef struct Call {
    CallKind kind;
    const Builtin *fn;
    struct Inst *inst;
    const Signature *sig; /* that of the function which takes the arguments; or NULL */
    const Type *makes;    /* an instance, by this call of its __init__ (inst; or NULL) */
    const Node *self;     /* receiver when called as a method: NULL otherwise; already arg[0] */
    int n_args;
    /* bound to fn->params or the callee's parameters in order; NULL: omitted. A trailing *args
     * parameter's values follow one by one */
    const Node **arg;
    /* CALL_INST: constants for omitted parameters, by position; CALL_CAST: the number that a
     * constant text is, also where None has to be ruled out first; or NULL */
    const Const **dflt;
    /* f(*t): the tuple whose elements fill args, see call_splat_elem; or NULL */
    const Node *splat;
    const Node *rest; /* all that its *args parameter is, a tuple of any length; or NULL */
    bool splat_rest;  /* behind the splat_n elements, it has what `rest` is */
    /* the position of the first of them among what has no name in the call */
    int splat_at, splat_n;
    int gap_at, gap; /* args that positions don't fill: those that only have names */
    /* what a method takes from outside: a closure, looked up in `scope`; NULL: the function value
     * has it, or there is nothing */
    const Type *takes;
    const struct Scope *scope;
    /* what a **keywords parameter is given */
    CallKey *more;
    int n_more;
    /* ufuncs, math, operators: operands are cast to in[k], the op yields out[k] */
    int n_in, n_out;
    DType in[4], out[2];
    /* of parametric dtypes: how it is done (TimeOp), which dtype each operand has, and which
     * it is converted to first */
    TimeCall time;
    /* isinstance and type(x) is C, of one type or another: those of its types of which it is true,
     * as bits; or of which it is not */
    uint64_t members;
    bool unless;
} Call;

typedef enum TextParts { PARTS_NONE, PARTS_WORDS, PARTS_BY, PARTS_LINES } TextParts;
TextParts sema_text_parts(const Call *c);
/* which argument of a caught exception an attribute is, or -1 */
int sema_caught_attribute(const Type *t, const char *name);
int call_splat_elem(const Call *c, int k); /* which element of the splat arg k is, or -1 */

typedef struct Need {       /* what is made of an expression's value where another is needed */
    const Type *from;       /* an optional, of which the value; or a list, of which an array */
    const char *exc, *text; /* raised where it is None */
    struct Inst *table;     /* makes the array, or is an instance's __iter__; or NULL */
    const Const *with;      /* its second argument; NULL: None */
    bool iterates;          /* an iterator over what it is by then */
    bool shown;             /* it makes the text that the value is shown as */
} Need;

typedef struct Scope { /* a comprehension's target hides the function's name */
    Sym name, as;
    struct Scope *up;
} Scope;

/* What a handler, or a method __exit__, asks of an exception besides whether it is there. */
typedef enum RaisedUse { RAISED_NOT_ASKED, RAISED_CLASS, RAISED_VALUE } RaisedUse;

typedef struct Info { /* what sema knows of a node */
    const Type *type; /* of an expression; NULL for statements */
    const Need *need; /* type is what is left when this has been asked; or NULL */
    /* of a test: the method that Python asks whether the value is true, __bool__ or __len__ */
    struct Call *truth;
    const Const *cst; /* its value when known at compile time; lower may use it, and MUST
                              skip the dead branch of an If/IfExp/While whose test has one */
    /* Name: the Var read or written; type says what is known of it here (an optional's value).
     * For/Handler targets likewise. AugAssign: the Var written, when its target is a name (the
     * target's own is the one read) */
    const Var *var;
    bool check_bound; /* Name read: may be unbound here: raise UnboundLocalError then */
    /* statement that first reads this Name, bound on no path: it only raises */
    const Node *unbound;
    bool dead; /* statement never reached */
    /* of `a if c else b`: this one only raises, and the other is the value; of a bare raise: there
     * is nothing that it could raise again */
    bool raises;
    RaisedUse raised; /* of a with statement */
    /* Call; BinOp, UnaryOp, Compare, AugAssign on arrays or scalars (as ufunc CALL_BUILTIN rows;
     * for Compare one a comparison in calls) */
    Call *call;
    Call **calls;
    /* x[k] += v, of a dict: how the old value is read; `call` stores the new one */
    Call *before;
    const Scope *scope; /* of a function: where what it captures is looked up */
} Info;

typedef struct Inst {
    const FuncDef *def;
    /* def's parameters (a *args parameter is one tuple), then captured variables */
    int n_params;
    const Type **params;
    const Const **param_cst; /* values of parameters known at compile time (literal axis, strings,
                                  functions): specialises lib/ functions; NULL entries */
    const Type *ret;         /* TY_NONE when nothing is returned */
    const Const *ret_cst;    /* a bool that all calls of a function of the library yield, or NULL */
    Info *info;              /* by node id */
    int n_vars;
    Var **vars;
    Vec(Edge *) edges;
    Map edge_map; /* private to sema.c */
    Map sites;    /* private to site.c */
    Map taken;    /* private to env.c: names that functions in this one take */
    bool taken_known;
    /* functions of the library that lowering calls for an object: sema_helper */
    Vec(struct Inst *) helpers;
    bool may_raise;
    bool inlined;         /* inline(f(x)) somewhere */
    const SwOptions *opt; /* what it is compiled under */
    int index;            /* in the unit; 0 is the root */
    char *mangled;        /* unique name of the IR function */
    bool done;
} Inst;

typedef struct SemaUnit {
    Cx *cx;
    const Program *prog;
    Vec(Inst *) insts;
    Vec(const SwOptions *) opts; /* other than the root's */
    bool upcalls;                /* some of it runs in Python */
    bool const_arrays;           /* it has arrays whose elements are in the code */
} SemaUnit;

/* NULL when there are errors, which are all in cx->diags. `args`: one for each parameter that the
 * caller passes (defaults filled in by the dispatcher already; *args as a tuple type). */
SemaUnit *sema_run(Cx *cx, const Program *prog, int n_args, const Type *const *args);
/* 1, 0: the truth of a value known at compile time; -1: not known (an array). */
int const_truth(const Const *c);
/* Which function of the library makes the text of what an f-string, str() or repr() is given. */
/* need: of what it makes a text of */
const char *text_maker(const Node *e, BuiltinId id, const Need *need);
const Type *text_part_number(TypeTable *tt, const Node *p, const Info *of);
/* Where the text of what print(*v) unpacks stands to what is printed in any case. */
typedef enum TextSide { TEXT_ALONE, TEXT_BEFORE, TEXT_BEHIND } TextSide;
/* Whether calls of it may run Python; always false where unit->upcalls is. */
bool sema_runs_python(const SemaUnit *u, const Call *c);
/* The name of a field that a subscript says: by its name, or of one record also by its place,
 * r[0]. NULL: it says none. */
const char *record_field_said(const Type *records, const Const *index);
/* The library's function of that name for such an object, its first argument; NULL: sema has not
 * asked for it. */
const Inst *sema_helper(const Inst *in, const char *name, const Type *object);
/* Is it x.flat of an array, whose elements are known to lie in one row? */
typedef enum FlatKind { FLAT_NONE, FLAT_ROW, FLAT_ANY } FlatKind;
FlatKind sema_flat(const Inst *in, const Node *n);
/* iter.c: what a generator expression in a variable calls for an item; f: its function */
const Inst *sema_mapper(const Inst *in, const Type *f, const Type *item);
const Edge *sema_edge(const Inst *in, const Node *at, EdgeKind k); /* NULL: nothing to move */
static inline const Info *
sema_info(const Inst *in, const Node *n)
{
    return &in->info[n->id];
}
void sema_print(const SemaUnit *u, StrBuf *out); /* SWATHE_DUMP=types */
#endif
