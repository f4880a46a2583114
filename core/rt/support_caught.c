/* SPDX-License-Identifier: BSD-3-Clause
 * The text of an exception in that of another, and caught exceptions as values: an array of i64
 * holds an SwError, as it is. What compiled code asks of one: its text, its arguments, to be raised
 * again. */
#include "ir/ir.h"
#include "rt/rt.h"
#include <stdio.h>
#include <stdlib.h>

char *(*rt_python_text)(int64_t number, int64_t what);

typedef struct Known {
    int32_t site;
    const char *exc, *message;
} Known;

static const Known known[] = {
    {SW_ERR_MEMORY, "MemoryError", "out of memory"},
    {SW_ERR_INTERRUPT, "KeyboardInterrupt", ""},
    {SW_ERR_NEG_DIM, "ValueError", "negative dimensions are not allowed"},
    {SW_ERR_TOO_BIG, "ValueError",
     "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size."},
    {SW_ERR_RECURSION, "RecursionError", "maximum recursion depth exceeded"},
    {SW_ERR_NO_PYTHON, "RuntimeError", "Python can't be called from here"},
};

/* ---- texts ----------------------------------------------------------------------------------- */

const char *
rt_known_error(int32_t site, const char **exc)
{
    for (int i = 0; i < SW_LEN(known); i++)
        if (known[i].site == site) {
            *exc = known[i].exc;
            return known[i].message;
        }
    return NULL;
}

static const char *
text_of(const StrBuf *b) /* "" where there was no memory for it */
{
    return b->s ? b->s : "";
}

/* As repr() has a str. */
static void
add_quoted(StrBuf *out, const char *s)
{
    char quote = strchr(s, '\'') && !strchr(s, '"') ? '"' : '\'';
    sb_addf(out, "%c", quote);
    for (const unsigned char *p = (const unsigned char *)s; *p; p++) {
        const char *plain = strchr("\nn\rr\tt\\\\", *p);
        bool narrow = p[0] == 0xc2 && (p[1] < 0xa1 || p[1] == 0xad); /* U+0080 to U+00A0, U+00AD */
        if (*p == (unsigned char)quote)
            sb_addf(out, "\\%c", quote);
        else if (plain && *p < ' ')
            sb_addf(out, "\\%c", plain[1]);
        else if (*p == '\\')
            sb_add(out, "\\\\");
        else if (*p < ' ' || *p == 0x7f || narrow)
            sb_addf(out, "\\x%02x", narrow ? *++p : *p);
        else
            sb_addf(out, "%c", *p);
    }
    sb_addf(out, "%c", quote);
}

/* What it says, where that is no argument; NULL. */
static const char *
says_itself(const char *format)
{
    for (const char *p = format; p[0] == '%' || (p = strchr(p, '%')); p += 2) {
        if (!p[1])
            return NULL;
        if ((p[1] == '(' || p[1] == ',') && p[2] == 'W')
            return p + 3;
    }
    return NULL;
}

static void add_expanded(StrBuf *out, const SwFunction *fn, const SwText *t, const SwText *inner,
                         int n);

/* str() of an exception; KeyError's is that of its argument as repr() has it. */
static void
add_string(StrBuf *out, const SwFunction *fn, const SwText *t, const SwText *inner, int n)
{
    const char *exc, *text = rt_known_error(t->site, &exc);
    const SwSite *site = rt_site(fn, t->site);
    if (text || !site) {
        sb_add(out, text ? text : "");
        return;
    }
    const char *class = site->exc;
    char *raised = NULL;
    if (class && !strcmp(class, EXC_PYTHON) && rt_python_text)
        raised = rt_python_text(t->a[0], ERR_TEXT_STR);
    if (raised) {
        sb_add(out, raised);
        free(raised);
        return;
    }
    StrBuf format = {0}, s = {0};
    uint64_t a[4];
    memcpy(a, t->a, sizeof a);
    sb_add(&format, "");
    sb_add(&s, "");
    add_expanded(&format, fn, t, inner, n);
    const char *f = text_of(&format);
    bool args = !strncmp(f, "%(", 2);
    const char *says = args ? says_itself(f) : NULL;
    rt_format(&s, says ? says : f, a, SW_LEN(a));
    bool text_alone = says ? false : !args ? *f != 0 : (f[2] | 32) == 's' && !rt_many_args(f);
    if (text_alone && site->exc && ir_exc_derives(site->exc, "KeyError"))
        add_quoted(out, text_of(&s));
    else
        sb_add(out, text_of(&s));
    sb_free(&format);
    sb_free(&s);
}

/* The format of its message, with what "%E" stands for; what is nested deeper than is kept is three
 * dots. */
static void
add_expanded(StrBuf *out, const SwFunction *fn, const SwText *t, const SwText *inner, int n)
{
    for (const char *p = rt_site(fn, t->site)->format; p && *p; p++) {
        if (p[0] != '%' || p[1] != 'E') {
            sb_addn(out, p, *p == '%' && p[1] ? 2 : 1);
            p += *p == '%' && p[1];
            continue;
        }
        StrBuf s = {0};
        sb_add(&s, "");
        if (n)
            add_string(&s, fn, inner, inner + 1, n - 1);
        else
            sb_add(&s, "...");
        for (const char *q = text_of(&s); *q; q++)
            sb_addn(out, *q == '%' ? "%%" : q, *q == '%' ? 2 : 1);
        sb_free(&s);
        p++;
    }
}

char *
rt_error_string(const SwFunction *fn, const SwError *e)
{
    StrBuf out = {0};
    SwText t = {e->site, {e->a[0], e->a[1], e->a[2], e->a[3]}};
    sb_add(&out, "");
    add_string(&out, fn, &t, e->texts, e->n_texts);
    return out.s;
}

char *
rt_message_format(const SwFunction *fn, const SwError *e)
{
    StrBuf out = {0};
    SwText t = {.site = e->site};
    const SwSite *s = rt_site(fn, e->site);
    if (!s || !s->format)
        return NULL;
    sb_add(&out, "");
    add_expanded(&out, fn, &t, e->texts, e->n_texts);
    return out.s;
}

/* ---- values ---------------------------------------------------------------------------------- */

static const SwError *
held(const SwDesc *d)
{
    return (const SwError *)(const void *)d->data;
}

void
sw_err_look(SwCtx *cx, const SwDesc *into)
{
    SwError *e = (SwError *)(void *)into->data;
    *e = *cx->handled;
    e->context = e->cause = NULL; /* the handler has them, which outlives this */
    e->payload = NULL;
}

void
sw_err_nest(SwCtx *cx, const SwDesc *from)
{
    const SwError *e = held(from);
    cx->nest[0] = (SwText){e->site, {e->a[0], e->a[1], e->a[2], e->a[3]}};
    cx->n_nest = 1;
    for (int i = 0; i < e->n_texts && cx->n_nest < SW_MAX_TEXTS; i++)
        cx->nest[cx->n_nest++] = e->texts[i];
}

int
sw_err_give(SwCtx *cx, const SwDesc *from)
{
    const SwError *e = cx->handled;
    cx->err = *held(from);
    while (e && e->id != cx->err.id)
        e = e->up;
    if (e)
        rt_error_share(&cx->err, e);
    return 1;
}

void
sw_err_print(SwCtx *cx, const SwDesc *from)
{
    char *text = cx->fn ? rt_error_string(cx->fn, held(from)) : NULL;
    if (text && rt_write_hook)
        rt_write_hook(text, strlen(text));
    else if (text)
        fwrite(text, 1, strlen(text), stdout);
    free(text);
}

/* The code point at p, which is UTF-8 of valid code points, of surrogates too. */
static const char *
code_point(const char *p, uint32_t *c)
{
    unsigned char lead = (unsigned char)*p++;
    int more = lead < 0xc0 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    *c = more ? lead & (0x3fu >> more) : lead;
    for (; more && (*p & 0xc0) == 0x80; more--)
        *c = *c << 6 | (*p++ & 0x3f);
    return p;
}

/* The name of the class without its bases ("m.E<ValueError"), its module, and the number of the
 * second of that name in a process: "m.E.2". */
static void
add_class(StrBuf *out, const char *exc)
{
    size_t n = strcspn(exc, "<"), k = n;
    while (k && exc[k - 1] >= '0' && exc[k - 1] <= '9')
        k--;
    n = k && k < n && exc[k - 1] == '.' ? k - 1 : n;
    for (k = n; k && exc[k - 1] != '.';)
        k--;
    sb_addn(out, exc + k, n - k);
}

static const char *
class_of(const SwCtx *cx, const SwError *e)
{
    const char *exc = NULL;
    const SwSite *s = rt_known_error(e->site, &exc) ? NULL : rt_site(cx->fn, e->site);
    exc = s ? s->exc : exc;
    return exc ? exc : "Exception";
}

static void
add_arg(StrBuf *out, const RtPayload *a)
{
    bool text = a->kind == 's' || a->kind == 'S';
    bool numpy = a->kind == 'n' && a->dtype >= 0 && a->dtype < DT_COUNT;
    if (text)
        add_quoted(out, a->text ? a->text : "");
    else if (numpy && a->dtype == DT_bool)
        sb_addf(out, "np.%s_", a->text);
    else if (numpy)
        sb_addf(out, "np.%s(%s)", dtype_info[a->dtype].name, a->text);
    else
        sb_add(out, a->text ? a->text : "");
}

/* repr(), or its k-th argument, a str. */
static void
add_parts(StrBuf *out, const SwCtx *cx, const SwError *e, int64_t k)
{
    RtPayload arg[8];
    uint64_t a[4];
    memcpy(a, e->a, sizeof a);
    char *format = rt_message_format(cx->fn, e);
    int n = format ? rt_payload(format, a, arg, SW_LEN(arg)) : -1;
    if (k < 0)
        sb_add(out, "(");
    if (n < 0) { /* a message */
        StrBuf text = {0};
        const char *exc, *fixed = rt_known_error(e->site, &exc);
        sb_add(&text, fixed ? fixed : "");
        if (format)
            rt_format(&text, format, a, SW_LEN(a));
        if (k == 0)
            sb_add(out, text_of(&text));
        else if (k < 0 && ((format && *format) || *text_of(&text)))
            add_quoted(out, text_of(&text));
        sb_free(&text);
    }
    for (int i = 0; i < n; i++) {
        if (k < 0 && i)
            sb_add(out, ", ");
        if (k < 0)
            add_arg(out, &arg[i]);
        else if (i == k)
            sb_add(out, arg[i].text ? arg[i].text : "");
        free(arg[i].text);
    }
    if (k < 0)
        sb_add(out, ")");
    free(format);
}

static char *
text_for(const SwCtx *cx, const SwError *e, int64_t what)
{
    StrBuf out = {0};
    if (!cx->fn || what == ERR_TEXT_STR)
        return cx->fn ? rt_error_string(cx->fn, e) : NULL;
    if (!strcmp(class_of(cx, e), EXC_PYTHON) && rt_python_text)
        return rt_python_text(e->a[0], what);
    sb_add(&out, "");
    if (what == ERR_TEXT_CLASS || what == ERR_TEXT_REPR)
        add_class(&out, class_of(cx, e));
    if (what != ERR_TEXT_CLASS)
        add_parts(&out, cx, e, what == ERR_TEXT_REPR ? -1 : what - ERR_TEXT_ARG);
    return out.s;
}

int64_t
sw_err_text(SwCtx *cx, const SwDesc *from, const SwDesc *into, int64_t what)
{
    char *text = text_for(cx, held(from), what);
    int64_t n = 0;
    uint32_t c;
    for (const char *p = text; p && *p; n++) {
        p = code_point(p, &c);
        if (n < into->shape[0])
            memcpy(into->data + 4 * n, &c, sizeof c);
    }
    free(text);
    return n;
}

/* Its k-th argument, where that is a number of this kind and dtype: see format.c. code 0: are there
 * k? */
static bool
find_number(const SwCtx *cx, const SwError *e, int64_t k, int64_t code, uint64_t *v)
{
    RtPayload arg[8];
    uint64_t a[4];
    bool found = false;
    memcpy(a, e->a, sizeof a);
    const SwSite *s = rt_site(cx->fn, e->site);
    int n = s ? rt_payload(s->format, a, arg, SW_LEN(arg)) : 0;
    if (n < 0 && code == 's' && !k && s && *s->format)
        found = true;
    if (!code)
        found = n < 0 ? k == (*s->format != 0) : n == k && s; /* n < 0: a text alone */
    for (int i = 0; i < n; i++) {
        bool text = (code & 255) == 's' && (arg[i].kind == 's' || arg[i].kind == 'S');
        if (i == k && (text || (arg[i].kind == (char)(code & 255) && arg[i].dtype == code >> 8))) {
            *v = arg[i].v[0];
            found = true;
        }
        free(arg[i].text);
    }
    return found;
}

int64_t
sw_err_has(SwCtx *cx, const SwDesc *from, int64_t k, int64_t code)
{
    uint64_t v;
    return find_number(cx, held(from), k, code, &v);
}

int64_t
sw_err_int(SwCtx *cx, const SwDesc *from, int64_t k, int64_t code)
{
    uint64_t v = 0;
    find_number(cx, held(from), k, code, &v);
    return (int64_t)v;
}

double
sw_err_float(SwCtx *cx, const SwDesc *from, int64_t k, int64_t code)
{
    uint64_t v = 0;
    double x;
    find_number(cx, held(from), k, code, &v);
    memcpy(&x, &v, sizeof x);
    return x;
}
