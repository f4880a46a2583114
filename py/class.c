/* SPDX-License-Identifier: BSD-3-Clause
 * Classes whose instances compiled code makes and changes. swathe._classes says what such a class
 * has: (fields, members, made of its fields, frozen, copied), of which a field is (name, type, may
 * be unset), and a type is text, a class, or a tuple of a word and of types. The functions among
 * its members become functions of the program, as those of a class of named tuples do. */
#include "py.h"

static const Type *field_type(In *in, PyObject *desc);

static bool
is_word(PyObject *o, const char *word)
{
    return PyUnicode_CompareWithASCIIString(o, word) == 0;
}

static const Type *
bad_type(In *in, PyObject *desc, const char *why)
{
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "%R is no type of a field%s%s", desc, why ? ": " : "",
                     why ? why : "");
    in->failed = true;
    return type_unknown(in->cx->types);
}

/* Of a named tuple, or of what stands for a member of an enum: (word, class, types...). */
static const Type *
named_type(In *in, PyObject *desc)
{
    PyObject *cls = PyTuple_GET_ITEM(desc, 1);
    int n = (int)PyTuple_GET_SIZE(desc) - 2;
    const Const *c = in_const(in, cls, NULL);
    if (!c || c->kind != CV_TUPLE_CLASS)
        return bad_type(in, cls, NULL);
    const Type **e = NEW_N(&in->cx->arena, const Type *, n + 1);
    for (int i = 0; i < n && !in->failed; i++)
        e[i] = field_type(in, PyTuple_GET_ITEM(desc, i + 2));
    return in->failed ? type_unknown(in->cx->types)
                      : type_named_tuple(in->cx->types, n, e, c->names, c->ref, c->str);
}

/* Of one of several classes: (word, class of tuples, classes...). See swathe._families. */
static const Type *
family_type(In *in, PyObject *desc)
{
    PyObject *cls = PyTuple_GET_ITEM(desc, 1);
    int n = (int)PyTuple_GET_SIZE(desc) - 2;
    const Const *c = in_const(in, cls, NULL);
    if (!c || c->kind != CV_TUPLE_CLASS)
        return bad_type(in, cls, NULL);
    const Type **e = NEW_N(&in->cx->arena, const Type *, n + 1);
    const ObjClass **member = NEW_N(&in->cx->arena, const ObjClass *, n + 1);
    for (int i = 0; i < n && !in->failed; i++) {
        e[i] = type_optional(in->cx->types, field_type(in, PyTuple_GET_ITEM(desc, i + 2)));
        member[i] = e[i]->elems[1]->ref;
    }
    if (in->failed)
        return type_unknown(in->cx->types);
    own_family(in, c, n, member);
    return type_named_tuple(in->cx->types, n, e, c->names, c->ref, c->str);
}

static const Type *
made_type(In *in, PyObject *desc)
{
    enum { MOST = 32 };
    TypeTable *t = in->cx->types;
    const Type *e[MOST];
    int n = (int)PyTuple_GET_SIZE(desc) - 1;
    PyObject *word = PyTuple_GET_ITEM(desc, 0);
    if (n > MOST)
        return bad_type(in, desc, "it has too many parts");
    for (int i = 0; i < n && !in->failed; i++)
        e[i] = field_type(in, PyTuple_GET_ITEM(desc, i + 1));
    if (in->failed)
        return type_unknown(t);
    if (is_word(word, "optional"))
        return type_optional(t, e[0]);
    if (is_word(word, "tuple"))
        return type_tuple(t, n, e);
    for (int i = 0; i < n; i++)
        if (!(e[i] = type_element(t, e[i])))
            return bad_type(in, desc, "a container can't hold that");
    const HeapClass *c = heap_class(PyUnicode_AsUTF8(word));
    if (!c || c->n_elems != n)
        return bad_type(in, desc, NULL);
    return type_heap(t, c, e);
}

static const Type *
deferred_type(In *in, PyObject *desc)
{
    PyObject *m = late_import("swathe._classes");
    PyObject *is = m ? PyObject_CallMethod(m, "resolved", "OO", PyTuple_GET_ITEM(desc, 1),
                                           PyTuple_GET_ITEM(desc, 2))
                     : NULL;
    const Type *t = is ? field_type(in, is) : bad_type(in, desc, NULL);
    Py_XDECREF(m);
    Py_XDECREF(is);
    return t;
}

/* The type of those that an argument or a field may be; NULL: it is no such class. */
static const Type *
instances_of(In *in, PyObject *cls)
{
    const Const *c = in_const(in, cls, NULL);
    if (!c || c->kind != CV_CLASS)
        return NULL;
    ((ObjClass *)(uintptr_t)c->obj)->made = true;
    return type_object(in->cx->types, c->obj);
}

static const Type *
field_type(In *in, PyObject *desc)
{
    const char *why = NULL;
    if (desc == Py_None) /* what the empty list of an object holds: use tells */
        return type_open(in->cx->types, NEW(&in->cx->arena, TypeVar));
    if (PyUnicode_Check(desc) && is_word(desc, "str"))
        return type_text(in->cx->types);
    if (PyUnicode_Check(desc) && is_word(desc, "bytes"))
        return type_bytes(in->cx->types);
    if (PyUnicode_Check(desc) && is_word(desc, heap_bytearray.name)) {
        return type_of_packed(in->cx->types, &heap_bytearray);
    }
    if (PyUnicode_Check(desc)) {
        const Type *t = type_parse(in->cx->types, PyUnicode_AsUTF8(desc), &why);
        return t ? t : bad_type(in, desc, why);
    }
    if (PyType_Check(desc)) {
        const Type *t = instances_of(in, desc);
        return t ? t : bad_type(in, desc, NULL);
    }
    if (PyTuple_Check(desc) && PyTuple_GET_SIZE(desc) == 3 &&
        is_word(PyTuple_GET_ITEM(desc, 0), "deferred"))
        return deferred_type(in, desc);
    if (PyTuple_Check(desc) && PyTuple_GET_SIZE(desc) > 2 &&
        is_word(PyTuple_GET_ITEM(desc, 0), "named"))
        return named_type(in, desc);
    if (PyTuple_Check(desc) && is_word(PyTuple_GET_ITEM(desc, 0), "family"))
        return family_type(in, desc);
    if (PyTuple_Check(desc) && PyTuple_GET_SIZE(desc) > 1)
        return made_type(in, desc);
    return bad_type(in, desc, NULL);
}

/* ---- members --------------------------------------------------------------------------------- */

static void
add(In *in, Method m)
{
    VEC_PUSH(&in->cx->arena, in->prog->methods, m);
}

static FuncDef *
function_of(In *in, PyObject *v)
{
    if (!v || !PyFunction_Check(py_unwrap(in->st, v)))
        return NULL;
    return dispatcher_check(in->st, v) ? in_dispatcher(in, v) : in_function(in, v);
}

static FuncDef *
function_in(In *in, PyObject *v, const char *name)
{
    PyObject *f = PyObject_GetAttrString(v, name);
    FuncDef *fd = function_of(in, f);
    PyErr_Clear();
    Py_XDECREF(f);
    return fd;
}

/* A method: its first parameter is an instance, or the class. */
static FuncDef *
belongs(FuncDef *f, PyObject *cls)
{
    if (f && !f->member_of)
        f->member_of = cls;
    return f;
}

/* A table of functions, which never changes in compiled code: cls.OPS[name](x). NULL: it is
 * something else. */
static const Const *
functions_const(In *in, PyObject *v)
{
    PyObject *value;
    Py_ssize_t at = 0;
    bool all = PyDict_CheckExact(v) && PyDict_GET_SIZE(v) > 0;
    while (all && PyDict_Next(v, &at, NULL, &value))
        all = PyFunction_Check(py_unwrap(in->st, value)) || PyCFunction_Check(value);
    const Const *c = all ? in_dict_const(in, v) : NULL;
    for (int i = 0; c && i < c->n; i++)
        if (c->elems[i]->kind == CV_UNSUPPORTED)
            return NULL;
    return c;
}

/* None: Python has it, and compiled code has not. */
static void
add_member(In *in, PyObject *cls, PyObject *name, PyObject *v)
{
    Method m = {.cls = cls, .name = in_sym(in, name)};
    if (PyObject_TypeCheck(v, &PyProperty_Type)) {
        m.is_property = true;
        m.def = belongs(function_in(in, v, "fget"), cls);
        add(in, m);
        Method set = {.cls = cls, .name = m.name, .is_setter = true};
        if ((set.def = belongs(function_in(in, v, "fset"), cls))) {
            set.name = in_sym(in, name);
            add(in, set);
        }
        Method gone = {.cls = cls};
        if ((gone.def = belongs(function_in(in, v, "fdel"), cls))) {
            gone.name = arena_printf(&in->cx->arena, "deleter %s", in_sym(in, name));
            add(in, gone);
        }
        return;
    }
    if (Py_IS_TYPE(v, &PyStaticMethod_Type) || Py_IS_TYPE(v, &PyClassMethod_Type)) {
        m.is_static = Py_IS_TYPE(v, &PyStaticMethod_Type);
        m.is_class = !m.is_static;
        m.def = function_in(in, v, "__func__");
        belongs(m.def && m.is_class ? m.def : NULL, cls);
    } else if (v != Py_None && !(m.def = belongs(function_of(in, v), cls))) {
        m.cst = in_const(in, v, m.name);
        if (m.cst && m.cst->kind == CV_UNSUPPORTED)
            m.cst = functions_const(in, v);
    }
    add(in, m);
}

bool
class_is_copy(PyObject *name)
{
    static const char *const copies[] = {CLASS_COPIES};
    return !PyUnicode_CompareWithASCIIString(name, copies[0]) ||
           !PyUnicode_CompareWithASCIIString(name, copies[1]);
}

static void
add_members(In *in, PyObject *cls, PyObject *members, bool copies)
{
    PyObject *name, *v;
    Py_ssize_t at = 0;
    while (!in->failed && PyDict_Next(members, &at, &name, &v))
        if (class_is_copy(name) == copies)
            add_member(in, cls, name, v);
}

/* What copies instances is much code, which few programs want. */
static void
add_copies(In *in, PyObject *cls, PyObject *members)
{
    if (!in->prog->copies || map_get(&in->copied, cls))
        return;
    map_put(&in->cx->arena, &in->copied, cls, cls);
    add_members(in, cls, members, true);
}

/* False: it names something else. */
bool
class_wanted(In *in, const char *name)
{
    static const char *const copies[] = {CLASS_COPIES};
    if (strcmp(name, copies[0]) != 0 && strcmp(name, copies[1]) != 0)
        return false;
    in->prog->copies = true;
    for (int i = 0; i < in->prog->classes.n && !in->failed; i++) {
        const ObjClass *c = in->prog->classes.at[i];
        if (!c->resumed && !c->dict) /* of which Python has no class */
            in_class(in, (PyObject *)(uintptr_t)c->cls);
    }
    for (int i = 0; i < in->prog->families.n && !in->failed; i++)
        if (in->prog->families.at[i].cls)
            in_class(in, (PyObject *)(uintptr_t)in->prog->families.at[i].cls->ref);
    return true;
}

/* A plain class may get other members at any time; what functions store in it is an argument. */
static void
depend(In *in, PyObject *cls, PyObject *members)
{
    PyObject *name, *v, *mro = ((PyTypeObject *)cls)->tp_mro;
    for (Py_ssize_t at = 0; PyDict_Next(members, &at, &name, &v);)
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(mro); i++) {
            PyTypeObject *base = (PyTypeObject *)PyTuple_GET_ITEM(mro, i);
            if ((base->tp_flags & Py_TPFLAGS_HEAPTYPE) && v != Py_None)
                deps_dict(in->deps, class_dict(base), name, PyDict_GetItem(class_dict(base), name));
        }
}

static void
add_bases(In *in, PyObject *cls)
{
    PyObject *mro = ((PyTypeObject *)cls)->tp_mro;
    for (Py_ssize_t i = 1; mro && i < PyTuple_GET_SIZE(mro); i++)
        VEC_PUSH(&in->cx->arena, in->prog->bases, ((ClassBase){cls, PyTuple_GET_ITEM(mro, i)}));
}

/* ---- classes --------------------------------------------------------------------------------- */

static void
add_fields(In *in, ObjClass *c, PyObject *fields)
{
    c->n = (int)PyTuple_GET_SIZE(fields);
    c->field = NEW_N(&in->cx->arena, ObjField, c->n + 1);
    for (int i = 0; i < c->n; i++) /* one may be of this class */
        c->field[i].type = type_unknown(in->cx->types);
    for (int i = 0; i < c->n && !in->failed; i++) {
        PyObject *f = PyTuple_GET_ITEM(fields, i);
        c->field[i].name = in_sym(in, PyTuple_GET_ITEM(f, 0));
        c->field[i].maybe = PyTuple_GET_ITEM(f, 2) == Py_True;
        if (PyTuple_GET_ITEM(f, 1) == Py_None && c->generic == c->cls) { /* use tells */
            c->open = true;
            c->field[i].var = NEW(&in->cx->arena, TypeVar);
            c->field[i].type = type_open(in->cx->types, c->field[i].var);
        } else {
            PyObject *desc = PyTuple_GET_ITEM(f, 1);
            c->field[i].learns =
                PyTuple_Check(desc) && is_word(PyTuple_GET_ITEM(desc, 0), "learns");
            c->field[i].type =
                field_type(in, c->field[i].learns ? PyTuple_GET_ITEM(desc, 1) : desc);
        }
    }
}

/* What its fields are where a call leaves them out: (name, type, unset, default). */
static void
add_defaults(In *in, Const *k, PyObject *fields)
{
    const Const **all = NEW_N(&in->cx->arena, const Const *, k->obj->n + 1);
    for (int i = 0; i < k->obj->n && !in->failed; i++) {
        PyObject *f = PyTuple_GET_ITEM(fields, i);
        if (PyTuple_GET_SIZE(f) > 3)
            all[i] = in_const(in, PyTuple_GET_ITEM(f, 3), k->obj->field[i].name);
    }
    k->n = k->obj->n;
    k->elems = all;
}

static PyObject *
what_it_has(In *in, PyObject *cls)
{
    PyObject *own = PyObject_GetAttrString(cls, "_swathe_class");
    if (own && PyTuple_Check(own) && PyTuple_GET_SIZE(own) == 6 &&
        PyTuple_GET_ITEM(own, 5) != Py_None)
        return own;
    PyErr_Clear();
    Py_XDECREF(own);
    (void)in;
    own = instance_is_class(cls) || !object_renew(cls) ? NULL : object_plain(cls);
    PyErr_Clear();
    return own && own != Py_None ? Py_NewRef(own) : NULL;
}

bool
class_is_instances(PyObject *o)
{
    if (!PyType_Check(o) || !(((PyTypeObject *)o)->tp_flags & Py_TPFLAGS_HEAPTYPE) ||
        PyType_IsSubtype((PyTypeObject *)o, &PyTuple_Type))
        return false;
    if (instance_is_class(o))
        return true;
    PyObject *has = object_plain(o);
    PyErr_Clear();
    return has && has != Py_None;
}

/* The class as the user wrote it, of which one with known fields was made; borrowed, as that is
 * derived from it. */
static const void *
class_generic(PyObject *cls)
{
    PyObject *is = PyObject_GetAttrString(cls, "_swathe_generic");
    PyErr_Clear();
    Py_XDECREF(is);
    return is ? is : cls;
}

/* NULL: it is another kind of class. */
const Const *
class_const(In *in, PyObject *cls)
{
    Const *k = map_get(&in->classes, cls);
    bool known = k && (!in->prog->copies || map_get(&in->copied, cls));
    PyObject *has = known || !class_is_instances(cls) ? NULL : what_it_has(in, cls);
    if (k && has)
        add_copies(in, cls, PyTuple_GET_ITEM(has, 1));
    if (k || !has) {
        Py_XDECREF(has);
        return k;
    }
    ObjClass *c = NEW(&in->cx->arena, ObjClass);
    k = const_new(in, CV_CLASS);
    c->name = k->str = arena_str(&in->cx->arena, ((PyTypeObject *)cls)->tp_name);
    c->cls = k->ref = cls;
    c->generic = class_generic(cls);
    k->obj = c;
    map_put(&in->cx->arena, &in->classes, cls, k);
    if (PyList_Append(in->keep, cls) < 0)
        in->failed = true;
    c->by_fields = PyTuple_GET_ITEM(has, 2) == Py_True;
    c->frozen = PyTuple_GET_ITEM(has, 3) == Py_True;
    c->copied = PyTuple_GET_ITEM(has, 4) == Py_True;
    add_fields(in, c, PyTuple_GET_ITEM(has, 0));
    VEC_PUSH(&in->cx->arena, in->prog->classes, c);
    add_defaults(in, k, PyTuple_GET_ITEM(has, 0));
    add_members(in, cls, PyTuple_GET_ITEM(has, 1), false);
    add_copies(in, cls, PyTuple_GET_ITEM(has, 1));
    add_bases(in, cls);
    if (c->copied)
        depend(in, (PyObject *)(uintptr_t)c->generic, PyTuple_GET_ITEM(has, 1));
    Py_DECREF(has);
    return k;
}

/* cls: of instances, or of tuples for instances of several classes. */
const Type *
class_type(In *in, PyObject *cls)
{
    PyObject *members = PyDict_GetItemString(class_dict((PyTypeObject *)cls), "_swathe_family");
    if (members) {
        PyObject *head = Py_BuildValue("(sO)", "family", cls);
        PyObject *desc = head ? PySequence_Concat(head, members) : NULL;
        const Type *t = desc ? field_type(in, desc) : bad_type(in, cls, NULL);
        Py_XDECREF(head);
        Py_XDECREF(desc);
        return t;
    }
    const Type *t = instances_of(in, cls);
    return t ? t : type_unknown(in->cx->types);
}

/* ---- classes whose fields a program has told ------------------------------------------------- */

/* As field_type reads it; NULL: exception. */
static PyObject *
describe(const Type *t, const ObjClass *of)
{
    const ObjClass *c = t->kind == TY_OBJ ? type_class(t) : NULL;
    if (c)
        return Py_XNewRef(c == of ? (PyObject *)(uintptr_t)c->generic : class_made(c));
    if (t->kind == TY_TEXT)
        return PyUnicode_FromString(t->text);
    if (t->kind == TY_SCALAR || (t->kind == TY_ARRAY && t->readonly <= RO_OWNER))
        return PyUnicode_FromString(t->text);
    if (type_heap_has(t, HEAP_PACKED)) {
        const char *code = ((const HeapClass *)t->ref)->code;
        PyErr_Format(PyExc_TypeError,
                     "a field of %s holds %s, which Python would change without it", of->name,
                     code ? "an array.array" : "a bytearray");
        return NULL;
    }
    bool parts = t->kind == TY_OPTIONAL || (t->kind == TY_TUPLE && !t->names) || t->kind == TY_REF;
    if (!parts) {
        PyErr_Format(PyExc_TypeError, "a field of %s holds %s, which its class must declare",
                     of->name, t->text);
        return NULL;
    }
    int from = t->kind == TY_OPTIONAL; /* its tag */
    PyObject *r = PyTuple_New(1 + t->n - from), *v;
    const char *word = t->kind == TY_REF     ? ((const HeapClass *)t->ref)->name
                       : t->kind == TY_TUPLE ? "tuple"
                                             : "optional";
    if (r && (v = PyUnicode_FromString(word)))
        PyTuple_SET_ITEM(r, 0, v);
    else
        Py_CLEAR(r);
    for (int i = from; r && i < t->n; i++) {
        if ((v = describe(t->elems[i], of)))
            PyTuple_SET_ITEM(r, 1 + i - from, v);
        else
            Py_CLEAR(r);
    }
    return r;
}

/* What Python has for it; borrowed, the generic class holds it. NULL: exception. */
PyObject *
class_made(const ObjClass *of)
{
    static int depth;
    enum { MOST = 8 };
    ObjClass *c = (ObjClass *)(uintptr_t)of; /* of a program that is compiled: this side's */
    if (c->resumed) {
        PyErr_Format(PyExc_TypeError, "a generator ('%s') can't be given to Python", c->name);
        return NULL;
    }
    if (!c->open || c->copied)
        return (PyObject *)(uintptr_t)c->cls;
    if (depth == MOST) {
        PyErr_Format(PyExc_TypeError,
                     "%s and other classes are made of each other: declare which "
                     "of their fields are instances, as in x: \"%s\"",
                     c->name, c->name);
        return NULL;
    }
    depth++;
    PyObject *types = PyTuple_New(c->n), *v;
    for (int i = 0; types && i < c->n; i++) {
        if ((v = describe(c->field[i].type, c)))
            PyTuple_SET_ITEM(types, i, v);
        else
            Py_CLEAR(types);
    }
    depth--;
    PyObject *m = types ? late_import("swathe._classes") : NULL;
    PyObject *cls = m ? PyObject_CallMethod(m, "chosen", "OO", c->cls, types) : NULL;
    Py_XDECREF(m);
    Py_XDECREF(types);
    Py_XDECREF(cls); /* its generic class holds it */
    if (cls) {
        c->cls = cls;
        c->open = false;
    }
    return cls;
}
