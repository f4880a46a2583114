/* SPDX-License-Identifier: BSD-3-Clause
 * The text of an exception in that of another, and caught exceptions as values: an array of i64
 * holds an SwError, as it is. What compiled code asks of one: its text, its arguments, to be raised
 * again. */
#include "ir/ir.h"
#include "rt/rt.h"
#include <stdio.h>
#include <stdlib.h>

char *(*rt_python_text)(int64_t number);

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
        raised = rt_python_text(t->a[0]);
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
    bool unicode = class && !strncmp(class, "Unicode", 7);
    const char *says = unicode ? strstr(f, "%,W") : NULL;
    rt_format(&s, says ? says + 3 : f, a, SW_LEN(a));
    bool args = !strncmp(f, "%(", 2);
    bool text_alone = !args ? *text_of(&s) != 0 : (f[2] | 32) == 's' && !rt_many_args(f);
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

int64_t
sw_err_text(SwCtx *cx, const SwDesc *from, const SwDesc *into)
{
    char *text = cx->fn ? rt_error_string(cx->fn, held(from)) : NULL;
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
    if (!code)
        found = n < 0 ? !k && !*s->format : n == k && s;
    for (int i = 0; i < n; i++) {
        if (i == k && arg[i].kind == (char)(code & 255) && arg[i].dtype == code >> 8) {
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
