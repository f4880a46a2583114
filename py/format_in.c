/* SPDX-License-Identifier: BSD-3-Clause
 * "%d %s" % (a, b) and "{} {}".format(a, b) of format strings that are written out: f-strings. Both
 * evaluate all their arguments before they format any. An f-string doesn't, so that sema is told up
 * to where a later argument might change an earlier one (sema/expr.c). */
#include "py.h"

enum { MOST_FIELDS = 64, MOST_SPEC = 24, MOST_PARTS = 6 };

/* Of {:>{width}}: a text, and the argument behind it. */
typedef struct Part {
    const char *before;
    size_t n_before;
    int arg; /* -1: text alone */
} Part;

typedef struct Field {
    const char *before; /* text */
    size_t n_before;
    int arg;              /* which argument; -1: text alone */
    int op;               /* conversion */
    char spec[MOST_SPEC]; /* as in an f-string */
    const char *none;     /* of %: what is said of None, "" where None has a text */
    const char *key;      /* of %(key)s, which takes it from a mapping */
    bool is_char;         /* of %c */
    const char *path;     /* of {0.x} and {0[k]}, what stands behind the argument */
    size_t n_path;
    Part part[MOST_PARTS]; /* of a specification with fields */
    int n_parts;
} Field;

typedef struct Format {
    In *in;
    PyObject *at;
    Field field[MOST_FIELDS];
    int n, n_args;        /* fields; arguments that they ask for, one after the other */
    PyObject *args, *kws; /* borrowed; kws: NULL, or keywords, whose values are behind the args */
    PyObject *right;      /* of %, where from is told; borrowed */
    int n_keys;           /* of %: fields that take what they show from a mapping */
    const char
        *from; /* NULL, or the function of swathe._methods that takes it from the right side */
    Sym once;  /* NULL, or the variable that holds the right side, or what format(*x) is given */
    bool spread, is_set; /* it is format(*x); the variable is set by then */
    const char *wrong;   /* what CPython says of it */
} Format;

static Field *
add_field(Format *f, const char *from, const char *to)
{
    if (f->n == MOST_FIELDS)
        return NULL;
    f->field[f->n] = (Field){.before = from, .n_before = (size_t)(to - from), .arg = -1, .op = -1};
    return &f->field[f->n++];
}

/* ---- what is written ------------------------------------------------------------------------- */

/* One conversion, behind its %. NULL: not one that an f-string has. */
static const char *
read_percent(Format *f, Field *to, const char *p)
{
    char flags[8] = "", width[8] = "", *end = width;
    if (*p == '(') {
        size_t key = strcspn(p, ")");
        if (!p[key])
            return NULL;
        to->key = arena_printf(&f->in->cx->arena, "%.*s", (int)key - 1, p + 1);
        f->n_keys++;
        p += key + 1;
    }
    size_t n = strspn(p, "-+ 0#");
    if (n >= sizeof flags)
        return NULL;
    memcpy(flags, p, n);
    p += n;
    while (*p >= '0' && *p <= '9' && end < width + 4)
        *end++ = *p++;
    const char *precision = p;
    if (*p == '.')
        for (p++; *p >= '0' && *p <= '9' && p < precision + 4; p++)
            ;
    int n_precision = (int)(p - precision);
    bool left = strchr(flags, '-'), zero = strchr(flags, '0') && !left && *width;
    const char *sign = strchr(flags, '+') ? "+" : strchr(flags, ' ') ? " " : "";
    bool alternate = strchr(flags, '#');
    to->arg = f->n_args++;
    if (*p == 's' || *p == 'r' || *p == 'c') {
        if (*sign || strchr(flags, '0') || n_precision == 1 || (*p == 'c' && n_precision))
            return NULL;
        to->is_char = *p == 'c';
        to->op = *p == 'c' ? 's' : *p;
        to->none = "";
        if (*width || n_precision)
            snprintf(to->spec, sizeof to->spec, "%s%s%.*s",
                     !*width ? ""
                     : left  ? "<"
                             : ">",
                     width, n_precision, precision);
        return p + 1;
    }
    bool whole = *p && strchr("diuxXo", *p), real = *p && strchr("eEfFgG", *p);
    if ((!whole && !real) || (whole && n_precision) || n_precision == 1 ||
        (alternate && !strchr("xXo", *p)))
        return NULL;
    const char letter[2] = {*p == 'i' || *p == 'u' ? 'd' : *p};
    snprintf(to->spec, sizeof to->spec, "%s%s%s%s%s%.*s%s", left && *width ? "<" : "", sign,
             alternate ? "#" : "", zero ? "0" : "", width, n_precision, precision, letter);
    to->none = real ? "must be real number, not NoneType"
                    : arena_printf(&f->in->cx->arena, "%%%c format: %s is required, not NoneType",
                                   *p, *letter == 'd' ? "a real number" : "an integer");
    return p + 1;
}

static bool
scan_percent(Format *f, const char *p, const char *end)
{
    for (const char *from = p;; from = p) {
        p = memchr(p, '%', (size_t)(end - p));
        Field *to = add_field(f, from, p ? p : end);
        if (!p || !to)
            return to != NULL;
        if (p[1] == '%') {
            to->n_before++;
            p += 2;
        } else {
            p = read_percent(f, to, p + 1);
        }
        if (!p)
            return false;
    }
}

/* Which argument the keyword of n characters is; -1: none. */
static int
keyword(const Format *f, const char *name, size_t n)
{
    int at = -1;
    for (Py_ssize_t i = 0; f->kws && i < PyList_GET_SIZE(f->kws); i++) {
        PyObject *is = in_get(f->in, PyList_GET_ITEM(f->kws, i), f->in->st->s_arg);
        const char *text = is && PyUnicode_Check(is) ? PyUnicode_AsUTF8(is) : NULL;
        if (text && strlen(text) == n && !memcmp(text, name, n))
            at = (int)(PyTuple_GET_SIZE(f->args) - PyList_GET_SIZE(f->kws) + i);
        Py_XDECREF(is);
    }
    return at;
}

/* The argument of {}, {0}, {name}: what is behind it; NULL: it is none. */
static const char *
read_argument(Format *f, int *arg, const char *p, int *next)
{
    const char *from = p;
    size_t name = strcspn(p, "!:{}[].");
    int k = 0;
    for (; *p >= '0' && *p <= '9' && k < MOST_FIELDS; p++)
        k = 10 * k + *p - '0';
    if (name && from == p) {
        *arg = keyword(f, p, name);
        if (*arg < 0)
            f->wrong = arena_printf(&f->in->cx->arena, "no argument is named '%.*s'", (int)name, p);
        return *arg < 0 ? NULL : p + name;
    }
    bool plain = from == p;
    if ((plain ? *next < 0 : *next > 0) || k >= MOST_FIELDS) /* both kinds */
        return NULL;
    *arg = plain ? (*next)++ : k;
    if (!plain)
        *next = -1;
    return p;
}

static void
note_argument(Format *f, int arg)
{
    f->n_args = arg >= f->n_args ? arg + 1 : f->n_args;
}

/* A specification, behind its colon: a text, or texts and arguments in turn. */
static const char *
read_spec(Format *f, Field *to, const char *p, int *next)
{
    size_t n = strcspn(p, "{}");
    if (p[n] != '{') {
        if (n >= sizeof to->spec)
            return NULL;
        memcpy(to->spec, p, n);
        return p + n;
    }
    while (p && *p != '}') {
        Part *part = &to->part[to->n_parts];
        if (!*p || to->n_parts++ == MOST_PARTS)
            return NULL;
        n = strcspn(p, "{}");
        *part = (Part){p, n, -1};
        p += n;
        if (*p != '{')
            continue;
        p = read_argument(f, &part->arg, p + 1, next);
        p = p && *p == '}' ? p + 1 : NULL;
        if (p)
            note_argument(f, part->arg);
    }
    return p;
}

/* {}, {0}, {name}, {0.x}, {!r}, {:5.2f}: behind the brace. */
static const char *
read_braces(Format *f, Field *to, const char *p, int *next)
{
    p = read_argument(f, &to->arg, p, next);
    if (!p)
        return NULL;
    note_argument(f, to->arg);
    to->path = p;
    while (*p == '.' || *p == '[') {
        size_t n = strcspn(p + 1, *p == '[' ? "]{}" : "!:{}[].");
        if (!n || (*p == '[' && p[n + 1] != ']'))
            return NULL;
        p += n + 1 + (*p == '[');
    }
    to->n_path = (size_t)(p - to->path);
    if (*p == '!') {
        to->op = p[1];
        if (to->op != 'r' && to->op != 's')
            return NULL;
        p += 2;
    }
    if (*p == ':')
        p = read_spec(f, to, p + 1, next);
    return p && *p == '}' ? p + 1 : NULL;
}

static bool
scan_braces(Format *f, const char *p, const char *end)
{
    int next = 0;
    for (const char *from = p; p; from = p) {
        p += strcspn(p, "{}");
        Field *to = add_field(f, from, p);
        if (!to || p == end)
            return to != NULL;
        if (p[1] == *p) {
            to->n_before++;
            p += 2;
        } else {
            p = *p == '{' ? read_braces(f, to, p + 1, &next) : NULL;
        }
    }
    return false;
}

/* ---- what is made of it ---------------------------------------------------------------------- */

/* Whether it may change a list or an array that an earlier argument is. */
static bool
may_change(const Node *n)
{
    static const char *const plain[] = {"abs", "bool", "float", "int", "len", "max",
                                        "min", "repr", "round", "str", "sum"};
    if (!n)
        return false;
    if (n->kind == N_Yield || n->kind == N_NamedExpr)
        return true;
    if (n->kind == N_Call) {
        const Node *g = n->kid[0];
        bool known =
            g->kind == N_Attribute && g->kid[0]->kind == N_Name && !strcmp(g->kid[0]->name, "math");
        for (int i = 0; g->kind == N_Name && i < SW_LEN(plain); i++)
            known |= !strcmp(plain[i], g->name);
        if (!known)
            return true;
    }
    for (int i = 0; i < n->n; i++)
        if (may_change(n->kid[i]))
            return true;
    return false;
}

/* Whether the fields take the arguments in turn; else these must be names and constants. */
static bool
in_order(const Format *f, PyObject *args)
{
    unsigned char used[MOST_FIELDS] = {0};
    bool turn = true, simple = true;
    int next = 0;
    for (int i = 0; i < f->n; i++)
        for (int k = -1; k < f->field[i].n_parts; k++) {
            int arg = k < 0 ? f->field[i].arg : f->field[i].part[k].arg;
            turn &= arg < 0 || arg == next++;
            if (arg >= 0)
                used[arg] = 1;
        }
    for (int i = 0; i < PySequence_Fast_GET_SIZE(args); i++) {
        PyAst k = in_kind(f->in, PySequence_Fast_GET_ITEM(args, i));
        bool plain = k == A_Name || k == A_Constant, shown = i < MOST_FIELDS && used[i];
        simple &= plain;
        if (k == A_Starred || (!shown && !plain))
            return false;
    }
    return turn || simple;
}

static Node *
node(Format *f, NodeKind k, int n)
{
    return ast_new(&f->in->cx->arena, f->in->fn, k, in_span(f->in, f->at), n);
}

static Node *
text_node(Format *f, const char *s, size_t size)
{
    Node *n = node(f, N_Const, 0);
    PyObject *o = PyUnicode_FromStringAndSize(s, (Py_ssize_t)size);
    n->val = o ? in_const(f->in, o, NULL) : NULL;
    f->in->failed |= !o;
    Py_XDECREF(o);
    return n;
}

/* A call of a function of swathe._methods. */
static Node *
call_node(Format *f, const char *name, int n, Node *const *arg)
{
    const Const *to = in_stdlib_method(f->in, "percent", name);
    Node *call = node(f, N_Call, 1 + n);
    call->kid[0] = node(f, N_Const, 0);
    call->kid[0]->val = to;
    f->in->failed |= !to;
    for (int i = 0; i < n; i++)
        call->kid[1 + i] = arg[i];
    if (to)
        in_mention(f->in, to);
    return call;
}

static Node *
number_node(Format *f, int i)
{
    Node *n = node(f, N_Const, 0);
    PyObject *o = PyLong_FromLong(i);
    n->val = o ? in_const(f->in, o, NULL) : NULL;
    f->in->failed |= !o;
    Py_XDECREF(o);
    return n;
}

static Node *
display_node(Format *f, PyObject *args)
{
    int n = (int)PySequence_Fast_GET_SIZE(args);
    Node *all = node(f, N_Tuple, n);
    for (int i = 0; i < n; i++)
        all->kid[i] = in_expr(f->in, PySequence_Fast_GET_ITEM(args, i));
    return all;
}

/* The right side where the first field shows it, later the variable. */
static Node *
once_node(Format *f)
{
    Node *name = node(f, N_Name, 0);
    name->name = f->once;
    name->op = f->is_set ? CTX_LOAD : CTX_STORE;
    if (f->is_set)
        return name;
    f->is_set = true;
    Node *set = node(f, N_NamedExpr, 2);
    set->kid[0] = name;
    set->kid[1] = f->spread ? display_node(f, f->args) : in_expr(f->in, f->right);
    return set;
}

static Node *
arg_node(Format *f, PyObject *args, int k)
{
    if (!f->spread)
        return in_expr(f->in, PySequence_Fast_GET_ITEM(args, k));
    Node *of[2] = {once_node(f)};
    of[1] = number_node(f, k);
    return call_node(f, "spread", 2, of);
}

/* v.x, v[3], v[key] */
static Node *
path_node(Format *f, const Field *d, Node *v, int *steps)
{
    const char *p = d->path, *end = p + d->n_path;
    for (; p < end; ++*steps) {
        bool index = *p++ == '[';
        size_t n = strcspn(p, index ? "]" : "!:{}[].");
        Node *of = node(f, index ? N_Subscript : N_Attribute, 1 + index);
        of->op = CTX_LOAD;
        of->kid[0] = v;
        if (!index)
            of->name = intern(&f->in->cx->syms, arena_printf(&f->in->cx->arena, "%.*s", (int)n, p));
        else if (n < 9 && strspn(p, "0123456789") >= n)
            of->kid[1] = number_node(f, atoi(p));
        else
            of->kid[1] = text_node(f, p, n);
        v = of;
        p += n + index;
    }
    return v;
}

/* The specification that texts and arguments make. */
static Node *
spec_node(Format *f, const Field *d, PyObject *args)
{
    Node *all = node(f, N_JoinedStr, 2 * d->n_parts);
    all->n = all->op = 0;
    for (int i = 0; i < d->n_parts; i++) {
        const Part *p = &d->part[i];
        if (p->n_before)
            all->kid[all->n++] = text_node(f, p->before, p->n_before);
        if (p->arg < 0)
            continue;
        Node *n = node(f, N_FormattedValue, 1);
        n->kid[0] = arg_node(f, args, p->arg);
        n->op = -1;
        all->kid[all->n++] = n;
    }
    return all;
}

static Node *
field_node(Format *f, const Field *d, PyObject *args, bool *changes)
{
    Node *n = node(f, N_FormattedValue, 1);
    n->at = in_span(f->in, f->spread ? f->at
                           : f->from ? f->right
                                     : PySequence_Fast_GET_ITEM(args, d->arg));
    n->kid[0] = !f->from  ? arg_node(f, args, d->arg)
                : f->once ? once_node(f)
                          : in_expr(f->in, f->right);
    if (f->from) {
        Node *of[3] = {n->kid[0]};
        of[1] = d->key ? text_node(f, d->key, strlen(d->key)) : number_node(f, d->arg);
        of[2] = d->key ? NULL : number_node(f, f->n_args);
        n->kid[0] = call_node(f, f->from, d->key ? 2 : 3, of);
    }
    if (d->is_char)
        n->kid[0] = call_node(f, "char", 1, (Node *[]){n->kid[0]});
    int *steps = NEW(&f->in->cx->arena, int);
    n->kid[0] = path_node(f, d, n->kid[0], steps);
    n->ops = steps;
    n->op = d->op;
    n->name = d->none ? intern(&f->in->cx->syms, d->none) : NULL;
    if (d->spec[0])
        n->val = text_node(f, d->spec, strlen(d->spec))->val;
    *changes = may_change(n->kid[0]);
    if (!*steps && !d->is_char && (!d->none || !*d->none)) /* else it is no text */
        in_format_choice(f->in, f->at, n);
    if (d->n_parts) {
        Node *spec = spec_node(f, d, args);
        *changes |= may_change(spec);
        in_format_by_call(f->in, f->at, n, spec);
    }
    return n;
}

/* "%s %r" % (a, b) of nothing but these is an f-string to CPython's compiler, too, which shows one
 * argument before it evaluates the next. */
static bool
is_f_string(const Format *f)
{
    bool is = PY_VERSION_HEX >= 0x030B0000 && f->right && in_kind(f->in, f->right) == A_Tuple;
    for (int i = 0; i < f->n; i++)
        is &= f->field[i].arg < 0 || (f->field[i].op >= 0 && !f->field[i].is_char);
    return is && !f->from;
}

static Node *
build(Format *f, PyObject *args)
{
    bool in_turn = is_f_string(f);
    Node *all = node(f, N_JoinedStr, 2 * f->n);
    all->n = all->op = 0;
    for (int i = 0; i < f->n; i++) {
        const Field *d = &f->field[i];
        if (d->n_before || (f->n == 1 && d->arg < 0))
            all->kid[all->n++] = text_node(f, d->before, d->n_before);
        if (d->arg < 0)
            continue;
        bool changes;
        Node *n = field_node(f, d, args, &changes);
        if (changes && !in_turn)
            all->op = all->n;
        all->kid[all->n++] = n;
    }
    return all;
}

static bool
has_starred(const Format *f)
{
    bool starred = false;
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(f->args); i++)
        starred |= in_kind(f->in, PySequence_Fast_GET_ITEM(f->args, i)) == A_Starred;
    return starred;
}

static void
hold_once(Format *f)
{
    Span at = in_span(f->in, f->at);
    f->once =
        intern(&f->in->cx->syms, arena_printf(&f->in->cx->arena, "percent.%d.%d", at.line, at.col));
}

/* "%s %s" % pair, "%(a)s" % d: a name stands on the right, which each field may ask. */
static bool
takes_whole(Format *f, PyObject *right)
{
    PyAst k = in_kind(f->in, right);
    bool starred = k == A_Tuple && has_starred(f);
    f->right = right;
    bool tuple = !f->n_keys && (starred ? f->n_args > 0 : f->n_args > 1), name = k == A_Name;
    bool other = k == A_Call || k == A_Attribute || k == A_Subscript || starred ||
                 (f->n_keys && k == A_Dict);
    if ((!name && !other) || (!tuple && (!f->n_keys || f->n_keys != f->n_args)))
        return false;
    f->from = tuple ? "element" : "entry";
    if (!name)
        hold_once(f);
    return true;
}

/* As many as there are fields; what CPython says is noted where they are certainly not. */
static bool
fits(Format *f, bool percent, PyObject *right)
{
    Py_ssize_t n = PySequence_Fast_GET_SIZE(f->args);
    for (Py_ssize_t i = 0; i < n; i++)
        if (in_kind(f->in, PySequence_Fast_GET_ITEM(f->args, i)) == A_Starred)
            return false;
    if (f->n_keys)
        return false;
    if (!percent && n < f->n_args)
        f->wrong =
            arena_printf(&f->in->cx->arena,
                         "Replacement index %d out of range for positional args tuple", (int)n);
    if (!percent)
        return n >= f->n_args;
    PyAst k = in_kind(f->in, right);
    bool display = k == A_Tuple || k == A_Constant || k == A_JoinedStr || k == A_BinOp;
    if (n != f->n_args && display && (n || f->n_args))
        f->wrong = n < f->n_args ? "not enough arguments for format string"
                                 : "not all arguments converted during string formatting";
    return n == f->n_args;
}

static Node *
formatted(In *in, PyObject *o, PyObject *text, PyObject *args, PyObject *kws, PyObject *right)
{
    bool percent = right != NULL;
    Format f = {.in = in, .at = o, .args = args, .kws = kws};
    Py_ssize_t size = 0;
    const char *s = PyUnicode_AsUTF8AndSize(text, &size);
    if (!s || strlen(s) != (size_t)size) {
        PyErr_Clear();
        return NULL;
    }
    bool fine = percent ? scan_percent(&f, s, s + size) : scan_braces(&f, s, s + size);
    bool whole = fine && percent && takes_whole(&f, right);
    f.spread = fine && !percent && has_starred(&f);
    if (f.spread) { /* of how many, the run tells */
        whole = f.n_args > 0 && (!kws || !PyList_GET_SIZE(kws));
        fine = whole;
        hold_once(&f);
    } else if (fine && !whole)
        fine = fits(&f, percent, right);
    if (f.wrong) {
        Node *says = text_node(&f, f.wrong, strlen(f.wrong));
        return call_node(&f, "wrong", 1, &says);
    }
    return fine && f.n_args > 0 && (whole || in_order(&f, args)) ? build(&f, args) : NULL;
}

/* The text of a constant; NULL: it is none. A new reference. */
static PyObject *
text_of(In *in, PyObject *e)
{
    PyObject *v = e && in_kind(in, e) == A_Constant ? in_get(in, e, in->st->s_value) : NULL;
    if (v && !PyUnicode_CheckExact(v))
        Py_CLEAR(v);
    return v;
}

/* "..." % right; NULL: another expression, or one that is refused as it is. */
Node *
in_percent(In *in, PyObject *o, PyObject *left, PyObject *right)
{
    PyObject *text = text_of(in, left), *args = NULL;
    if (text && right)
        args = in_kind(in, right) == A_Tuple ? in_get(in, right, in->st->s_elts)
                                             : PyTuple_Pack(1, right);
    Node *n = text && args ? formatted(in, o, text, args, NULL, right) : NULL;
    /* what isn't written as a tuple may be one */
    for (int i = 0; n && n->kind == N_JoinedStr && in_kind(in, right) == A_Tuple && i < n->n; i++)
        if (n->kid[i]->kind == N_FormattedValue && n->kid[i]->name && !*n->kid[i]->name)
            n->kid[i]->name = NULL;
    Py_XDECREF(text);
    Py_XDECREF(args);
    return n;
}

/* "...".format(args), likewise. */
Node *
in_format(In *in, PyObject *o, PyObject *func, PyObject *args, PyObject *kws)
{
    if (!func || !args || !kws || in_kind(in, func) != A_Attribute)
        return NULL;
    PyObject *name = in_get(in, func, in->st->s_attr), *of = in_get(in, func, in->st->s_value);
    bool is = name && PyUnicode_CompareWithASCIIString(name, "format") == 0;
    PyObject *text = is ? text_of(in, of) : NULL;
    Py_ssize_t n_args = PyList_GET_SIZE(args), n_all = n_args + PyList_GET_SIZE(kws);
    PyObject *all = text ? PyTuple_New(n_all) : NULL;
    for (Py_ssize_t i = 0; all && i < n_all; i++) {
        PyObject *v = i < n_args ? Py_NewRef(PyList_GET_ITEM(args, i))
                                 : in_get(in, PyList_GET_ITEM(kws, i - n_args), in->st->s_value);
        if (!v)
            Py_CLEAR(all);
        else
            PyTuple_SET_ITEM(all, i, v);
    }
    Node *n = all ? formatted(in, o, text, all, kws, NULL) : NULL;
    Py_XDECREF(all);
    Py_XDECREF(text);
    Py_XDECREF(name);
    Py_XDECREF(of);
    return n;
}
