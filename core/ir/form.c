/* SPDX-License-Identifier: BSD-3-Clause
 * How statements of one line are written: takes the form in a row of stmt.def apart, as in
 *
 *     touch $touch $space $base$index, $i64 $site @
 *
 * into words and marks that stand there, and fields ($...) of the statement. */
#include "ir/ir.h"

static const FormWords tables[] = {
    {"fence", ir_fence_words, FENCE_COUNT_, false, "kind of fence"},
    {"touch", ir_touch_words, TOUCH_COUNT_, false, "way to touch memory"},
    {"space", ir_space_words, SPACE_WORDS, true, "space"},
};

static const struct {
    const char *name;
    FormKind kind;
} fields[] = {
    {"array", FORM_ARRAY},   {"base", FORM_BASE}, {"index", FORM_INDEX}, {"bool", FORM_BOOL},
    {"i64", FORM_I64},       {"axis", FORM_AXIS}, {"n", FORM_N},         {"order", FORM_ORDER},
    {"values", FORM_VALUES}, {"site", FORM_SITE},
};

static bool
is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static void
find_field(FormPiece *p)
{
    for (int i = 0; i < SW_LEN(fields); i++)
        if (strcmp(fields[i].name, p->text) == 0)
            p->kind = fields[i].kind;
    for (int i = 0; i < SW_LEN(tables); i++)
        if (strcmp(tables[i].name, p->text) == 0) {
            p->kind = FORM_WORD;
            p->words = &tables[i];
        }
}

bool
ir_form_next(const char **at, FormPiece *out)
{
    *out = (FormPiece){0};
    for (; **at == ' '; (*at)++)
        out->blank = true;
    bool field = **at == '$';
    const char *from = *at += field;
    if (!*from)
        return false;
    while (is_letter(**at))
        (*at)++;
    if (*at == from) /* a mark */
        *at += from[0] == '<' && from[1] == '-' ? 2 : 1;
    size_t n = (size_t)(*at - from);
    memcpy(out->text, from, n < sizeof out->text ? n : sizeof out->text - 1);
    if (field)
        find_field(out);
    else if (*from == '@')
        out->kind = FORM_PLACE;
    if (field && **at == '?') {
        out->maybe = true;
        (*at)++;
    }
    return true;
}

int
ir_form_kind(const char *word)
{
    for (int i = 0; i < IS_COUNT; i++) {
        size_t n = strcspn(stmt_info[i].form, " ");
        if (n && strlen(word) == n && !memcmp(stmt_info[i].form, word, n))
            return i;
    }
    return -1;
}
