/* SPDX-License-Identifier: BSD-3-Clause
 * The stages of a compilation as text: dumps for developers, inspection for users. */
#include "rt/job.h"

#include <stdlib.h>

static void
show(Job *j, const char *stage, int text, StrBuf *b)
{
    if (b->s)
        trace_dump(&j->cx->trace, stage, b->s);
    if (j->rq->keep_text && text != TEXT_NONE && b->s)
        j->out->text[text] = strdup(b->s);
    sb_free(b);
}

static bool
wants(const Job *j, const char *stage, int text)
{
    return (j->rq->keep_text && text != TEXT_NONE) || trace_wants(j->cx->trace.dump, stage);
}

void
show_ast(Job *j)
{
    StrBuf b = {0};
    if (!wants(j, "ast", TEXT_NONE))
        return;
    for (int i = 0; i < j->rq->prog->funcs.n; i++)
        ast_print(j->rq->prog->funcs.at[i], &b);
    show(j, "ast", TEXT_NONE, &b);
}

void
show_types(Job *j, const SemaUnit *u)
{
    StrBuf b = {0};
    if (!wants(j, "types", TEXT_TYPES))
        return;
    sema_print(u, &b);
    show(j, "types", TEXT_TYPES, &b);
}

void
show_ir(Job *j, const char *stage, int text, const IrModule *m)
{
    StrBuf b = {0};
    if (!wants(j, stage, text))
        return;
    ir_print(m, &b);
    show(j, stage, text, &b);
}

int
show_wanted(const Job *j)
{
    return (wants(j, "llvm.raw", TEXT_LLVM_RAW) ? GEN_TEXT_LLVM_RAW : 0) |
           (wants(j, "llvm", TEXT_LLVM) ? GEN_TEXT_LLVM : 0) |
           (wants(j, "asm", TEXT_ASM) ? GEN_TEXT_ASM : 0);
}

void
show_gen(Job *j)
{
    static const char *const stage[] = {"llvm.raw", "llvm", "asm"};
    for (int i = 0; i < SW_LEN(stage); i++) {
        if (!j->gen.text[i])
            continue;
        trace_dump(&j->cx->trace, stage[i], j->gen.text[i]);
        if (j->rq->keep_text) {
            j->out->text[TEXT_LLVM_RAW + i] = j->gen.text[i];
            j->gen.text[i] = NULL;
        }
    }
}
