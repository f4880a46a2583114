/* SPDX-License-Identifier: BSD-3-Clause
 * Types of values in the user's program, interned: equal types are one pointer. A Python
 * scalar is WEAK and a NumPy scalar STRONG, which is what NumPy 2 promotion rests on: the dtype of
 * `f32_array * 2.0` is float32, that of `f32_array * np.float64(2)` float64. */
#ifndef SWATHE_TYPE_H
#define SWATHE_TYPE_H
#include "base/base.h"

typedef struct Type Type;

typedef struct SwC64 {
    float re, im;
} SwC64;
typedef struct SwC128 {
    double re, im;
} SwC128;

#define DTYPE(id, name, c, kind, bits) DT_##id,
typedef enum DType {
#include "def/dtype.def"
    DT_COUNT
} DType;
#undef DTYPE
typedef enum DKind { DK_BOOL, DK_INT, DK_UINT, DK_FLOAT, DK_COMPLEX } DKind;
/* Of parametric dtypes, which the IR has none of. */
#define DK_DATE ((DKind)(DK_COMPLEX + 1))
#define DK_DELTA ((DKind)(DK_COMPLEX + 2))

typedef struct DTypeInfo {
    const char *id, *name; /* "f64", "float64" */
    DKind kind;
    int bits, size, align;
} DTypeInfo;
/* A DType from DT_PARAM up is a parametric one: param.c. */
enum { DT_PARAM = 32, DT_MAX = 512 };
extern DTypeInfo dtype_info[DT_MAX];
#define dtype_size(d) (dtype_info[d].size)
#define dtype_kind(d) (dtype_info[d].kind)
bool dtype_is_int(DType d); /* signed or unsigned, not bool */
bool dtype_is_float(DType d);
bool dtype_is_complex(DType d);
bool dtype_from_id(const char *id, DType *out); /* "f64" */
/* "float64" and aliases "f8", "<f8", "double" */
bool dtype_from_name(const char *name, DType *out);
DType dtype_promote(DType a, DType b); /* np.promote_types */
DType dtype_real(DType d);             /* c128 -> f64; others unchanged */
DType dtype_complex(DType d);          /* f64 -> c128, f32/f16 -> c64 */
bool dtype_can_cast_safely(DType from, DType to);
bool dtype_can_cast_same_kind(DType from, DType to); /* np.can_cast(.., 'same_kind') */

/* Highest-kind rule of NEP 50: the dtype of `strong op weak`, where the weak operand is a
 * Python bool/int/float/complex given by its kind. */
DType dtype_promote_weak(DType strong, DKind weak);

/* ---- param.c: parametric dtypes ----
 * A parametric dtype is its storage, a dtype of the table, and what the numbers in it mean. It is
 * made once in a process for what it means, so that equal ones are equal numbers. Types and
 * constants have it; the IR knows storage alone. */
#define UNIT(id, text, number, factor) UNIT_##id = number,
typedef enum TimeUnit {
#include "def/unit.def"
    UNIT_COUNT
} TimeUnit; /* by NumPy's numbers */
#undef UNIT
typedef struct DTypeParam {
    DKind kind;
    DType storage;
    TimeUnit unit;
    int count; /* datetime64[25s]: 25 */
} DTypeParam;
const DTypeParam *dtype_param(DType d); /* NULL: of the table */
static inline bool
dtype_is_param(DType d)
{
    return d >= (DType)DT_PARAM;
}
DType dtype_storage(DType d);
/* DT_COUNT: there are too many in this process */
DType dtype_of_time(DKind kind, TimeUnit unit, int count);
bool unit_from_text(const char *text, size_t n, TimeUnit *unit, int *count); /* "D", "25s" */
/* The finest unit of both, a greatest common divisor. NULL, or why there is none: a class of
 * exceptions and ": ". */
const char *time_common(Arena *a, DType x, DType y, DType *out);
/* Numbers in `from` are num / den in `to`: false where that overflows. Not for dates between months
 * and days. */
bool time_factor(DType from, DType to, int64_t *num, int64_t *den);
bool time_is_calendar(DType d);          /* years or months, which are of no fixed length */
bool type_has_param(const Type *t);      /* a parametric dtype, it or a part of it */
bool type_is_shown_whole(const Type *t); /* its text is NumPy's, or that of a range */

/* What sw_err_text tells of an exception; from ERR_TEXT_ARG on its arguments. */
enum { ERR_TEXT_STR, ERR_TEXT_CLASS, ERR_TEXT_REPR, ERR_TEXT_ARG };

typedef enum TypeKind {
    TY_UNKNOWN, /* bottom: not inferred yet (a recursive call's result) */
    TY_NONE,
    /* dtype, weak. weak: bool, i64, f64, c128 only. A member of an IntEnum is a Python int with
     * names + cls as a named tuple has */
    TY_SCALAR,
    TY_ARRAY, /* dtype, ndim, layout, readonly */
    TY_TUPLE, /* elems; names + cls for a named tuple */
    /* a dict whose keys are known, strings: names are these in their order, elems its values. It is
     * a value: nothing that has it can see another change it */
    TY_KEYED,
    /* an array of records with ndim axes (0: one record), kept as a view of each field: elems are
     * the fields' arrays (the field's own axes last) or records; names + cls as a named tuple
     * has */
    TY_RECORD,
    /* None, or a value: elems are a tag, Python's bool (true: there is one), and the value, which
     * is zeros and empty arrays where there is none */
    TY_OPTIONAL,
    /* a string that is known, the Const in `ref`: it has no run-time form, and becomes a TY_TEXT
     * where one is needed. Without `ref`: what is written where it is used, a message */
    TY_STR,
    /* Python's str as a value: elems is its code points, an array of uint32 that nobody changes */
    TY_TEXT,
    TY_FUNC, /* a function: FuncDef* in `ref` (with captured closure types in elems) */
    /* one of several functions: elems are an optional for each, of which one is there */
    TY_CHOICE,
    /* a value of one of several types that have no common one: elems are an optional for each, of
     * which one is there */
    TY_EITHER,
    /* a Python builtin, NumPy/math/cmath function, ufunc, or exception class: `ref` const */
    TY_BUILTIN,
    TY_CLASS, /* a class of the user's, a named tuple's too: the class object in `ref` */
    TY_MODULE,
    TY_DTYPE, /* np.float64 or np.dtype(...) or Python's int/float/...: dtype, weak */
    TY_SLICE, /* elems: start, stop, step types (none or int) */
    TY_RANGE, /* elems: the ints where it starts, stops, and by which it steps */
    TY_ITER,  /* iter/enumerate/zip/reversed over elems; `ref` tells which: see iter.c */
    TY_EXC,   /* an exception caught: `except E as e` */
    TY_ELLIPSIS,
    /* a list display or list comprehension consumed in place by np.array(): elems = {elem type} */
    TY_LIST,
    /* a reference to an object of a class of the heap: `ref` is its HeapClass, elems what it
     * holds */
    TY_REF,
    /* a reference to an instance of a class: `ref` is its ObjClass */
    TY_OBJ,
} TypeKind;

typedef enum Layout {
    LAY_A,
    LAY_C,
    LAY_F
} Layout; /* any strides; C; Fortran contiguous.
    A contiguous 1-D array is LAY_C. 0-d is LAY_C. An array that is both C and F is LAY_C */

/* Whether a name of memory refuses stores, and how it is flagged when it is returned. */
typedef enum Readonly {
    RO_NO,
    /* an array that was given as read-only, or a copy of it: as writable as the argument, or
     * writable */
    RO_OWNER,
    /* a view of an RO_VIEW or a copy of it: read-only where it is an argument's memory */
    RO_PERHAPS,
    RO_VIEW, /* read-only whatever the memory: np.broadcast_to */
} Readonly;

struct Type {
    TypeKind kind;
    uint16_t dtype;                 /* or a parametric one */
    uint8_t storage;                /* what the IR has for that */
    uint8_t ndim, layout, readonly; /* readonly: a Readonly; of TY_DTYPE: a class */
    bool weak;
    /* array of any strides: they grow from axis to axis, as those of a part of a Fortran array do.
     * Results are laid out by it; nothing that is right or wrong rests on it. */
    bool fortran;
    /* scalar: a Python int that is a bool on some path, or with `ref` a member of that class */
    bool mixed;
    /* tuple: Python's list, kept as its elements, which nobody changes: a constant, or what is
     * consumed where it stands */
    bool listed;
    int n; /* tuple/slice/func: number of elems */
    /* 1, and those of all elems: what a value of it costs in code */
    int parts;
    const struct Type *const *elems;
    const Sym *names; /* named tuple: field names; TY_KEYED: keys; else NULL */
    const void *ref;  /* see the kinds above */
    const char *text; /* "float64[:,::1]", made on creation, never NULL */
};

typedef struct TypeTable TypeTable;
struct Const;
/* type_text.c: of a type whose parts are known; hint: of kinds that have no text of their own */
char *type_make_text(Arena *a, const Type *t, const char *hint);
const char *type_kind_text(TypeKind k);
TypeTable *type_table(Arena *a); /* makes the table with all scalars */
Arena *type_arena(const TypeTable *t);
const Type *type_none(TypeTable *t);
const Type *type_unknown(TypeTable *t);
const Type *type_scalar(TypeTable *t, DType d, bool weak);
const Type *type_array(TypeTable *t, DType d, int ndim, Layout l, Readonly readonly);
/* of any strides */
const Type *type_strided(TypeTable *t, DType d, int ndim, bool fortran, Readonly readonly);
const Type *type_row(TypeTable *t, const Type *array); /* a[i]: of several axes */
/* the order of an array's axes in memory, as far as its type tells: LAY_F, or LAY_C */
Layout type_order(const Type *t);
const Type *type_tuple(TypeTable *t, int n, const Type *const *elems);
const Type *type_listed(TypeTable *t, int n, const Type *const *elems);
/* either.c: values of one type or another. Does what has no common type join to one from now on?
 * Yields whether it did before. */
bool type_allow_either(TypeTable *t, bool allow);
bool type_eithers(const TypeTable *t); /* does it? */
/* Do ints and bools join to one of both, not to an int? */
void type_keep_apart(TypeTable *t, bool apart);
const Type *type_either(TypeTable *t, int n, const Type *const *elems);
/* One value of both types, which have no common type, or are numbers of Python's; NULL: there is
 * none. */
const Type *type_join_either(TypeTable *t, const Type *a, const Type *b);
bool type_tells_apart(const Type *t); /* a key's */
int type_either_place(TypeTable *t, const Type *either, const Type *of); /* -1: it has none */
/* What is left of it where these members, as bits, are possible: a type of fewer, which may be that
 * of one of several instances, a member; none: there is no member. */
const Type *type_either_of(TypeTable *t, const Type *either, uint64_t members);
/* a tuple, or a list as `like` is one; no named tuple */
const Type *type_tuple_as(TypeTable *t, const Type *like, int n, const Type *const *elems);
/* The field of what stands for members of an IntEnum, as swathe/_enums.py calls it: such a "named
 * tuple" is a scalar. */
#define INT_MEMBER "int_member"
#define INT_OPERATORS "int_operators" /* of a class that has operators of its own */
static inline bool
type_is_int_member(const Type *t)
{
    return t->kind == TY_SCALAR && t->names;
}
const Type *type_named_tuple(TypeTable *t, int n, const Type *const *elems, const Sym *names,
                             const void *cls, const char *cls_name);
const Type *type_record(TypeTable *t, int ndim, int n, const Type *const *elems, const Sym *names,
                        const void *cls, const char *cls_name);
/* A named tuple or records as `like`, of other elements; their names are kept, not copied. */
const Type *type_with_elems(TypeTable *t, const Type *like, int ndim, const Type *const *elems,
                            const Sym *names);
/* A dict with these keys, which are interned as names are. */
const Type *type_keyed(TypeTable *t, int n, const Type *const *elems, const Sym *keys);
int type_field(const Type *t, const char *name); /* of a name or key; -1: there is none */
const Type *type_optional(TypeTable *t, const Type *value);
const Type *type_text(TypeTable *t);  /* TY_TEXT: str */
const Type *type_bytes(TypeTable *t); /* TY_TEXT of uint8: bytes */
const Type *type_range(TypeTable *t);
/* With strings that are values where it has known ones. */
const Type *type_stored(TypeTable *t, const Type *of);
/* of an element along the first axis */
const Type *type_record_row(TypeTable *t, const Type *records);
/* Any other kind; two calls with equal fields give one pointer. */
const Type *type_other(TypeTable *t, TypeKind k, const void *ref, int n, const Type *const *elems,
                       const char *text);
/* A class, which is all that there is to know of a value of this type. */
const Type *type_of_class(TypeTable *t, const struct Const *c);
const struct Const *type_class_const(const TypeTable *t, const Type *cls);
/* is_class: np.float64 itself, not what a.dtype is */
const Type *type_dtype(TypeTable *t, DType d, bool weak, bool is_class);

/* The type that holds both, as where two paths of control flow meet; NULL when there is
 * none. Scalars promote as NumPy promotes; arrays of one dtype and rank join their layouts (C with
 * F is A); tuples of one length join by element; None joins with any of these, to an optional;
 * UNKNOWN joins with anything. */
const Type *type_join(TypeTable *t, const Type *a, const Type *b);
bool type_is_mixed(const Type *t); /* or one of its elements is */
/* Is it a member of an IntEnum, or an int beside such, or is one of its elements? */
bool type_has_members(const Type *t);
/* "float64[:,::1]", "f8[:]", "int64", "UniTuple(float64, 3)", "Tuple((int64, float64))",
 * "none", "optional(float64)", "float64 | None": Numba's spellings. `float64`/`int64`/`boolean`
 * mean STRONG NumPy scalars that also accept Python ones; "float", "int", "bool", "complex" the
 * weak ones. NULL with *err set on a bad spelling. */
const Type *type_parse(TypeTable *t, const char *text, const char **err);

/* How a value crosses the boundary to compiled code: a flat run of 8-byte slots.
 * scalar: 1 (complex64: 1, packed; complex128: 2). array: data, owner, shape[ndim],
 * strides[ndim] (bytes). tuple, record, optional: its elements one after the other. None,
 * functions, strings: 0. */
int type_slots(const Type *t);

/* ---- choice.c: one of several functions ---- */
bool
type_is_function(const Type *t); /* what is called, and has a form at run time, perhaps empty */
/* Whatever the two have captured; a choice is none. */
bool type_same_function(const Type *a, const Type *b);
const Type *type_choice(TypeTable *t, int n, const Type *const *functions);
/* the place of such a function among those of a choice; -1: it is none of them */
int choice_place(const Type *choice, const Type *f);
/* What holds both functions, as elements of containers or not; NULL: nothing does. */
const Type *type_join_functions(TypeTable *t, const Type *a, const Type *b, bool elements);
/* Functions that were met before have a lower one. */
int type_age(TypeTable *t, const Type *f);

/* ---- iter.c: iterators ----
 * What zip(a, b) and its like yield. Where a `for` consumes it, it is a way to count; held in a
 * variable, it is its parts: how far it has come, in an array of one number that all who have the
 * iterator share, and what it goes through. */
struct Builtin;
const Type *type_iter(TypeTable *t, const struct Builtin *row, int n, const Type *const *elems,
                      bool strict);
int type_iter_count(const Type *it);   /* how many it goes through */
bool type_iter_strict(const Type *it); /* zip(strict=True) */
/* a generator expression: what it goes through, the function of an element, or also that of a test
 */
bool type_iter_maps(const Type *it);
bool type_iter_over_source(const Type *it); /* iter, reversed: their part is what they go through */
bool type_iter_has_cell(const Type *it);    /* something of its own that changes */
/* what iter() makes of it: an iterator is its own */
const Type *type_iterator(TypeTable *t, const Type *over);
bool type_iter_holds(const Type *it); /* may it be in a variable? */
/* out: one more than it goes through */
int type_iter_parts(TypeTable *t, const Type *it, const Type **out);

/* ---- heap.c: objects ----
 * An object of a container is numbers and columns: an array for each scalar that one of its
 * elements is made of, all of one length, so that a list of pairs is two arrays. What is no scalar
 * (an array, an object) is a reference in a column of references; an array's is to an object that
 * holds nothing but it. */
typedef struct HeapClass {
    const char *name; /* "list" */
    int n_elems;      /* types that it is of */
    int n_words;      /* numbers before the columns; the first is how many elements there are */
    int n_groups;     /* of columns */
    /* which of elems each group holds; -1: an int; -2: nothing, in no column */
    int8_t group[4];
    unsigned traits; /* HEAP_... */
    const char *operators;
    const struct HeapClass *base; /* itself, or the class that it is a case of */
    const char *own;              /* what it has functions of its own for, between spaces */
    const char *code;             /* of an array.array, its typecode; NULL */
    DType held;                   /* PACKED: what its column holds */
} HeapClass;
/* By heap.def. What is asked of an object's class is asked of its traits. */
enum {
    HEAP_ORDERED = 1,
    HEAP_KEYED = 2,
    HEAP_MAPS = 4,
    HEAP_RING = 8,
    HEAP_FIXED = 16,
    HEAP_BYTES = 32,
    HEAP_PACKED = 64 /* Python's numbers lie in a column of a dtype of its own; stores are tested */
};
extern const HeapClass heap_list, heap_dict, heap_set, heap_frozenset, heap_deque, heap_OrderedDict,
    heap_Counter, heap_defaultdict, heap_defaultdict_of, heap_tuple, heap_bytearray, heap_arrays;
const HeapClass *heap_array_class(const char *typecode);      /* NULL: none */
const Type *type_of_packed(TypeTable *t, const HeapClass *c); /* an object of one that is PACKED */
/* From now on tuples of unlike lengths join to one whose length only the run tells. */
void type_allow_rows(TypeTable *t);
const Type *type_join_rows(TypeTable *t, const Type *a, const Type *b); /* NULL: they don't */
bool type_is_row(const Type *t); /* a list, or a tuple whose length only the run tells */
const HeapClass *heap_class(const char *name); /* NULL: none of that name */
/* by heap.def; -1: there is no such method */
int heap_method_names(const HeapClass *c, const char **names, int most);
int heap_method_view(const HeapClass *c, const char *name);
/* the class whose function of swathe/lib does this for its objects */
const char *heap_function_of(const HeapClass *c, const char *what);

const Type *type_heap(TypeTable *t, const HeapClass *c, const Type *const *elems);
static inline bool
type_is_heap(const Type *t, const HeapClass *c)
{
    return t->kind == TY_REF && t->ref == c;
}
static inline bool
type_heap_has(const Type *t, unsigned traits) /* any of these; false: it is no object */
{
    return t->kind == TY_REF && (((const HeapClass *)t->ref)->traits & traits);
}
static inline bool
type_heap_is_of(const Type *t, const HeapClass *c) /* or of a case of heap_arrays */
{
    return t->kind == TY_REF &&
           (t->ref == c || (c == &heap_arrays && ((const HeapClass *)t->ref)->base == c));
}
static inline bool
type_is_array_array(const Type *t)
{
    return t->kind == TY_REF && ((const HeapClass *)t->ref)->code != NULL;
}
/* An element as a container holds it: NULL when it can't. */
const Type *type_element(TypeTable *t, const Type *e);
/* e, a tuple, an object or an optional, of other parts */
const Type *type_of_parts(TypeTable *t, const Type *e, const Type *const *parts);
/* what the elements of a group are, and what its columns hold for them */
const Type *heap_group(TypeTable *t, const Type *object, int group);
const Type *heap_held(TypeTable *t, const Type *object, int group);
void heap_flatten(const Type *e, const Type **out, int *n); /* these, appended */
int heap_leaves(const Type *e);                             /* columns for elements of type e */
/* the word where the first column of a group is told of */
int heap_column(const Type *object, int group);
/* What an object holds, as text: "[f64]", "{i64:[A1f64]}", "[(i64,R2f32)]", "[?f64]": list, dict,
 * tuple, array of so many axes, read-only one, what may be None. */
char *heap_holds(Arena *a, const Type *t);
/* its words: see IrVar.obj; t is an object, or an array to be boxed */
char *heap_layout(Arena *a, const Type *t);

/* ---- object.c: instances of classes ----
 * An instance is an object whose words are its fields: a number is in one word (a complex one in
 * two), a reference in one, an array in as many as tell where it is. Word 0 is for whoever shows
 * the instance to Python. Numbers come first, those of plain fields before all others. */
typedef struct ObjField {
    Sym name;
    const Type *type;
    struct TypeVar *var; /* what use has to tell; NULL: the class declares it */
    bool maybe;          /* it may not be set: a bool before its parts says whether it is */
    /* what an argument holds tells its type, and stores may make that wider; one has done so */
    bool learns, learnt;
} ObjField;
typedef struct ObjClass {
    const char *name;
    const void *cls; /* the class object: identity only */
    int n;
    ObjField *field;
    bool by_fields; /* made of its fields, in their order: a dataclass */
    bool frozen;
    bool copied;  /* Python has objects of its own, whose fields are copied in and out */
    bool made;    /* the program makes instances, or has them as arguments */
    bool resumed; /* objects of a generator, of which Python knows nothing (ast/resume.c) */
    bool dict;    /* a dict of unlike values: its keys are the fields (sema/keyed_object.c) */
    /* A class that leaves types of fields to use is one class for each choice of them. `generic` is
     * the class as the user wrote it, by identity; `same` the choice that instances which are made
     * here are tried as, since an argument is one. NULL: there is none. */
    bool open;
    const void *generic;
    const struct ObjClass *same;
    const struct ObjClass
        *of; /* one signature of that generator (sema/signature_class.c), one choice of that class
                (sema/class_variant.c), or NULL */
    const void *made_at[2]; /* the call that made the last instance, and what it is in */
} ObjClass;
const Type *type_object(TypeTable *t, const ObjClass *c);
/* What has instances of unlike classes: sema/family.c answers. Of one and the same type twice: what
 * its family is, or NULL. */
typedef struct TypeFamilies {
    const Type *(*join)(void *of, const Type *a, const Type *b);
    void *of;
} TypeFamilies;
void type_set_families(TypeTable *t, TypeFamilies f);
const Type *type_join_objects(TypeTable *t, const Type *a, const Type *b);
/* what a list of it holds that takes others of its family, also as a part of a tuple: that, once
 * there is one */
const Type *type_as_element(TypeTable *t, const Type *of);
static inline bool
type_declines(const Type *t) /* what an operator's method yields that leaves it to others */
{
    return t->kind == TY_ELLIPSIS && t->text[0] == 'N';
}
static inline const ObjClass *
type_class(const Type *t) /* of an instance, or of one that may be None; NULL: it is none */
{
    t = t->kind == TY_OPTIONAL ? t->elems[1] : t;
    return t->kind == TY_OBJ ? t->ref : NULL;
}
int object_field(const ObjClass *c, const char *name); /* -1: there is none */
/* Is a class so whose instance is in a value of that type, or in what is in it? Of very many: true
 */
bool type_leads_to(const Type *t, bool (*is)(const ObjClass *c));
int object_parts(const ObjClass *c, int field, const Type **out); /* what it is made of; the tag */
/* the word where part k of a field begins */
int object_word(const ObjClass *c, int field, int k);
typedef struct ObjPlace {
    int word, n;
} ObjPlace;
/* How many parts there are; those of field i are from first[i] on. place may be NULL. */
int object_places(const ObjClass *c, int *first, ObjPlace *place);
char *object_layout(Arena *a, const Type *object);
/* What was made for a key before; NULL: nothing. */
const Type *type_kept(const TypeTable *t, const void *key);
void type_keep(TypeTable *t, const void *key, const Type *is);

/* A type that is still to be found: what `x = []` holds. Types that have it in them are bound as it
 * is. */
typedef struct TypeVar {
    const Type *is;       /* NULL: not known yet */
    int *found;           /* counts what is found out */
    bool guessed;         /* nothing tells: it is what does least harm */
    struct TypeVar *next; /* what is still to be found of what it is */
    int age;              /* since there are types: the older one stays when two become one */
    const Type *own;      /* of a field that holds nothing yet: an instance of its own class */
    bool arrayed;         /* an array is made of it: of nothing it is one of floats */
    bool widens;          /* numbers that are bound to it may become floats, or complex */
    const Type *use;      /* what uses take it for, such as a tuple for three names; or NULL */
    bool changes;         /* that is a list, for its elements are stored to: nothing else will do */
    bool young;           /* made in a round that guesses: what its uses tell is not known yet */
    bool awaits;          /* what is put there has no type yet */
    int waited;           /* rounds in which nothing was guessed for that */
} TypeVar;
const Type *type_open(TypeTable *t, TypeVar *v);
/* has it tuples of any length of which nothing tells what they hold? */
bool type_has_open_row(const Type *t);
bool type_is_open(const Type *t);                      /* or some part of it is */
const Type *type_resolve(TypeTable *t, const Type *x); /* with what is known by now */
/* A number for it, equal for equal ones in all programs, but for classes of one name. */
uint64_t type_mark(const Type *t);
/* Makes b what a holds by binding what is open, where what may be None holds what is not; false:
 * it can't. */
bool type_unify(TypeTable *t, const Type *a, const Type *b);
/* What holds both as elements, in the same way: one of them may be None. NULL: nothing does. */
const Type *type_join_elements(TypeTable *t, const Type *a, const Type *b);
/* The same by each part, of two tuples or of one function with what it has captured. */
const Type *type_join_parts(TypeTable *t, const Type *a, const Type *b);
/* As that, where ints become floats and these complex numbers. */
const Type *type_widest(TypeTable *t, const Type *a, const Type *b);
const Type *type_of_numpy(TypeTable *t, const Type *a, const Type *b);
bool type_may_widen(const Type *t); /* it is a value that may be None, or wider, as an element */
bool type_widens(const Type *t);    /* or some part of it: it is known, and may become wider */
bool type_occurs(const TypeVar *v, const Type *t);
/* Makes what a container holds, if it widens, hold `to` besides; false: it can't. */
bool type_widen(TypeTable *t, const Type *part, const Type *to);
/* Would they be one type, if their numbers were of one kind? */
bool type_differs_in_numbers(TypeTable *t, const Type *a, const Type *b);

static inline bool
type_is_scalar(const Type *t)
{
    return t->kind == TY_SCALAR;
}
/* Made of parts, each of which is a value of its own. */
static inline bool
type_has_parts(const Type *t)
{
    return t->kind == TY_TUPLE || t->kind == TY_RECORD || t->kind == TY_OPTIONAL ||
           t->kind == TY_TEXT || t->kind == TY_KEYED || t->kind == TY_RANGE ||
           t->kind == TY_CHOICE || t->kind == TY_EITHER;
}

/* Is it held by containers as its parts, one behind the other? Those of a function are what it has
 * captured; one of the library has none, its type says what it is. */
static inline bool
type_is_held_apart(const Type *t)
{
    return type_has_parts(t) || t->kind == TY_FUNC || t->kind == TY_BUILTIN ||
           t->kind == TY_DTYPE || t->kind == TY_CLASS;
}
static inline bool
type_is_bytes(const Type *t)
{
    return t->kind == TY_TEXT && t->elems[0]->dtype == DT_u8;
}
/* A string, known or not. */
static inline bool
type_is_str(const Type *t)
{
    return t->kind == TY_STR || (t->kind == TY_TEXT && !type_is_bytes(t));
}
/* What a container may hold, or one: of parts that are elements themselves. */
static inline bool
type_has_elements(const Type *t)
{
    return t->kind == TY_REF || t->kind == TY_TUPLE || t->kind == TY_OPTIONAL ||
           t->kind == TY_FUNC || t->kind == TY_CHOICE || t->kind == TY_EITHER;
}
static inline bool
type_is_optional(const Type *t)
{
    return t->kind == TY_OPTIONAL;
}
/* What an optional holds where it is not None; other types are it. */
static inline const Type *
type_value(const Type *t)
{
    return t->kind == TY_OPTIONAL ? t->elems[1] : t;
}
static inline bool
type_is_array(const Type *t)
{
    return t->kind == TY_ARRAY;
}

/* ---- foreign.c: a function of another language. Its arrays are pointers, to contiguous elements
 * ---- */
typedef struct ForeignSig {
    const Type *ret; /* none, or a scalar */
    int n;
    const Type *param[32];
} ForeignSig;
/* "int32(int32, float64[:])", "void(float32*)", "float64(CPointer(int64))". false with *err set. */
bool type_parse_foreign(TypeTable *t, Arena *a, const char *text, ForeignSig *out,
                        const char **err);

/* ---- a call up into Python: what crosses, by the names that its block has for it ---- */
typedef struct Upcall {
    const char *key; /* of the Python function, among those of the program */
    int n_in, n_out;
    const Type *const *in, *const *out;
    const char *const *in_name, *const *out_name;
    const char *const *in_text; /* of a string, which is known and has no slots; else NULL */
    bool plain;                 /* it yields its one result, not a tuple of them */
    bool looks;                 /* at what it is given, which it neither changes nor keeps */
    const bool *maybe;          /* a slot before the input's own says whether it is bound */
} Upcall;

/* ---- const.c: a value known at compile time: a literal, a global, a closed-over value ---- */
typedef enum ConstKind {
    CV_NONE,
    CV_BOOL,
    CV_INT,
    CV_FLOAT,
    CV_COMPLEX,  /* Python scalars: weak */
    CV_NPSCALAR, /* NumPy scalar: dtype, value in i / re,im */
    CV_BYTES,    /* str, str_len */
    CV_STR,
    CV_ELLIPSIS, /* b: it is NotImplemented */
    CV_TUPLE,    /* elems; names+ref(cls) for a named tuple; also a constant list, when is_list */
    CV_KEYED,    /* a dict with known keys: names, and elems of them */
    CV_ARRAY,    /* dtype, ndim, shape, data (copied); axes: of an array in another order than C */
    CV_FUNC,     /* ref = FuncDef (ast.h) */
    CV_BUILTIN,  /* ref = const Builtin* (builtin.h) */
    /* dtype, weak: np.float64, np.dtype("f8"); float, int, bool, complex are weak. b: a class */
    CV_DTYPE,
    CV_MODULE, /* name in str */
    /* a namedtuple class: names, ref = the class object (identity only), str = its name */
    CV_TUPLE_CLASS,
    /* np.dtype([...]): names; elems are the fields' CV_DTYPE (with the ndim and shape of its own
     * axes) or CV_RECORD; shape: their offsets; i: its size; b: a field is not aligned; ref, str as
     * for CV_TUPLE_CLASS */
    CV_RECORD,
    /* an exception class: str = its name, of other than builtin ones "module.name"; names: the
     * classes that those derive from, in Python's order; b: it is made of more than a message, or
     * shows another: data: see error_keeps, ref: it, i: not 0 where error_tell finds its text,
     * weak: which is the last argument here (ast/told.c) */
    CV_EXC_CLASS,
    CV_CLASS,       /* a class whose instances are objects: obj; ref, str as for CV_TUPLE_CLASS */
    CV_CONTEXT,     /* a context manager's class of def/context.def: i = its row, str = its name */
    CV_UNSUPPORTED, /* an object with no meaning in compiled code: str says what it is */
} ConstKind;

typedef struct Const {
    ConstKind kind;
    bool b, weak, is_list, too_big; /* too_big: an int that does not fit in int64 or uint64;
                              str: its hexadecimal digits, re: it as a float */
    uint16_t dtype;
    uint8_t ndim;
    int64_t i;     /* also the value of integer NPSCALARs (u64 by bits) and bools */
    double re, im; /* FLOAT uses re */
    const char *str;
    size_t str_len;
    int n;
    const struct Const *const *elems;
    const Sym *names;
    const int64_t *shape;
    const int64_t *axes; /* as they lie in memory, outermost first; NULL: C order */
    const void *data;
    size_t nbytes;
    const void *ref;
    const struct ObjClass *obj;
} Const;
void type_keep_record(TypeTable *t, const Const *c); /* a CV_RECORD, for type_record_dtype */
/* Has one that was kept a field that is not aligned in memory? t may be NULL. */
bool type_packed(const TypeTable *t);
const Const *type_record_dtype(const TypeTable *t, const Type *records); /* NULL: not kept */
/* The class of a site whose exception is one that Python has raised in a function that was called
 * back: see rt_python_error. */
#define EXC_PYTHON "!python"
/* The type of a constant; functions, modules and so on get their own kinds. */
const Type *const_type(TypeTable *t, const Const *c);
/* The code points of a string, in the arena; how many. */
int64_t const_points(Arena *a, const Const *c, uint32_t **out);
bool const_equal(const Const *a, const Const *b);
void const_hash(const Const *c, Hash *h); /* functions by name only: ast_hash covers their bodies */

#endif
