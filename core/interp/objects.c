/* SPDX-License-Identifier: BSD-3-Clause
 * Lists and dicts among the arguments and results of a run: drawn by what IrVar.holds
 * says that they hold, with elements that are one object or look at one memory; laid out
 * as words and columns; compared by what can be reached from them. A dict's index and
 * hashes are those of swathe/lib/dict.py and lower/heap_row.c. */
#include "interp/internal.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct Shape { /* of what a text such as "[(i64,?A1f64)]" says */
    char kind;         /* s: a scalar, A, R: an array, '(', '[', '<' (a ring), '{' */
    bool text;         /* an array of code points, in order, which nobody changes */
    int behind; /* a tag, and so many leaves behind it, which are nothing where it is false */
    DType dtype;
    int ndim, n;
    struct Shape *part[16];
} Shape;

typedef union Cell {
    Num v;
    InArg array;
    InObject *object;
} Cell;

struct InObject {
    const Shape *shape;
    int number, n; /* elements, or entries */
    Cell *cell;    /* n * leaves: of a dict the key's, then the value's */
};

enum { MOST_TEXT = 15 };

static int
leaves(const Shape *s)
{
    int n = 0;
    for (int i = 0; s->kind == '(' && i < s->n; i++)
        n += leaves(s->part[i]);
    return s->kind == '(' ? n : 1;
}

static char
closing(char open)
{
    return open == '(' ? ')' : open == '[' ? ']' : open == '<' ? '>' : '}';
}

static Shape *
read_shape(Arena *a, const char **s)
{
    Shape *r = NEW(a, Shape);
    char id[MOST_TEXT + 1] = {0};
    r->kind = **s;
    if (r->kind == '?') { /* a tag, and what is behind it */
        *r = (Shape){.kind = '(', .n = 2};
        r->part[0] = NEW(a, Shape);
        *r->part[0] = (Shape){.kind = 's', .dtype = DT_bool};
        ++*s;
        r->part[1] = read_shape(a, s);
        r->part[0]->behind = r->part[1] ? leaves(r->part[1]) : 0;
        return r->part[1] ? r : NULL;
    }
    if (r->kind == 'T' || r->kind == 'Y') { /* a str, bytes */
        DType d = r->kind == 'T' ? DT_u32 : DT_u8;
        ++*s;
        *r = (Shape){.kind = 'A', .text = true, .dtype = d, .ndim = 1};
        return r;
    }
    if (r->kind && strchr("([<{", r->kind)) {
        const char close = closing(r->kind);
        do {
            ++*s;
            if (r->n == SW_LEN(r->part) || !(r->part[r->n++] = read_shape(a, s)))
                return NULL;
        } while (**s == ',' || **s == ':');
        return *(*s)++ == close ? r : NULL;
    }
    if (r->kind == 'A' || r->kind == 'R')
        r->ndim = (int)strtol(*s + 1, (char **)(uintptr_t)s, 10);
    else
        r->kind = 's';
    size_t n = strcspn(*s, ",:()[]<>{}");
    if (n > MOST_TEXT)
        return NULL;
    memcpy(id, *s, n);
    *s += n;
    return dtype_from_id(id, &r->dtype) ? r : NULL;
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static int
flatten(const Shape *s, const Shape **out, int n)
{
    for (int i = 0; s->kind == '(' && i < s->n; i++)
        n = flatten(s->part[i], out, n);
    if (s->kind != '(')
        out[n++] = s;
    return n;
}

enum { MOST_LEAVES = 64 };

/* Of a list or dict, each column's; a dict has its index before them and its hashes
 * behind. */
static int
columns(const Shape *s, const Shape **out)
{
    int n = 0;
    for (int i = 0; i < s->n; i++)
        n = flatten(s->part[i], out, n);
    return n;
}

static bool
is_object(const Shape *s)
{
    return s->kind == '[' || s->kind == '<' || s->kind == '{';
}

static int
n_leaves(const Shape *s)
{
    int n = 0;
    for (int i = 0; i < s->n; i++)
        n += leaves(s->part[i]);
    return n;
}

/* Where the words of the first leaf's column begin. */
static int
first_column(const Shape *s)
{
    return s->kind == '[' ? 1 : s->kind == '<' ? 4 : 5;
}

static int
n_words(const Shape *s)
{
    return s->kind == '{' ? 2 + 3 * (2 + n_leaves(s)) : first_column(s) + 3 * n_leaves(s);
}

/* ---- drawing --------------------------------------------------------------------------------- */

static InObject *draw_object(ObjectDraw *d, const Shape *s, int depth);

static bool
same_shapes(const Shape *x, const Shape *y)
{
    if (x->kind != y->kind || x->dtype != y->dtype || x->ndim != y->ndim || x->n != y->n ||
        x->text != y->text)
        return false;
    for (int i = 0; i < x->n; i++)
        if (!same_shapes(x->part[i], y->part[i]))
            return false;
    return true;
}

static bool
fits(const InBuf *b, const Shape *s, const InArg *a)
{
    int64_t hi = a->offset + dtype_size(s->dtype);
    for (int k = 0; k < s->ndim; k++)
        hi += (a->dim[k] > 0 ? a->dim[k] - 1 : 0) * a->stride[k];
    return b->dtype == s->dtype && hi <= b->bytes;
}

/* Its own memory, or in that of any array before. */
static void
draw_array(ObjectDraw *d, const Shape *s, InArg *a)
{
    int64_t step = dtype_size(s->dtype), least = step, by = d->below(d->draw, 4) ? 1 : 2;
    *a = (InArg){.is_array = true,
                 .dim = NEW_N(d->a, int64_t, s->ndim + 1),
                 .stride = NEW_N(d->a, int64_t, s->ndim + 1)};
    for (int k = s->ndim - 1; k >= 0; k--) {
        a->dim[k] = d->size(d->draw) % (s->ndim > 1 ? 9 : 70);
        a->stride[k] = step * by;
        step = a->stride[k] * (a->dim[k] > 0 ? a->dim[k] : 1);
    }
    for (int tries = d->arrays == MOST_ELEMENT_ARRAYS ? 200 : (int)d->below(d->draw, 3);
         tries > 0 && d->in->n_bufs; tries--) {
        a->buf = (int)d->below(d->draw, d->in->n_bufs);
        a->offset = d->below(d->draw, 3) * least;
        if (fits(&d->in->buf[a->buf], s, a))
            return;
    }
    if (d->arrays == MOST_ELEMENT_ARRAYS) { /* none fits: it is empty, wherever it lies */
        a->buf = 0;
        a->offset = 0;
        for (int k = 0; k < s->ndim; k++)
            a->dim[k] = 0;
        return;
    }
    d->arrays++;
    a->buf = d->in->n_bufs++;
    a->offset = 0;
    InBuf *b = &d->in->buf[a->buf];
    *b = (InBuf){step + 3 * least, arena_alloc(d->a, (size_t)(step + 3 * least) + 16),
                 (uint8_t)s->dtype};
    for (int64_t k = 0; (k + 1) * least <= b->bytes; k++)
        num_write(s->dtype, b->data + k * least, d->value(d->draw, s->dtype));
}

/* Short, of few letters, so that some are equal. */
static void
draw_text(ObjectDraw *d, DType of, InArg *a)
{
    static const uint32_t point[] = {'a', 'b', '7', 0xe4, 0x1f600};
    int n = (int)d->below(d->draw, 4), size = (int)dtype_size(of);
    *a = (InArg){
        .is_array = true, .dim = NEW_N(d->a, int64_t, 1), .stride = NEW_N(d->a, int64_t, 1)};
    a->stride[0] = size;
    if (d->arrays == MOST_ELEMENT_ARRAYS && d->in->n_bufs)
        return;
    d->arrays++;
    a->dim[0] = n;
    a->buf = d->in->n_bufs++;
    InBuf *b = &d->in->buf[a->buf];
    *b = (InBuf){size * n, arena_alloc(d->a, (size_t)(size * n) + 16), of};
    for (int i = 0; i < n; i++)
        memcpy(b->data + size * i, &point[d->below(d->draw, SW_LEN(point))], (size_t)size);
}

/* What stands behind the tag of a None. */
static void
draw_nothing(ObjectDraw *d, const Shape *s, Cell *c)
{
    if (is_object(s)) {
        c->object = NEW(d->a, InObject);
        *c->object = (InObject){.shape = s, .number = MOST_OBJECTS - 1};
        return;
    }
    c->v = (Num){0};
    if (s->kind == 's')
        return;
    c->array = (InArg){.is_array = true,
                       .dim = NEW_N(d->a, int64_t, s->ndim + 1),
                       .stride = NEW_N(d->a, int64_t, s->ndim + 1)};
    for (int k = 0; k < s->ndim; k++)
        c->array.stride[k] = dtype_size(s->dtype);
    if (d->in->n_bufs) /* it lies anywhere */
        return;
    d->arrays++;
    d->in->n_bufs = 1;
    d->in->buf[0] = (InBuf){0, arena_alloc(d->a, 16), (uint8_t)s->dtype};
}

static const char *
bytes_of(const Input *in, const InArg *a, int64_t *n)
{
    *n = a->dim[0] * 4;
    return in->buf[a->buf].data + a->offset;
}

static bool same_key(const Input *in, const Cell *x, const Cell *y, const Shape *const *leaf,
                     int n);

static bool
holds_all(const Input *in, const InObject *x, const InObject *y)
{
    const Shape *leaf[MOST_LEAVES];
    int n = columns(x->shape, leaf);
    for (int i = 0; i < y->n; i++) {
        bool there = false;
        for (int j = 0; j < x->n; j++)
            there |= same_key(in, &x->cell[j * n], &y->cell[i * n], leaf, n);
        if (!there)
            return false;
    }
    return true;
}

static bool
same_key(const Input *in, const Cell *x, const Cell *y, const Shape *const *leaf, int n)
{
    for (int i = 0; i < n; i++) {
        if (leaf[i]->text) {
            int64_t m, k;
            const char *p = bytes_of(in, &x[i].array, &m), *q = bytes_of(in, &y[i].array, &k);
            if (m != k || memcmp(p, q, (size_t)m))
                return false;
            continue;
        }
        if (leaf[i]->kind == '{') {
            if (!holds_all(in, x[i].object, y[i].object) ||
                !holds_all(in, y[i].object, x[i].object))
                return false;
            continue;
        }
        bool floats = dtype_kind(leaf[i]->dtype) >= DK_FLOAT; /* 0.0 is -0.0 */
        if (floats ? x[i].v.re != y[i].v.re || x[i].v.im != y[i].v.im : x[i].v.i != y[i].v.i)
            return false;
    }
    return true;
}

static void
draw_cells(ObjectDraw *d, InObject *o, int depth)
{
    const Shape *leaf[MOST_LEAVES];
    int n = columns(o->shape, leaf), keys = o->shape->kind == '{' ? leaves(o->shape->part[0]) : 0,
        made = 0;
    for (int i = 0; i < o->n; i++) {
        Cell *c = &o->cell[made * n];
        bool there = false;
        int nothing = 0; /* so many leaves are behind the tag of a None */
        for (int k = 0; k < n; k++) {
            if (nothing-- > 0)
                draw_nothing(d, leaf[k], &c[k]);
            else if (leaf[k]->kind == 's')
                c[k].v = d->value(d->draw, leaf[k]->dtype);
            else if (leaf[k]->text)
                draw_text(d, leaf[k]->dtype, &c[k].array);
            else if (leaf[k]->kind == 'A' || leaf[k]->kind == 'R')
                draw_array(d, leaf[k], &c[k].array);
            else
                c[k].object = draw_object(d, leaf[k], depth + 1);
            if (nothing <= 0 && leaf[k]->behind && !c[k].v.i)
                nothing = leaf[k]->behind;
        }
        for (int j = 0; keys && j < made; j++)
            there |= same_key(d->in, &o->cell[j * n], c, leaf, keys);
        made += !there;
    }
    o->n = made;
    d->in->length[o->number] = made;
}

static InObject *
draw_object(ObjectDraw *d, const Shape *s, int depth)
{
    InObject *o = NULL;
    for (int i = 0; i < d->n && (d->n == MOST_OBJECTS || d->below(d->draw, 4) == 0); i++)
        if (d->all[i]->cell && same_shapes(d->all[i]->shape, s))
            o = d->all[i];
    if (o)
        return o;
    o = NEW(d->a, InObject);
    const Shape *leaf[MOST_LEAVES];
    int64_t most = depth                                                                   ? 4
                   : n_leaves(s) && columns(s, leaf) && leaf[n_leaves(s) - 1]->kind == 's' ? 40
                                                                                           : 9;
    *o = (InObject){.shape = s, .number = d->n < MOST_OBJECTS ? d->n : MOST_OBJECTS - 1};
    o->n = d->n > MOST_OBJECTS / 4 ? 0 : (int)(d->size(d->draw) % (most + 1));
    Cell *cell = NEW_N(d->a, Cell, o->n * n_leaves(s) + 1);
    if (d->n < MOST_OBJECTS)
        d->all[d->n++] = o;
    d->in->n_objects = d->n;
    o->cell = cell;
    draw_cells(d, o, depth);
    return o;
}

static const Shape *
shape_of(Arena *a, const char *holds)
{
    const char *s = holds;
    const Shape *r = holds ? read_shape(a, &s) : NULL;
    return r && is_object(r) && n_leaves(r) <= MOST_LEAVES ? r : NULL;
}

/* NULL: the text says nothing that is known here. */
const InObject *
object_draw(ObjectDraw *d, const char *holds)
{
    const Shape *s = shape_of(d->a, holds);
    return s ? draw_object(d, s, 0) : NULL;
}

bool
object_known(Arena *a, const char *holds)
{
    return shape_of(a, holds) != NULL;
}

/* ---- printing -------------------------------------------------------------------------------- */

static void
print_array(const Input *in, const Shape *s, const InArg *a, StrBuf *out)
{
    sb_addf(out, "memory %d+%" PRId64 "(", a->buf, a->offset);
    for (int k = 0; k < s->ndim; k++)
        sb_addf(out, "%s%" PRId64, k ? "," : "", a->dim[k]);
    sb_add(out, ")");
    for (int64_t i = 0; s->ndim == 1 && i < a->dim[0] && i < 10; i++) {
        sb_add(out, " ");
        num_print(out, s->dtype,
                  num_read(s->dtype, in->buf[a->buf].data + a->offset + i * a->stride[0]));
    }
}

void
object_print(const Input *in, const InObject *o, StrBuf *out)
{
    const Shape *leaf[MOST_LEAVES];
    int n = columns(o->shape, leaf);
    sb_addf(out, "#%d%c", o->number, o->shape->kind);
    for (int i = 0; o->cell && i < in->length[o->number] * n; i++) {
        const Cell *c = &o->cell[i];
        sb_add(out, i == 0 ? "" : i % n ? ":" : ", ");
        if (leaf[i % n]->kind == 's')
            num_print(out, leaf[i % n]->dtype, c->v);
        else if (leaf[i % n]->kind == 'A' || leaf[i % n]->kind == 'R')
            print_array(in, leaf[i % n], &c->array, out);
        else
            object_print(in, c->object, out);
    }
    sb_addf(out, "%c", closing(o->shape->kind));
}

/* ---- laying out ------------------------------------------------------------------------------ */

static void
refer(Interp *in, Buf *b, int64_t word, Buf *to, int64_t n, int64_t step)
{
    Desc *h = &b->held[word];
    *h = (Desc){.of = all_of(to),
                .data = to->data,
                .set = true,
                .dim = NEW_N(in->a, int64_t, 1),
                .stride = NEW_N(in->a, int64_t, 1)};
    h->dim[0] = n;
    h->stride[0] = step;
}

static Buf *
new_words(Interp *in, int64_t n)
{
    Buf *b = buf_new(in, n * 8, 8, true);
    b->held = NEW_N(in->a, Desc, n + 1);
    return b;
}

static Buf *
new_column(Interp *in, Buf *object, int word, int64_t n, int size)
{
    Buf *c = size ? buf_new(in, n * size, size, true) : new_words(in, n);
    refer(in, object, word, c, n, size ? size : 8);
    ((int64_t *)(void *)object->data)[word + 2] = n;
    return c;
}

static Buf *
new_box(Interp *in, const Shape *s, const InArg *a)
{
    Buf *box = new_words(in, 2 + 2 * s->ndim), *b = in->arg_buf[a->buf];
    int64_t hi = a->offset + dtype_size(s->dtype);
    for (int k = 0; k < s->ndim; k++)
        hi = a->dim[k] <= 0 || !hi ? 0 : hi + (a->dim[k] - 1) * a->stride[k];
    box->held[0] = (Desc){.of = {b, a->offset, hi ? hi : a->offset},
                          .data = b->data + a->offset,
                          .dim = a->dim,
                          .stride = a->stride,
                          .set = true};
    buf_retain(b);
    return box;
}

static uint64_t
mixed(uint64_t h, uint64_t bits)
{
    h = (h ^ bits) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

static uint64_t
text_hash(const Input *args, DType of, const InArg *a, uint64_t h)
{
    int64_t n, size = dtype_size(of);
    const char *p = bytes_of(args, a, &n);
    for (int64_t i = 0; i < n; i += size) {
        uint32_t point = 0;
        memcpy(&point, p + i, (size_t)size);
        h = (h ^ point) * 0x9e3779b97f4a7c15u;
    }
    return (h ^ h >> 32) + (uint64_t)(n / size);
}

static int64_t hash_of(const Input *args, const Cell *c, const Shape *const *leaf, int n);

static uint64_t
set_hash(const Input *args, const InObject *o)
{
    const Shape *leaf[MOST_LEAVES];
    int n = columns(o->shape, leaf);
    uint64_t h = 0;
    for (int i = 0; i < o->n; i++)
        h += (uint64_t)hash_of(args, &o->cell[i * n], leaf, n);
    return h;
}

static int64_t
hash_of(const Input *args, const Cell *c, const Shape *const *leaf, int n)
{
    uint64_t h = 0, bits;
    for (int k = 0; k < n; k++) {
        if (leaf[k]->text) {
            h = text_hash(args, leaf[k]->dtype, &c[k].array, h);
            continue;
        }
        if (leaf[k]->kind == '{') {
            h = mixed(h, set_hash(args, c[k].object));
            continue;
        }
        if (dtype_kind(leaf[k]->dtype) < DK_FLOAT) {
            h = mixed(h, (uint64_t)c[k].v.i);
            continue;
        }
        double part[2] = {c[k].v.re + 0.0, c[k].v.im + 0.0};
        for (int j = 0; j <= dtype_is_complex(leaf[k]->dtype); j++) {
            memcpy(&bits, &part[j], 8);
            h = mixed(h, bits);
        }
    }
    return (int64_t)(h & INT64_MAX);
}

/* The index, and the hashes behind the leaves' columns. */
static void
index_entries(Interp *in, const Input *args, Buf *b, const InObject *o, const Shape *const *leaf,
              int64_t count, int64_t room)
{
    enum { BITS = 40 };

    int64_t m = room, low = ((int64_t)1 << BITS) - 1;
    int keys = leaves(o->shape->part[0]), n = n_leaves(o->shape);
    int64_t *index = (int64_t *)(void *)new_column(in, b, 2, m, 8)->data;
    int64_t *hash = (int64_t *)(void *)new_column(in, b, 5 + 3 * n, m / 3 * 2 + 2, 8)->data;
    for (int64_t e = 0; e < count; e++) {
        hash[e] = hash_of(args, &o->cell[e * n], leaf, keys);
        int64_t i = hash[e] & (m - 1);
        while (index[i])
            i = (i + 1) & (m - 1);
        index[i] = (hash[e] & ~low) | (e + 1);
    }
    ((int64_t *)(void *)b->data)[1] = count;
}

/* Where element i of a ring is, in each column; of a list i. */
static int64_t
place_of(const Shape *s, const Buf *b, int64_t i)
{
    const int64_t *w = (const int64_t *)(const void *)b->data;
    int64_t at = s->kind == '<' ? w[1] + i : i;
    return s->kind == '<' && at >= w[first_column(s) + 2] ? at - w[first_column(s) + 2] : at;
}

Buf *
object_lay_out(Interp *in, const Input *args, const InObject *o, Buf **made)
{
    const Shape *leaf[MOST_LEAVES];
    int n = columns(o->shape, leaf);
    if (!o->cell) /* nothing */
        return new_words(in, n_words(o->shape));
    int64_t count = args->length[o->number], room = count, m = 8;
    Buf *b = made[o->number];
    if (b) {
        buf_retain(b);
        return b;
    }
    b = made[o->number] = new_words(in, n_words(o->shape));
    if (!count)
        return b;
    ((int64_t *)(void *)b->data)[0] = count;
    if (o->shape->kind == '<')
        ((int64_t *)(void *)b->data)[1] = (count / 2 + o->number) % count;
    while (m < 2 * (count + 1))
        m *= 2;
    if (o->shape->kind == '{') {
        room = m / 3 * 2 + 2;
        index_entries(in, args, b, o, leaf, count, m);
    }
    for (int k = 0; k < n; k++) {
        int size = leaf[k]->kind == 's' ? dtype_size(leaf[k]->dtype) : 0;
        Buf *c = new_column(in, b, first_column(o->shape) + 3 * k, room, size);
        for (int64_t i = 0; i < count; i++) {
            const Cell *v = &o->cell[i * n + k];
            int64_t e = place_of(o->shape, b, i);
            if (size) {
                num_write(leaf[k]->dtype, c->data + e * size, v->v);
                continue;
            }
            bool array = leaf[k]->kind == 'A' || leaf[k]->kind == 'R';
            Buf *to =
                array ? new_box(in, leaf[k], &v->array) : object_lay_out(in, args, v->object, made);
            refer(in, c, e, to, to->bytes / 8, 8);
        }
    }
    return b;
}

/* ---- comparing ------------------------------------------------------------------------------- */

static const char *differ(ObjectPairs *p, const Shape *s, Buf *x, Buf *y);

static bool
paired(ObjectPairs *p, Buf *x, Buf *y, bool *known)
{
    Buf *of = map_get(&p->of, x), *back = map_get(&p->of, y);
    *known = of || back;
    if (*known)
        return of == y && back == x;
    map_put(p->a, &p->of, x, y);
    map_put(p->a, &p->of, y, x);
    return true;
}

static const char *
arrays_differ(ObjectPairs *p, const Shape *s, const Desc *x, const Desc *y)
{
    int size = dtype_size(s->dtype);
    int64_t idx[64] = {0}, n = 1;
    bool known;
    for (int k = 0; k < s->ndim; k++) {
        if (x->dim[k] != y->dim[k])
            return "an array in it has another size";
        n *= x->dim[k];
    }
    if (x->of.buf->freed || y->of.buf->freed)
        return "an array in it is in memory that was released";
    if (n && (x->of.buf->arg != y->of.buf->arg || !paired(p, x->of.buf, y->of.buf, &known) ||
              x->data - x->of.buf->data != y->data - y->of.buf->data))
        return "an array in it lies elsewhere";
    for (int k = 0; n && k < s->ndim; k++)
        if (x->dim[k] > 1 && x->stride[k] != y->stride[k])
            return "an array in it has other strides";
    for (int64_t i = 0; i < n; i++) {
        const char *a = x->data, *b = y->data;
        for (int k = 0; k < s->ndim; k++) {
            a += idx[k] * x->stride[k];
            b += idx[k] * y->stride[k];
        }
        Num v = num_read(s->dtype, a), w = num_read(s->dtype, b);
        w.undef = bytes_undef(y->of.buf, b, size);
        if (!bytes_undef(x->of.buf, a, size) && !num_same(s->dtype, v, w, p->loose))
            return "an element of an array in it is another";
        for (int k = s->ndim - 1; k >= 0 && ++idx[k] == x->dim[k]; k--)
            idx[k] = 0;
    }
    return NULL;
}

/* One leaf of an element of each. */
static const char *
cells_differ(ObjectPairs *p, const Shape *s, const Desc *x, int64_t i, const Desc *y, int64_t k)
{
    if (s->kind == 's') {
        int size = dtype_size(s->dtype);
        Num v = num_read(s->dtype, x->data + i * size), w = num_read(s->dtype, y->data + k * size);
        v.undef = bytes_undef(x->of.buf, x->data + i * size, size);
        w.undef = bytes_undef(y->of.buf, y->data + k * size, size);
        return v.undef || num_same(s->dtype, v, w, p->loose) ? NULL : "an element of it is another";
    }
    const Desc *h = x->of.buf->held ? &x->of.buf->held[i] : NULL,
               *g = y->of.buf->held ? &y->of.buf->held[k] : NULL;
    if (!h || !g || !h->set || !g->set)
        return "an element of it is nothing";
    if (s->kind != 'A' && s->kind != 'R')
        return differ(p, s, h->of.buf, g->of.buf);
    if (h->of.buf->freed || g->of.buf->freed)
        return "an element of it is released";
    return arrays_differ(p, s, &h->of.buf->held[0], &g->of.buf->held[0]);
}

/* The next entry of a dict that is there, from e on; of a list e. */
static int64_t
next_entry(const Shape *s, const Buf *b, int64_t e)
{
    int hashes = 5 + 3 * n_leaves(s);
    while (s->kind == '{' && e < ((const int64_t *)(const void *)b->data)[1] &&
           ((const int64_t *)(const void *)b->held[hashes].data)[e] < 0)
        e++;
    return e;
}

static const char *
differ(ObjectPairs *p, const Shape *s, Buf *x, Buf *y)
{
    const Shape *leaf[MOST_LEAVES];
    int n = columns(s, leaf), at = first_column(s);
    bool known;
    const char *why = NULL;
    if (!paired(p, x, y, &known))
        return "it is another object";
    if (known)
        return NULL;
    if (x->freed || y->freed)
        return "it was released";
    int64_t count = *(const int64_t *)(const void *)x->data, e = 0, f = 0;
    if (count != *(const int64_t *)(const void *)y->data)
        return arena_printf(p->a, "it has %lld elements, and had %lld",
                            *(const long long *)(const void *)y->data, (long long)count);
    for (int64_t i = 0; i < count && !why; i++, e++, f++) {
        e = next_entry(s, x, e);
        f = next_entry(s, y, f);
        for (int k = 0; k < n && !why; k++)
            why = cells_differ(p, leaf[k], &x->held[at + 3 * k], place_of(s, x, e),
                               &y->held[at + 3 * k], place_of(s, y, f));
    }
    return why;
}

const char *
objects_differ(ObjectPairs *p, const char *holds, Buf *x, Buf *y)
{
    const Shape *s = shape_of(p->a, holds);
    return s ? differ(p, s, x, y) : NULL;
}
