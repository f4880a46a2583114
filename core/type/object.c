/* SPDX-License-Identifier: BSD-3-Clause
 * Instances of classes: which words of the object its fields are in. See type.h. */
#include "type/type.h"

enum { MOST_PARTS = 64 };

int
object_field(const ObjClass *c, const char *name)
{
    for (int i = 0; i < c->n; i++)
        if (!strcmp(c->field[i].name, name))
            return i;
    return -1;
}

/* ---- classes that are made of others ---- */

enum { MOST_CLASSES = 64 };

typedef struct Seen {
    int n;
    const ObjClass *at[MOST_CLASSES];
} Seen;

static bool
leads_to(const Type *t, bool (*is)(const ObjClass *c), Seen *seen)
{
    bool found = false;
    const ObjClass *c = t->kind == TY_OBJ ? t->ref : NULL;
    for (int i = 0; c && i < seen->n; i++)
        if (seen->at[i] == c)
            return false;
    if (c && (seen->n == MOST_CLASSES || is(c)))
        return true;
    if (c)
        seen->at[seen->n++] = c;
    for (int i = 0; c && !found && i < c->n; i++)
        found = leads_to(c->field[i].type, is, seen);
    for (int i = 0; (type_has_parts(t) || t->kind == TY_REF) && !found && i < t->n; i++)
        found = leads_to(t->elems[i], is, seen);
    return found;
}

bool
type_leads_to(const Type *t, bool (*is)(const ObjClass *c))
{
    Seen seen = {0};
    return leads_to(t, is, &seen);
}

/* ---- words ---- */

int
object_parts(const ObjClass *c, int field, const Type **out)
{
    int n = 0;
    heap_flatten(c->field[field].type, out, &n);
    return n;
}

static bool
is_plain(const ObjField *f)
{
    return f->type->kind == TY_SCALAR && !f->maybe;
}

static int
words_of(const Type *part)
{
    if (part->kind == TY_SCALAR)
        return part->storage == DT_c64 || part->storage == DT_c128 ? 2 : 1;
    return part->kind == TY_ARRAY ? 2 + part->ndim * (part->layout == LAY_A ? 2 : 1) : 1;
}

/* The parts of a field, with its tag in front. */
static int
all_parts(const ObjField *f, const Type **part)
{
    static const Type tag = {.kind = TY_SCALAR, .dtype = DT_bool, .storage = DT_bool, .weak = true};
    int n = 0;
    if (f->maybe)
        part[n++] = &tag;
    heap_flatten(f->type, part, &n);
    return n;
}

/* Where numbers of plain fields, of others, and references stand, in this order. */
typedef struct Places {
    int at;
    int field, part; /* what is looked for, or -1 */
    int found;
    StrBuf *text; /* or NULL */
    const int *first;
    ObjPlace *all; /* of every part, if not NULL: see object_places */
} Places;

static void
add_text(Places *p, const Type *part)
{
    if (!p->text)
        return;
    sb_add(p->text, part->kind == TY_SCALAR ? "w" : "p");
    for (int i = 1; i < words_of(part); i++)
        sb_add(p->text, "w");
}

static void
walk(Places *p, const ObjClass *c, int turn)
{
    for (int i = 0; i < c->n; i++) {
        const Type *part[MOST_PARTS + 1];
        int n = all_parts(&c->field[i], part);
        for (int k = 0; k < n; k++) {
            int its = part[k]->kind != TY_SCALAR ? 2 : is_plain(&c->field[i]) ? 0 : 1;
            if (its != turn)
                continue;
            if (i == p->field && k == p->part)
                p->found = p->at;
            if (p->all)
                p->all[p->first[i] + k] = (ObjPlace){p->at, words_of(part[k])};
            add_text(p, part[k]);
            p->at += words_of(part[k]);
        }
    }
}

static void
walk_all(Places *p, const ObjClass *c)
{
    p->at = 1;
    for (int turn = 0; turn < 3; turn++)
        walk(p, c, turn);
}

int
object_word(const ObjClass *c, int field, int k)
{
    Places p = {.field = field, .part = k};
    walk_all(&p, c);
    return p.found;
}

int
object_places(const ObjClass *c, int *first, ObjPlace *place)
{
    int n = 0;
    for (int i = 0; i < c->n; i++) {
        const Type *part[MOST_PARTS + 1];
        first[i] = n;
        n += all_parts(&c->field[i], part);
    }
    first[c->n] = n;
    Places p = {.field = -1, .part = -1, .first = first, .all = place};
    if (place)
        walk_all(&p, c);
    return n;
}

char *
object_layout(Arena *a, const Type *object)
{
    StrBuf b = {0};
    Places p = {.field = -1, .text = &b};
    sb_add(&b, "w");
    walk_all(&p, object->ref);
    return sb_keep(&b, a);
}
