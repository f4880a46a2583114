/* SPDX-License-Identifier: BSD-3-Clause
 * What a unit is called: by a hash of all that its code depends on but compiler and
 * processor. Takes the module of a unit as pass units has made it; yields its symbol.
 * Units whose text is the same are the same, whichever program they were found in: so
 * files are named by their path in the package, and functions by themselves, not by their
 * number in a program. */
#include "ir/ir.h"

#define PACKAGE "/swathe/"

const char *
ir_unit_file(const char *path)
{
    const char *found = NULL;
    for (const char *p = path; p && (p = strstr(p, PACKAGE)); p++)
        found = p + strlen(PACKAGE);
    return found;
}

/* A unit has no loop that could be parallel, no label, no kernel, and calls that are in
 * place of others stand there already. */
SwOptions
ir_unit_options(const SwOptions *o)
{
    SwOptions u = options_default();
    u.boundscheck = o->boundscheck;
    u.fastmath = o->fastmath;
    u.opt_level = o->opt_level;
    u.contract = o->contract;
    return u;
}

/* Where an error in it says that it was: the text has the line of a statement, but not
 * the calls around that. */
static void
hash_span(Hash *h, const Span *at)
{
    for (; at && at->src; at = at->src->call) {
        hash_str(h, at->src->func);
        hash_str(h, ir_unit_file(at->src->file));
        hash_u64(h, (uint64_t)at->line << 32 | (uint32_t)at->col);
    }
    hash_u64(h, 0);
}

static void
hash_place(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    hash_span(arg, &s->at);
}

char *
ir_unit_symbol(IrModule *u)
{
    Arena *a = &u->cx->arena;
    Hash h = hash_init();
    StrBuf text = {0};
    char hex[33];
    SwOptions o = ir_unit_options(u->cx->opt);
    IrSite *sites = arena_dup(a, u->sites.at, sizeof *sites * (size_t)u->sites.n),
           *own = u->sites.at;
    for (int i = 0; i < u->sites.n; i++)
        sites[i].file = ir_unit_file(sites[i].file);
    u->sites.at = sites;
    ir_print(u, &text);
    u->sites.at = own;
    hash_str(&h, sb_keep(&text, a));
    for (int i = 0; i < u->funcs.n; i++)
        ir_walk_block(&u->funcs.at[i]->body, hash_place, &h);
    hash_bytes(&h, &o, sizeof o);
    hash_hex(&h, hex);
    return arena_printf(a, UNIT_PREFIX "%s", hex);
}
