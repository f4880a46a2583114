/* SPDX-License-Identifier: BSD-3-Clause
 * Lists, dicts, sets, strings and arrays in them, between Python and compiled code: what py.h
 * includes where its own types are known. */
#ifndef SWATHE_HEAP_H
#define SWATHE_HEAP_H
#include "py.h"

/* ---- heap_type.c: what lists and dicts hold ---- */
/* 0; -1: something in it can't be passed; -2: no room */
int heap_code(Frame *f, PyObject *o, bool all, bool mixed);
const Type *heap_type(In *in, PyObject *list);
const HeapClass *
heap_class_of(PyObject *o);        /* NULL: no list, dict or set, or one of a class of its own */
Py_ssize_t heap_size(PyObject *o); /* of one of these */

/* ---- heap.c: lists and dicts ---- */
typedef struct HeapIn {
    Dispatcher *d;
    Frame *f;
    PyObject *wrong;  /* the class of errors about elements; NULL: see heap_in_named */
    PyObject *own;    /* a reference to it, or NULL */
    const char *name; /* of the argument; NULL: of this one */
    int arg;
    bool keys; /* where an int among floats could be equal to what it is not */
    char room[128];
} HeapIn;
/* ---- members of an IntEnum ---- */
/* the int that a member of the enum of this type is; false: it is something else */
bool foreign_int_member(Dispatcher *d, const Type *t, PyObject *o, int64_t *out);
PyObject *box_number(Dispatcher *d, const Type *t, const uint64_t *slot); /* or a number */

void heap_in_named(HeapIn *h); /* before an error is told */
/* upcall.c: may the function see a copy of an object; false: an exception is set */
bool upcall_takes_copy(HeapIn *h, const SwFunction *fn, const Type *t);
SwMem *heap_new_object(Frame *f, const Type *t);           /* without elements; NULL: no memory */
SwMem *object_take(HeapIn *h, const Type *t, PyObject *o); /* object.c */
int object_complete(Frame *f); /* what has been boxed and has no fields yet; -1: exception */
void object_plans_end(struct HeapSeen *seen);
PyObject *object_facts(PyObject *module, PyObject *args); /* object_facts.c */
void object_unsaid(void);                                 /* what was said of classes */
SwMem *heap_take(HeapIn *h, const Type *t, PyObject *list);
/* heap_either.c */
PyObject *heap_either(Frame *f, const Type *t, const uint64_t *words, int *at, int64_t i);
bool heap_take_either(HeapIn *h, const Type *t, PyObject *o, const uint64_t *words, int *at,
                      int64_t i);
bool heap_is_either(const Frame *f, const Type *t, PyObject *o, const uint64_t *words, int *at,
                    int64_t i);
bool heap_refuse_element(HeapIn *h, const Type *t, PyObject *o, int64_t i);
bool heap_take_element(HeapIn *h, const Type *t, PyObject *o, const uint64_t *words, int *at,
                       int64_t i);
int heap_arguments(Dispatcher *d, const SwFunction *fn, Frame *f);
int heap_write_back(Frame *f);
int heap_read_back(Frame *f, const char *what); /* what Python has changed in them */
void heap_sweep(Frame *f);
bool heap_is_alive(const Type *t, const uint64_t *words, int64_t e); /* an entry of a dict */
bool heap_is_same(const Frame *f, const Type *t, PyObject *o, const uint64_t *words, int *at,
                  int64_t i);
SwMem *heap_with_room(Frame *f, const Type *t, int64_t n);
bool heap_take_all(HeapIn *h, const Type *t, PyObject *o, uint64_t *w, int64_t n);
void heap_end(Frame *f);
void heap_release(const Frame *f, SwMem *m); /* what the call refers to */
void heap_read_scalar(DType d, const char *p, uint64_t out[2]);
void heap_index(const Type *t, uint64_t *words, int64_t n); /* heap_index.c: of a dict or set */
bool heap_is_itself(const Type *t);
PyObject *heap_element(Frame *f, const Type *t, const uint64_t *words, int *at, int64_t i);
PyObject *heap_element_of(Frame *f, const Type *t, int group, const uint64_t *words, int64_t i);
PyObject *box_range(int64_t start, int64_t stop, int64_t step);
PyObject *heap_range_at(const uint64_t *words, int *at, int64_t i);
bool heap_take_range(PyObject *o, const uint64_t *words, int *at, int64_t i);
bool heap_is_range(PyObject *o, const uint64_t *words, int *at, int64_t i);
bool heap_range(PyObject *o, int64_t part[3]); /* false: it has an int that does not fit */
/* ---- heap_packed.c: bytearray, array.array ---- */
const HeapClass *heap_class_of_array(PyObject *o); /* NULL: it is none, or of another typecode */
bool heap_take_packed(HeapIn *h, const Type *t, PyObject *o, const uint64_t *words, int64_t n);
PyObject *heap_box_packed(const Type *t, const uint64_t *words, int64_t n);
void foreign_extent(PyArrayObject *a, const char **lo, const char **hi); /* its addresses */
PyObject *heap_packed_view(const Frame *f, const SwMem *m, uint64_t *data);
int heap_write_packed(const HeapHeld *h);
/* ---- heap_collections.c: deque, OrderedDict, Counter, defaultdict, frozenset ---- */
const HeapClass *heap_class_of_collection(PyObject *o);
/* what a defaultdict without elements would make; borrowed, NULL: it is none */
PyObject *heap_sample(PyObject *dict);
PyObject *heap_new_collection(const Type *t, const uint64_t *words);
int heap_box_deque(Frame *f, const Type *t, const uint64_t *words, PyObject *into);
int heap_write_deque(Frame *f, const HeapHeld *h);
int heap_write_ordered(Frame *f, const HeapHeld *h);
bool heap_take_ordered(HeapIn *h, const Type *t, PyObject *o, uint64_t *w, int64_t n);
bool heap_take_deque(HeapIn *h, const Type *t, PyObject *o, uint64_t *w, int64_t n);
bool heap_take_row(HeapIn *h, const Type *t, PyObject *tuple, uint64_t *w, int64_t n);
bool heap_take_list(HeapIn *h, const Type *t, PyObject *o, uint64_t *w, int64_t n);
PyObject *heap_box(Frame *f, const Type *t, SwMem *m);  /* a new reference */
PyObject *foreign_as_tuple(const Type *t, PyObject *o); /* foreign.c */
bool args_is_plain_array(PyObject *o);                  /* of no class with a meaning of its own */
bool args_is_array(PyObject *o);                        /* that compiled code knows */
bool args_is_writeable(PyArrayObject *a);
bool args_in_f_order(PyArrayObject *a); /* not C's, and not in one piece */
/* Which is which, by address, while a call lasts. */
typedef struct HeapMade HeapMade;

/* Where the fields of a class are, for one call; see object.c. */
typedef struct ObjPlan ObjPlan;
/* An object whose fields are still to be gone through. */
typedef struct ObjTodo {
    const ObjPlan *plan;
    PyObject *object;
    SwMem *mem;
    int held; /* which one of the frame's it is */
} ObjTodo;

struct HeapSeen {
    Arena arena;
    Map plans;           /* ObjClass -> ObjPlan */
    const ObjPlan *plan; /* the last one */
    ObjTodo *todo;
    int n_todo, cap_todo;
    bool busy;             /* whoever began with the first of them goes through them all */
    Map by_mem, by_object; /* SwMem -> PyObject; PyObject of an argument -> SwMem */
    Map type_of;           /* SwMem of an argument's list or dict -> Type */
    Map made;              /* where its elements begin -> HeapMade: arrays */
};

int heap_see(Frame *f);               /* makes f->seen; -1: exception */
int heap_hold(Frame *f, PyObject *o); /* until the call ends */
int heap_remember(Frame *f, SwMem *m, PyObject *o, const Type *type,
                  bool argument); /* that m is o; type: see HeapHeld */

/* ---- text.c: strings ---- */
int text_slots(Frame *f, PyObject *o, uint64_t *slot);
SwMem *text_take(Frame *f, PyObject *o); /* a box; NULL: exception */
void text_end(Frame *f);                 /* with the call */
bool text_fits(const Type *t, PyObject *o);
/* New references. t may be NULL: a str. */
PyObject *text_box(const Frame *f, const Type *t, const uint64_t *slot);
PyObject *text_box_words(const Frame *f, const Type *t, const uint64_t *word);
bool text_is_same(const Frame *f, const uint64_t *word, PyObject *o);
bool text_is_box(const Frame *f, const SwMem *box, PyObject *o); /* the one that o came in */
uint64_t text_box_hash(const Type *t, const SwMem *box, uint64_t h);
/* Is the parameter no more than compared with known strings? */
bool text_is_option(const FuncDef *f, Sym name);
int64_t text_asked(TextAsk *t); /* for kernels; any thread */

int heap_is(Frame *f, SwMem *m, PyObject *o); /* m stands for o, an argument */

/* ---- typed.c: lists and dicts that live in compiled code ---- */
extern PyType_Spec typed_spec;
int typed_begin(PyTypeObject *t);
bool typed_check(PyObject *o);
PyObject *typed_sample(PyObject *o);
void typed_enter(void); /* without the GIL: one call at a time has to do with any */
void typed_leave(void);
PyObject *typed_stands_for(PyObject *o);
SwMem *typed_take(HeapIn *h, const Type *t, PyObject *o);
void typed_count(Frame *f, int64_t n);           /* so many elements are converted */
int typed_advise(Dispatcher *d, const Frame *f); /* -1: a warning that is an error */

/* ---- class.c, instance.c: classes with instances ---- */
const Const *class_const(In *in, PyObject *cls); /* NULL: it is none of these */
void in_tuple_class(In *in, PyObject *cls);      /* tuple_class.c: what it has besides fields */
bool class_is_copy(PyObject *name);              /* class.c: CLASS_COPIES */
bool class_wanted(In *in, const char *name);
const Type *class_type(In *in, PyObject *cls); /* of its instances */
PyObject *class_made(const ObjClass *c);       /* with known fields; borrowed; NULL: exception */
int instance_take(Frame *f, PyObject *o);      /* an argument; 0 */
bool class_is_instances(PyObject *o);
extern PyType_Spec instance_spec, field_spec;
int instance_begin(PyTypeObject *t);
bool instance_check(PyObject *o);
bool instance_is_class(PyObject *o);
SwMem *instance_mem(PyObject *o);
PyObject *instance_box(const Type *t, SwMem *m);
int instance_enter(const SwFunction *fn, Frame *f); /* before a call that has to do with some */
void instance_leave(Frame *f);
int instance_kept(Frame *f); /* -1: one keeps a list that came from Python */

/* ---- heap_array.c: arrays as their elements ---- */
PyObject *heap_owner(const Frame *f,
                     const SwMem *m); /* the ndarray of an argument whose memory it is,
                                         borrowed; NULL: of none */
PyObject *heap_made_array(const Frame *f, const Type *t, const uint64_t *slot,
                          bool writeable); /* borrowed; NULL: not in this call */
int heap_note_array(Frame *f, const uint64_t *slot, PyObject *o);
PyObject *heap_box_array(Frame *f, const Type *t, const SwMem *box); /* a new reference */
bool heap_is_array(const Frame *f, const Type *t, const SwMem *box, PyObject *o);
SwMem *heap_take_array(Frame *f, const Type *t, PyArrayObject *a); /* a box; NULL: exception */
bool heap_array_fits(const Type *t, PyObject *o);
PyObject *heap_describe(PyObject *o);
const char *args_param_name(Dispatcher *d, Py_ssize_t i, char buf[128]);
int args_npscalar_dtype(PyObject *o); /* -1: none that compiled code knows */

/* object.c: objects of plain classes, which are copied in and out */
bool object_is_plain(PyObject *o);
bool object_unfit(Dispatcher *d, Py_ssize_t i, PyObject *o);
PyObject *object_plain(PyObject *cls);
bool object_renew(PyObject *cls); /* what is said of it, if it has other members by now */
PyObject *object_class(PyObject *o);
bool object_is_known(PyObject *o);
uintptr_t keyed_kind_of(PyObject *o);                      /* values of one type have one */
bool keyed_is_value(bool objects, PyObject *o, int depth); /* is it taken as its values? */
/* heap_type.c: tuples of any length */
bool heap_is_row(const Dispatcher *d, PyObject *o);
int heap_row_code(Frame *f, PyObject *o, bool all, bool mixed);
const Type *heap_row_type(In *in, PyObject *o);
bool heap_lists_mixed(Dispatcher *d, const Frame *f);
bool heap_are_mixed(const Dispatcher *d, PyObject *const *args, Py_ssize_t n);
bool heap_rows_known(Dispatcher *d, PyObject *const *args, Py_ssize_t n);
PyObject *object_class_of_all(PyObject *objects);
bool heap_is_tuple(const Frame *f, const Type *t, PyObject *o); /* of that class */
void object_call_begins(void);
bool object_has_grown(void);
bool object_fits(PyObject *o, const ObjClass *c);
PyObject *object_box(Frame *f, const Type *t, SwMem *m); /* or an Instance */
int object_write(Frame *f, const HeapHeld *h);
#endif
