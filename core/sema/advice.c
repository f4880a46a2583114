/* SPDX-License-Identifier: BSD-3-Clause
 * Messages for common mistakes with containers, text and None: CPython's own words, and a hint that
 * says what to write. Takes the node and the types at fault; yields diagnostics. In a hint, $ is
 * the object as the source names it. */
#include "ast/generator.h"
#include "sema/calls.h"

enum {
    ON_LIST = 1,
    ON_DICT = 2,
    ON_SET = 4,
    ON_STR = 8,
    ON_BYTES = 16,
    ON_TUPLE = 32,
    ON_NUMBER = 64,
    ON_RING = 128,
};

typedef struct Mistake {
    int on;
    const char *names; /* with a space before and behind each */
    const char *hint;
} Mistake;

/* What other languages, other classes, and Python 2 call it. The first that fits is said. */
static const Mistake mistakes[] = {
    {ON_LIST | ON_RING, " add push push_back put append_all enqueue ",
     "a list grows by $.append(x)"},
    {ON_LIST, " addAll concat update extend_list ",
     "$.extend(other) appends the elements of other"},
    {ON_SET, " append push put insert ", "a set grows by $.add(x)"},
    {ON_SET, " extend addAll ", "$.update(other) adds the elements of other"},
    {ON_DICT, " append add put push insert set ",
     "an entry of a dict is set by $[key] = value; an empty set is set()"},
    {ON_DICT | ON_SET | ON_LIST | ON_STR | ON_TUPLE | ON_BYTES,
     " has_key contains containsKey includes has __has__ exists ", "write `x in $`"},
    {ON_DICT, " iteritems viewitems ", "write $.items()"},
    {ON_DICT, " iterkeys viewkeys ", "write $.keys()"},
    {ON_DICT, " itervalues viewvalues ", "write $.values()"},
    {ON_DICT, " remove delete erase discard ", "write `del $[key]`"},
    {ON_LIST, " delete erase discard removeAt ", "write `del $[i]`, or $.remove(x)"},
    {ON_LIST | ON_DICT | ON_SET | ON_STR | ON_TUPLE | ON_BYTES | ON_RING,
     " length lenght lenth size len Length Count ", "write len($)"},
    {ON_LIST,
     " shape ndim T dtype mean sum std var min max dot astype reshape flatten cumsum any all "
     "argmax argmin round tolist ",
     "a list is no array: np.array($) makes one"},
    {ON_LIST | ON_TUPLE, " find indexOf search ", "write $.index(x)"},
    {ON_DICT | ON_SET | ON_TUPLE, " sort sorted ", "write sorted($)"},
    {ON_LIST, " sorted ", "write sorted($)"},
    {ON_TUPLE, " reverse reversed ", "write $[::-1]"},
    {ON_LIST, " join ", "the separator joins: write \", \".join($)"},
    {ON_LIST, " map ", "write [f(x) for x in $]"},
    {ON_LIST, " filter ", "write [x for x in $ if f(x)]"},
    {ON_STR | ON_BYTES, " reverse reversed ", "write $[::-1]"},
    {ON_STR, " sort sorted ", "write \"\".join(sorted($))"},
    {ON_STR | ON_BYTES, " append add push concat extend ",
     "a str does not change: write $ = $ + x"},
    {ON_STR | ON_BYTES, " substr substring slice charAt ", "write $[i:j]"},
    {ON_STR | ON_BYTES, " trim ", "write $.strip()"},
    {ON_STR | ON_BYTES, " toUpperCase toUpper uppercase upcase ", "write $.upper()"},
    {ON_STR | ON_BYTES, " toLowerCase toLower lowercase downcase ", "write $.lower()"},
    {ON_STR | ON_BYTES, " remove delete ", "write $.replace(x, \"\")"},
    {ON_STR | ON_BYTES, " indexOf search ", "write $.find(x)"},
    {ON_STR, " isnumber isint isfloat is_number isNumeric ",
     "write $.isdigit(), or int($) in a try"},
    {ON_STR, " decode ", "a str is decoded; $.encode() makes bytes of it"},
    {ON_BYTES, " encode ", "bytes are encoded; $.decode() makes a str of them"},
    {ON_STR, " toString tostring to_s ", "it is a str"},
    {ON_NUMBER, " toString tostring to_s ", "write str($)"},
    {ON_NUMBER, " append add push ", "a number holds nothing: make a list of it, [$]"},
    {ON_TUPLE, " append add push extend insert pop remove clear update ",
     "a tuple can't change: make a list of it, with list($)"},
};

static int
kind_of(const Type *t)
{
    switch (t->kind) {
    case TY_STR:
    case TY_TEXT:
        return type_is_bytes(t) ? ON_BYTES : ON_STR;
    case TY_SCALAR:
        return ON_NUMBER;
    case TY_KEYED:
        return ON_DICT;
    case TY_LIST:
        return ON_LIST;
    case TY_TUPLE:
        return t->listed ? ON_LIST : ON_TUPLE;
    case TY_REF:
        return type_heap_has(t, HEAP_MAPS)    ? ON_DICT
               : type_heap_has(t, HEAP_KEYED) ? ON_SET
               : type_heap_has(t, HEAP_RING)  ? ON_RING
               : type_is_heap(t, &heap_tuple) ? ON_TUPLE
               : type_heap_has(t, HEAP_BYTES) ? ON_BYTES
                                              : ON_LIST;
    default:
        return 0;
    }
}

/* As the source has it, or a letter for what is longer than a name. */
static const char *
subject(Sema *s, const Node *e, int kind)
{
    if (e && e->kind == N_Name && !s->fr->in->def->is_lib)
        return e->name;
    return kind & (ON_LIST | ON_RING) ? "v" : kind == ON_DICT ? "d" : "x";
}

static void
hint_about(Sema *s, Diag *d, const char *hint, const char *subject)
{
    StrBuf b = {0};
    for (; *hint; hint++)
        if (*hint == '$')
            sb_addf(&b, "%s", subject);
        else
            sb_addf(&b, "%c", *hint);
    diag_hint(s->diags, d, "%s", sb_keep(&b, s->a));
}

static bool
names_it(const char *names, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at += n)
        if (at[-1] == ' ' && at[n] == ' ')
            return true;
    return false;
}

static bool
hint_mistake(Sema *s, Diag *d, const Node *of, const Type *t, int kind, const char *name)
{
    if (kind == ON_SET && type_heap_has(t, HEAP_FIXED)) {
        hint_about(s, d, "a frozenset can't change: set($) makes a set of it",
                   subject(s, of, kind));
        return true;
    }
    for (int i = 0; i < SW_LEN(mistakes); i++)
        if (mistakes[i].on & kind && names_it(mistakes[i].names, name)) {
            hint_about(s, d, mistakes[i].hint, subject(s, of, kind));
            return true;
        }
    return false;
}

/* A method of str, of what holds strings or may be written as one. */
static bool
hint_text_method(Sema *s, Diag *d, const Node *of, const Type *t, int kind, const char *name)
{
    const Type *e = t->kind == TY_REF && kind & ON_LIST ? type_resolve(s->tt, t->elems[0]) : NULL;
    const Type *text = type_text(s->tt);
    if (!text_has_method(text, name))
        return false;
    if (e && type_is_str(e))
        hint_about(s, d, arena_printf(s->a, "of each: [x.%s() for x in $]", name),
                   subject(s, of, kind));
    else if (kind == ON_NUMBER)
        hint_about(s, d, "str($) makes a string of it", subject(s, of, kind));
    else
        return false;
    return true;
}

static bool
hint_nearest_method(Sema *s, Diag *d, const Type *t, const char *name)
{
    const char *names[64];
    int n = 0;
    if (t->kind == TY_REF)
        n = heap_method_names(t->ref, names, SW_LEN(names));
    else if (type_is_str(t) || type_is_bytes(t))
        n = text_method_names(t, names, SW_LEN(names));
    sema_hint_nearest(s, d, name, names, n);
    return diag_nearest(name, names, n) != NULL;
}

/* What CPython has, and compiled code has not, or not there. */
static bool
is_left_out(const char *name)
{
    return name[0] == '_' ||
           names_it(" format format_map maketrans fromkeys fromhex default_factory ", name);
}

const char *
class_name(Sema *s, const Type *t)
{
    const char *name = t->kind == TY_LIST ? "list" : python_name(s, t);
    if (t->kind == TY_STR || t->kind == TY_TEXT)
        return type_is_bytes(t) ? "bytes" : "str";
    return arena_printf(s->a, "%.*s", (int)strcspn(name, "[("), name);
}

void
advise_self(Sema *s, Diag *d, const char *method, const char *first, int n)
{
    diag_hint(s->diags, d, "the first parameter of a method is the instance: %s(self, %.*s)",
              method, n, first);
}

/* Of a number that is asked for what it has not. */
void
advise_attribute(Sema *s, Diag *d, const Node *of, const Type *t, const char *name)
{
    if (!hint_mistake(s, d, of, t, kind_of(t), name))
        hint_text_method(s, d, of, t, kind_of(t), name);
}

static void hint_none(Sema *s, Diag *d, const Node *e);

Diag *
sema_no_attribute(Sema *s, const Node *f, const Type *t)
{
    int kind = kind_of(t);
    if (either_is(t)) {
        either_refuse(s, f, arena_printf(s->a, "'.%s'", f->name), t);
        return s->diags->list.at[s->diags->list.n - 1];
    }
    if (t->kind == TY_NONE) {
        Diag *none =
            sema_error(s, DIAG_attribute, f, "'NoneType' object has no attribute '%s'", f->name);
        hint_none(s, none, f->kid[0]);
        return none;
    }
    if (t->kind == TY_ITER && !strcmp(f->name, "next")) {
        Diag *iter = sema_error(s, DIAG_attribute, f, "an iterator has no attribute 'next'");
        hint_about(s, iter, "write next($)", subject(s, f->kid[0], 0));
        return iter;
    }
    if (!kind || (kind != ON_NUMBER && is_left_out(f->name)))
        return sema_error(s, DIAG_attribute, f, "%s has no attribute '%s' in compiled code",
                          t->text, f->name);
    Diag *d = sema_error(s, DIAG_attribute, f, "'%s' object has no attribute '%s'",
                         class_name(s, t), f->name);
    if (hint_mistake(s, d, f->kid[0], t, kind, f->name) ||
        hint_text_method(s, d, f->kid[0], t, kind, f->name) ||
        hint_nearest_method(s, d, t, f->name))
        return d;
    if (kind == ON_DICT && t->kind == TY_REF && type_is_str(type_resolve(s->tt, t->elems[0])) &&
        f != s->callee)
        hint_about(s, d, arena_printf(s->a, "an entry is $[\"%s\"]", f->name),
                   subject(s, f->kid[0], kind));
    return d;
}

/* ---- None ------------------------------------------------------------------------------------ */

/* Where it comes from a call, which that is. */
static void
hint_none(Sema *s, Diag *d, const Node *e)
{
    static const char changes[] =
        " sort reverse append extend insert remove clear add discard update "
        "shuffle setdefault_all appendleft extendleft rotate ";
    const Node *f = e && e->kind == N_Call ? e->kid[0] : NULL;
    if (f && f->kind == N_Attribute && names_it(changes, f->name))
        diag_hint(s->diags, d,
                  "%s() changes the object in place and returns None: use the object in the next "
                  "statement%s",
                  f->name, strcmp(f->name, "sort") ? "" : ", or sorted(...), which makes a list");
    else if (f && f->kind == N_Name && !ast_gen_builtin(s->fr->in->def, e))
        diag_hint(s->diags, d, "'%s' returns None: it needs `return` and the value", f->name);
    else if (e && e->kind == N_Name)
        diag_hint(s->diags, d,
                  "'%s' is None here: if a method such as sort() or append() was assigned to it, "
                  "leave out the assignment; else test for None first",
                  e->name);
    else
        diag_hint(s->diags, d, "test for None first: `if x is not None:`");
}

/* ---- what a value is not --------------------------------------------------------------------- */

/* Is it called in CPython as it is here? */
static bool
is_python(const Type *t)
{
    return (kind_of(t) && (t->kind != TY_SCALAR || t->weak)) || t->kind == TY_NONE;
}

static const char *
what_is(Sema *s, const Type *t)
{
    return t->kind == TY_FUNC   ? "function"
           : t->kind == TY_ITER ? "iterator"
           : is_python(t)       ? class_name(s, t)
                                : NULL;
}

static void
hint_call(Sema *s, Diag *d, const Node *e)
{
    if (e && e->kind == N_Attribute)
        diag_hint(s->diags, d, "a method is called with parentheses: %s.%s()",
                  subject(s, e->kid[0], 0), e->name);
    else if (e && e->kind == N_Name)
        diag_hint(s->diags, d, "a function is called with parentheses: %s(...)", e->name);
    else if (e && e->kind != N_Lambda)
        diag_hint(s->diags, d, "a function is called with parentheses: f(...)");
}

Diag *
sema_not_iterable(Sema *s, const Node *at, const Type *t)
{
    const char *what = what_is(s, t);
    Diag *d = what ? sema_type_error(s, at, "'%s' object is not iterable", what)
                   : sema_type_error(s, at, "%s is not iterable", t->text);
    if (t->kind == TY_NONE)
        hint_none(s, d, at);
    else if (t->kind == TY_FUNC)
        hint_call(s, d, at);
    else if (t->kind == TY_SCALAR && t->weak && t->dtype == DT_i64 && !s->fr->in->def->is_lib)
        hint_about(s, d, "a loop over the numbers below it: `for i in range($):`",
                   subject(s, at, ON_NUMBER));
    return d;
}

Diag *
sema_not_indexed(Sema *s, const Node *e, const Node *of, const Type *t)
{
    const char *what = what_is(s, t);
    Diag *d = what ? sema_type_error(s, e, "'%s' object is not subscriptable", what)
                   : sema_type_error(s, e, "%s cannot be indexed", t->text);
    if (t->kind == TY_NONE)
        hint_none(s, d, of);
    else if (t->kind == TY_FUNC)
        diag_hint(s->diags, d, "the arguments of a function stand in parentheses");
    else if (t->kind == TY_ITER)
        diag_hint(s->diags, d, "make a list of it: list(...)[i]");
    else if (t->kind == TY_SCALAR && t->weak)
        hint_about(s, d, "its digits are those of str($)", subject(s, of, ON_NUMBER));
    return d;
}

const Type *
sema_no_length(Sema *s, const Node *at, const Node *of, const Type *t)
{
    const char *what = t ? what_is(s, t) : "missing argument";
    Diag *d = sema_type_error(s, at, "object of type '%s' has no len()", what ? what : t->text);
    if (!t)
        return NULL;
    if (t->kind == TY_NONE)
        hint_none(s, d, of);
    else if (t->kind == TY_FUNC)
        hint_call(s, d, of);
    else if (t->kind == TY_ITER)
        diag_hint(s->diags, d, "make a list of it: len(list(...))");
    else if (t->kind == TY_SCALAR && t->weak)
        hint_about(s, d, "how many digits it has is len(str($))", subject(s, of, ON_NUMBER));
    return NULL;
}

Diag *
sema_unhashable(Sema *s, const Node *at, const Type *t)
{
    int kind = kind_of(t);
    if (!(kind & (ON_LIST | ON_DICT | ON_SET | ON_RING)) && !type_heap_has(t, HEAP_BYTES))
        return NULL;
    Diag *d = sema_type_error(s, at, "unhashable type: '%s'", class_name(s, t));
    diag_hint(s->diags, d, "what can change is no key: make %s",
              kind == ON_SET     ? "a frozenset of it, with frozenset(...)"
              : kind == ON_DICT  ? "a tuple of its items, with tuple(sorted(x.items()))"
              : kind == ON_BYTES ? "bytes of it, with bytes(...)"
                                 : "a tuple of it, with tuple(...)");
    return d;
}

void
sema_bad_position(Sema *s, const Node *i, const char *what, const Node *of, const Type *t)
{
    Diag *d = sema_type_error(s, i, "%s indices must be integers or slices, not %s", what,
                              class_name(s, t));
    int kind = kind_of(t);
    if (kind == ON_TUPLE && i->kind == N_Tuple)
        hint_about(s, d, "an element of an element is $[i][j]; arrays take $[i, j]",
                   subject(s, of, 0));
    else if (kind == ON_STR)
        diag_hint(s->diags, d,
                  "int(...) makes a number of a str; what is found by names is a dict");
    else if (kind == ON_NUMBER && dtype_is_float((DType)t->dtype))
        diag_hint(s->diags, d, "write // for a division of ints, or int(...)");
}

/* A list, or the values of a dict, are of another type. */
void
advise_element(Sema *s, Diag *d, const Type *elem, const Type *v)
{
    int x = kind_of(elem), y = kind_of(v);
    if (x == ON_STR && y == ON_NUMBER)
        diag_hint(s->diags, d, "one type is held: convert it with str(...)");
    else if (x == ON_NUMBER && y == ON_STR)
        diag_hint(s->diags, d,
                  elem->dtype == DT_i64 ? "one type is held: convert it with int(...)"
                                        : "one type is held: convert it with float(...)");
    else if (x == ON_LIST && (y == ON_NUMBER || y == ON_STR))
        diag_hint(s->diags, d, "one type is held, lists: write [...] around it");
    else if (v->kind != TY_NONE && x && y)
        diag_hint(s->diags, d,
                  "one type is held: where values of several belong together, hold "
                  "tuples of them");
}

void
advise_number(Sema *s, Diag *d, const Node *at, const Type *t)
{
    int kind = kind_of(t);
    if (kind == ON_STR)
        hint_about(s, d, "int($) or float($) makes a number of a str", subject(s, at, kind));
    else if (kind & (ON_LIST | ON_SET | ON_DICT | ON_TUPLE | ON_RING))
        hint_about(s, d, "how many it holds is len($)", subject(s, at, kind));
}

/* at: a value, or the names in the head of a loop. */
void
sema_not_unpacked(Sema *s, const Node *at, const Type *t, int names)
{
    Diag *d;
    if (!is_python(t) || t->kind == TY_NONE)
        d = sema_type_error(s, at, "cannot unpack %s into %d names", t->text, names);
    else
        d = sema_type_error(s, at, "cannot unpack non-iterable %s object", class_name(s, t));
    if (t->kind == TY_NONE)
        hint_none(s, d, at);
    else if (kind_of(t) == ON_NUMBER && at->kind == N_Tuple)
        diag_hint(s->diags, d,
                  "numbers and elements are enumerate(x), keys and values d.items(), "
                  "elements of two lists zip(x, y)");
}

/* ---- operators ------------------------------------------------------------------------------- */

/* Where it is one of two that the source writes. */
static const Node *
operand_of(const Node *at, int i)
{
    bool two = at->kind == N_BinOp || at->kind == N_AugAssign || at->kind == N_Compare;
    return two && at->n == 2 ? at->kid[i] : NULL;
}

static bool
is_sequence(int kind)
{
    return kind & (ON_LIST | ON_TUPLE | ON_STR | ON_BYTES | ON_RING);
}

/* Would CPython say so, too, whatever they hold? */
static bool
is_wrong(Sema *s, int op, const Type *a, const Type *b)
{
    int x = kind_of(a), y = kind_of(b);
    if (!is_python(a) || !is_python(b) || (op == B_MOD && x & (ON_STR | ON_BYTES)))
        return false;
    if (op == B_MUL && (is_sequence(x) || is_sequence(y)) && (x == ON_NUMBER || y == ON_NUMBER)) {
        const Type *n = x == ON_NUMBER ? a : b;
        return dtype_is_float((DType)n->dtype);
    }
    if (x != y)
        return true;
    if (x == ON_DICT)
        return op != B_OR && !strcmp(class_name(s, a), "dict");
    if (x == ON_SET)
        return op != B_OR && op != B_AND && op != B_SUB && op != B_XOR;
    return is_sequence(x) && op != B_ADD;
}

static bool
is_half(const Node *e)
{
    return e && e->kind == N_BinOp && e->op == B_DIV;
}

static void
hint_operands(Sema *s, Diag *d, int op, const Node *of[2], const Type *t[2])
{
    int x = kind_of(t[0]), y = kind_of(t[1]);
    const char *left = subject(s, of[0], x), *right = subject(s, of[1], y);
    bool number = x == ON_NUMBER || y == ON_NUMBER, text = x == ON_STR || y == ON_STR;
    if (t[0]->kind == TY_NONE || t[1]->kind == TY_NONE)
        hint_none(s, d, of[t[0]->kind != TY_NONE]);
    else if (of[0] && of[1] && (t[0]->kind == TY_FUNC || t[1]->kind == TY_FUNC))
        hint_call(s, d, of[t[0]->kind != TY_FUNC]);
    else if (op == B_ADD && ((x == ON_STR && y == ON_BYTES) || (x == ON_BYTES && y == ON_STR)))
        hint_about(s, d, "bytes are written b\"...\"; $.decode() makes a str of bytes",
                   x == ON_BYTES ? left : right);
    else if (op == B_ADD && number && text && (x == ON_STR || !of[1] || of[1]->kind == N_Const))
        hint_about(s, d, "str($) makes a string of the number; an f-string, too",
                   x == ON_NUMBER ? left : right);
    else if (number && text)
        hint_about(s, d, "int($) or float($) makes a number of the string",
                   x == ON_STR ? left : right);
    else if (op == B_ADD && x == ON_LIST && (y == ON_NUMBER || y == ON_STR))
        hint_about(s, d, arena_printf(s->a, "write $.append(%s), or $ + [%s]", right, right), left);
    else if (op == B_MUL && number && !text && (is_half(of[0]) || is_half(of[1])))
        diag_hint(s->diags, d, "write // for a division of ints");
    else if ((x == ON_LIST && y == ON_NUMBER) || (x == ON_NUMBER && y == ON_LIST))
        hint_about(s, d, "arithmetic with each element: make an array of the list, np.array($)",
                   x == ON_LIST ? left : right);
    else if (op == B_ADD && x == ON_LIST && y == ON_TUPLE)
        hint_about(s, d, "make a list of the tuple: list($)", right);
    else if (op == B_ADD && x == ON_TUPLE && y == ON_LIST)
        hint_about(s, d, "make a tuple of the list: tuple($)", right);
    else if (op == B_ADD && x == ON_TUPLE && y == ON_NUMBER)
        hint_about(s, d, "a tuple of one element is ($,)", right);
    else if (op == B_ADD && x == y && x & (ON_SET | ON_DICT))
        hint_about(s, d, arena_printf(s->a, "write $ | %s", right), left);
    else if (op == B_SUB && x == ON_STR && y == ON_STR)
        hint_about(s, d, arena_printf(s->a, "write $.replace(%s, \"\")", right), left);
    else if (op == B_SUB && x == ON_LIST && y == ON_LIST)
        hint_about(s, d, arena_printf(s->a, "write [x for x in $ if x not in %s]", right), left);
    else if (op == B_ADD && x == y && x == ON_LIST)
        diag_hint(s->diags, d, "a list holds values of one type: convert those of one of them");
}

const char *
operator_text(Sema *s, const Node *at, int op)
{
    return at->kind == N_AugAssign ? arena_printf(s->a, "%s=", binop_text[op]) : binop_text[op];
}

/* what: the operator, as operator_text has it. */
Sem
sema_bad_operands(Sema *s, const Node *at, int op, const char *what, const Type *a, const Type *b)
{
    const Node *of[2] = {operand_of(at, 0), operand_of(at, 1)};
    const Type *t[2] = {a, b};
    const char *x = class_name(s, a), *y = class_name(s, b);
    bool add = op == B_ADD && is_sequence(kind_of(a)) && kind_of(a) != kind_of(b);
    Diag *d;
    if (op == B_MOD && kind_of(a) & (ON_STR | ON_BYTES)) {
        d = sema_error(s, DIAG_unsupported, at, "%% of %s is not supported",
                       kind_of(a) == ON_STR ? "a string" : "bytes");
        diag_hint(s->diags, d, "write an f-string");
        return sema_unknown(s);
    }
    if (!is_wrong(s, op, a, b))
        d = sema_type_error(s, at, "unsupported operand types for %s: %s and %s", what, a->text,
                            b->text);
    else if (add && kind_of(a) == ON_BYTES)
        d = sema_type_error(s, at, "can't concat %s to %s", y, x);
    else if (add)
        d = sema_type_error(s, at, "can only concatenate %s (not \"%s\") to %s", x, y, x);
    else if (op == B_MUL && (is_sequence(kind_of(a)) || is_sequence(kind_of(b))))
        d = sema_type_error(s, at, "can't multiply sequence by non-int of type '%s'",
                            is_sequence(kind_of(a)) ? y : x);
    else
        d = sema_type_error(s, at, "unsupported operand type(s) for %s: '%s' and '%s'", what, x, y);
    hint_operands(s, d, op, of, t);
    return sema_unknown(s);
}

/* Of an order: equality holds between any two. */
Sem
sema_bad_order(Sema *s, const Node *at, const char *op, const Type *a, const Type *b)
{
    bool same = kind_of(a) == kind_of(b) && kind_of(a) != ON_DICT;
    if (!is_python(a) || !is_python(b) || same || !strchr("<>", *op)) {
        sema_type_error(s, at, "'%s' is not defined between %s and %s", op, a->text, b->text);
        return sema_unknown(s);
    }
    Diag *d = sema_type_error(s, at, "'%s' not supported between instances of '%s' and '%s'", op,
                              class_name(s, a), class_name(s, b));
    const Node *of[2] = {operand_of(at, 0), operand_of(at, 1)};
    const Type *t[2] = {a, b};
    int x = kind_of(a), y = kind_of(b);
    if ((x | y) == (ON_LIST | ON_NUMBER))
        hint_about(s, d, "a list is compared with a list: its length is len($)",
                   subject(s, of[x == ON_NUMBER], ON_LIST));
    else
        hint_operands(s, d, B_SUB, of, t);
    return sema_unknown(s);
}

const Type *
sema_not_gone_through(CallCx *x, const Type *t)
{
    const Node *at = sema_arg_node(x->c, 0);
    if (t)
        sema_not_iterable(x->s, at ? at : x->at, t);
    else
        sema_error(x->s, DIAG_argument, x->at, "%s() takes an iterable", x->fn->name);
    return NULL;
}

const Type *
sema_no_extreme(CallCx *x, const Type *a, const Type *b)
{
    sema_bad_order(x->s, x->at, x->fn->id == BI_py_min ? "<" : ">", a, b);
    return NULL;
}

/* ---- formats --------------------------------------------------------------------------------- */

/* What is told of a format: in CPython's words where it knows no such code either. */
Diag *
sema_bad_format(Sema *s, const Node *e, const char *spec, const Type *t, bool text)
{
    size_t n = strlen(spec);
    char code = n ? spec[n - 1] : 0;
    bool number = t->kind == TY_SCALAR && t->weak, percent = e->name && *e->name;
    bool letter = (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
    const char *codes = text ? "s" : dtype_is_float(t->dtype) ? "eEfFgGn" : "bcdoxXneEfFgG";
    if (percent && type_is_str(t) && !text)
        return sema_type_error(
            s, e,
            strchr("dxXo", code) && code == 'd' ? "%%%c format: a real number is required, not str"
            : strchr("xXo", code)               ? "%%%c format: an integer is required, not str"
                                                : "must be real number, not str",
            code);
    NumSpec read;
    bool known = numspec_read(&read, spec, 0) != NULL;
    if (!letter || !known || percent || strchr(codes, code) ||
        (!text && !number && !type_is_str(t)))
        return sema_error(s, DIAG_unsupported, e, "the format '%s' of %s is not supported", spec,
                          text ? "this text" : t->text);
    Diag *d = sema_error(s, DIAG_value, e, "Unknown format code '%c' for object of type '%s'", code,
                         text ? "str" : python_name(s, t));
    if (text && strchr("dnoxXb", code))
        diag_hint(s->diags, d, "int(...) makes a number of a str");
    else if (text && strchr("eEfFgG", code))
        diag_hint(s->diags, d, "float(...) makes a number of a str");
    else if (!text && code == 's')
        diag_hint(s->diags, d, "leave out the s: a number is written as its text by itself");
    else if (!text && dtype_is_float(t->dtype) && strchr("dbcoxX", code))
        diag_hint(s->diags, d, "int(...) makes an int of it");
    return d;
}

/* ---- arguments of methods of str and bytes --------------------------------------------------- */

enum {
    MAY_BE_NONE = 1,
    MAY_BE_TUPLE = 2,
    MAY_BE_INT = 4, /* of bytes */
};

/* @: the method, $: the class of what was given. */
static const struct Taken {
    const char *methods;
    int arg, may;
    const char *of_str, *of_bytes;
} taken[] = {
    {" find rfind index rindex count ", 1, MAY_BE_INT, "must be str, not $",
     "argument should be integer or bytes-like object or ASCII buffer, not '$'"},
    {" startswith endswith ", 1, MAY_BE_TUPLE, "@ first arg must be str or a tuple of str, not $",
     "@ first arg must be bytes or a tuple of bytes, not $"},
    {" removeprefix removesuffix ", 1, 0, "@() argument must be str, not $", NULL},
    {" strip lstrip rstrip ", 1, MAY_BE_NONE, "@ arg must be None or str, not $", NULL},
    {" split rsplit ", 1, MAY_BE_NONE, "must be str or None, not $", NULL},
    {" partition rpartition ", 1, 0, "must be str, not $", NULL},
    {" replace ", 1, 0, "@() argument 1 must be str, not $", NULL},
    {" replace ", 2, 0, "@() argument 2 must be str, not $", NULL},
    {" ljust rjust center ", 2, 0, "The fill character must be a unicode character, not $", NULL},
};

static bool
is_bytes_like(const Type *t)
{
    return type_is_bytes(t) || type_heap_has(t, HEAP_BYTES);
}

/* Is it certainly none of what the method takes? What is left may be, or is told of elsewhere. */
static bool
is_no_text(const struct Taken *row, bool bytes, const Type *t)
{
    bool none = t->kind == TY_NONE, tuple = t->kind == TY_TUPLE || type_is_heap(t, &heap_tuple);
    if (type_is_str(t) || is_bytes_like(t))
        return type_is_str(t) == bytes;
    if (t->kind == TY_SCALAR)
        return !(bytes && row->may & MAY_BE_INT && !dtype_is_float((DType)t->dtype));
    if (none || tuple)
        return !(row->may & (none ? MAY_BE_NONE : MAY_BE_TUPLE)) && !t->names;
    return t->kind == TY_REF || t->kind == TY_LIST || t->kind == TY_ARRAY;
}

static void
no_text(Sema *s, const Node *at, const struct Taken *row, bool bytes, const char *method,
        const Type *t)
{
    const char *fmt = bytes ? row->of_bytes : row->of_str, *name = class_name(s, t);
    StrBuf b = {0};
    if (!fmt)
        fmt = "a bytes-like object is required, not '$'";
    for (; *fmt; fmt++)
        if (*fmt == '$' || *fmt == '@')
            sb_addf(&b, "%s", *fmt == '@' ? method : t->kind == TY_ARRAY ? "numpy.ndarray" : name);
        else
            sb_addf(&b, "%c", *fmt);
    Diag *d = sema_type_error(s, at, "%s", sb_keep(&b, s->a));
    int kind = kind_of(t);
    if (kind == ON_STR)
        diag_hint(s->diags, d, "bytes are written b\"...\"; .encode() makes bytes of a str");
    else if (kind == ON_BYTES)
        diag_hint(s->diags, d, ".decode() makes a str of bytes");
    else if (kind == ON_NUMBER && !bytes)
        hint_about(s, d, "str($) makes a string of it", subject(s, at, ON_NUMBER));
    else if (kind == ON_LIST && row->may & MAY_BE_TUPLE)
        diag_hint(s->diags, d, "several are a tuple: write (...) in place of [...]");
}

/* "-".join(v): what the parts are, where their type is known. */
static bool
joins(Sema *s, const Node *call, const Node *at, bool bytes, const Type *t)
{
    const Type *e = NULL;
    int i = 0;
    if (t->kind == TY_SCALAR || t->kind == TY_NONE) {
        sema_type_error(s, at, "can only join an iterable");
        return false;
    }
    if (t->kind == TY_TUPLE)
        for (; i < t->n && !e; i++)
            e = t->elems[i]->kind == TY_SCALAR ? t->elems[i] : NULL;
    else if (t->kind == TY_REF && !type_heap_has(t, HEAP_BYTES))
        e = type_resolve(s->tt, t->elems[0]);
    if (e && !bytes)
        site_beside(s, e, type_text(s->tt));
    if (!e || e->kind != TY_SCALAR || !e->weak)
        return true;
    const char *name = class_name(s, e);
    Diag *d = sema_type_error(s, at,
                              bytes ? "sequence item %d: expected a bytes-like object, %s found"
                                    : "sequence item %d: expected str instance, %s found",
                              i ? i - 1 : 0, name);
    const Node *sep = call->kid[0]->kind == N_Attribute ? call->kid[0]->kid[0] : NULL;
    if (!bytes && sep && sep->kind == N_Name)
        hint_about(s, d, arena_printf(s->a, "write %s.join(map(str, $))", sep->name),
                   subject(s, at, 0));
    else if (!bytes)
        hint_about(s, d, "strings of them are map(str, $)", subject(s, at, 0));
    return false;
}

/* A method of text, in a call whose arguments are bound: false after a message. */
bool
text_takes(Sema *s, const Node *call, const char *function, const Call *c, const Type *const *types)
{
    const char *method = strchr(function, '_');
    if (!method || function[0] == '_' || !types[0])
        return true;
    bool bytes = is_bytes_like(types[0]);
    if (!bytes && !type_is_str(types[0]))
        return true;
    method++;
    for (int i = 0; i < SW_LEN(taken); i++) {
        const struct Taken *row = &taken[i];
        const Node *at = sema_arg_node(c, row->arg);
        if (!names_it(row->methods, method) || !at || !is_no_text(row, bytes, types[row->arg]))
            continue;
        no_text(s, at, row, bytes, method, types[row->arg]);
        return false;
    }
    const Node *at = strcmp(method, "join") != 0 ? NULL : sema_arg_node(c, 1);
    return !at || joins(s, call, at, bytes, types[1]);
}

/* As Python has it: str_split is str.split, textwrap__wrap is textwrap.wrap. */
const char *
sema_public_name(Sema *s, const FuncDef *fd)
{
    const char *mark = fd->name[0] == '_' ? NULL : strchr(fd->name, '_');
    if (!mark || !mark[1])
        return fd->name;
    char *owner = arena_printf(s->a, "%.*s", (int)(mark - fd->name), fd->name);
    const char *name = mark + 1 + (mark[1] == '_');
    bool text = !strcmp(owner, "str") || !strcmp(owner, "bytes");
    if (mark[1] == '_' || (fd->is_lib && (text || heap_class(owner))))
        return arena_printf(s->a, "%s.%s", owner, name);
    return fd->name;
}

/* x[i] = v of what doesn't change */
void
sema_no_item_store(Sema *s, const Node *at, const Type *t)
{
    Diag *d =
        sema_type_error(s, at, "'%s' object does not support item assignment", class_name(s, t));
    list_want_functions(s, t);
    if (type_is_str(t))
        diag_hint(s->diags, d,
                  "a str does not change: make a new one, as in s[:i] + x + s[i + 1:], or a list "
                  "of its characters");
    else if (t->kind == TY_TUPLE && !t->listed)
        diag_hint(s->diags, d, "tuples do not change; make a new one");
    else if (t->kind == TY_TUPLE && type_is_function(t->elems[0]))
        diag_hint(s->diags, d,
                  "a list of functions that is an argument keeps those that it has: make a list "
                  "of it, with list(...)");
    else if (t->kind == TY_TUPLE)
        diag_hint(s->diags, d,
                  "a list of unlike arrays keeps those that it has: store into one, as in "
                  "a[i][...] = x or a[i] *= x");
}
