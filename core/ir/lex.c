/* SPDX-License-Identifier: BSD-3-Clause
 * Cuts the IR's text into lines and words for parse.c. A name may hold dots, `$`, and bytes
 * beyond ASCII; a part in <...> belongs to it, as in f.<locals>.g and <lambda>. */
#include "ir/lex.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_DEPTH = 400 };

void
lex_rewind(Lexer *lx)
{
    lx->next = lx->text;
    lx->s = lx->end = lx->text;
    lx->line = lx->indent = lx->block = lx->depth = 0;
}

void
lex_init(Lexer *lx, Cx *cx, const char *text)
{
    lx->cx = cx;
    lx->text = text;
    lex_rewind(lx);
}

_Noreturn void
lex_fail(Lexer *lx, const char *fmt, ...)
{
    char buf[240];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(buf, sizeof buf, fmt, ap);
    va_end(ap);
    lx->error = arena_printf(&lx->cx->arena, "line %d: %s", lx->line, buf);
    longjmp(lx->failed, 1);
}

void
lex_deeper(Lexer *lx, int by)
{
    lx->depth += by;
    if (lx->depth > MAX_DEPTH)
        lex_fail(lx, "nested too deeply");
}

/* ---- lines --------------------------------------------------------------------------------- */

static const char *
line_end(const char *s, const char **comment)
{
    bool quoted = false;
    *comment = NULL;
    for (; *s && *s != '\n'; s++) {
        if (*s == '\\' && quoted && s[1] && s[1] != '\n')
            s++;
        else if (*s == '"')
            quoted = !quoted;
        else if (*s == '#' && !quoted)
            break;
    }
    if (*s == '#')
        *comment = s + 1;
    return s;
}

/* The next line that has words; s is NULL at the end of the text. Several questions are asked about
 * each. */
static const Line *
find_line(Lexer *lx)
{
    Line *l = &lx->ahead;
    if (l->from == lx->next)
        return l;
    *l = (Line){.from = lx->next};
    const char *s = lx->next;
    for (l->skipped = 1; *s; l->skipped++) {
        const char *end = line_end(s, &l->comment);
        l->next = *end == '#' ? strchrnul(end, '\n') : end;
        l->next += *l->next == '\n';
        while (end > s && (end[-1] == ' ' || end[-1] == '\r' || end[-1] == '\t'))
            end--;
        if (end > s) {
            l->indent = (int)strspn(s, " ");
            l->s = s + l->indent;
            l->end = end;
            return l;
        }
        s = l->next;
    }
    return l;
}

/* "# file.py:4:5" at the end of a line is where its statement came from. */
static Span
comment_span(Lexer *lx, const char *c)
{
    if (!c)
        return (Span){0};
    c += strspn(c, " ");
    size_t n = strcspn(c, "\n");
    const char *at = memchr(c, ':', n);
    char *rest;
    if (!at || memchr(c, ' ', n))
        return (Span){0};
    long line = strtol(at + 1, &rest, 10);
    if (*rest != ':' || line <= 0 || line > INT32_MAX)
        return (Span){0};
    long col = strtol(rest + 1, &rest, 10);
    if (rest != c + n || col < 0 || col > INT32_MAX - 1)
        return (Span){0};
    Source *src = NEW(&lx->cx->arena, Source);
    src->file = intern_n(&lx->cx->syms, c, (size_t)(at - c));
    src->first_line = 1;
    src->func = "";
    return (Span){src, (int)line, (int)col, (int)line, (int)col + 1};
}

bool
lex_line(Lexer *lx)
{
    const Line *l = find_line(lx);
    if (!l->s)
        return false;
    lx->line += l->skipped;
    lx->indent = l->indent;
    lx->s = l->s;
    lx->end = l->end;
    lx->next = l->next;
    lx->comment = l->comment;
    return true;
}

void
lex_skip_line(Lexer *lx)
{
    lx->s = lx->end;
}

int
lex_indent(const Lexer *lx)
{
    return lx->indent;
}

Span
lex_span(Lexer *lx)
{
    return comment_span(lx, lx->comment);
}

static int
next_indent(Lexer *lx)
{
    const Line *l = find_line(lx);
    return l->s ? l->indent : -1;
}

int
lex_enter(Lexer *lx)
{
    int outer = lx->block, inner = next_indent(lx);
    lex_deeper(lx, 1);
    lx->block = inner > lx->indent ? inner : INT32_MAX; /* else empty */
    return outer;
}

bool
lex_line_in_block(Lexer *lx)
{
    int n = next_indent(lx);
    if (n < lx->block)
        return false;
    lex_line(lx);
    if (n > lx->block)
        lex_fail(lx, "unexpected indentation");
    return true;
}

void
lex_leave(Lexer *lx, int outer)
{
    lex_deeper(lx, -1);
    lx->block = outer;
}

bool
lex_same_indent(Lexer *lx)
{
    return next_indent(lx) == lx->block;
}

static bool
peek_line(Lexer *lx, Lexer *next)
{
    const Line *l = find_line(lx);
    if (!l->s)
        return false;
    next->s = l->s;
    next->end = l->end;
    next->word = NULL;
    return true;
}

bool
lex_next_line_is(Lexer *lx, const char *word)
{
    Lexer next;
    return peek_line(lx, &next) && lex_at(&next, word);
}

bool
lex_next_line_assigns(Lexer *lx)
{
    Lexer next;
    return peek_line(lx, &next) &&
           (lex_peek_next(&next, "=") || lex_peek_next(&next, "[") || lex_peek_next(&next, ","));
}

/* ---- words ---------------------------------------------------------------------------------- */

static void
skip_blanks(Lexer *lx)
{
    while (lx->s < lx->end && (*lx->s == ' ' || *lx->s == '\t'))
        lx->s++;
}

static bool
starts_name(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c >= 0x80;
}

static size_t
name_length(const char *s, const char *end)
{
    const char *p = s;
    if (end - s > 2 && *s == '<' && starts_name((unsigned char)s[1])) { /* <lambda> */
        p = memchr(s, '>', (size_t)(end - s));
        if (!p)
            return 0;
        p++;
    } else if (p >= end || !starts_name((unsigned char)*p)) {
        return 0;
    }
    while (p < end) {
        unsigned char c = (unsigned char)*p;
        bool part = starts_name(c) || (c >= '0' && c <= '9');
        bool dotted = c == '.' && p + 1 < end && p[1] != '.';
        if (c == '<' && p[-1] == '.') { /* f.<locals>.g */
            const char *close = memchr(p, '>', (size_t)(end - p));
            if (!close)
                break;
            p = close + 1;
        } else if (part || dotted) {
            p++;
        } else {
            break;
        }
    }
    return (size_t)(p - s);
}

/* The length of the word at s, where a name is n long: that, or a mark of one or two characters. */
static size_t
word_length(const char *s, const char *end, size_t n)
{
    if (n || s >= end)
        return n;
    if (end - s >= 2 &&
        (memcmp(s, "->", 2) == 0 || memcmp(s, "..", 2) == 0 || memcmp(s, "<-", 2) == 0))
        return 2;
    return 1;
}

/* Each word is asked about many times. */
static size_t
name_here(Lexer *lx)
{
    skip_blanks(lx);
    if (lx->word != lx->s) {
        lx->word = lx->s;
        lx->name_n = name_length(lx->s, lx->end);
        lx->word_n = word_length(lx->s, lx->end, lx->name_n);
    }
    return lx->name_n;
}

bool
lex_at_end(Lexer *lx)
{
    skip_blanks(lx);
    return lx->s == lx->end;
}

bool
lex_at(Lexer *lx, const char *word)
{
    skip_blanks(lx);
    if (*lx->s != *word) /* most are not it, and the text ends with a 0 */
        return false;
    name_here(lx);
    return strncmp(lx->s, word, lx->word_n) == 0 && !word[lx->word_n];
}

bool
lex_take(Lexer *lx, const char *word)
{
    if (!lex_at(lx, word))
        return false;
    lx->s += lx->word_n;
    return true;
}

void
lex_need(Lexer *lx, const char *word)
{
    if (!lex_take(lx, word))
        lex_fail(lx, "expected '%s' before '%.*s'", word,
                 (int)(lx->end - lx->s > 20 ? 20 : lx->end - lx->s), lx->s);
}

void
lex_end_line(Lexer *lx)
{
    if (!lex_at_end(lx))
        lex_fail(lx, "expected the end of the line before '%.*s'",
                 (int)(lx->end - lx->s > 20 ? 20 : lx->end - lx->s), lx->s);
}

Sym
lex_peek_word(Lexer *lx)
{
    size_t n = name_here(lx);
    return intern_n(&lx->cx->syms, lx->s, n);
}

Sym
lex_word(Lexer *lx)
{
    Sym s = lex_peek_word(lx);
    if (!*s)
        lex_fail(lx, "expected a name before '%.*s'",
                 (int)(lx->end - lx->s > 20 ? 20 : lx->end - lx->s), lx->s);
    lx->s += lx->name_n;
    return s;
}

bool
lex_peek_next(Lexer *lx, const char *mark)
{
    size_t n = name_here(lx);
    const char *s = lx->s + n;
    if (!n)
        return false;
    while (s < lx->end && *s == ' ')
        s++;
    if (*s != *mark)
        return false;
    n = strlen(mark);
    return word_length(s, lx->end, name_length(s, lx->end)) == n && memcmp(s, mark, n) == 0;
}

bool
lex_word_follows(Lexer *lx)
{
    size_t n = name_here(lx);
    const char *s = lx->s + n;
    while (s < lx->end && *s == ' ')
        s++;
    return name_length(s, lx->end) > 0;
}

bool
lex_touches(Lexer *lx, char mark)
{
    return lx->s < lx->end && *lx->s == mark;
}

/* ---- numbers and strings --------------------------------------------------------------------- */

/* inf and nan are numbers when a colon or a closing mark says that they are no name. */
static const char *
special_float(const char *s, const char *end)
{
    if (end - s < 3 || (memcmp(s, "inf", 3) != 0 && memcmp(s, "nan", 3) != 0))
        return NULL;
    return end - s > 3 && (s[3] == ':' || s[3] == ',' || s[3] == ')') ? s + 3 : NULL;
}

static const char *
number_digits(Lexer *lx)
{
    skip_blanks(lx);
    return lx->s < lx->end && *lx->s == '-' ? lx->s + 1 : lx->s;
}

bool
lex_at_number(Lexer *lx)
{
    const char *s = number_digits(lx);
    if (s < lx->end && *s >= '0' && *s <= '9')
        return true;
    return s + 3 < lx->end && s[3] == ':' && special_float(s, lx->end);
}

bool
lex_at_int(Lexer *lx)
{
    const char *s = number_digits(lx);
    if (!(s < lx->end && *s >= '0' && *s <= '9'))
        return false;
    while (s < lx->end && *s >= '0' && *s <= '9')
        s++;
    return !(s < lx->end && ((*s == '.' && s + 1 < lx->end && s[1] != '.') || *s == 'e'));
}

int64_t
lex_int(Lexer *lx)
{
    const char *digits = number_digits(lx);
    uint64_t v = 0;
    if (!(digits < lx->end && *digits >= '0' && *digits <= '9'))
        lex_fail(lx, "expected a number");
    const char *s = digits;
    for (; s < lx->end && *s >= '0' && *s <= '9'; s++)
        if (__builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
            lex_fail(lx, "the number is too big");
    v = digits > lx->s ? 0 - v : v;
    lx->s = s;
    return (int64_t)v;
}

double
lex_float(Lexer *lx)
{
    const char *s = number_digits(lx), *after = special_float(s, lx->end);
    bool minus = s > lx->s;
    if (after) {
        double x = *s == 'i' ? INFINITY : NAN;
        lx->s = after;
        return copysign(x, minus ? -1.0 : 1.0);
    }
    if (!(s < lx->end && *s >= '0' && *s <= '9'))
        lex_fail(lx, "expected a number");
    char *stop;
    double x = strtod(lx->s, &stop);
    lx->s = stop <= lx->end ? stop : lx->end;
    return x;
}

const char *
lex_string(Lexer *lx, size_t *len)
{
    lex_need(lx, "\"");
    char *out = arena_alloc(&lx->cx->arena, (size_t)(lx->end - lx->s) + 1);
    size_t n = 0;
    while (lx->s < lx->end && *lx->s != '"') {
        char c = *lx->s++;
        if (c == '\\' && lx->s < lx->end) {
            c = *lx->s++;
            char hex[3] = {0};
            if (c == 'x' && lx->end - lx->s >= 2) {
                memcpy(hex, lx->s, 2);
                c = (char)strtol(hex, NULL, 16);
                lx->s += 2;
            }
        }
        out[n++] = c;
    }
    lex_need(lx, "\"");
    if (len)
        *len = n;
    return out;
}
