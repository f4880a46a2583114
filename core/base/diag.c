/* SPDX-License-Identifier: BSD-3-Clause
 * The user's mistakes: recorded with a span while the compiler goes on, and shown all
 * together, each with its source line, a caret, notes at other places, and a hint. */
#include "base/base.h"
#include <stdio.h>

#define DIAG(id, exc, hint) {exc, hint},
static const struct {
    const char *exc, *hint;
} diag_info[DIAG_COUNT] = {
#include "def/diag.def"
};
#undef DIAG

const char *
diag_exception(DiagId id)
{
    return diag_info[id].exc;
}

static bool
same_span(Span a, Span b)
{
    return a.src == b.src && a.line == b.line && a.col == b.col;
}

static char *
vformat(Arena *a, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    char *s = arena_alloc(a, (size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, fmt, ap);
    return s;
}

Diag *
diag_add(Diags *d, DiagId id, Span at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    Diag *g = NEW(d->arena, Diag);
    *g = (Diag){.id = id, .at = at, .message = vformat(d->arena, fmt, ap)};
    va_end(ap);
    g->hint = (char *)diag_info[id].hint;
    for (int i = 0; i < d->list.n; i++)
        if (d->list.at[i]->id == id && same_span(d->list.at[i]->at, at))
            return g; /* recorded already: the caller may still decorate this one */
    VEC_PUSH(d->arena, d->list, g);
    return g;
}

void
diag_hint(Diags *d, Diag *g, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    g->hint = vformat(d->arena, fmt, ap);
    va_end(ap);
}

void
diag_note(Diags *d, Diag *g, Span at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (g->n_notes == g->cap_notes)
        g->notes = vec_grow(d->arena, g->notes, g->n_notes, &g->cap_notes, sizeof *g->notes);
    g->notes[g->n_notes++] = (struct DiagNote){vformat(d->arena, fmt, ap), at};
    va_end(ap);
}

/* ---- rendering ---------------------------------------------------------------------- */

static const char *
find_line(const Source *src, int line, size_t *len)
{
    const char *s = src->text;
    for (int k = src->first_line; k < line && s; k++) {
        s = strchr(s, '\n');
        s = s ? s + 1 : NULL;
    }
    if (!s || !*s)
        return NULL;
    *len = strcspn(s, "\n");
    return s;
}

/* Columns are bytes; one caret for each character, so continuation bytes print nothing. */
static void
add_carets(StrBuf *out, const char *line, size_t len, int from, int to)
{
    for (size_t i = 0; i < len && (int)i < to; i++) {
        if (((unsigned char)line[i] & 0xc0) == 0x80)
            continue;
        bool inside = (int)i >= from;
        sb_add(out, inside ? "^" : line[i] == '\t' ? "\t" : " ");
    }
}

void
diag_render_line(const Span *at, StrBuf *out)
{
    if (!at->src)
        return;
    sb_addf(out, "  File \"%s\", line %d, in %s\n", at->src->file, at->line, at->src->func);
    size_t len;
    const char *line = at->src->text ? find_line(at->src, at->line, &len) : NULL;
    if (!line)
        return;
    size_t indent = strspn(line, " \t");
    if (indent > len)
        indent = len;
    sb_add(out, "    ");
    sb_addn(out, line + indent, len - indent);
    sb_add(out, "\n    ");
    int shift = (int)indent + at->src->dedent;
    int from = at->col - shift, to = at->end_line > at->line ? (int)len : at->end_col - shift;
    if (from < 0)
        from = 0;
    if (to <= from)
        to = from + 1;
    add_carets(out, line + indent, len - indent, from, to);
    sb_add(out, "\n");
}

/* A field without what separates fields and lines. */
static void
add_field(const char *s, StrBuf *out)
{
    for (; s && *s; s++)
        sb_addn(out, *s == '\t' || *s == '\n' || *s == '\r' ? " " : s, 1);
    sb_add(out, "\t");
}

void
span_text(const Span *at, SpanLines *known, StrBuf *out)
{
    const Source *s = at->src;
    if (s && s != known->of) {
        *known = (SpanLines){.of = s};
        for (const char *p = s->text; p && *p; p++)
            known->n += *p == '\n' || !p[1];
    }
    add_field(s ? s->file : NULL, out);
    add_field(s ? s->func : NULL, out);
    sb_addf(out, "%d\t%d\t%d\t%d\t%d", s ? s->first_line : 0, s ? known->n : 0, at->line, at->col,
            at->end_line > at->line ? -1 : at->end_col);
}

static void
render_one(const Diag *g, StrBuf *out)
{
    sb_addf(out, "%s\n", g->message);
    diag_render_line(&g->at, out);
    for (int i = 0; i < g->n_notes; i++) {
        sb_addf(out, "  note: %s\n", g->notes[i].text);
        diag_render_line(&g->notes[i].at, out);
    }
    if (g->hint)
        sb_addf(out, "  hint: %s\n", g->hint);
}

void
diag_render(const Diags *d, StrBuf *out)
{
    if (d->list.n > 1)
        sb_addf(out, "%d errors\n", d->list.n);
    for (int i = 0; i < d->list.n; i++) {
        if (d->list.n > 1)
            sb_addf(out, "[%d] %s: ", i + 1, diag_exception(d->list.at[i]->id));
        render_one(d->list.at[i], out);
    }
    while (out->n && out->s[out->n - 1] == '\n')
        out->s[--out->n] = 0;
}

/* ---- the nearest spelling ------------------------------------------------------------- */

static int
min3(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

/* Optimal string alignment distance (Damerau-Levenshtein with adjacent transpositions). */
static int
distance(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    int na = (int)strlen(a), nb = (int)strlen(b);
    if (na > LONGEST || nb > LONGEST)
        return LONGEST;
    int d[LONGEST + 1][LONGEST + 1];
    for (int i = 0; i <= na; i++)
        d[i][0] = i;
    for (int j = 0; j <= nb; j++)
        d[0][j] = j;
    for (int i = 1; i <= na; i++)
        for (int j = 1; j <= nb; j++) {
            int cost = a[i - 1] != b[j - 1];
            d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + cost);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < d[i][j])
                d[i][j] = d[i - 2][j - 2] + 1;
        }
    return d[na][nb];
}

const char *
diag_nearest(const char *word, const char *const *cands, int n)
{
    int limit = ((int)strlen(word) + 2) / 3, best = limit + 1;
    const char *found = NULL;
    for (int i = 0; i < n; i++) {
        int d = cands[i] ? distance(word, cands[i]) : best;
        if (d == 0) /* the word itself is no help */
            return NULL;
        if (d < best) {
            best = d;
            found = cands[i];
        }
    }
    return found;
}
