/* SPDX-License-Identifier: BSD-3-Clause
 * Where a function's text is: the lines that linecache has for its file (which covers
 * files, notebooks' cells, and the prompt of Python >= 3.13), the text of `python -c`, or one that
 * is in no file (unfiled.c).
 * Takes a code object, yields CPython's _ast node of the function. The hard part is to
 * parse only the function and not its file: scan_block finds its last line by
 * indentation, with just enough of a lexer to know brackets and strings that span lines.
 * An indented function is parsed below an `if 1:`, so that columns and the insides of
 * strings stay what they are. Lambdas can be anywhere in a statement: for them the whole
 * file is parsed. */
#include "py.h"
#include "source.h"
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- the end of a block ---------------------------------------------------------------------- */

enum { MAX_MODES = 40 };

/* What the scanner is inside of: brackets, strings, fields of f-strings. */
typedef struct Scan {
    struct Mode {
        char what; /* '(' bracket, '"' or '\'' string, '{' field of an f-string */
        bool triple, format;
    } at[MAX_MODES];

    int n;
    bool continued; /* the line ended in a backslash */
} Scan;

static void
scan_push(Scan *s, char what, bool triple, bool format)
{
    if (s->n < MAX_MODES)
        s->at[s->n++] = (struct Mode){what, triple, format};
}

static const char *
scan_in_string(Scan *s, const char *p)
{
    struct Mode *m = &s->at[s->n - 1];
    if (*p == '\\' && p[1])
        return p + 2;
    if (*p == m->what && (!m->triple || (p[1] == m->what && p[2] == m->what))) {
        s->n--;
        return p + (m->triple ? 3 : 1);
    }
    if (m->format && *p == '{') {
        if (p[1] == '{')
            return p + 2;
        scan_push(s, '{', false, false);
    }
    return p + 1;
}

static bool
has_format_prefix(const char *start, const char *quote)
{
    for (const char *p = quote - 1; p >= start && quote - p <= 2; p--) {
        if (strchr("fFtT", *p))
            return true;
        if (!strchr("rRbBuU", *p))
            return false;
    }
    return false;
}

static void
scan_line(Scan *s, const char *line)
{
    const char *p = line;
    s->continued = false;
    while (*p && *p != '\n') {
        struct Mode *m = s->n ? &s->at[s->n - 1] : NULL;
        if (m && (m->what == '"' || m->what == '\'')) {
            p = scan_in_string(s, p);
            continue;
        }
        if (*p == '#')
            return;
        if (*p == '"' || *p == '\'') {
            bool triple = p[1] == *p && p[2] == *p;
            scan_push(s, *p, triple, has_format_prefix(line, p));
            p += triple ? 3 : 1;
            continue;
        }
        if (strchr("([{", *p))
            scan_push(s, '(', false, false);
        else if (strchr(")]}", *p) && s->n > 0)
            s->n--;
        else if (*p == '\\' && (p[1] == '\n' || p[1] == '\r'))
            s->continued = true;
        p++;
    }
    struct Mode *m = s->n ? &s->at[s->n - 1] : NULL;
    if (m && (m->what == '"' || m->what == '\'') && !m->triple && p > line && p[-1] != '\\')
        s->n--; /* an unterminated string: a syntax error that the parser shall report */
}

static int
indent_of(const char *line)
{
    return (int)strspn(line, " \t\f");
}

/* One line of the list, as UTF-8; NULL past the end. */
static const char *
line_at(PyObject *lines, Py_ssize_t i)
{
    return i < PyList_GET_SIZE(lines) ? PyUnicode_AsUTF8(PyList_GET_ITEM(lines, i)) : NULL;
}

/* Appends the block that starts at line `first` (decorators, header, body) to out. */
static void
scan_block(PyObject *lines, Py_ssize_t first, StrBuf *out)
{
    Scan s = {.n = 0};
    bool header = false;
    const char *line = line_at(lines, first);
    int base = line ? indent_of(line) : 0;
    for (Py_ssize_t i = first; (line = line_at(lines, i)); i++) {
        int in = indent_of(line);
        bool fresh = s.n == 0 && !s.continued;
        bool blank = !line[in] || strchr("#\r\n", line[in]);
        if (fresh && blank) {
            sb_add(out, line);
            continue;
        }
        if (fresh && header && in <= base)
            break;
        if (fresh && !header && (!strncmp(line + in, "def", 3) || !strncmp(line + in, "async", 5)))
            header = true;
        sb_add(out, line);
        scan_line(&s, line);
    }
    if (out->n && out->s[out->n - 1] != '\n')
        sb_add(out, "\n");
    while (out->n > 1 && out->s[out->n - 1] == '\n' && out->s[out->n - 2] == '\n')
        out->s[--out->n] = 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* The argument after -c of this process, when the function came from there. */
static PyObject *
dash_c_lines(In *in, const char *file)
{
    PyObject *argv = PySys_GetObject("orig_argv");
    PyObject *main_name = PyDict_GetItemString(in->globals, "__name__");
    if (strcmp(file, "<string>") || !argv || !PyList_Check(argv) || !main_name ||
        !PyUnicode_Check(main_name) || strcmp(PyUnicode_AsUTF8(main_name), "__main__"))
        return NULL;
    for (Py_ssize_t i = 1; i + 1 < PyList_GET_SIZE(argv); i++) {
        const char *a = PyUnicode_AsUTF8(PyList_GET_ITEM(argv, i));
        size_t n = a ? strlen(a) : 0;
        if (!a)
            PyErr_Clear();
        if (n >= 2 && a[0] == '-' && a[1] != '-' && a[n - 1] == 'c')
            return PyObject_CallMethod(PyList_GET_ITEM(argv, i + 1), "splitlines", "i", 1);
    }
    return NULL;
}

static PyObject *
prompt_lines(PyObject *linecache, PyObject *code)
{
    if (!PyObject_HasAttrString(linecache, "_getlines_from_code"))
        return NULL;
    return PyObject_CallMethod(linecache, "_getlines_from_code", "O", code);
}

static PyObject *
find_lines(In *in, PyObject *code, PyObject *file)
{
    State *st = in->st;
    const char *f = PyUnicode_AsUTF8(file);
    if (!f)
        return NULL;
    PyObject *r = f[0] == '<' ? prompt_lines(st->linecache, code)
                              : PyObject_CallMethod(st->linecache, "checkcache", "O", file);
    if (r && PyList_Check(r) && PyList_GET_SIZE(r) > 0)
        return r;
    Py_XDECREF(r);
    PyErr_Clear();
    r = PyObject_CallMethod(st->linecache, "getlines", "OO", file, in->globals);
    if (r && PyList_Check(r) && PyList_GET_SIZE(r) > 0)
        return r;
    if (!r)
        return NULL;
    Py_DECREF(r);
    r = dash_c_lines(in, f);
    return r ? r : unfiled_lines(code, f);
}

/* ---- parsing --------------------------------------------------------------------------------- */

static PyObject *
parse_text(const char *text, PyObject *file)
{
    PyCompilerFlags flags = {.cf_flags = PyCF_ONLY_AST | PyCF_IGNORE_COOKIE,
                             .cf_feature_version = PY_MINOR_VERSION};
    PyObject *m = Py_CompileStringObject(text, file, Py_file_input, &flags, -1);
    if (!m &&
        (PyErr_ExceptionMatches(PyExc_SyntaxError) || PyErr_ExceptionMatches(PyExc_ValueError)))
        PyErr_Clear();
    return m;
}

static PyObject *
first_statement(State *st, PyObject *holder)
{
    PyObject *body = PyObject_GetAttr(holder, st->s_body), *r = NULL;
    if (body && PyList_Check(body) && PyList_GET_SIZE(body) > 0)
        r = Py_NewRef(PyList_GET_ITEM(body, 0));
    Py_XDECREF(body);
    PyErr_Clear();
    return r;
}

static int
attr_int(PyObject *o, PyObject *name)
{
    PyObject *v = PyObject_GetAttr(o, name);
    int r = v ? (int)PyLong_AsLong(v) : -1;
    Py_XDECREF(v);
    PyErr_Clear();
    return r;
}

/* Do the parameters' names of an _ast function agree with the code's? */
static bool
same_params(In *in, PyObject *node, PyObject *code)
{
    State *st = in->st;
    PyObject *args = in_get(in, node, st->s_args);
    PyObject *names = PyObject_GetAttr(code, st->s_co_varnames);
    PyObject *fields[] = {st->s_posonlyargs, st->s_args, st->s_kwonlyargs};
    Py_ssize_t at = 0;
    bool same = args && names;
    for (int k = 0; same && k < 3; k++) {
        PyObject *list = in_get(in, args, fields[k]);
        for (Py_ssize_t i = 0; list && same && i < PyList_GET_SIZE(list); i++, at++) {
            PyObject *a = in_get(in, PyList_GET_ITEM(list, i), st->s_arg);
            same = a && at < PyTuple_GET_SIZE(names) &&
                   PyUnicode_Compare(a, PyTuple_GET_ITEM(names, at)) == 0;
            Py_XDECREF(a);
        }
        Py_XDECREF(list);
    }
    same =
        same && at == attr_int(code, st->s_co_argcount) + attr_int(code, st->s_co_kwonlyargcount);
    Py_XDECREF(args);
    Py_XDECREF(names);
    return same;
}

static bool
is_function(In *in, PyObject *node, PyObject *code)
{
    if (!node || in_kind(in, node) != A_FunctionDef)
        return false;
    PyObject *name = in_get(in, node, in->st->s_name);
    PyObject *co_name = PyObject_GetAttr(code, in->st->s_co_name);
    bool same = name && co_name && PyUnicode_Compare(name, co_name) == 0;
    Py_XDECREF(name);
    Py_XDECREF(co_name);
    return same && same_params(in, node, code);
}

/* Parses the block at `first` (0-based line). NULL where that gives another thing. */
static PyObject *
parse_block(In *in, PyObject *code, PyObject *lines, int first, PyObject *file, int *shift)
{
    StrBuf text = {0}, wrapped = {0};
    scan_block(lines, first, &text);
    if (!text.s)
        return NULL;
    bool indented = indent_of(text.s) > 0;
    if (indented)
        sb_add(&wrapped, "if 1:\n");
    sb_add(&wrapped, text.s);
    PyObject *module = parse_text(wrapped.s, file), *node = NULL;
    if (module) {
        node = first_statement(in->st, module);
        if (node && indented)
            Py_SETREF(node, first_statement(in->st, node));
    }
    *shift = first - (indented ? 1 : 0);
    in->src->text = sb_keep(&text, &in->cx->arena);
    in->src->first_line = first + 1;
    sb_free(&wrapped);
    Py_XDECREF(module);
    if (node && !is_function(in, node, code))
        Py_CLEAR(node);
    return node;
}

/* ---- anywhere in a file ---------------------------------------------------------------------- */

typedef struct Find {
    In *in;
    PyObject *code, *found;
    int line, n_found;
    int extent[4]; /* of the code: line, col, end line, end col; for lambdas of one line
                    */
    bool lambda, has_extent;
} Find;

static bool
covers(Find *f, PyObject *node)
{
    Span s = in_span(f->in, node);
    const int *e = f->extent;
    return (s.line < e[0] || (s.line == e[0] && s.col <= e[1])) &&
           (s.end_line > e[2] || (s.end_line == e[2] && s.end_col >= e[3]));
}

static int
start_line(Find *f, PyObject *node)
{
    State *st = f->in->st;
    int line = attr_int(node, st->s_lineno);
    PyObject *list = f->lambda ? NULL : PyObject_GetAttr(node, st->s_decorator_list);
    if (list && PyList_GET_SIZE(list) > 0)
        line = attr_int(PyList_GET_ITEM(list, 0), st->s_lineno);
    Py_XDECREF(list);
    return line;
}

static void
find_consider(Find *f, PyObject *node, PyAst k)
{
    bool fits = f->lambda ? k == A_Lambda && same_params(f->in, node, f->code)
                          : k == A_FunctionDef && is_function(f->in, node, f->code);
    if (!fits || start_line(f, node) != f->line || (f->has_extent && !covers(f, node)))
        return;
    f->n_found = f->has_extent ? 1 : f->n_found + 1; /* the innermost of nested ones wins */
    Py_XSETREF(f->found, Py_NewRef(node));
}

static void
find_walk(Find *f, PyObject *o)
{
    if (PyList_Check(o)) {
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(o); i++)
            find_walk(f, PyList_GET_ITEM(o, i));
        return;
    }
    PyObject *fields = PyObject_GetAttr((PyObject *)Py_TYPE(o), f->in->st->s__fields);
    if (!fields) {
        PyErr_Clear();
        return;
    }
    PyAst k = in_kind(f->in, o);
    if (k == A_Lambda || k == A_FunctionDef)
        find_consider(f, o, k);
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(fields); i++) {
        PyObject *v = PyObject_GetAttr(o, PyTuple_GET_ITEM(fields, i));
        if (v && !PyUnicode_Check(v) && !PyLong_Check(v) && v != Py_None)
            find_walk(f, v);
        PyErr_Clear();
        Py_XDECREF(v);
    }
    Py_DECREF(fields);
}

static void
extend_extent(Find *f, PyObject *pos)
{
    int v[4];
    static const int from[4] = {0, 2, 1, 3}; /* line, end line, col, end col */
    for (int i = 0; i < 4; i++) {
        PyObject *x = PyTuple_GET_ITEM(pos, from[i]);
        if (x == Py_None)
            return;
        v[i] = (int)PyLong_AsLong(x);
    }
    if (v[0] == v[2] && v[1] == v[3])
        return; /* RESUME and its like */
    int *e = f->extent;
    if (!f->has_extent || v[0] < e[0] || (v[0] == e[0] && v[1] < e[1]))
        e[0] = v[0], e[1] = v[1];
    if (!f->has_extent || v[2] > e[2] || (v[2] == e[2] && v[3] > e[3]))
        e[2] = v[2], e[3] = v[3];
    f->has_extent = true;
}

/* Python >= 3.11 knows the columns of each instruction. */
static void
find_extent(Find *f)
{
    PyObject *list = PyObject_CallMethod(f->code, "co_positions", NULL);
    PyObject *seq = list ? PySequence_List(list) : NULL;
    for (Py_ssize_t i = 0; seq && i < PyList_GET_SIZE(seq); i++)
        extend_extent(f, PyList_GET_ITEM(seq, i));
    Py_XDECREF(list);
    Py_XDECREF(seq);
    PyErr_Clear();
}

/* The lines of `at` are the function's text. */
static void
take_text(In *in, PyObject *lines, Span at)
{
    StrBuf b = {0};
    for (int i = at.line - 1; i < at.end_line; i++)
        sb_add(&b, line_at(lines, i) ? line_at(lines, i) : "\n");
    in->src->first_line = at.line;
    in->src->text = sb_keep(&b, &in->cx->arena);
}

static PyObject *
parse_file(In *in, PyObject *code, PyObject *lines, bool lambda, PyObject *file, const char **why)
{
    PyObject *empty = PyUnicode_FromString("");
    PyObject *text = empty ? PyUnicode_Join(empty, lines) : NULL;
    Py_XDECREF(empty);
    const char *s = text ? PyUnicode_AsUTF8(text) : NULL;
    PyObject *module = s ? parse_text(s, file) : NULL;
    Find f = {.in = in, .code = code, .lambda = lambda};
    f.line = attr_int(code, in->st->s_co_firstlineno);
    in->line_shift = 0;
    if (module) {
        PyObject *body = PyObject_GetAttr(module, in->st->s_body);
        if (lambda)
            find_extent(&f);
        if (body)
            find_walk(&f, body);
        Py_XDECREF(body);
    }
    *why = module ? "its file has changed since it was imported" : "its file can't be parsed";
    if (f.n_found > 1) {
        *why = "its line has several lambdas that look alike";
        Py_CLEAR(f.found);
    }
    if (f.found)
        take_text(in, lines, in_span(in, f.found));
    Py_XDECREF(module);
    Py_XDECREF(text);
    return f.found;
}

/* Functions of a dialect (see swathe.compat.cudapy) bring the tree that they are to be read as,
 * with the lines of their file: func._swathe_tree is (node, does `/` divide integers?). */
static PyObject *
own_tree(In *in, PyObject *lines)
{
    PyObject *attrs = ((PyFunctionObject *)in->func)->func_dict, *node = NULL;
    PyObject *own = attrs ? PyDict_GetItem(attrs, in->st->s__swathe_tree) : NULL;
    int divide = 0;
    if (own && PyArg_ParseTuple(own, "Op", &node, &divide)) {
        Py_INCREF(node);
        in->fn->int_divide = divide;
        take_text(in, lines, in_span(in, node));
    }
    PyErr_Clear();
    return node;
}

/* ---- files that are edited ------------------------------------------------------------------- */

static double
seconds(clockid_t clock)
{
    struct timespec t = {0};
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* When this process began, by the clock of files, and a second before that. A fork has the
 * time of its parent, in which its modules were imported. */
double
source_begin(void)
{
    enum { START = 22 }; /* of the fields of proc(5)'s stat, in ticks since the machine began */
    double now = seconds(CLOCK_REALTIME), since = 0;
    char text[1024];
    FILE *f = fopen("/proc/self/stat", "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = 0;
    const char *p = strrchr(text, ')'); /* the end of field 2, which may hold anything */
    for (int field = 2; p && field < START; field++)
        p = strchr(p + 1, ' ');
    if (p)
        since = seconds(CLOCK_BOOTTIME) - strtod(p, NULL) / (double)sysconf(_SC_CLK_TCK);
    return now - (since > 0 ? since : 0) - 1;
}

/* Is the text of the file that of which Python made the code? The change of an inode has
 * a time that no tool can set back. What linecache has for a name that is no file's may have been
 * put there anew, but by ourselves. */
static bool
source_is_that_of(In *in, PyObject *code, PyObject *lines)
{
    struct stat at;
    bool file = stat(in->src->file, &at) == 0;
    bool own = !strncmp(in->src->file, "<swathe", 7);
    if (file ? (double)at.st_ctim.tv_sec < in->st->began : own)
        return true;
    PyObject *m = late_import("swathe._source");
    const char *ask = file ? "unchanged" : "may_be_of";
    PyObject *r = m ? PyObject_CallMethod(m, ask, "OOO", code, lines, in->globals) : NULL;
    bool same = r && PyObject_IsTrue(r) > 0;
    Py_XDECREF(m);
    Py_XDECREF(r);
    return same;
}

PyObject *
in_source(In *in, PyObject *code, Source **src, int *shift, const char **why)
{
    State *st = in->st;
    PyObject *file = PyObject_GetAttr(code, st->s_co_filename);
    PyObject *name = PyObject_GetAttr(code, st->s_co_name);
    PyObject *lines = NULL, *node = NULL;
    if (!file || !name)
        goto done;
    in->src = *src = NEW(&in->cx->arena, Source);
    in->src->file = arena_str(&in->cx->arena, PyUnicode_AsUTF8(file));
    in->src->func = arena_str(&in->cx->arena, PyUnicode_AsUTF8(name));
    in->src->text = "";
    in->src->first_line = attr_int(code, st->s_co_firstlineno);
    lines = find_lines(in, code, file);
    *why = "there is no text of its file";
    *shift = 0;
    if (!lines || (node = own_tree(in, lines)))
        goto done;
    int first = in->src->first_line - 1;
    bool lambda = !strcmp(in->src->func, "<lambda>");
    if (!lambda && first >= 0 && first < PyList_GET_SIZE(lines))
        node = parse_block(in, code, lines, first, file, shift);
    if (!node && !PyErr_Occurred()) {
        *shift = 0;
        node = parse_file(in, code, lines, lambda, file, why);
    }
    if (node && !source_is_that_of(in, code, lines)) {
        *why = in->src->file[0] == '<' ? "its text has been replaced since it was made"
                                       : "its file has changed since it was imported";
        Py_CLEAR(node);
    }
done:
    Py_XDECREF(lines);
    Py_XDECREF(file);
    Py_XDECREF(name);
    return node;
}

/* ---- whose it is ----------------------------------------------------------------------------- */

bool
in_is_library(const char *module)
{
    static const char *const own[] = {
        "swathe._operator",    "swathe._heapq",       "swathe._bisect",      "swathe._stdlib",
        "swathe._functools",   "swathe._itertools",   "swathe._numbers",     "swathe._random",
        "swathe._time",        "swathe._methods",     "swathe._re",          "swathe._files",
        "swathe._copy",        "swathe._resumed",     "swathe._struct",      "swathe._modules",
        "swathe._yielding",    "swathe._typed_code",  "swathe._polynomials", "swathe._memoryview",
        "swathe._text_arrays", "swathe._text_methods"};
    for (int i = 0; i < SW_LEN(own); i++)
        if (!strcmp(module, own[i]))
            return true;
    return !strncmp(module, "swathe.lib", 10) || !strncmp(module, "swathe.compat", 13);
}

bool
in_is_installed(PyFunctionObject *f)
{
    PyObject *file = PyObject_GetAttrString(f->func_code, "co_filename");
    const char *path = file && PyUnicode_Check(file) ? PyUnicode_AsUTF8(file) : NULL;
    bool found = path && (strstr(path, "/site-packages/") || strstr(path, "/dist-packages/"));
    PyErr_Clear();
    Py_XDECREF(file);
    return found;
}
