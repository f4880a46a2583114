/* SPDX-License-Identifier: BSD-3-Clause
 * Objects of several generators as one value, in a list or a variable. Their classes become one: it
 * has the fields of all, under names of their own, and a number that says which generator it is;
 * what goes on asks that. Done where sema has met two such classes, before all is typed again. */
#include "ast/resume.h"

/* ---- names of their own ---------------------------------------------------------------------- */

static void
rename_fields(Resume *r, Node *n, Sym self, const ObjClass *c, int id)
{
    if (!n)
        return;
    bool own = n->kind == N_Attribute && n->kid[0]->kind == N_Name && n->kid[0]->name == self &&
               strncmp(n->name, "_gi_", 4) != 0 && object_field(c, n->name) >= 0;
    for (int i = 0; i < n->n; i++)
        rename_fields(r, n->kid[i], self, c, id);
    if (n->fn)
        rename_fields(r, n->fn->body, self, c, id);
    if (own)
        n->name = intern(&r->cx->syms, arena_printf(&r->cx->arena, "%s.g%d", n->name, id));
}

static int
place_of(const Resume *r, const Resumable *of)
{
    int i = 0;
    while (r->all.at[i] != of)
        i++;
    return i;
}

/* The fields of the class have the generator's number in their names; self._gi_kind is it. */
static void
make_own(Resume *r, Resumable *of)
{
    int id = place_of(r, of);
    FuncDef *f = of->init;
    Sym self = f->params[0].name;
    Expand x = {.cx = r->cx, .fn = f};
    rename_fields(r, f->body, self, of->cls, id);
    rename_fields(r, of->resume->body, self, of->cls, id);
    Node *set[2] = {ast_gen_int(&x, f->at, id),
                    ast_resume_field(&x, f->at, self, "_gi_kind", CTX_STORE)};
    Node *all[2] = {f->body, ast_gen_node(&x, N_Assign, f->at, 2, set)};
    f->body = ast_gen_node(&x, N_Block, f->at, 2, all);
    ObjClass *c = of->cls;
    for (int i = 0; i < c->n; i++)
        if (strncmp(c->field[i].name, "_gi_", 4))
            c->field[i].name =
                intern(&r->cx->syms, arena_printf(&r->cx->arena, "%s.g%d", c->field[i].name, id));
}

/* ---- one class ------------------------------------------------------------------------------- */

static void
add_fields(Resume *r, ObjClass *to, const ObjField *field, int n)
{
    ObjField *all = NEW_N(&r->cx->arena, ObjField, to->n + n);
    memcpy(all, to->field, sizeof *all * (size_t)to->n);
    to->field = all;
    for (int i = 0; i < n; i++)
        if (object_field(to, field[i].name) < 0)
            to->field[to->n++] = field[i];
}

/* if self._gi_kind == 0: return self._gi_resume0() ... */
static void
write_dispatch(Resume *r, ObjClass *c)
{
    Resumable *first = NULL;
    Nodes to = {0};
    for (int i = 0; i < r->all.n && !first; i++)
        first = r->all.at[i]->cls == c ? r->all.at[i] : NULL;
    FuncDef *f = ast_resume_function(r, first->gen, "_gi_resume");
    Sym self = f->params[0].name;
    Expand x = {.cx = r->cx, .fn = f};
    for (int i = 0; i < r->all.n; i++) {
        Resumable *of = r->all.at[i];
        if (of->cls != c)
            continue;
        const char *name = arena_printf(&r->cx->arena, "_gi_resume%d", i);
        if (!ast_method(r->p, c->cls, name))
            VEC_PUSH(
                &r->cx->arena, r->p->methods,
                ((Method){.cls = c->cls, .name = intern(&r->cx->syms, name), .def = of->resume}));
        Node *call = ast_resume_call(&x, f->at, self, name);
        Node *ret = ast_gen_node(&x, N_Return, f->at, 1, &call);
        Node *then = ast_gen_node(&x, N_Block, f->at, 1, &ret);
        Node *kind = ast_resume_field(&x, f->at, self, "_gi_kind", CTX_LOAD);
        Node *is = ast_gen_compare(&x, f->at, kind, C_EQ, ast_gen_int(&x, f->at, i));
        VEC_PUSH(&r->cx->arena, to, ast_gen_node(&x, N_If, f->at, 3, (Node *[]){is, then, NULL}));
    }
    Node *no = ast_gen_bool(&x, f->at, false);
    VEC_PUSH(&r->cx->arena, to, ast_gen_node(&x, N_Return, f->at, 1, &no));
    f->body = ast_gen_block(&x, f->at, &to);
    ast_method(r->p, c->cls, "_gi_resume")->def = f;
}

static bool
is_alike(const Resume *r, const ObjClass *a, const ObjClass *b)
{
    int with[2] = {0}, n = 0;
    for (int i = 0; i < r->all.n; i++) {
        const Resumable *of = r->all.at[i];
        if (of->cls == a || of->cls == b) {
            with[0] += of->receives;
            with[1] += of->returns;
            n++;
        }
    }
    return (with[0] == 0 || with[0] == n) && (with[1] == 0 || with[1] == n);
}

/* Makes one class of two that one value may be of. False: they differ in what may be asked. */
bool
ast_merge_resumable(Resume *r, const ObjClass *a, const ObjClass *b)
{
    ObjClass *to = (ObjClass *)(uintptr_t)a;
    if (!r || a == b || !is_alike(r, a, b))
        return false;
    for (int i = 0; i < r->all.n; i++) {
        Resumable *of = r->all.at[i];
        if ((of->cls == a || of->cls == b) && object_field(of->cls, "_gi_kind") < 0)
            make_own(r, of);
    }
    add_fields(r, to, b->field, b->n);
    add_fields(r, to,
               &(ObjField){.name = intern(&r->cx->syms, "_gi_kind"),
                           .type = type_scalar(r->cx->types, DT_i64, true)},
               1);
    for (int i = 0; i < r->all.n; i++) {
        Resumable *of = r->all.at[i];
        if (of->cls == b) {
            of->cls = to;
            ((Const *)(uintptr_t)of->cst)->obj = to;
            VEC_PUSH(&r->cx->arena, r->p->bases, ((ClassBase){to->cls, of->cst->ref}));
        }
    }
    write_dispatch(r, to);
    return true;
}
