/* SPDX-License-Identifier: BSD-3-Clause
 * One hash over all that the code made from a program depends on: the texts and files of
 * its functions (error messages show them), every node with its span, the values of
 * constants and globals, defaults, and which function each function value is. Functions
 * are named by their place in the program, which the order of parsing makes
 * deterministic. */
#include "ast/ast.h"

static void hash_func(const FuncDef *f, Hash *h);

static void
hash_const(const Const *c, Hash *h)
{
    hash_u64(h, c != NULL);
    if (!c)
        return;
    if (c->kind == CV_TUPLE || c->kind == CV_KEYED) {
        hash_u64(h, (uint64_t)c->kind + ((uint64_t)c->is_list << 8));
        hash_u64(h, (uint64_t)c->n);
        for (int i = 0; i < c->n; i++) {
            hash_const(c->elems[i], h);
            if (c->names)
                hash_str(h, c->names[i]);
        }
        return;
    }
    const_hash(c, h);
    if (c->kind == CV_FUNC)
        hash_u64(h, (uint64_t)((const FuncDef *)c->ref)->index);
}

static void
hash_opt_str(const char *s, Hash *h)
{
    hash_u64(h, s != NULL);
    if (s)
        hash_str(h, s);
}

static void
hash_node(const Node *n, Hash *h)
{
    if (!n) {
        hash_u64(h, 0xffff);
        return;
    }
    int32_t head[8] = {n->kind,   n->op,          n->n,          n->at.line,
                       n->at.col, n->at.end_line, n->at.end_col, n->val != NULL};
    hash_bytes(h, head, sizeof head);
    hash_opt_str(n->name, h);
    if (n->val)
        hash_const(n->val, h);
    if (n->ops)
        hash_bytes(h, n->ops, sizeof(int) * (size_t)(n->n - 1));
    if (n->fn)
        hash_func(n->fn, h);
    for (int i = 0; i < n->n; i++)
        hash_node(n->kid[i], h);
}

static void
hash_func(const FuncDef *f, Hash *h)
{
    hash_str(h, f->name);
    hash_opt_str(f->qualname, h);
    hash_u64(h, (uint64_t)f->n_params + ((uint64_t)f->is_lib << 32) +
                    ((uint64_t)f->int_divide << 34) + ((uint64_t)f->inline_ << 35));
    if (f->own) {
        const SwOptions *o = f->own;
        uint8_t own[] = {o->boundscheck, o->fastmath,     o->debug,      o->parallel,
                         o->contract,    o->numpy_errors, o->numba_casts};
        hash_bytes(h, own, sizeof own);
    }
    hash_u64(h, (uint64_t)f->n_sigs + ((uint64_t)(f->own != NULL) << 32));
    for (int i = 0; i < f->n_sigs; i++)
        hash_str(h, f->sigs[i].text);
    for (int i = 0; i < f->n_params; i++) {
        const Param *p = &f->params[i];
        hash_str(h, p->name);
        hash_u64(h, (uint64_t)p->kind);
        hash_const(p->def, h);
        hash_node(p->def_node, h);
    }
    if (f->src && !f->parent) {
        hash_opt_str(f->src->file, h);
        hash_opt_str(f->src->text, h);
        hash_u64(h, (uint64_t)f->src->first_line);
    }
    for (int i = 0; i < f->n_free; i++)
        hash_str(h, f->free[i]);
    hash_u64(h, (uint64_t)f->n_globals);
    for (int i = 0; i < f->n_globals; i++) {
        hash_str(h, f->globals[i].name);
        hash_const(f->globals[i].val, h);
    }
    hash_node(f->body, h);
}

static void
hash_class(const ObjClass *c, Hash *h)
{
    hash_str(h, c->name);
    hash_u64(h, (uint64_t)c->n + ((uint64_t)c->by_fields << 32) + ((uint64_t)c->frozen << 33) +
                    ((uint64_t)c->copied << 34) + ((uint64_t)c->open << 35));
    for (int i = 0; i < c->n; i++) {
        hash_str(h, c->field[i].name);
        hash_str(h, c->field[i].type->text);
        hash_u64(h, c->field[i].maybe + ((uint64_t)c->field[i].type->fortran << 1));
    }
}

void
ast_hash(const Program *p, Hash *h)
{
    hash_u64(h, (uint64_t)p->funcs.n);
    for (int i = 0; i < p->funcs.n; i++)
        hash_func(p->funcs.at[i], h);
    hash_u64(h, (uint64_t)p->root->index);
    hash_u64(h, (uint64_t)p->methods.n + ((uint64_t)p->bases.n << 32));
    for (int i = 0; i < p->methods.n; i++) {
        const Method *m = &p->methods.at[i];
        hash_str(h, m->name);
        hash_u64(h, (uint64_t)m->is_property + ((uint64_t)(m->def ? m->def->index + 1 : 0) << 1) +
                        ((uint64_t)(i > 0 && m->cls == m[-1].cls) << 33) +
                        ((uint64_t)m->is_setter << 34) + ((uint64_t)m->is_static << 35) +
                        ((uint64_t)m->is_class << 36));
        hash_const(m->cst, h);
    }
    hash_u64(h, (uint64_t)p->classes.n + ((uint64_t)p->dict_objects << 32));
    for (int i = 0; i < p->classes.n; i++)
        hash_class(p->classes.at[i], h);
}
