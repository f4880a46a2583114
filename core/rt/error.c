/* SPDX-License-Identifier: BSD-3-Clause
 * What a run-time error says. Takes the error that compiled code recorded; yields the message as
 * CPython words it, then the file, line and function, the source line and a caret under the place;
 * then the same of each call that the error came through. */
#include "rt/rt.h"

#include <stdlib.h>

const SwSite *
rt_site(const SwFunction *fn, int32_t site)
{
    if (!fn || site < 0)
        return NULL;
    return site < fn->n_sites ? &fn->sites[site] : load_site(fn->code, site);
}

/* `text` is dedented as col and end_col are; its own indent goes, too. One caret a character. */
static void
add_source(StrBuf *out, const SwSite *s)
{
    int indent = (int)strspn(s->text, " \t"), len = (int)strlen(s->text);
    int from = s->col > indent ? s->col : indent, to = s->end_col < len ? s->end_col : len;
    sb_addf(out, "\n    %s", s->text + indent);
    if (s->col < 0 || from >= len)
        return;
    sb_add(out, "\n    ");
    for (int i = indent; i < (to > from ? to : from + 1); i++) {
        char c = s->text[i];
        if (((unsigned char)c & 0xc0) != 0x80)
            sb_add(out, i >= from ? "^" : c == '\t' ? "\t" : " ");
    }
}

static void
add_place(StrBuf *out, const SwSite *s)
{
    if (!s->file)
        return;
    sb_addf(out, "\n  File \"%s\", line %d, in %s", s->file, s->line, s->func ? s->func : "?");
    if (s->text)
        add_source(out, s);
}

/* Of the places that the error came through, the first is where the user's code failed. */
static void
add_step(StrBuf *out, const SwSite *s, bool *failed)
{
    if (*failed && s->file)
        sb_addf(out, "\n  note: called from here, in %s", s->func ? s->func : "?");
    add_place(out, s);
    *failed |= s->file != NULL;
}

/* It, and the calls in whose places it is, the innermost first. */
static void
add_steps(StrBuf *out, const SwFunction *fn, const SwSite *s, bool *failed)
{
    for (; s; s = s->within ? rt_site(fn, s->within - 1) : NULL)
        add_step(out, s, failed);
}

/* The calls that the error came through, the innermost first; those of a recursion that repeat
 * the one before are counted, as those that were not kept. */
static void
add_calls(StrBuf *out, const SwFunction *fn, const SwError *e, bool *failed)
{
    int max = SW_LEN(e->calls), n = e->n_calls < max ? e->n_calls : max, more = 0;
    for (int i = 0; i < n; i++) {
        more += i == max - 1 ? e->n_calls - max : 0;
        const SwSite *s = rt_site(fn, e->calls[i]);
        if (!s || (i && e->calls[i] == e->calls[i - 1])) {
            more += !s || s->file;
            continue;
        }
        if (more && *failed) /* before the first place they are the library's */
            sb_addf(out, "\n  note: %d more calls", more);
        more = 0;
        add_steps(out, fn, s, failed);
    }
    if (more)
        sb_addf(out, "\n  note: %d more call%s", more, more > 1 ? "s" : "");
}

/* Where it was raised, and the calls that it came through. */
static void
add_places(StrBuf *out, const SwFunction *fn, const SwError *e)
{
    const SwSite *s = rt_site(fn, e->site), *also = e->what ? rt_site(fn, e->also) : NULL;
    bool failed = false;
    if (also) {
        add_step(out, s, &failed);
        sb_addf(out, "\n  note: %s", rt_watch_note(e));
        add_place(out, also);
        s = s->within ? rt_site(fn, s->within - 1) : NULL;
    }
    add_steps(out, fn, s, &failed);
    add_calls(out, fn, e, &failed);
}

char *
rt_error_places(const SwFunction *fn, const SwError *e)
{
    StrBuf out = {0};
    sb_add(&out, "");
    if (rt_site(fn, e->site))
        add_places(&out, fn, e);
    return out.s;
}

char *
rt_error_text(const SwFunction *fn, const SwError *e, const char **exc)
{
    *exc = "SystemError";
    const char *message = rt_known_error(e->site, exc);
    if (message)
        return strdup(message);
    const SwSite *s = rt_site(fn, e->site);
    if (!s)
        return strdup("swathe: an error of an unknown place");
    uint64_t args[4];
    memcpy(args, e->a, sizeof args);
    StrBuf out = {0};
    *exc = s->exc ? s->exc : "RuntimeError";
    sb_add(&out, "");
    if (e->what) {
        *exc = rt_watch_class(e);
        rt_watch_text(&out, fn, e);
    } else if (s->format) {
        char *format = rt_message_format(fn, e);
        rt_format(&out, format ? format : "", args, SW_LEN(args));
        free(format);
    }
    if (e->placed && !e->what)
        rt_format(&out, " (in block (%0B), thread (%1T))", (const uint64_t *)e->place, 2);
    add_places(&out, fn, e);
    return out.s;
}
