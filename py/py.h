/* SPDX-License-Identifier: BSD-3-Clause
 * The extension module: what its files share. Only this folder sees CPython and NumPy's C API. A
 * call goes dispatcher.c -> args.c (codes and slots) -> compiled code -> box.c; a miss goes spec.c
 * -> ast_in.c (source to tree) -> rt_compile. All functions need the GIL unless they say otherwise;
 * those that return int give 0, or -1 with a Python exception set. */
#ifndef SWATHE_PY_H
#define SWATHE_PY_H
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define PY_ARRAY_UNIQUE_SYMBOL swathe_ARRAY_API
#ifndef SWATHE_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#ifndef NPY_NO_DEPRECATED_API
#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#endif
#ifndef NPY_TARGET_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include "names.h"
#include "rt/rt.h"

/* ---- module.c: the state of the module --------------------------------------------- */
typedef struct State {
    PyTypeObject *dispatcher_type, *memory_type, *launch_type, *instance_type;
    PyTypeObject *ast_type[A_COUNT]; /* NULL where this Python has no such class */
    PyTypeObject *ast_hash[256];     /* open addressing over ast_type */
    uint8_t ast_hash_kind[256];
    double began; /* when this process did; see source_begin */
    PyObject *numpy, *linecache, *errors, *lib, *stdlib; /* lib: dict name -> function; lazily */
#define X(n) PyObject *s_##n;
    ATTR_NAMES(X)
#undef X
} State;
extern struct PyModuleDef swathe_module;
void module_lend_ffts(void);       /* NumPy's Fourier transforms to kernels */
int node_begin(PyObject *module);  /* node.c: lazy arrays */
int ufunc_begin(PyObject *module); /* ufunc.c */
extern PyType_Spec ufunc_calls_spec;

static inline State *
state_of(PyObject *module)
{
    return PyModule_GetState(module);
}

/* ---- ast_in.c, expr_in.c: a Python function to a Program ------------------------------------- */
typedef enum DepKind {
    DEP_DICT,
    DEP_CELL,
    DEP_CODE,
    DEP_DEFAULTS,
    DEP_KW_DEFAULTS,
    DEP_ARRAY,
    DEP_LIST,
    DEP_KEYS,  /* of a dict: which there are, and what they have */
    DEP_TYPES, /* of a function of ctypes */
} DepKind;

/* One value outside the function that the code made depends on. `expect` NULL: absent. */
typedef struct Dep {
    DepKind kind;
    PyObject *where, *key, *expect; /* strong; key only for a dict; of an array the bytes,
                                       of a list a tuple of its items */
    PyObject **slot;                /* the field of `where` that holds the value; NULL: none does */
} Dep;

typedef struct Deps {
    Dep *at;
    int n, cap;
#if PY_VERSION_HEX < 0x030C0000
    struct DepDict {
        PyObject *dict; /* borrowed from at[] */
        uint64_t version;
    } * dicts;

    int n_dicts;
#else
    uint64_t epoch; /* of the watcher, when last checked */
#endif
    bool frozen;
    bool conflict; /* something changed between two parses: never frozen */
} Deps;

/* A container outside of functions: what a name stands for in a dict, or what a cell holds. */
typedef struct Outer {
    PyObject *where, *key; /* strong; of a cell the key is the name, too */
    bool set;              /* a function assigns the name: the argument is a list of its value */
} Outer;

typedef struct Outers {
    Outer *at;
    int n;
    unsigned version; /* another one whenever it is another */
} Outers;

typedef struct OuterName { /* of a program being parsed; name: in its functions */
    PyObject *where, *key;
    Sym name;
    bool set;
} OuterName;

typedef struct In In;
typedef struct Dispatcher Dispatcher;

struct In {
    State *st;
    Cx *cx;
    Program *prog;
    Deps *deps;
    PyObject *func; /* Python function being parsed (borrowed) */
    PyObject *globals, *builtins;
    PyObject *imports;        /* dict: names bound by imports inside the function, or NULL */
    PyObject *failed_imports; /* dict: statements among these that fail, by address, and why */
    PyObject *wrong_imports;  /* list: statements that can't be that, and why */
    PyObject *keep;           /* list: objects whose addresses are in constants */
    FuncDef *fn;              /* being built */
    Source *src;
    int line_shift;   /* file line = ast line + line_shift */
    Map func_of;      /* PyObject* function -> FuncDef* */
    Map copied;       /* classes whose instances copy.copy and deepcopy have been given for */
    Map named_tuples; /* PyObject* class -> names + 1 */
    Map classes;      /* of instances: PyObject* class -> its CV_CLASS */
    bool failed;      /* a Python exception is set: stop soon */
    int depth;
    bool all_elements, mixed; /* see Dispatcher */
    const Dispatcher *rows; /* which says what tuples have any length; or NULL */
    bool dict_objects;      /* likewise */
    uint64_t known;         /* likewise */
    bool small_stack;       /* deeper than this thread's stack allows: another one's may do */
    int nesting;            /* blocks and expressions that the walk is in, by cost */
    int n_with;             /* items of with statements seen: likewise */
    int n_installed;        /* functions of packages read */
    int n_comp;             /* comprehensions seen: to rename their variables */
    struct Rename *renames;
    Vec(OuterName) outer;   /* outer.c: what functions take from outside as arguments */
    bool no_outer;          /* a kernel's threads take none */
    bool all_outer;         /* also what is a constant as well */
    unsigned may_outer;     /* which there are of such: MayOuter */
    bool new_outer;         /* more than it began with */
    struct Resume *objects; /* resumable_in.c; or NULL */
    Vec(FuncDef *) memos;   /* cached.c: functions whose results the root's dicts keep */
    bool root_called;       /* by a function of the program */
    PyObject *root;         /* the tree of the function being parsed (borrowed) */
    PyObject *upcalls;      /* dict: functions of blocks that run in Python, by key; or NULL */
    Vec(PyObject *) queue;  /* functions met and not parsed yet */
};

/* Parses `func` and all that it calls into in->prog. -1: Python exception. What is wrong
 * in the user's text goes to cx->diags. */
int in_program(In *in, PyObject *func, PyObject *const *args, int n, const Type **types);
/* A function of swathe/lib, and all that it calls; false: a Python exception, or it is not
 * there. */
bool in_wanted(In *in, const char *name);
bool in_class(In *in, PyObject *cls); /* of named tuples: its methods */
void in_init(In *in, State *st, Cx *cx, Deps *deps);
void in_clear(In *in);
/* likewise, of one that was met before, for other options */
FuncDef *in_function_again(In *in, PyObject *func);
Node *in_stmt(In *in, PyObject *s);
void in_fill_defaults(In *in, FuncDef *f, PyObject *func);
void in_no_source(In *in, FuncDef *f, PyObject *func, const char *why); /* unread_in.c */
bool in_is_too_many(In *in, FuncDef *f, PyObject *func);
int in_parse_queue(In *in, int from); /* what has been met since; how far it has come */
struct Resume *in_resumable(In *in);
bool in_later(In *in);                        /* generator expressions that types have asked for */
FuncDef *in_function(In *in, PyObject *func); /* queued for parsing when new; NULL: exception */
/* We recurse over the tree, here on the caller's stack, and later on one of known size: what nests
 * deeper than these allow ends here. */
enum { IN_EXPR_COST = 1, IN_STMT_COST = 3, IN_MAX_NESTING = 9000 };
bool in_is_deep(In *in, int cost);
Node *in_expr(In *in, PyObject *e);
Node *in_block(In *in, PyObject *list);
Node *in_child(In *in, PyObject *o, PyObject *name); /* a field; NULL where it is None */
Node *in_body_of(In *in, PyObject *o);
Node *in_with(In *in, PyObject *s), *in_match(In *in, PyObject *s); /* with_in.c, match_in.c */
/* format_in.c: "%d" % right and "{}".format(args), as f-strings; NULL: another expression */
void in_format_by_call(In *in, PyObject *o, Node *n, Node *spec); /* {x:>{n}} */
void in_format_choice(In *in, PyObject *o, Node *n);
Node *in_percent(In *in, PyObject *o, PyObject *left, PyObject *right),
    *in_format(In *in, PyObject *o, PyObject *func, PyObject *args, PyObject *kws);
const Const *in_context(In *in, PyObject *cls); /* NULL: not a class of def/context.def */
FuncDef *in_nested(In *in, PyObject *node, bool lambda);
PyAst in_kind(In *in, PyObject *o);
/* A node of one kid, or of two when `second` is given. */
Node *in_two(In *in, NodeKind k, PyObject *o, PyObject *first, PyObject *second);
Span in_span(In *in, PyObject *o);
Sym in_sym(In *in, PyObject *str);
Node *in_unsupported(In *in, PyObject *o, const char *what);
PyObject *in_get(In *in, PyObject *o, PyObject *name); /* new reference or NULL + failed */
int in_params(In *in, FuncDef *f, PyObject *args, bool nested);

/* what the type of an argument is */
const Type *in_arg_type(In *in, PyObject *o);
/* ---- outer.c: containers outside of functions, as arguments ---- */
void in_outer_begin(In *in, const Dispatcher *d);
/* the name of the variable that stands for what is there; NULL: it is a constant, or refused */
Sym in_outer(In *in, PyObject *where, PyObject *key, PyObject *now);
/* what a name that functions assign is the element of; NULL: none does, or it is refused */
Sym in_outer_element(In *in, PyObject *where, PyObject *key);
/* before names are resolved: names outside that f assigns */
void in_outer_set(In *in, FuncDef *f);
PyObject *in_cell(In *in, PyObject *name); /* of the closure; borrowed, NULL: it has none */
void in_outer_rename(FuncDef *f, Node *n, Sym name, Sym outer); /* where the name is a global */
/* what stands at a place as such a variable; false: it is none */
bool in_outer_place(In *in, Node *n, PyObject *where, PyObject *key, PyObject *v),
    in_outer_attribute(In *in, FuncDef *f, Node *n);
void in_outer_close(In *in);                    /* all is parsed: which function takes which */
int in_outer_types(In *in, const Type **types); /* how many; -1: exception */
/* default.c: of a function whose text is resolved: are there any? And what one is now, borrowed. */
bool in_default_containers(In *in, FuncDef *f, PyObject *func);
PyObject *in_default_of(PyObject *func, PyObject *key);
int outer_take(Outers *o, const In *in);
void outer_clear(Outers *o);
int outer_visit(const Outers *o, visitproc visit, void *arg);
/* The arguments of one call; 1: one of them can't be one any more; -1: exception */
/* Containers from outside that are constants and could be arguments. */
typedef enum MayOuter { MAY_LIST = 1, MAY_DICT = 2, MAY_ARRAY = 4, MAY_OBJECT = 8 } MayOuter;
enum { MOST_OUTER = 12 }; /* a frame has room for 16 containers */
typedef struct OuterCall {
    Outer of[MOST_OUTER];
    PyObject *was[MOST_OUTER]; /* strong */
    int n;
} OuterCall;
int outer_begin(const Outers *o, OuterCall *c, PyObject **at);
int outer_end(OuterCall *c, PyObject **at);            /* what was set; -1: exception */
const char *outer_name(const Outers *o, Py_ssize_t i); /* NULL: there is none */

Node *in_import(In *in, PyObject *stmt); /* import.c */
void in_refuse_imports(In *in, FuncDef *f);
void in_clear_imports(In *in);
/* what the name is bound to in the function being parsed; borrowed, NULL: to nothing */
PyObject *in_look_up(In *in, PyObject *name, bool record);
/* objmode_in.c: a with statement whose block runs in Python; *is false: it is another */
Node *in_objmode(In *in, PyObject *s, bool *is);
/* told_in.c: a statement that warns or logs, which runs in Python; *is false: it is another */
Node *in_told(In *in, PyObject *s, PyObject *call, bool *is);
PyObject *in_value_of(In *in, PyObject *e); /* of a name, or an attribute of one; new, or NULL */

#include "fold.h"

/* ---- consts_numpy.c ---- */
const Const *const_npscalar(In *in, PyObject *o);
const Const *const_array(In *in, PyObject *o);

/* ---- consts.c: Python objects as constants --------------------------------------------------- */
Const *const_new(In *in, ConstKind k);
const char *error_keeps(In *in, PyObject *cls); /* error.c: of CV_EXC_CLASS */
int64_t error_says(PyObject *cls);
bool error_tell(In *in);                         /* what is raised tells what it says */
const Const *in_dict_const(In *in, PyObject *o); /* NULL: not of few strings */
bool in_dict_has_const(In *in, PyObject *o);
Const *const_unsupported(In *in, const char *fmt, ...); /* why it has no meaning in compiled code */
const Const *in_const(In *in, PyObject *o, const char *path); /* never NULL unless failed */
const Const *in_builtin_const(In *in, const Builtin *b);
bool in_is_module(PyObject *o);
const Builtin *in_builtin_of(In *in, PyObject *o);
PyObject *in_lib_function(In *in, const char *name); /* borrowed; NULL when not there */
/* cached.c: functions inside functions with @cache */
bool in_is_cached(In *in, PyObject *decorators);
Node *in_cached(In *in, Node *def), *in_decorated(In *in, Node *def, PyObject *s);
enum { MOST_MEMOS = 20 };     /* with MOST_OUTER, bits of a number */
bool in_is_memo(PyObject *o); /* what functools.cache made of a function */
FuncDef *in_memo(In *in, FuncDef *f);
const Const *in_memo_const(In *in, PyObject *o);
void in_memo_body(In *in, FuncDef *f);
void in_memos_begin(In *in);
void in_fold_clear(In *in, FuncDef *f, Node *n);
/* what stands for owner.name in compiled code, as for dict.fromkeys; NULL: nothing does */
const Const *in_stdlib_method(In *in, const char *owner, const char *name);
/* what stands for it in compiled code; NULL: nothing does */
const Const *in_stdlib_const(In *in, PyObject *o);
int dtype_of_typenum(int typenum); /* DType, or -1 */
/* time.c: with the unit of dates and time spans */
int dtype_of_descr(PyArray_Descr *d);
int dtype_of_array(PyArrayObject *a);
PyArray_Descr *descr_of_dtype(DType d); /* a new reference */
PyObject *box_time(DType d, const uint64_t *slot);
PyObject *numpy_attr(State *st, const char *name); /* borrowed */
bool py_is_namedtuple_class(PyObject *o);
bool py_is_plain(PyObject *o, PyTypeObject *base);
bool py_is_record_class(PyObject *o);        /* one of swathe._records */
PyObject *py_unwrap(State *st, PyObject *o); /* dispatcher -> its function; else o; borrowed */

/* ---- deps.c ---------------------------------------------------------------------------------- */
void deps_dict(Deps *d, PyObject *dict, PyObject *key, PyObject *value);
void deps_cell(Deps *d, PyObject *cell);
void deps_code(Deps *d, PyObject *func);
void deps_defaults(Deps *d, PyObject *func);
void deps_method(Deps *d, PyObject *mro, Py_ssize_t at, PyObject *name, PyObject *v);
void deps_array(Deps *d, PyObject *array, const void *bytes, size_t n);
void deps_list(Deps *d, PyObject *list);
void deps_types(Deps *d, PyObject *function);
void deps_keys(Deps *d, PyObject *dict);
bool deps_same_content(const Dep *p); /* of an array or a list */
void deps_merge(Deps *d, Deps *from); /* empties `from`; then d is frozen */
/* of what was read while it was compiled: the next call compares all that was recorded */
void deps_merge_late(Deps *d, Deps *from);
bool deps_may_return(const Deps *d); /* has nothing but numbers, strings, bools, None changed? */
/* A class's attributes, borrowed. Of object and its like each interpreter has its own. */
static inline PyObject *
class_dict(PyTypeObject *t)
{
#if PY_VERSION_HEX >= 0x030C0000
    PyObject *d = PyType_GetDict(t); /* a new reference of what the class keeps */
    Py_XDECREF(d);
    return d;
#endif
    return t->tp_dict;
}
/* Has what is in a list, a dict or an array? */
bool deps_content_changed(const Deps *d);
bool deps_recheck(Deps *d); /* true: something changed */
void deps_clear(Deps *d);
int deps_visit(Deps *d, visitproc visit, void *arg);
#if PY_VERSION_HEX >= 0x030C0000
extern uint64_t deps_epoch;
#endif
static inline bool
deps_same(const Dep *p) /* of one that is no dict */
{
    if (SW_LIKELY(p->slot != NULL))
        return *p->slot == p->expect;
    return deps_same_content(p);
}

static inline bool
deps_changed(Deps *d)
{
    if (SW_UNLIKELY(!d->frozen))
        return true;
#if PY_VERSION_HEX < 0x030C0000
    for (int i = 0; i < d->n_dicts; i++)
        if (SW_UNLIKELY(((PyDictObject *)d->dicts[i].dict)->ma_version_tag != d->dicts[i].version))
            return deps_recheck(d);
    for (int i = 0; i < d->n && d->at[i].kind != DEP_DICT; i++) /* dicts are last */
#else
    if (SW_UNLIKELY(d->epoch != deps_epoch))
        return deps_recheck(d);
    for (int i = 0; i < d->n && d->at[i].kind != DEP_DICT; i++)
#endif
    {
        if (SW_UNLIKELY(!deps_same(&d->at[i])))
            return deps_recheck(d);
    }
    return false;
}

/* ---- args.c: arguments as codes and slots ---------------------------------------------------- */
/* A code says all of an argument that its type depends on; equal codes, equal types. */
enum {
    CODE_NONE = 1,
    CODE_BOOL,
    CODE_INT,
    CODE_FLOAT,
    CODE_COMPLEX,
    CODE_NPSCALAR,   /* | dtype << 8 */
    CODE_ARRAY,      /* | typenum << 8 | ndim << 16 | flags << 24 | dtype of dates << 40 */
    CODE_TUPLE,      /* | length << 8, then the elements */
    CODE_NAMEDTUPLE, /* | length << 8, then the class's address, then the elements */
    CODE_TEXT,       /* a string, whatever it says */
    CODE_BYTES,
    CODE_RANGE,
    CODE_SLICE,    /* | which of its parts are ints << 8 */
    CODE_STR,      /* then the address of the interned string: code is made for its value */
    CODE_KNOWN,    /* | bool, tuple ... << 8 | length << 16, then its value, or those in it */
    CODE_STATIC,   /* then the object's address: a function, dtype or builtin */
    CODE_SCHED,    /* then the schedule's address: after all arguments */
    CODE_KEYED,    /* | length << 8, then each key, its length and text, and the value's codes */
    CODE_LISTED,   /* | length << 8, then the elements: arrays that are unlike */
    CODE_LIST,     /* then the codes of its elements: see heap_type.c */
    CODE_DICT,     /* then the codes of its keys and its values */
    CODE_SET,      /* as a list */
    CODE_EMPTY,    /* nothing tells what they are */
    CODE_OPTIONAL, /* then the codes of what is not None */
    CODE_EITHER,   /* | how many << 8, then the codes of each */
    CODE_INSTANCE, /* then the class's address */
    CODE_BLOCK,    /* | the block's sizes << 8, 20, 32: of a kernel's launch */
};

enum { FRAME_LISTS = 16, FRAME_SLOTS = 160, FRAME_CODES = 64, FRAME_ARRAYS = 16 };
/* after a kernel's arguments: grid x, y, z, block x, y, z, shared bytes */
enum { KERNEL_SLOTS = 7 };

/* A Python container and the object that stands for it during a call: see heap.c. */
typedef struct HeapHeld {
    SwMem *mem;
    PyObject *object;
    const Type *type;    /* NULL: of a result, an array, or a string; mem is not held */
    bool owned;          /* it is, all the same */
    bool text;           /* of a string: likewise */
    const uint64_t *was; /* of an object: its words when it came in; NULL: not known */
} HeapHeld;

/* The layout of objects of a type: of the last few that a call has made. */
typedef struct FrameLayout {
    const Type *type;
    const struct SwLayout *layout;
    int64_t words;
} FrameLayout;

/* The arguments of one call. mems never move: slots point at them. */
typedef struct Frame {
    uint64_t *slot, *slot_end, *code, *code_end;
    SwMem *mem, *mem_end;
    PyObject **owner; /* the array of each mem; borrowed from the arguments */
    uint64_t *slots, *codes;
    SwMem *mems;
    PyObject **owners;
    struct State *st; /* where there are lists or dicts, and then */
    struct Dispatcher *d;
    PyThreadState *ts;            /* of a call with upcalls, while it runs without the GIL */
    PyObject *lists[FRAME_LISTS]; /* arguments that are lists or dicts; borrowed */
    FrameLayout layout[4];        /* of which has_layout says that they are there */
    /* from here to the end zero at first: frame_init */
    void *heap;
    PyObject *sched;    /* NULL, or the schedule given at the call: see sched.c */
    const int64_t *geo; /* NULL, or a launch's KERNEL_SLOTS numbers: see kernel.c */
    HeapHeld *held;
    struct HeapSeen *seen;
    struct Sheet *sheets; /* of short strings: text.c */
    DevParts parts;       /* of small lists and dicts that were passed */
    int n_lists, n_held, cap_held;
    int in_records;            /* arrays are their fields, which need not be aligned */
    int64_t taken, taken_from; /* elements that were converted, and since when: py/typed.c */
    uint8_t has_layout;        /* a bit for each */
    bool held_end;             /* nothing that is held outlives the call */
    bool keeps;                /* an instance may keep what is passed */
    bool typed;                /* so may a typed container that is an argument */
    bool refused, mixed;       /* an element is of another type than those before it */
    bool alone;                /* no other thread sees what this call refers to: dev_alone */
    bool lend;                 /* what is boxed goes to Python, and comes back: see upcall.c */
} Frame;

typedef struct FrameRoom {
    uint64_t slots[FRAME_SLOTS + KERNEL_SLOTS], codes[FRAME_CODES + 4];
    SwMem mems[FRAME_ARRAYS];
    PyObject *owners[FRAME_ARRAYS];
} FrameRoom;

static inline void
frame_init(Frame *f, FrameRoom *r)
{
    f->slot = f->slots = r->slots;
    f->slot_end = r->slots + FRAME_SLOTS;
    f->code = f->codes = r->codes;
    f->code_end = r->codes + FRAME_CODES;
    f->mem = f->mems = r->mems;
    f->mem_end = r->mems + FRAME_ARRAYS;
    f->owner = f->owners = r->owners;
    /* in pieces of a few stores: all at once would be a loop that takes longer than the call */
    char *zero = (char *)&f->heap, *end = (char *)(f + 1);
    memset(zero, 0, 64);
    memset(zero + 64, 0, (size_t)(end - zero) - 64);
}

/* ---- keyed.c: dicts with known keys, of unlike values; and what it asks of args.c ---- */
enum { ARGS_FOREIGN = -3 }; /* no exception: an argument is for foreign_views */
enum { TAKE_OK, TAKE_ERROR = -1, TAKE_FULL = -2, TAKE_FOREIGN = ARGS_FOREIGN };
bool keyed_is(PyObject *o);
int args_take_slice(Dispatcher *d, Frame *f, PyObject *o, Py_ssize_t i);
bool args_is_unlike_list(PyObject *o), args_is_function(PyObject *o); /* args_type.c */
/* keyed_object.c: such dicts as objects, which can change */
PyObject *keyed_object_class(PyObject *o); /* for its keys and types; borrowed; NULL: it is none */
const Type *keyed_object_type(In *in, PyObject *o);
bool keyed_objects_wanted(Dispatcher *d); /* is the call to be made again? */
bool heap_lists_tell_more(Dispatcher *d, const Frame *f);
int keyed_take(Dispatcher *d, Frame *f, PyObject *o, Py_ssize_t i, int depth);
void keyed_room(PyObject *o, size_t *slots, size_t *codes, size_t *arrays, int depth);
const Type *keyed_type(In *in, PyObject *o);
/* Of such a dict. */
int args_take_value(Dispatcher *d, Frame *f, PyObject *o, Py_ssize_t i, int depth);
/* room for it */
void args_count(PyObject *o, size_t *slots, size_t *codes, size_t *arrays, int depth);
int args_room(Frame *f, PyObject *const *args, Py_ssize_t n, int more); /* frame on the heap */
int args_take(Dispatcher *d, Frame *f, PyObject *const *args, Py_ssize_t n);
/* Raises "f(): argument 'x' ..."; -1. */
int args_refuse(Dispatcher *d, Py_ssize_t i, PyObject *exc, const char *fmt, ...);
/* The type of an argument, in in->cx; functions among them are added to the program. */
const Type *args_type(In *in, PyObject *o);
const Type *args_tuple_type(In *in, PyObject *o, const Type *const *e); /* its elements' types */
/* May `o` be passed where an explicit signature says `t`? Stores it if f is not NULL. */
bool args_convert(Frame *f, const Type *t, PyObject *o);

/* ---- own.c: what decorators say of functions that compiled code calls ---- */
FuncDef *in_dispatcher(In *in, PyObject *of); /* as in_function */
FuncDef *in_dispatcher_again(In *in, PyObject *of);
PyObject *own_cast(const Type *t, PyObject *o);
const void *own_chooser(In *in, PyObject *func);
PyObject *own_face(State *st, PyObject *o);
bool own_choose(In *in);
void own_family(In *in, const Const *cls, int n, const ObjClass **member);
bool in_chosen(In *in, PyObject *f, FuncDef **def);
/* a step that may run out of memory, which is an exception then; false: there is one */
bool in_guarded(In *in, bool (*step)(In *, void *), void *arg);
/* what types ask for once all has been read: and what that calls */
bool in_on_demand(In *in, bool (*step)(In *, void *), void *arg);
enum { OWN_MOST_PARAMS = 64 };
/* What is wrong with the text of a signature, or NULL. */
const char *own_signature(Cx *cx, const char *text, Signature *sig);
/* The parameters of "ret(a, b)" or "(a, b)": what the last group of parentheses holds. */
PyObject *in_stands_for(PyObject *o);
PyObject *own_annotated(In *in, PyObject *func, PyObject *node);
bool own_is_like_ndarray(PyTypeObject *t);
PyObject *own_take_any_arrays(PyObject *module, PyObject *yes);
bool own_takes_any(void);
const char *own_params(const char *text, size_t *n);

/* ---- foreign.c: arrays of other libraries ---- */
bool foreign_check(PyObject *o);     /* shows an array's memory, and is none of NumPy's objects */
bool foreign_is_record(PyObject *o); /* one record of an array of records */
/* of random numbers, which swathe.lib.generator stands for */
bool foreign_is_generator(PyObject *o);
bool drawn_is(PyObject *o); /* such a one, or a RandomState: drawn.c */
PyObject *drawn_stand_in(PyObject *o);
PyObject *drawn_restored(PyObject *o);
bool foreign_is_enum(PyObject *o);         /* a member of an enum */
PyObject *foreign_enum(PyObject *o);       /* what stands for it */
bool foreign_is_registered(PyObject *o);   /* of a class that is known by now: swathe/_views.py */
PyObject *foreign_registered(PyObject *o); /* what stands for such a one; a new reference */
int foreign_find(PyObject *o);             /* of one that can be known; -1: an exception */
bool foreign_stood_for(PyObject *o);       /* a record, a generator, a member, such a one */
/* a result: the Generator that it stands for, else itself; takes o */
PyObject *foreign_restored(PyObject *o);
/* A tuple of the arguments with a NumPy view in the place of each array of another library. */
PyObject *foreign_views(Dispatcher *d, PyObject *const *args, Py_ssize_t n);
PyObject *foreign_changed(Dispatcher *d, PyObject *const *args, Py_ssize_t n);
/* record_back.c: around a call with such views; what a returned array of records is for Python */
PyObject *record_call_begin(PyObject *views), *record_back(PyObject *array);
void record_call_end(PyObject *before);
bool foreign_is_awkward(PyObject *o);
bool foreign_is_text(PyObject *o); /* an array of str or bytes of fixed width */
int foreign_stored(PyObject *views);

/* ---- memory.c: swathe._core.Memory, which keeps a compiled function's array alive
 * -------- */
extern PyType_Spec memory_spec;
PyObject *memory_new(State *st, SwMem *m); /* takes over the reference */
void sw_release(SwMem *m);                 /* what compiled code calls: rt.def */

/* ---- upcall.c: compiled code calls Python ---- */
void upcall_begin(void);
/* finds the functions of fn's upcalls by their keys; false: one isn't there */
bool upcall_link(SwFunction *fn, PyObject *functions);
/* the ndarray that came from Python as a result, whose memory it is; borrowed, NULL: none did */
PyObject *upcall_array(const SwMem *m);

SwMem *upcall_hold(PyObject *array); /* such a one; NULL: no memory */

/* ---- box.c: results as Python objects -------------------------------------------------------- */
/* Takes over the references in the slots, also on error. */
PyObject *box_result(Dispatcher *d, const Type *t, const uint64_t *slots, Frame *f);
/* a value that compiled code goes on to have: the references stay its own */
PyObject *box_lent(Frame *f, const Type *t, const uint64_t *slots);
int typenum_of_dtype(DType d);
PyObject *box_scalar(const Type *t, const uint64_t *slot);
PyObject *box_element(Frame *f, const Type *t, const uint64_t *slots,
                      bool shared); /* an array; takes over the reference */
bool box_is_array(PyArrayObject *a, const Type *t,
                  const uint64_t *slots); /* are the slots this array's? */

/* of a named tuple; borrowed, NULL: it is gone */
PyObject *box_tuple_class(Dispatcher *d, const Type *t);
PyObject *box_new_tuple(Dispatcher *d, const Type *t); /* without elements */

#include "heap.h"

/* ---- known.c: arguments whose values are compiled in ----------------------------------------- */
bool known_is(uint64_t known, PyObject *o, Py_ssize_t i);
bool known_take(Frame *f, PyObject *o);
uint64_t known_find(Dispatcher *d, PyObject *const *args, int n, bool flags);
void known_assign(In *in, PyObject *const *args, int n);
PyObject *known_values(const Dispatcher *d, PyObject *const *args, int n); /* new, or NULL */
bool known_room(Dispatcher *d, PyObject *const *args, int n, bool kernel);

/* ---- spec.c: specialisations ----------------------------------------------------------------- */
typedef struct Spec {
    struct Spec *next;
    uint64_t *codes;
    int n_codes;
    uint64_t hash;
    int64_t refs;   /* under the GIL: the table's, and one for each call in flight */
    SwFunction *fn; /* NULL: this does not compile */
    bool casts;     /* these by own_cast first */
    bool convert;   /* explicit signature: arguments need converting by args_convert */
    bool of_signature;
    PyTypeObject *cast; /* the signature's result type, where the function's is another */
    char *error_class, *error;
    PyObject *keep;   /* what codes point at */
    PyObject *sched;  /* the schedule at the call, or NULL */
    int32_t block[3]; /* a kernel's: the sizes that it is compiled for */
    PyObject *sig;    /* str: "float64(float64[::1])" */
    bool may_outer;   /* what could be an argument is a constant in it, and that was not tried */
    bool lends;       /* it compiles, but may return such a constant */
    int n_outer;      /* of its arguments, those that stand for what is outside */
    PyObject *values; /* those that are compiled in, as known_values yields them; or NULL */
    bool of_values;   /* some are, whether it compiles or not */
    PyObject *code;   /* of a device's kernel: what swathe.devices keeps of it; or NULL */
    int64_t hits;
} Spec;

typedef struct SpecTable {
    Spec *bucket[16];
    int n;
} SpecTable;

Spec *spec_find(Dispatcher *d, const uint64_t *codes, int n); /* borrowed */
/* The specialisation for these arguments, made when there is none; a new reference. */
Spec *spec_get(Dispatcher *d, PyObject *const *args, Py_ssize_t n, Frame *f);
bool spec_would_compile(Dispatcher *d, PyObject *const *args, int n, uint64_t known, unsigned but);
Spec *spec_new(const uint64_t *codes, int n); /* NULL: exception */
void spec_insert(Dispatcher *d, Spec *s);
void spec_release(Spec *s);
void spec_drop_all(Dispatcher *d);
/* ---- past.c: something that the code took from outside has changed ---- */
void spec_refresh(Dispatcher *d);
void past_clear(Dispatcher *d);
/* all that there is, so that the dispatcher begins anew; NULL: no memory, and it is gone */
struct Past *past_aside(Dispatcher *d);
void past_restore(Dispatcher *d, struct Past *p); /* in place of what there is now */
void past_drop(struct Past *p);
int past_visit(Dispatcher *d, visitproc visit, void *arg);

int spec_add_signature(Dispatcher *d, PyObject *sig);   /* compiles it */
PyObject *spec_text(Dispatcher *d, Spec *s, int which); /* SwResult.text[which] */
/* The same for these arguments, which are only looked at. */
PyObject *spec_text_for(Dispatcher *d, PyObject *const *args, int n, PyObject *sched, int which);
PyObject *spec_signature(Spec *s);                /* "float64(float64[::1])"; new reference */
bool args_same_slots(const Type *t, PyObject *o); /* no conversion needed */

/* ---- sched.c: schedules given at the call ---------------------------------------------------- */
/* A schedule as the compiler has it, in cx's arena; sched may be NULL. */
void sched_take(Cx *cx, PyObject *sched, SwRequest *rq);
/* What `opts=` was given: the one object for all equal schedules. Borrowed; NULL: TypeError. */
PyObject *sched_intern(Dispatcher *d, PyObject *opts);
PyObject *sched_key(State *st, PyObject *opts); /* new reference; TypeError */
void sched_push(Frame *f, PyObject *sched);     /* its code, after those of the arguments */
/* "float64(int64) par({...})"; new reference */
PyObject *sched_text(PyObject *sig, PyObject *sched);
/* The index of `opts` in kwnames, -1 when it isn't there. */
Py_ssize_t sched_find(State *st, PyObject *kwnames);

/* ---- kernel.c: launches of kernels: f[blocks, threads](...) ---------------------------------- */
extern PyType_Spec shared_spec;
extern PyType_Spec launch_spec;
extern PyType_Spec shared_spec;
PyObject *kernel_contexts(PyObject *module, PyObject *n);
PyObject *kernel_subscript(PyObject *dispatcher, PyObject *key);
PyObject *kernel_forall(PyObject *dispatcher, PyObject *const *args, Py_ssize_t n,
                        PyObject *kwnames);
void kernel_push(Frame *f); /* f->geo as a code and slots, after those of the arguments */
/* device contexts, in all threads: while it's 0 nothing is asked */
extern int64_t kernel_contexts_entered;
/* ---- offload.c: parallel loops on devices ---- */
int offload_enter(Dispatcher *d, SwFunction *fn, const Frame *f, SwCtx *cx); /* 0; -1: exception */
/* always, after the run */
int offload_leave(Dispatcher *d, SwCtx *cx, bool failed);
PyObject *offload_dispatch(PyObject *d, PyObject *const *args, size_t nargsf, PyObject *kwnames,
                           PyObject *queue);
PyObject *offload_asked(PyObject *opts);
bool offload_has_array(PyObject *const *args, size_t nargsf, PyObject *kwnames);
extern PyMethodDef device_methods[]; /* device.c: devices with drivers */
/* ---- call.c: a call with one object for each parameter; sched, geo: of a launch, or NULL ---- */
PyObject *call_values(Dispatcher *d, PyObject *const *args, Py_ssize_t n, PyObject *sched,
                      const int64_t *geo);
/* ---- dispatcher.c: the type of compiled functions -------------------------------------------- */
struct Dispatcher {
    PyObject_HEAD vectorcallfunc call;
    State *st;
    PyObject *func; /* the Python function */
    PyObject *code; /* which it had when its parameters were looked at */
    PyObject *dict, *weakrefs;
    PyObject *binder; /* a Python function that binds keywords and defaults, or NULL yet */
    PyObject *sigs;   /* list of str: explicit signatures, or NULL */
    int n_params;     /* of all kinds, *args included */
    bool simple;      /* positional parameters only: n_params arguments need no binding */
    bool use_cache;
    SwOptions opt;
    PyObject *ir;      /* str: compiled in place of the function's source; or NULL */
    bool ir_done;      /* its passes have run */
    PyObject *sched;   /* of the decorator, for calls that give none; or NULL */
    PyObject *scheds;  /* dict: schedules met, each to itself; or NULL */
    bool all_elements; /* of lists tell their types, not the first alone */
    bool mixed;        /* they may be of one type or another; no dict is its values */
    bool warned;       /* of what the conversion of arguments takes */
    bool known_tuples; /* so is the length of long ones: heap_is_row */
    bool dict_objects; /* dicts of unlike values are objects, for it changes them */
    bool want_objects; /* the last one that was compiled has to be so */
    bool ran;          /* the last call did not end with an error of the compiler */
    uint64_t known;    /* arguments whose values are compiled in, where they can be: known.c */
    uint64_t by_value; /* those that were once, and had too many */
    bool own_opts;     /* a parameter is called `opts` */
    Outers outer;      /* each call gives what these stand for, behind its own arguments */
    /* also what could be a constant: as one it doesn't compile, or it changes */
    bool all_outer;
    bool outer_changes, no_all_outer; /* it is for the second reason; then it doesn't compile */
    Deps deps;
    Spec *last;
    SpecTable specs;
    Spec **by_sig; /* those of explicit signatures */
    int n_by_sig;
    unsigned drops; /* counts spec_drop_all */
    struct Past *past;
    bool busy; /* someone compiles; see spec.c */
    unsigned long busy_thread;
    unsigned busy_generation;
    int64_t hits, misses, cache_hits, compiled;
    double compile_ms;
    PyObject *tuple_classes; /* list: classes met, of named tuples and exceptions */
};

extern PyType_Spec dispatcher_spec;
bool dispatcher_check(State *st, PyObject *o);
PyObject *dispatcher_bind(Dispatcher *d, PyObject *args); /* a tuple: defaults filled in */
PyObject *dispatcher_bind_names(Dispatcher *d, PyObject *const *args, size_t nargsf,
                                PyObject *kwnames);
PyObject *dispatcher_launch(Dispatcher *d, PyObject *const *args, size_t nargsf, PyObject *kwnames,
                            const int64_t *geo);
Dispatcher *dispatcher_new(State *st, PyObject *func, const SwOptions *opt, bool cache);

/* ---- error.c --------------------------------------------------------------------------------- */
PyObject *error_class(State *st, const char *name); /* new reference */
bool error_is_builtin(PyTypeObject *t);             /* one of Python's own */
bool error_takes_message(PyTypeObject *t);          /* made of a message alone */
/* "ValueError", "numpy.linalg.LinAlgError" */
const char *error_class_name(Arena *a, PyTypeObject *t);
bool error_is_plain(PyTypeObject *t);
void error_compile(State *st, const char *cls, const char *text);
bool error_returns_function(State *st);
/* callback.c: exceptions of Python functions that compiled code has called */
PyObject *kept_exception(const SwPayload *p); /* borrowed */
int64_t kept_number(PyObject *exc);           /* of a payload that is to be taken; 0: no memory */
int64_t kept_live(void);
void callback_begin(void);
void error_run_time(Dispatcher *d, SwFunction *fn, const SwError *e); /* raises */

/* ---- signal.c -------------------------------------------------------------------------------- */
typedef struct ThreadInfo {
    char *stack_limit; /* NULL: not known yet */
    bool is_main;
} ThreadInfo;

extern __thread ThreadInfo thread_info __attribute__((tls_model("initial-exec")));
void thread_info_fill(void);
void signal_watch(void); /* puts our SIGINT handler on top of Python's, where it isn't */
int signal_init(State *st);
int signal_entry(void); /* the flag is up at a call's entry: -1 with KeyboardInterrupt */
void signal_after_fork(void);

/* ---- lock.c: one compile at a time for each dispatcher --------------------------------------- */
int lock_init(void);
unsigned lock_forks(void);       /* how often this process's ancestors were forked */
int lock_acquire(Dispatcher *d); /* waits without the GIL; -1: this thread has it already */
void lock_release(Dispatcher *d);
void lock_compiler(void); /* around rt_compile, without the GIL: fork waits meanwhile */
void unlock_compiler(void);
void fork_hold(void); /* os.fork() of other threads waits until fork_release(); they nest */
void fork_release(void);
PyObject *late_import(const char *module); /* PyImport_ImportModule that no fork cuts short */
PyObject *late_call(const char *module, const char *name, PyObject *arg); /* NULL: no argument */

/* ---- inspect.c ------------------------------------------------------------------------------- */
/* ---- debug.c: what the tests ask ---- */
PyObject *debug_promote(PyObject *self, PyObject *args);
PyObject *debug_ufunc_types(PyObject *self, PyObject *args);
PyObject *debug_ufuncs(PyObject *self, PyObject *unused);

/* ---- threads.c ---- */
PyObject *threads_set(PyObject *module, PyObject *n);
PyObject *threads_get(PyObject *module, PyObject *unused);
PyObject *threads_number(PyObject *module, PyObject *unused);
PyObject *threads_set_chunksize(PyObject *module, PyObject *n);
PyObject *threads_get_chunksize(PyObject *module, PyObject *unused);

extern PyMethodDef module_methods[];
/* of its first n_args arguments; values: as known_values yields them, or NULL */
PyObject *inspect_signature(const SwFunction *fn, int n_args, PyObject *values);
PyObject *inspect_explain(PyObject *self, PyObject *args, PyObject *kw);
PyObject *inspect_parallel(PyObject *self, PyObject *args, PyObject *kw);
PyObject *inspect_remarks(PyObject *self, PyObject *args);
PyObject *inspect_types(PyObject *self, PyObject *args);
PyObject *inspect_ir(PyObject *self, PyObject *args);
PyObject *inspect_llvm(PyObject *self, PyObject *args);
PyObject *inspect_asm(PyObject *self, PyObject *args);
PyObject *inspect_signatures(PyObject *self, void *closure);
PyObject *inspect_overloads(PyObject *self, void *closure);
PyObject *inspect_stats(PyObject *self, void *closure);
#endif
