/* SPDX-License-Identifier: BSD-3-Clause
 * The words of the IR's text, line by line; used by parse.c only. A failure jumps to `failed`
 * with `error` set, so that the parser reads straight on. */
#ifndef SWATHE_IR_LEX_H
#define SWATHE_IR_LEX_H
#include "base/base.h"

typedef struct Line {
    const char *from;    /* where it was looked for; NULL: nowhere yet */
    const char *s, *end; /* its words; s NULL: there is none */
    const char *comment, *next;
    int skipped, indent; /* lines passed, this one included */
} Line;

typedef struct Lexer {
    Cx *cx;
    const char *text; /* all of it */
    const char *next; /* start of the next line */
    const char *s;    /* where we are in the current line */
    const char *end;  /* its end, without comment and trailing blanks */
    int line, indent; /* of the current line */
    int block;        /* a block's lines have this indentation; see lex_enter */
    int depth;        /* of nested expressions and blocks */
    Line ahead;       /* the next line, once somebody has asked */
    const char *word; /* where a word was looked for, and how long it and the name here are */
    size_t word_n, name_n;
    const char *comment; /* of the line, or NULL */
    jmp_buf failed;
    char *error; /* "line 3: ..." */
} Lexer;

void lex_init(Lexer *lx, Cx *cx, const char *text);
void lex_rewind(Lexer *lx);
_Noreturn void lex_fail(Lexer *lx, const char *fmt, ...) SW_PRINTF(2, 3);
void lex_deeper(Lexer *lx, int by); /* fails when expressions nest too deep for the stack */

/* Lines. Blank ones and pure comments are skipped. */
bool lex_line(Lexer *lx);      /* go to the next line; false at the end of the text */
void lex_skip_line(Lexer *lx); /* ignore the rest of this one */
void lex_end_line(Lexer *lx);  /* nothing may be left on it */
int lex_indent(const Lexer *lx);
Span lex_span(Lexer *lx); /* what the line's comment says */
/* a block starts at the next line if that is deeper; yields what lex_leave needs */
int lex_enter(Lexer *lx);
bool lex_line_in_block(Lexer *lx); /* go to the next line if it is in the block */
void lex_leave(Lexer *lx, int outer);
bool lex_same_indent(Lexer *lx);                    /* is the next line as deep as the block? */
bool lex_next_line_is(Lexer *lx, const char *word); /* does it start with this word? */
bool lex_next_line_assigns(Lexer *lx);              /* is its second word = or [ or , ? */

/* Words: names, numbers, marks. */
bool lex_at_end(Lexer *lx);
bool lex_at(Lexer *lx, const char *word);
bool lex_take(Lexer *lx, const char *word);
void lex_need(Lexer *lx, const char *word);
bool lex_at_number(Lexer *lx);
bool lex_at_int(Lexer *lx);
int64_t lex_int(Lexer *lx);
double lex_float(Lexer *lx);
Sym lex_word(Lexer *lx);                         /* a name */
Sym lex_peek_word(Lexer *lx);                    /* "" when there is none */
bool lex_peek_next(Lexer *lx, const char *mark); /* does mark follow the name here? */
bool lex_word_follows(Lexer *lx);                /* does another name follow the name here? */
bool lex_touches(Lexer *lx, char mark);          /* is it the very next byte? */
const char *lex_string(Lexer *lx, size_t *len);
#endif
