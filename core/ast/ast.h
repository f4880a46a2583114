/* SPDX-License-Identifier: BSD-3-Clause
 * The syntax tree: made by py/ast_in from CPython's own `ast`, typed by sema, never changed
 * after it is built. One general node, so that walking, hashing and printing are one loop. */
#ifndef SWATHE_AST_H
#define SWATHE_AST_H
#include "base/base.h"
#include "type/builtin.h"
#include "type/type.h"

#define AST(kind, kids) N_##kind,
typedef enum NodeKind {
#include "def/ast.def"
    N_COUNT
} NodeKind;
#undef AST
extern const char *const node_kind_name[N_COUNT];

typedef enum BinOpKind {
    B_ADD,
    B_SUB,
    B_MUL,
    B_DIV,
    B_FLOORDIV,
    B_MOD,
    B_POW,
    B_MATMUL,
    B_LSHIFT,
    B_RSHIFT,
    B_OR,
    B_XOR,
    B_AND
} BinOpKind;
typedef enum UnaryKind { U_NEG, U_POS, U_INVERT, U_NOT } UnaryKind;
typedef enum CmpKind { C_EQ, C_NE, C_LT, C_LE, C_GT, C_GE, C_IS, C_ISNOT, C_IN, C_NOTIN } CmpKind;
extern const char *const binop_text[], *const unary_text[], *const cmp_text[];
/* op of a With; of a generator that contextlib.contextmanager has been put over (generator_with.c):
 * then its kids are the body, the generator's call, and the target or NULL */
typedef enum WithKind { WITH_PLAIN, WITH_AS, WITH_GENERATOR } WithKind;
typedef enum NameCtx { CTX_LOAD, CTX_STORE, CTX_DEL } NameCtx;
enum { TUPLE_OR_LIST = 3 }; /* op of `()` that nobody tells from an empty list or set */

typedef struct FuncDef FuncDef;
typedef struct Node {
    NodeKind kind;
    int id; /* dense within its FuncDef (nested FuncDefs number their own) */
    int op;
    int n; /* number of kids */
    struct Node **kid;
    Sym name;
    const Const *val; /* Name: not NULL: it may be bound on no path */
    const int *ops;   /* Compare; FormattedValue: NULL, or how many steps from an argument it is */
    FuncDef *fn;      /* FunctionDef, Lambda */
    /* Of a display that was a comprehension, of the test before a loop that is written out, or
     * NULL: true where there are these rounds; behind it, what else says so where it is known. */
    struct Node *rounds;
    Span at;
} Node;

typedef enum ParamKind { P_POS, P_VARARGS, P_KWONLY, P_POSONLY, P_KEYWORDS } ParamKind;
typedef struct Param {
    Sym name;
    ParamKind kind;
    /* default value or NULL (defaults are values: evaluated at `def` in CPython) */
    const Const *def;
    const Node *def_node; /* nested functions: default expression of the enclosing scope, or NULL */
    const char *annotation; /* text or NULL */
    Span at;
} Param;

typedef struct Binding { /* a global or closed-over name and what it stood for */
    Sym name;
    const Const *val;
} Binding;

/* "ret(a, b)" of a decorator */
typedef struct Signature {
    const char *text;
    int n;
    const Type **params;
    const Type *ret; /* NULL: the text doesn't say */
} Signature;

/* What explain() tells of a function before there is IR: how often a loop was written out, or which
 * argument's value is in the code. */
typedef struct Told {
    Span at;
    bool value;
    const char *text;
} Told;

struct FuncDef {
    const void *member_of; /* the class of which it is a method; the first of several */
    Sym name;
    const char *qualname;
    Source *src;
    Span at;
    int n_params;
    Param *params;
    Node *body;      /* Block */
    int n_nodes;     /* ids are 0 .. n_nodes-1 */
    FuncDef *parent; /* enclosing function for nested defs and lambdas, else NULL */
    int n_locals;    /* names assigned in this function, parameters included */
    Sym *locals;
    int n_free; /* names taken from enclosing *compiled* functions (nested defs) */
    Sym *free;
    int cycle; /* not 0: of those around it that call each other, the same in each */
    Vec(Told) told;
    int n_globals;    /* globals, builtins and closure cells of the Python function, resolved */
    Binding *globals; /* a nested function's are found in its outermost parent */
    bool is_generator;
    /* of a generator of which objects are made: the function that makes one (resume.c), of that
     * function the generator; nobody writes it out in place of a call */
    FuncDef *object;
    bool only_object;
    bool is_lib;         /* from swathe/lib: errors in it are shown at the caller */
    bool is_installed;   /* of a package in site-packages: so are its, with a note */
    const void *chooser; /* what is asked which function stands for it, by types; or NULL */
    bool int_divide;     /* `/` of two integers is `//`: a dialect's */
    uint8_t inline_;     /* INLINE_...: what its decorator says */
    /* the options of its decorator, and the signatures that it was given, which calls choose
     * among; NULL: as its caller has them; any types */
    const SwOptions *own;
    const Signature *sigs;
    int n_sigs;
    int index; /* in Program.funcs */
    Sym memo;  /* a variable of the root's, the dict of what it has returned; or NULL */
};

/* What a class was given beside its fields, by itself or by a class before it. */
typedef struct Method {
    const void *cls;
    Sym name;
    FuncDef *def; /* NULL: Python calls it by itself, and compiled code can't */
    bool is_property;
    bool is_setter;           /* a property's */
    bool is_static, is_class; /* of a class of instances */
    const Const *cst;         /* a value that the class has; or NULL */
} Method;

typedef struct ClassBase { /* base is before cls */
    const void *cls, *base;
} ClassBase;

/* Which function stands for another where it is called with these types, a line for each. */
typedef struct Chosen {
    const FuncDef *of;
    const char *types;
    FuncDef *def;    /* NULL: not asked yet, or there is none */
    const char *why; /* not NULL: there is none */
} Chosen;

/* Classes of instances with a common base, of which a value may be one or another: see
 * sema/family.c. Asked for two of them. */
typedef struct Family {
    const ObjClass *of[2];
    bool known; /* there is an answer; `cls` NULL: they have no family */
    int n;
    const ObjClass **member;
    const Const *cls;   /* CV_TUPLE_CLASS */
    const void **above; /* of which some members are instances: instance_of_0_ asks, ... */
} Family;

/* What a name of a module is that a variable holds. */
typedef struct ModuleAttr {
    const char *module;
    Sym name;
    const Const *value; /* NULL: there is none, if `known` */
    bool known;
} ModuleAttr;

/* A generator expression that is a value, and that no iterator with two functions is: an object is
 * to be made of it. */
typedef struct Later {
    const FuncDef *fn; /* in which it is */
    const Node *comp;
    bool known; /* it is one, or can't be */
} Later;

typedef struct Program {
    FuncDef *root;
    Vec(FuncDef *) funcs; /* all, callees included */
    Vec(Method) methods;
    Vec(ClassBase) bases;
    Vec(const ObjClass *) classes; /* of instances */
    /* of the root's parameters, where use has told what an empty list holds: compile again for
     * these */
    const Type **found;
    /* functions of swathe/lib that sema has not found: to be added, and compiled again */
    Vec(const char *) wanted;
    Vec(Chosen) chosen;
    Vec(Family) families;
    Vec(ModuleAttr) attrs;
    Vec(Later) later;  /* asked for one by one, and compiled again */
    bool asked;        /* some of `chosen`, or of `attrs`, have no answer yet */
    bool family_asked; /* likewise, of `families` */
    bool dict_objects; /* dicts with known keys are objects: sema/keyed_object.c */
    bool tells_raised; /* exceptions with an __init__ of their own say what they say: told.c */
    int told_raised;   /* so many of funcs */
    bool copies;       /* classes have what copies their instances: CLASS_COPIES */
    bool want_objects; /* they were none, and have to be: arguments are to be taken so */
} Program;

/* Methods of each class that copy.copy and copy.deepcopy call, there once somebody wants them. */
#define CLASS_COPIES "instance_copied_", "instance_deep_"

Node *ast_new(Arena *a, FuncDef *f, NodeKind k, Span at, int n_kids); /* assigns the id */
Node *ast_const(Arena *a, FuncDef *f, Span at, const Const *c);
void ast_put_first(Arena *a, FuncDef *f, Node *s); /* before all else in its body */
bool ast_has_name(const Sym *names, int n, Sym name);
bool ast_is_local(const FuncDef *f, Sym name);       /* of it, or of a function around it */
const Const *ast_global(const FuncDef *f, Sym name); /* looks in the outermost parent; NULL */
/* with_out.c: with around a yield becomes a try; before all of these */
void ast_write_out_with(Cx *cx, Program *p);
/* generator.c: loops over generators, and calls that consume one, with the generator's body in
 * them. */
void ast_expand_generators(Cx *cx, Program *p);
void ast_split_iterables(Cx *cx, Program *p); /* iterate.c: loops over instances; before those */
/* resume.c: generators that are values, NULL: there are none; with what their objects do, four of
 * each method; once those that are gone through in place are written out. */
struct Resume *ast_find_resumable(Cx *cx, Program *p);
void ast_make_resumable(struct Resume *r, FuncDef *const *ways);
void ast_end_resumable(struct Resume *r);
/* resume_later.c: those of p->later, which r, or a new one, has from then on. */
struct Resume *ast_resume_later(Cx *cx, Program *p, struct Resume *r, FuncDef *const *ways);
/* Objects of two generators are one value: a and b become one class; false: they can't. */
bool ast_merge_resumable(struct Resume *r, const ObjClass *a, const ObjClass *b);
/* written_out.c: x.a += y of a property, `not in` of a __contains__ */
void ast_write_out_methods(Cx *cx, Program *p);
/* told.c: what a raised exception says is its last argument. Of a class, the function of its
 * arguments that yields the text and them all, n or as many as it is given; NULL. */
typedef struct Telling {
    const FuncDef *made;
    int n;
} Telling;
void ast_tell_raised(Cx *cx, Program *p, Telling (*of)(void *arg, const Const *cls), void *arg);
/* unroll.c: see sema/unroll.c */
typedef enum UnrollOf {
    UNROLL_RANGE,
    UNROLL_TUPLE,
    UNROLL_ENUMERATE,
    UNROLL_ZIP,
    UNROLL_MEMBERS, /* keys, values or both of the dict `over`, a name; of a comprehension */
    /* no loop, but what a dict with known keys needs: stores to keys of the name `over` become
     * displays; `loop`, an expression that is gone through, becomes its keys */
    UNROLL_STORE,
    UNROLL_KEYS,
    UNROLL_AUG,       /* x[i] += v, where x[i] is an array: it has a name, which is changed */
    UNROLL_ITEM,      /* x[i] += v, x.a += v: what a method yields, or x has, is stored again */
    UNROLL_LATER,     /* the generator expression `loop` is not consumed where it stands */
    UNROLL_LIST,      /* the iterator `loop` is unpacked: a list of it is */
    UNROLL_FLAT_ITEM, /* x.flat[k] += v, written out */
    UNROLL_FLAT,      /* the place x.flat[:] was written x.flat, and x is an instance */
    UNROLL_DEFAULTS,  /* the function `loop` has defaults that are no constants */
    UNROLL_METHOD,    /* the attribute `loop` is a method, and not called where it stands */
    UNROLL_CLASS,     /* the attribute `loop` is a class method, of an instance: type(x).method */
    UNROLL_STARS,     /* what the call `loop` is given without names is one tuple, unpacked */
    UNROLL_SLICE,     /* the index `loop` is a slice that is a value: start:stop:step of it */
    UNROLL_SHOWN,     /* what the f-string `loop` shows is evaluated before any of it is shown */
    UNROLL_EACH,      /* the call `loop` adds what a generator expression yields */
    UNROLL_VIEW, /* uses of the name `over`, which the assignment `loop` sets, become its value */
    UNROLL_FLAT_NAME, /* the name `over` of an x.flat is one of x, and its uses are over.flat */
} UnrollOf;
enum { UNROLL_PARTS = 8 }; /* as many are gone through together at most */
typedef struct Unroll {
    const FuncDef *fn;
    const Node *loop; /* For or ListComp */
    UnrollOf of;
    int n;
    int64_t start, step;
    const Node *over;           /* what gives the values; the call of zip or range */
    const Node *from;           /* of enumerate: its second argument, or NULL */
    int64_t seen[UNROLL_PARTS]; /* lengths of what is gone through; arguments of range */
    bool tuple;                 /* of a comprehension: it becomes one */
    const Sym *keys;            /* of members */
    char member;                /* k, v, or i: both */
    const struct Unroll *inner; /* of a comprehension: its second `for`, or NULL */
    uint32_t
        keep;    /* of a comprehension: rounds (of the second `for` in turn) that it doesn't skip */
    bool listed; /* of a generator expression: it goes through a list of what it names */
    struct Program *program; /* of a method: what its function belongs to */
} Unroll;
void ast_unroll(Cx *cx, const Unroll *u);
bool ast_unrolls_no_loop(UnrollOf of);
bool ast_unrolls_a_name(UnrollOf of); /* that there is no error is no reason to leave it */
void ast_map_later(Cx *cx, const Unroll *u); /* generator_call.c: of UNROLL_LATER */
void ast_list_of(Cx *cx, const Unroll *u);
void ast_slice_of(Cx *cx, const Unroll *u);       /* slice.c: of UNROLL_SLICE */
void ast_add_one_by_one(Cx *cx, const Unroll *u); /* one_by_one.c: of UNROLL_EACH */
bool ast_is_one_by_one(const FuncDef *f, const Node *call);
void ast_bind_method(Cx *cx, const Unroll *u); /* bound.c: of UNROLL_METHOD */
void ast_bind_defaults(Cx *cx, const Unroll *u);
bool ast_default_changes(const FuncDef *f, int i); /* a list, one and the same in all calls? */
bool ast_is_default(Sym name); /* a variable that holds one, which nobody assigns again */
void ast_bind_shown(Cx *cx, const Unroll *u);
/* x["key"] = v, x["key"] += v: statements that UNROLL_STORE takes. */
bool ast_is_keyed_store(const Node *n);
bool ast_is_literal(const Node *e);
bool ast_is_plain_display(const Node *e);
/* cell.c: variables that `nonlocal` lets others set; before names are resolved. NONLOCAL: an op of
 * N_Global */
enum { NONLOCAL = 1 };
/* once it is known what nested functions take from around them */
void ast_close_cycles(Cx *cx, FuncDef *f);
void ast_make_cells(Cx *cx, FuncDef *f);
bool ast_is_cell(const char *name);
/* The variable `name` of the module, wherever f and what is in it see it, becomes cell[0]. False:
 * it is set in a way that an element can't be, and nothing has changed. */
bool ast_outer_cell(Cx *cx, FuncDef *f, Sym name, Sym cell);
void ast_become_element(Cx *cx, FuncDef *f, Node *n, Sym cell); /* cell[0], for what n is */
/* The next name of the module, or of a function of Python, that f sets; NULL: there is none. */
const Node *ast_outer_set(const FuncDef *f, const Node *after);
void ast_print(const FuncDef *f, StrBuf *out);
void ast_print_const(const Const *c, StrBuf *out);
/* Everything that the code made from it depends on: texts, spans, constants, callees. */
void ast_hash(const Program *p, Hash *h);
/* Source text of a node, for messages; "" when not known. */
const char *ast_text(Arena *a, const Node *n);
/* a name as the user wrote it: without what generator.c and cell.c have added */
const char *ast_shown(Arena *a, const char *name);
#endif
