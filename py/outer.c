/* SPDX-License-Identifier: BSD-3-Clause
 * Containers that functions find outside themselves: `SEEN = set()` of a module, a list in a cell
 * of a closure. Python reads such a name when it comes by it, and what it changes others see; so
 * they are arguments that nobody writes. The function that Python calls takes all of them behind
 * its own, each call gives what the names stand for then, and what has changed is written back as
 * that of any argument. Other functions take those that they need as variables of a function
 * around them (FuncDef.free), so that calls and function values carry them along. Lists and dicts
 * that are constants as well stay constants as long as that compiles. A variable that a function
 * sets by `global` is the element of a list that each call makes. */
#include "py.h"

enum {
    MOST_LISTED = 16, /* elements of a list that is a constant */
    MOST_DEPTH = 6,
    FIRST_NAME = 1000000, /* after the generators' (see ast_shown) */
};

/* ---- which ----------------------------------------------------------------------------------- */

static bool
is_number(PyObject *o)
{
    return PyLong_Check(o) || PyFloat_Check(o) || PyComplex_Check(o);
}

/* May a container have it? None tells nothing. */
static bool
fits(PyObject *o, int depth)
{
    if (PyTuple_Check(o)) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(o); i++)
            if (depth > MOST_DEPTH || !fits(PyTuple_GET_ITEM(o, i), depth + 1))
                return false;
        return true;
    }
    return o == Py_None || is_number(o) || PyUnicode_CheckExact(o) || PyBytes_CheckExact(o) ||
           PyArray_IsScalar(o, Generic) || args_is_array(o) || heap_class_of(o) ||
           instance_check(o) || object_is_plain(o) || foreign_is_enum(o);
}

/* Numbers that become one kind in a list. */
static bool
joins(PyObject *o)
{
    return PyLong_CheckExact(o) || PyFloat_CheckExact(o) || PyComplex_CheckExact(o);
}

/* Elements of one list? Of containers it is taken on trust. */
static bool
are_alike(PyObject *a, PyObject *b, int depth)
{
    if (a == Py_None || b == Py_None)
        return true;
    if (joins(a) && joins(b))
        return true;
    if (Py_TYPE(a) != Py_TYPE(b) || depth > MOST_DEPTH)
        return false;
    if (!PyTuple_Check(a))
        return true;
    bool same = PyTuple_GET_SIZE(a) == PyTuple_GET_SIZE(b);
    for (Py_ssize_t i = 0; same && i < PyTuple_GET_SIZE(a); i++)
        same = are_alike(PyTuple_GET_ITEM(a, i), PyTuple_GET_ITEM(b, i), depth + 1);
    return same;
}

static bool
list_fits(PyObject *o)
{
    Py_ssize_t n = PyList_GET_SIZE(o);
    for (Py_ssize_t i = 0; i < n; i++)
        if (!fits(PyList_GET_ITEM(o, i), 0) ||
            !are_alike(PyList_GET_ITEM(o, 0), PyList_GET_ITEM(o, i), 0))
            return false;
    return true;
}

/* `many`: are there so many, and alike, that a constant would only be large? */
static bool
dict_fits(PyObject *o, bool *many)
{
    PyObject *k, *v, *first = NULL;
    *many = PyDict_GET_SIZE(o) > MOST_LISTED;
    for (Py_ssize_t at = 0; PyDict_Next(o, &at, &k, &v);) {
        if (!fits(k, 0) || !fits(v, 0))
            return false;
        first = first ? first : v;
        *many = *many && are_alike(first, v, 0);
    }
    return true;
}

/* Is it an object that may change, and that others see? */
static bool
is_shared(PyObject *o)
{
    return heap_class_of(o) || instance_check(o) || object_is_plain(o);
}

/* Does it go in as an argument, rather than as a constant? `all`: in any case, if it can. */
static bool
is_outer(In *in, PyObject *o, bool all)
{
    if (PyList_CheckExact(o))
        return (all || PyList_GET_SIZE(o) > MOST_LISTED) && list_fits(o);
    bool many;
    if (PyDict_CheckExact(o))
        return dict_fits(o, &many) && (all || many || !in_dict_has_const(in, o));
    if (PyArray_Check(o))
        return all && args_is_array(o);
    return heap_class_of(o) || instance_check(o) || (all && object_is_plain(o));
}

/* ---- a program's ----------------------------------------------------------------------------- */

/* What it stands for now; borrowed, NULL: nothing. */
static PyObject *
value_of(const Outer *o)
{
    PyObject *dict = PyType_Check(o->where) ? class_dict((PyTypeObject *)o->where) : o->where;
    if (PyFunction_Check(o->where))
        return in_default_of(o->where, o->key);
    return PyCell_Check(o->where) ? PyCell_GET(o->where)
                                  : PyDict_GetItem(dict, o->key); /* which sets no error */
}

/* What it is as an argument: a new reference, NULL: nothing, or an exception. */
static PyObject *
argument(const Outer *o)
{
    PyObject *v = value_of(o);
    if (!v || !o->set)
        return Py_XNewRef(v);
    PyObject *list = PyList_New(1);
    if (list)
        PyList_SET_ITEM(list, 0, Py_NewRef(v));
    return list;
}

/* Names are interned; a key of a global dict may be a number. */
static bool
is_key(PyObject *a, PyObject *b)
{
    return a == b || (PyLong_CheckExact(a) && PyLong_CheckExact(b) &&
                      PyObject_RichCompareBool(a, b, Py_EQ) == 1);
}

static int
find(In *in, PyObject *where, PyObject *key)
{
    for (int i = 0; i < in->outer.n; i++)
        if (in->outer.at[i].where == where && is_key(in->outer.at[i].key, key))
            return i;
    return -1;
}

static int
add(In *in, PyObject *where, PyObject *key, bool set)
{
    int at = find(in, where, key);
    if (at >= 0 || in->outer.n == MOST_OUTER) {
        in->new_outer |= at >= 0 && set && !in->outer.at[at].set;
        if (at >= 0)
            in->outer.at[at].set |= set;
        return at;
    }
    const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : NULL;
    Sym sym = intern(&in->cx->syms, arena_printf(&in->cx->arena, "%s.g%d", name ? name : "?",
                                                 FIRST_NAME + in->outer.n));
    VEC_PUSH(&in->cx->arena, in->outer, ((OuterName){where, key, sym, set}));
    in->new_outer = true;
    if (PyList_Append(in->keep, where) < 0 || PyList_Append(in->keep, key) < 0)
        in->failed = true;
    return in->outer.n - 1;
}

Sym
in_outer(In *in, PyObject *where, PyObject *key, PyObject *now)
{
    if (!where || !now || in->no_outer)
        return NULL;
    if (PyUnicode_CheckExact(key))
        PyUnicode_InternInPlace(&key); /* it is one already: names are */
    bool is = is_outer(in, now, in->all_outer);
    if (!is && is_outer(in, now, true))
        in->may_outer |= PyList_Check(now)    ? MAY_LIST
                         : PyDict_Check(now)  ? MAY_DICT
                         : PyArray_Check(now) ? MAY_ARRAY
                                              : MAY_OBJECT;
    int i = is ? add(in, where, key, false) : -1;
    return i < 0 ? NULL : in->outer.at[i].name;
}

void
in_outer_begin(In *in, const Dispatcher *d)
{
    in->no_outer = d->opt.kernel;
    in->all_outer = d->all_outer;
    for (int i = 0; i < d->outer.n; i++)
        add(in, d->outer.at[i].where, d->outer.at[i].key, d->outer.at[i].set);
    in->new_outer = false;
}

/* ---- names that are assigned ----------------------------------------------------------------- */

Sym
in_outer_element(In *in, PyObject *where, PyObject *key)
{
    int i = where ? find(in, where, key) : -1;
    return i < 0 || !in->outer.at[i].set ? NULL : in->outer.at[i].name;
}

void
in_outer_set(In *in, FuncDef *f)
{
    for (const Node *g = NULL; (g = ast_outer_set(f, g)) && !in->no_outer && !in->failed;) {
        PyObject *key = PyUnicode_InternFromString(g->name);
        PyObject *where = !key ? NULL : g->op == NONLOCAL ? in_cell(in, key) : in->globals;
        PyObject *v = where ? value_of(&(Outer){where, key, true}) : NULL;
        int i = v && fits(v, 0) ? add(in, where, key, true) : -1;
        if (i >= 0)
            ast_outer_cell(in->cx, f, g->name, in->outer.at[i].name);
        in->failed |= !key;
        Py_XDECREF(key);
    }
}

void
in_outer_rename(FuncDef *f, Node *n, Sym name, Sym outer)
{
    if (!n)
        return;
    if (n->kind == N_Name && n->name == name && !ast_is_local(f, name))
        n->name = outer;
    if (n->fn) {
        in_outer_rename(n->fn, n->fn->body, name, outer);
        for (int i = 0; i < n->fn->n_params; i++)
            in_outer_rename(f, (Node *)n->fn->params[i].def_node, name, outer);
    }
    for (int i = 0; i < n->n; i++)
        in_outer_rename(f, n->kid[i], name, outer);
}

/* module.TABLE, or CONFIG["table"], as the variable of a container. */
bool
in_outer_place(In *in, Node *n, PyObject *where, PyObject *key, PyObject *v)
{
    Sym outer = in_outer(in, where, key, v);
    if (!outer)
        return false;
    n->kind = N_Name;
    n->name = outer;
    n->n = 0;
    n->op = CTX_LOAD;
    return true;
}

/* ---- what a class has, and neither its instances nor a method ---- */

/* The class that has it, of this one and its bases; borrowed. */
static PyObject *
holder(PyObject *cls, PyObject *key)
{
    PyObject *mro = ((PyTypeObject *)cls)->tp_mro;
    for (Py_ssize_t i = 0; mro && i < PyTuple_GET_SIZE(mro); i++)
        if (PyDict_GetItem(class_dict((PyTypeObject *)PyTuple_GET_ITEM(mro, i)), key))
            return PyTuple_GET_ITEM(mro, i);
    return NULL;
}

/* self.names, cls.names, type(self).names in a method: the class that has it, where all classes
 * that have the method have that of one class (swathe/_plain_classes.py). Borrowed; NULL: it is
 * something else. */
static PyObject *
holder_of_all(In *in, FuncDef *f, const Node *n, PyObject *key)
{
    const Node *of = n->kid[0];
    const Const *c = of->kind == N_Call && of->n == 2 ? in_constant_value(f, of->kid[0]) : NULL;
    bool type = c && c->kind == CV_BUILTIN && ((const Builtin *)c->ref)->id == BI_py_type;
    of = type ? of->kid[1] : of;
    PyObject *cls = (PyObject *)(uintptr_t)f->member_of;
    if (!cls || of->kind != N_Name || !f->n_params || of->name != f->params[0].name)
        return NULL;
    PyObject *where = holder(cls, key), *func = in->queue.at[f->index];
    PyObject *v = where ? PyDict_GetItem(class_dict((PyTypeObject *)where), key) : NULL;
    if (!v || PyFunction_Check(v) || (!heap_class_of(v) && !fits(v, 0)))
        return NULL;
    PyObject *m = late_import("swathe._plain_classes");
    PyObject *is =
        m ? PyObject_CallMethod(m, "has_one", "OOOOi", cls, func, where, key, n->op == CTX_STORE)
          : NULL;
    Py_XDECREF(m);
    Py_XDECREF(is); /* True, or False */
    return is == Py_True ? where : NULL;
}

/* Shape.count += 1, Shape.names.append(x): the attribute as the variable that it is. A store
 * through a derived class makes one of that class, and is refused elsewhere. */
bool
in_outer_attribute(In *in, FuncDef *f, Node *n)
{
    const Const *of = f->is_lib ? NULL : in_constant_value(f, n->kid[0]);
    const ObjClass *c = of && of->kind == CV_CLASS ? of->obj : NULL;
    bool named = c && !c->dict, member = !of && f->member_of;
    PyObject *key = named || member ? PyUnicode_InternFromString(n->name) : NULL;
    PyObject *cls = named ? (PyObject *)(uintptr_t)c->generic : NULL, *v = NULL;
    PyObject *where = !key ? NULL : named ? holder(cls, key) : holder_of_all(in, f, n, key);
    bool is = false;
    cls = named ? cls : where;
    if (where)
        v = PyDict_GetItem(class_dict((PyTypeObject *)where), key);
    if (v && !in->no_outer && n->op == CTX_STORE && where == cls && fits(v, 0))
        add(in, where, key, true);
    bool here = n->op == CTX_LOAD || where == cls;
    Sym element = v && here ? in_outer_element(in, where, key) : NULL;
    if (element) {
        ast_become_element(in->cx, f, n, element);
        is = true;
    } else if (v && n->op == CTX_LOAD && is_shared(v)) {
        const Const *whole = NULL;
        is = in_outer_place(in, n, where, key, v) ||
             (PyDict_CheckExact(v) && (whole = in_dict_const(in, v)));
        if (whole) { /* of functions, which never change in compiled code */
            n->kind = N_Const;
            n->n = 0;
            n->val = whole;
            in_mention(in, whole);
        }
    }
    PyErr_Clear();
    Py_XDECREF(key);
    return is;
}

/* ---- which function needs which -------------------------------------------------------------- */

/* Of a function, or of all methods that a name or a class may lead to. */
typedef struct Need {
    uint32_t bits;
    Vec(struct Need *) on; /* what these need, this needs, too */
} Need;

typedef struct Needs {
    In *in;
    Map of;     /* FuncDef, class or name of methods -> Need */
    Need *from; /* the one that is found out; or NULL, where all is known */
    Vec(Need *) all;
} Needs;

static Need *
need_new(Needs *n, const void *key)
{
    Need *d = NEW(&n->in->cx->arena, Need);
    map_put(&n->in->cx->arena, &n->of, key, d);
    VEC_PUSH(&n->in->cx->arena, n->all, d);
    return d;
}

static Need *
need_of(Needs *n, const FuncDef *f)
{
    Need *d = map_get(&n->of, f);
    return d ? d : need_new(n, f);
}

static uint32_t
uses(Needs *n, Need *d)
{
    Need *f = n->from;
    if (f && f != d && !(f->on.n && f->on.at[f->on.n - 1] == d))
        VEC_PUSH(&n->in->cx->arena, f->on, d);
    return d->bits;
}

/* Is the method called where its name isn't written? */
static bool
is_called_unnamed(const Method *m)
{
    return !strncmp(m->name, "__", 2) || strchr(m->name, ' ');
}

static uint32_t bits_of_const(Needs *n, const Const *c);

/* Of a class: of those that its name may lead to, and not the name of an attribute. */
static uint32_t
bits_of_methods(Needs *n, const void *cls, Sym name)
{
    const void *key = cls ? cls : name;
    Program *p = n->in->prog;
    Need *d = map_get(&n->of, key);
    if (d)
        return uses(n, d);
    d = need_new(n, key);
    for (int i = 0; i < p->methods.n; i++) {
        const Method *m = &p->methods.at[i];
        if (m->def && (cls ? m->cls == cls && is_called_unnamed(m) : m->name == name))
            VEC_PUSH(&n->in->cx->arena, d->on, need_of(n, m->def));
        if (!cls && m->cst && m->name == name) {
            Need *outer = n->from;
            n->from = d;
            d->bits |= bits_of_const(n, m->cst);
            n->from = outer;
        }
    }
    return uses(n, d);
}

static uint32_t
bits_of_const(Needs *n, const Const *c)
{
    uint32_t bits = 0;
    const FuncDef *fd = c && c->kind == CV_FUNC ? c->ref : NULL;
    if (fd) /* what types choose in its place is parsed later */
        return fd->chooser ? ~(uint32_t)0 : uses(n, need_of(n, fd));
    if (c && (c->kind == CV_CLASS || c->kind == CV_TUPLE_CLASS))
        return bits_of_methods(n, c->kind == CV_CLASS ? c->obj->cls : c->ref, NULL);
    for (int i = 0; c && (c->kind == CV_TUPLE || c->kind == CV_KEYED) && i < c->n; i++)
        bits |= bits_of_const(n, c->elems[i]);
    return bits;
}

static uint32_t
bits_of_name(Needs *n, const FuncDef *f, Sym name)
{
    for (int i = 0; i < n->in->outer.n; i++)
        if (n->in->outer.at[i].name == name)
            return (uint32_t)1 << i;
    for (int i = 0; i < n->in->memos.n; i++)
        if (n->in->memos.at[i]->memo == name)
            return (uint32_t)1 << (MOST_OUTER + i);
    return ast_is_local(f, name) ? 0 : bits_of_const(n, ast_global(f, name));
}

static void find_needs(Needs *n, const FuncDef *f);

static uint32_t
bits_of_node(Needs *n, const FuncDef *f, const Node *e)
{
    uint32_t bits = 0;
    if (!e)
        return 0;
    if (e->kind == N_Name)
        bits |= bits_of_name(n, f, e->name);
    if (e->kind == N_Const)
        bits |= bits_of_const(n, e->val);
    if (e->kind == N_Attribute)
        bits |= bits_of_methods(n, NULL, e->name);
    if (e->kind == N_Call && f->member_of && f->n_params && e->kid[0]->kind == N_Name &&
        e->kid[0]->name == f->params[0].name) /* cls(...) of whichever class */
        bits |= bits_of_methods(n, NULL, intern(&n->in->cx->syms, "__init__"));
    if (e->fn) {
        if (n->from)
            find_needs(n, e->fn);
        bits |= uses(n, need_of(n, e->fn));
        for (int i = 0; i < e->fn->n_params; i++)
            bits |= bits_of_node(n, f, e->fn->params[i].def_node);
    }
    for (int i = 0; i < e->n; i++)
        bits |= bits_of_node(n, f, e->kid[i]);
    return bits;
}

static void
find_needs(Needs *n, const FuncDef *f)
{
    Need *outer = n->from, *d = n->from = need_of(n, f);
    d->bits |= bits_of_node(n, f, f->body);
    for (int i = 0; i < f->n_params; i++)
        d->bits |= bits_of_const(n, f->params[i].def);
    n->from = outer;
}

static void
close_needs(Needs *n)
{
    bool more = true;
    while (more) {
        more = false;
        for (int i = 0; i < n->all.n; i++) {
            Need *d = n->all.at[i];
            uint32_t was = d->bits;
            for (int k = 0; k < d->on.n; k++)
                d->bits |= d->on.at[k]->bits;
            more |= d->bits != was;
        }
    }
}

static Node *
const_node(Needs *n, FuncDef *f, Span at, const Const *c)
{
    Node *e = ast_new(&n->in->cx->arena, f, N_Const, at, 0);
    e->val = c;
    return e;
}

/* A table of functions that take something along is a display of them. */
static void
become_display(Needs *n, FuncDef *f, Node *e, const Const *c)
{
    Arena *a = &n->in->cx->arena;
    Node **kid = NEW_N(a, Node *, c->n + 1);
    for (int i = 0; i < c->n; i++) {
        Node *v = const_node(n, f, e->at, c->elems[i]);
        if (bits_of_const(n, c->elems[i]) && c->elems[i]->kind != CV_FUNC)
            become_display(n, f, v, c->elems[i]);
        kid[i] = v;
        if (c->kind != CV_KEYED)
            continue;
        Const *key = const_new(n->in, CV_STR);
        key->str = c->names[i];
        key->str_len = strlen(c->names[i]);
        kid[i] = ast_new(a, f, N_Tuple, e->at, 2);
        kid[i]->kid[0] = const_node(n, f, e->at, key);
        kid[i]->kid[1] = v;
    }
    e->kind = c->kind == CV_KEYED ? N_Dict : c->is_list ? N_List : N_Tuple;
    e->kid = kid;
    e->n = c->n;
    e->name = NULL;
    e->val = NULL;
    e->op = 0;
}

static void
write_out_tables(Needs *n, FuncDef *f, Node *e)
{
    if (!e)
        return;
    for (int i = 0; i < e->n; i++)
        write_out_tables(n, f, e->kid[i]);
    if (e->fn)
        write_out_tables(n, e->fn, e->fn->body);
    const Const *c = in_constant_value(f, e);
    if (c && (c->kind == CV_KEYED || (c->kind == CV_TUPLE && !c->names)) && bits_of_const(n, c))
        become_display(n, f, e, c);
}

/* Has it no variable of that name? What objects of generators do finds it in the object. */
static bool
lacks(const FuncDef *f, Sym name)
{
    return !ast_has_name(f->free, f->n_free, name) && !ast_has_name(f->locals, f->n_locals, name);
}

static void
take(Needs *n, FuncDef *f, uint32_t bits)
{
    const In *in = n->in;
    Sym *names = NEW_N(&n->in->cx->arena, Sym, f->n_free + in->outer.n + in->memos.n + 1);
    for (int i = 0; i < f->n_free; i++)
        names[i] = f->free[i];
    f->free = names;
    for (int i = 0; i < in->outer.n; i++)
        if (bits >> i & 1 && lacks(f, in->outer.at[i].name))
            f->free[f->n_free++] = in->outer.at[i].name;
    for (int i = 0; i < in->memos.n && f != in->prog->root; i++)
        if (bits >> (MOST_OUTER + i) & 1 && lacks(f, in->memos.at[i]->memo))
            f->free[f->n_free++] = in->memos.at[i]->memo;
}

static void
take_nested(Needs *n, Node *e)
{
    if (!e)
        return;
    if (e->fn) {
        take(n, e->fn, need_of(n, e->fn)->bits);
        take_nested(n, e->fn->body);
        for (int i = 0; i < e->fn->n_params; i++)
            take_nested(n, (Node *)(uintptr_t)e->fn->params[i].def_node);
    }
    for (int i = 0; i < e->n; i++)
        take_nested(n, e->kid[i]);
}

/* What Python calls may be swathe's own: it goes on with a generator, or calls a closure. */
static bool
takes_outer(const Program *p, const FuncDef *f)
{
    return f->body && (!f->is_lib || f == p->root);
}

void
in_outer_close(In *in)
{
    Needs n = {.in = in};
    Program *p = in->prog;
    if (!in->outer.n && !in->memos.n)
        return;
    in_memos_begin(in);
    for (int i = 0; i < p->funcs.n; i++)
        if (takes_outer(p, p->funcs.at[i]))
            find_needs(&n, p->funcs.at[i]);
    close_needs(&n);
    for (int i = 0; i < p->funcs.n; i++) {
        FuncDef *f = p->funcs.at[i];
        if (!takes_outer(p, f))
            continue;
        write_out_tables(&n, f, f->body);
        take(&n, f, f == p->root ? ~(uint32_t)0 : need_of(&n, f)->bits);
        take_nested(&n, f->body);
    }
}

int
in_outer_types(In *in, const Type **types)
{
    for (int i = 0; i < in->outer.n; i++) {
        const OuterName *o = &in->outer.at[i];
        PyObject *v = argument(&(Outer){o->where, o->key, o->set});
        types[i] = v ? in_arg_type(in, v) : type_none(in->cx->types);
        in->failed |= !v && PyErr_Occurred();
        Py_XDECREF(v);
    }
    return in->failed ? -1 : in->outer.n;
}

/* ---- a dispatcher's -------------------------------------------------------------------------- */

int
outer_take(Outers *o, const In *in)
{
    Outer *at = PyMem_Malloc(sizeof *at * (size_t)(in->outer.n + 1));
    if (!at) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < in->outer.n; i++) {
        const OuterName *n = &in->outer.at[i];
        at[i] = (Outer){Py_NewRef(n->where), Py_NewRef(n->key), n->set};
    }
    outer_clear(o);
    o->at = at;
    o->n = in->outer.n;
    return 0;
}

void
outer_clear(Outers *o)
{
    Outers old = *o;
    *o = (Outers){.version = old.version + 1};
    for (int i = 0; i < old.n; i++) {
        Py_DECREF(old.at[i].where);
        Py_DECREF(old.at[i].key);
    }
    PyMem_Free(old.at);
}

int
outer_visit(const Outers *o, visitproc visit, void *arg)
{
    for (int i = 0; i < o->n; i++)
        Py_VISIT(o->at[i].where);
    return 0;
}

const char *
outer_name(const Outers *o, Py_ssize_t i)
{
    PyObject *key = i < o->n ? o->at[i].key : NULL;
    return !key                               ? NULL
           : PyUnicode_Check(key)             ? PyUnicode_AsUTF8(key)
           : PyFunction_Check(o->at[i].where) ? "a default"
                                              : "an item of a dict";
}

/* ---- a call ---------------------------------------------------------------------------------- */

static bool
may_be_given(const Outer *o, PyObject *v)
{
    return o->set ? fits(v, 0) : PyArray_Check(v) || is_shared(v);
}

static void
let_go(OuterCall *c, PyObject **at)
{
    for (int i = 0; i < c->n; i++) {
        Py_DECREF(at[i]);
        Py_DECREF(c->was[i]);
        Py_DECREF(c->of[i].where);
        Py_DECREF(c->of[i].key);
    }
    c->n = 0;
}

int
outer_begin(const Outers *o, OuterCall *c, PyObject **at)
{
    c->n = 0;
    for (int i = 0; i < o->n; i++) {
        PyObject *v = value_of(&o->at[i]);
        bool ok = v && may_be_given(&o->at[i], v);
        if (!ok || !(at[i] = argument(&o->at[i]))) {
            let_go(c, at);
            return ok ? -1 : 1;
        }
        c->was[i] = Py_NewRef(v);
        c->of[i] = o->at[i];
        Py_INCREF(c->of[i].where);
        Py_INCREF(c->of[i].key);
        c->n++;
    }
    return 0;
}

int
outer_end(OuterCall *c, PyObject **at)
{
    PyObject *type, *value, *trace;
    int r = 0;
    PyErr_Fetch(&type, &value, &trace);
    for (int i = 0; i < c->n; i++) {
        const Outer *o = &c->of[i];
        PyObject *now = o->set && PyList_GET_SIZE(at[i]) == 1 ? PyList_GET_ITEM(at[i], 0) : NULL;
        if (!now || now == c->was[i])
            continue;
        int bad = PyCell_Check(o->where)   ? PyCell_Set(o->where, now)
                  : PyType_Check(o->where) ? PyObject_SetAttr(o->where, o->key, now)
                                           : PyDict_SetItem(o->where, o->key, now);
        r = bad ? bad : r;
    }
    let_go(c, at);
    if (r == 0)
        PyErr_Restore(type, value, trace);
    return r;
}
