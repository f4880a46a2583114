/* SPDX-License-Identifier: BSD-3-Clause
 * A loader of relocatable ELF objects for x86-64: takes the bytes that the back end or the cache
 * gave, yields code that can run. One mapping holds everything, in three groups of pages: code
 * (with the stubs), constants (with the global offset table), data; it is written first, then
 * protected. Our mapping may lie further than 2 GiB from libm, so a call of an external function
 * goes to a stub of ours that jumps through the table. The bytes may be garbage (a damaged cache
 * file): every offset, size and index is checked before use, and the answer is a message, never a
 * fault. */
#include "ir/ir.h"
#include "kernel/kernel.h"
#include "rt/rt.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { CODE, CONSTANTS, DATA, GROUPS };
enum { PAGE = 4096, STUB = 16, MAX_SECTIONS = 65000 };
static const uint64_t MAX_IMAGE = (uint64_t)1 << 30;

typedef struct Export {
    const char *name; /* lies behind the table */
    void *at;
} Export;

typedef struct LoadedCode {
    char *base;
    size_t size;
    void *gdb;
    int n, n_units;
    Export *exports;
    Unit **units; /* that it calls, which stay as long as it does */
} LoadedCode;

/* An object on its way. */
typedef struct Load {
    const uint8_t *p;
    size_t n;
    const Elf64_Shdr *sh;
    int n_sh;
    const Elf64_Sym *sym;
    uint32_t n_sym, symtab;
    const char *names; /* of symbols */
    uint64_t names_size;
    uint64_t *place; /* by section: offset in the image; 0: not loaded */
    uint32_t *slot;  /* by symbol: 1 + number of its entry in the table and of its stub */
    uint32_t n_slots;
    uint64_t begin[GROUPS + 1], stubs, got;
    char *base;
    Unit **units;
    int n_units;
    int32_t first_site;
    LoadError err;
} Load;

static bool SW_PRINTF(2, 3) fail(Load *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    if (!l->err.why && vasprintf(&l->err.why, fmt, ap) < 0)
        l->err.why = NULL;
    va_end(ap);
    return false;
}

static bool
inside(const Load *l, uint64_t off, uint64_t size)
{
    return off <= l->n && size <= l->n - off;
}

/* ---- what the headers say --------------------------------------------------------------- */

static bool
read_header(Load *l)
{
    if (l->n < sizeof(Elf64_Ehdr) || memcmp(l->p, ELFMAG, SELFMAG))
        return fail(l, "not an ELF object");
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)(const void *)l->p;
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB ||
        h->e_type != ET_REL || h->e_machine != EM_X86_64)
        return fail(l, "not a relocatable object for x86-64");
    if (h->e_shentsize != sizeof(Elf64_Shdr) || !h->e_shnum || h->e_shnum > MAX_SECTIONS ||
        h->e_shoff % 8 || !inside(l, h->e_shoff, h->e_shnum * sizeof(Elf64_Shdr)))
        return fail(l, "the section table is damaged");
    l->sh = (const Elf64_Shdr *)(const void *)(l->p + h->e_shoff);
    l->n_sh = h->e_shnum;
    return true;
}

static bool
read_strings(Load *l, uint32_t index)
{
    if (index >= (uint32_t)l->n_sh || l->sh[index].sh_type != SHT_STRTAB)
        return fail(l, "the symbols have no names");
    const Elf64_Shdr *s = &l->sh[index];
    if (!s->sh_size || !inside(l, s->sh_offset, s->sh_size) || l->p[s->sh_offset + s->sh_size - 1])
        return fail(l, "the string table is damaged");
    l->names = (const char *)l->p + s->sh_offset;
    l->names_size = s->sh_size;
    return true;
}

static bool
read_symbols(Load *l)
{
    for (int i = 1; i < l->n_sh; i++)
        if (l->sh[i].sh_type == SHT_SYMTAB) {
            if (l->symtab)
                return fail(l, "more than one symbol table");
            l->symtab = (uint32_t)i;
        }
    if (!l->symtab)
        return fail(l, "no symbol table");
    const Elf64_Shdr *s = &l->sh[l->symtab];
    if (s->sh_entsize != sizeof(Elf64_Sym) || s->sh_offset % 8 || s->sh_size % s->sh_entsize ||
        s->sh_size >> 32 || !inside(l, s->sh_offset, s->sh_size))
        return fail(l, "the symbol table is damaged");
    l->sym = (const Elf64_Sym *)(const void *)(l->p + s->sh_offset);
    l->n_sym = (uint32_t)(s->sh_size / sizeof(Elf64_Sym));
    if (!read_strings(l, s->sh_link))
        return false;
    for (uint32_t i = 0; i < l->n_sym; i++)
        if (l->sym[i].st_name >= l->names_size)
            return fail(l, "the name of symbol %u is out of range", i);
    return true;
}

/* ---- layout ----------------------------------------------------------------------------- */

static int
group_of(const Elf64_Shdr *s)
{
    return s->sh_flags & SHF_EXECINSTR ? CODE : s->sh_flags & SHF_WRITE ? DATA : CONSTANTS;
}

static bool
check_section(Load *l, int i)
{
    const Elf64_Shdr *s = &l->sh[i];
    uint64_t align = s->sh_addralign;
    if (s->sh_flags & SHF_TLS)
        return fail(l, "thread-local data is not supported");
    if ((s->sh_flags & SHF_EXECINSTR) && (s->sh_flags & SHF_WRITE))
        return fail(l, "section %d is writable code", i);
    if (align & (align - 1) || align > PAGE)
        return fail(l, "section %d has alignment %llu", i, (unsigned long long)align);
    if (s->sh_size > MAX_IMAGE)
        return fail(l, "section %d is too large", i);
    if (s->sh_type != SHT_NOBITS && !inside(l, s->sh_offset, s->sh_size))
        return fail(l, "section %d lies outside the object", i);
    return true;
}

static uint64_t
align_up(uint64_t x, uint64_t a)
{
    return a > 1 ? (x + a - 1) & ~(a - 1) : x;
}

/* Offset 0 is never a section's: a `place` of 0 means that it isn't loaded. */
static bool
lay_group(Load *l, int group, uint64_t *at)
{
    l->begin[group] = *at;
    for (int i = 1; i < l->n_sh; i++) {
        const Elf64_Shdr *s = &l->sh[i];
        if (!(s->sh_flags & SHF_ALLOC) || group_of(s) != group)
            continue;
        *at = align_up(*at, s->sh_addralign);
        l->place[i] = *at;
        *at += s->sh_size;
        if (*at > MAX_IMAGE)
            return fail(l, "the object is too large");
    }
    if (group == CODE)
        *at = (l->stubs = align_up(*at, STUB)) + (uint64_t)l->n_slots * STUB;
    if (group == CONSTANTS)
        *at = (l->got = align_up(*at, 8)) + (uint64_t)l->n_slots * 8;
    *at = align_up(*at, PAGE);
    return *at <= MAX_IMAGE || fail(l, "the object is too large");
}

static bool
lay_out(Load *l)
{
    uint64_t at = 16;
    for (int i = 1; i < l->n_sh; i++)
        if ((l->sh[i].sh_flags & SHF_ALLOC) && !check_section(l, i))
            return false;
    for (int g = 0; g < GROUPS; g++)
        if (!lay_group(l, g, &at))
            return false;
    l->begin[CODE] = 0;
    l->begin[GROUPS] = at;
    void *p = mmap(NULL, at, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return false;
    l->base = p;
    for (int i = 1; i < l->n_sh; i++)
        if (l->place[i] && l->sh[i].sh_type != SHT_NOBITS)
            memcpy(l->base + l->place[i], l->p + l->sh[i].sh_offset, l->sh[i].sh_size);
    return true;
}

/* ---- relocations ------------------------------------------------------------------------ */

typedef bool RelocFn(Load *l, const Elf64_Shdr *target, int index, const Elf64_Rela *r);

/* Calls fn for each relocation of a section that is loaded (or will be). */
static bool
each_reloc(Load *l, RelocFn *fn)
{
    for (int i = 1; i < l->n_sh; i++) {
        const Elf64_Shdr *s = &l->sh[i];
        if (s->sh_type == SHT_REL)
            return fail(l, "relocations without addends are not supported");
        if (s->sh_type != SHT_RELA)
            continue;
        if (s->sh_info >= (uint32_t)l->n_sh || s->sh_link != l->symtab ||
            s->sh_entsize != sizeof(Elf64_Rela) || s->sh_offset % 8 ||
            s->sh_size % sizeof(Elf64_Rela) || !inside(l, s->sh_offset, s->sh_size))
            return fail(l, "relocation section %d is damaged", i);
        const Elf64_Shdr *target = &l->sh[s->sh_info];
        if (!(target->sh_flags & SHF_ALLOC))
            continue;
        const Elf64_Rela *r = (const Elf64_Rela *)(const void *)(l->p + s->sh_offset);
        for (uint64_t k = 0; k < s->sh_size / sizeof *r; k++)
            if (!fn(l, target, (int)s->sh_info, &r[k]))
                return false;
    }
    return true;
}

static int
reloc_width(uint32_t type)
{
    switch (type) {
    case R_X86_64_NONE:
        return 0;
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
    case R_X86_64_32:
    case R_X86_64_32S:
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
    case R_X86_64_GOTPC32:
        return 4;
    case R_X86_64_64:
    case R_X86_64_PC64:
    case R_X86_64_GOTOFF64:
    case R_X86_64_GOTPC64:
        return 8;
    }
    return -1;
}

static bool
is_got_base(const Load *l, uint32_t sym)
{
    return !strcmp(l->names + l->sym[sym].st_name, "_GLOBAL_OFFSET_TABLE_");
}

static bool
check_reloc(Load *l, const Elf64_Shdr *target, int index, const Elf64_Rela *r)
{
    uint32_t type = ELF64_R_TYPE(r->r_info), sym = ELF64_R_SYM(r->r_info);
    int width = reloc_width(type);
    if (width < 0)
        return fail(l, "relocation type %u is not supported", type);
    if (sym >= l->n_sym)
        return fail(l, "a relocation of section %d names symbol %u of %u", index, sym, l->n_sym);
    if (target->sh_type == SHT_NOBITS || target->sh_size < (uint64_t)width ||
        r->r_offset > target->sh_size - (uint64_t)width)
        return fail(l, "a relocation lies outside section %d", index);
    bool needs_slot = l->sym[sym].st_shndx == SHN_UNDEF || type == R_X86_64_GOTPCREL ||
                      type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX;
    if (width && sym && needs_slot && !l->slot[sym] && !is_got_base(l, sym))
        l->slot[sym] = ++l->n_slots;
    return true;
}

static char *
got_entry(const Load *l, uint32_t sym)
{
    return l->base + l->got + (uint64_t)(l->slot[sym] - 1) * 8;
}

static char *
stub(const Load *l, uint32_t sym)
{
    return l->base + l->stubs + (uint64_t)(l->slot[sym] - 1) * STUB;
}

/* The address of a symbol that the object itself defines. */
static bool
defined_address(Load *l, uint32_t i, uint64_t *out)
{
    const Elf64_Sym *s = &l->sym[i];
    if (s->st_shndx == SHN_ABS) {
        *out = s->st_value;
        return true;
    }
    if (s->st_shndx == SHN_UNDEF || s->st_shndx >= l->n_sh || !l->place[s->st_shndx])
        return fail(l, "symbol %u (%s) is in no section that is loaded", i, l->names + s->st_name);
    if (s->st_value > l->sh[s->st_shndx].sh_size)
        return fail(l, "symbol %u lies outside its section", i);
    *out = (uint64_t)(uintptr_t)l->base + l->place[s->st_shndx] + s->st_value;
    return true;
}

static bool
symbol_address(Load *l, uint32_t i, uint64_t *out)
{
    if (i == 0) {
        *out = 0;
        return true;
    }
    if (l->sym[i].st_shndx != SHN_UNDEF)
        return defined_address(l, i, out);
    if (is_got_base(l, i)) {
        *out = (uint64_t)(uintptr_t)l->base + l->got;
        return true;
    }
    memcpy(out, got_entry(l, i), 8);
    return true;
}

static void
write_stub(const Load *l, uint32_t sym)
{
    char *at = stub(l, sym);
    int32_t off = (int32_t)(got_entry(l, sym) - (at + 6));
    memcpy(at, "\xff\x25", 2); /* jmp *off(%rip) */
    memcpy(at + 2, &off, 4);
    memset(at + 6, 0xcc, STUB - 6);
}

/* Each is held once for each symbol, of which an object has one. */
static void *
find_unit(Load *l, const char *name)
{
    if (!l->units && !(l->units = calloc(l->n_slots, sizeof *l->units)))
        return NULL;
    Unit *u = unit_find(name, true);
    if (u)
        l->units[l->n_units++] = u;
    return u ? unit_entry(u) : NULL;
}

/* 0: it was not found. */
static uint64_t
external_address(Load *l, const char *name)
{
    if (!strcmp(name, UNIT_SITES))
        return (uint64_t)l->first_site;
    if (!strncmp(name, UNIT_PREFIX, strlen(UNIT_PREFIX)))
        return (uint64_t)(uintptr_t)find_unit(l, name);
    return (uint64_t)(uintptr_t)rt_extern(name);
}

/* Fills the table, and writes a stub for each external symbol. */
static bool
fill_slots(Load *l)
{
    for (uint32_t i = 1; i < l->n_sym; i++) {
        if (!l->slot[i])
            continue;
        uint64_t at;
        if (l->sym[i].st_shndx == SHN_UNDEF) {
            const char *name = l->names + l->sym[i].st_name;
            at = external_address(l, name);
            if (!at && !strncmp(name, KERNEL_PREFIX, strlen(KERNEL_PREFIX)))
                return fail(l,
                            "%s belongs beside swathe's extension module, and is not there or of "
                            "another version",
                            KERNEL_LIBRARY);
            if (!at)
                return fail(l, "compiled code needs '%s', which was not found", name);
            write_stub(l, i);
        } else if (!defined_address(l, i, &at)) {
            return false;
        }
        memcpy(got_entry(l, i), &at, 8);
    }
    return true;
}

static bool
put32(Load *l, char *at, int64_t v, bool is_signed, uint32_t sym)
{
    if (is_signed ? v != (int32_t)v : v != (int64_t)(uint32_t)v)
        return fail(l, "'%s' is too far away", l->names + l->sym[sym].st_name);
    uint32_t u = (uint32_t)v;
    memcpy(at, &u, 4);
    return true;
}

static bool
put64(char *at, uint64_t v)
{
    memcpy(at, &v, 8);
    return true;
}

static bool
apply_reloc(Load *l, const Elf64_Shdr *target, int index, const Elf64_Rela *r)
{
    (void)target;
    uint32_t type = ELF64_R_TYPE(r->r_info), sym = ELF64_R_SYM(r->r_info);
    if (type == R_X86_64_NONE)
        return true;
    char *at = l->base + l->place[index] + r->r_offset;
    uint64_t here = (uint64_t)(uintptr_t)at, add = (uint64_t)r->r_addend, s;
    uint64_t got = (uint64_t)(uintptr_t)l->base + l->got;
    if (!symbol_address(l, sym, &s))
        return false;
    switch (type) {
    case R_X86_64_PLT32: /* the only use of an external function that can do with a stub */
        if (l->slot[sym] && l->sym[sym].st_shndx == SHN_UNDEF)
            s = (uint64_t)(uintptr_t)stub(l, sym);
        return put32(l, at, (int64_t)(s + add - here), true, sym);
    case R_X86_64_PC32:
        return put32(l, at, (int64_t)(s + add - here), true, sym);
    case R_X86_64_32:
        return put32(l, at, (int64_t)(s + add), false, sym);
    case R_X86_64_32S:
        return put32(l, at, (int64_t)(s + add), true, sym);
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        if (!l->slot[sym])
            return fail(l, "a relocation of section %d needs a symbol", index);
        s = (uint64_t)(uintptr_t)got_entry(l, sym);
        return put32(l, at, (int64_t)(s + add - here), true, sym);
    case R_X86_64_GOTPC32:
        return put32(l, at, (int64_t)(got + add - here), true, sym);
    case R_X86_64_64:
        return put64(at, s + add);
    case R_X86_64_PC64:
        return put64(at, s + add - here);
    case R_X86_64_GOTOFF64:
        return put64(at, s + add - got);
    case R_X86_64_GOTPC64:
        return put64(at, got + add - here);
    }
    return fail(l, "relocation type %u is not supported", type);
}

static bool
protect(Load *l)
{
    /* Constants as code: so the mappings of functions beside each other become one, and a process
     * may have some 65,000 of them. */
    static const int prot[GROUPS] = {PROT_READ | PROT_EXEC, PROT_READ | PROT_EXEC,
                                     PROT_READ | PROT_WRITE};
    for (int g = 0; g < GROUPS; g++) {
        size_t size = l->begin[g + 1] - l->begin[g];
        if (size && mprotect(l->base + l->begin[g], size, prot[g]))
            return fail(l, "the system refused to make the code executable");
    }
    return true;
}

/* ---- what is left of it ----------------------------------------------------------------- */

static bool
is_export(const Load *l, uint32_t i)
{
    const Elf64_Sym *s = &l->sym[i];
    return ELF64_ST_BIND(s->st_info) != STB_LOCAL && s->st_shndx != SHN_UNDEF &&
           s->st_shndx < l->n_sh && l->place[s->st_shndx] && l->names[s->st_name];
}

/* The names are copied behind the table, and that behind the LoadedCode: one allocation. */
static LoadedCode *
make_code(Load *l)
{
    size_t n = 0, text = 0;
    for (uint32_t i = 1; i < l->n_sym; i++)
        if (is_export(l, i)) {
            n++;
            text += strlen(l->names + l->sym[i].st_name) + 1;
        }
    LoadedCode *c = calloc(1, sizeof *c + n * sizeof(Export) + text);
    if (!c) {
        fail(l, "out of memory");
        return NULL;
    }
    c->exports = (Export *)(c + 1);
    char *names = (char *)(c->exports + n);
    for (uint32_t i = 1; i < l->n_sym; i++) {
        uint64_t at;
        if (!is_export(l, i))
            continue;
        if (!defined_address(l, i, &at)) {
            free(c);
            return NULL;
        }
        size_t len = strlen(l->names + l->sym[i].st_name) + 1;
        c->exports[c->n++] =
            (Export){memcpy(names, l->names + l->sym[i].st_name, len), (void *)(uintptr_t)at};
        names += len;
    }
    c->base = l->base;
    c->size = l->begin[GROUPS];
    c->units = l->units;
    c->n_units = l->n_units;
    return c;
}

/* gdb wants the object with the addresses of its sections filled in. */
static void
tell_debugger(Load *l, LoadedCode *c)
{
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)(const void *)l->p;
    uint32_t names = h->e_shstrndx;
    if (names >= (uint32_t)l->n_sh || l->sh[names].sh_type != SHT_STRTAB ||
        !inside(l, l->sh[names].sh_offset, l->sh[names].sh_size))
        return;
    const void *debug =
        memmem(l->p + l->sh[names].sh_offset, l->sh[names].sh_size, ".debug_info", 11);
    char *copy = debug ? malloc(l->n) : NULL;
    if (!copy)
        return;
    memcpy(copy, l->p, l->n);
    Elf64_Shdr *sh = (Elf64_Shdr *)(void *)(copy + h->e_shoff);
    for (int i = 1; i < l->n_sh; i++)
        if (l->place[i])
            sh[i].sh_addr = (uint64_t)(uintptr_t)l->base + l->place[i];
    c->gdb = rt_gdb_add(copy, l->n);
    free(copy);
}

static LoadedCode *
load(Load *l)
{
    if (!read_header(l) || !read_symbols(l))
        return NULL;
    l->place = calloc((size_t)l->n_sh, sizeof *l->place);
    l->slot = calloc((size_t)l->n_sym + 1, sizeof *l->slot);
    if (!l->place || !l->slot) {
        fail(l, "out of memory");
        return NULL;
    }
    if (!each_reloc(l, check_reloc) || !lay_out(l) || !fill_slots(l) ||
        !each_reloc(l, apply_reloc) || !protect(l))
        return NULL;
    LoadedCode *c = make_code(l);
    if (c)
        tell_debugger(l, c);
    return c;
}

static void
release_units(Unit **units, int n)
{
    for (int i = 0; i < n; i++)
        unit_release(units[i]);
    free(units);
}

struct LoadedCode *
load_object(const void *elf, size_t n, int32_t first_site, LoadError *err)
{
    Load l = {.p = elf, .n = n, .first_site = first_site};
    void *copy = NULL;
    if ((uintptr_t)elf % 8) { /* the tables are read in place */
        l.p = copy = malloc(n ? n : 1);
        if (copy)
            memcpy(copy, elf, n);
    }
    LoadedCode *c = l.p ? load(&l) : NULL;
    if (!c && l.base)
        munmap(l.base, l.begin[GROUPS]);
    if (!c)
        release_units(l.units, l.n_units);
    free(l.place);
    free(l.slot);
    free(copy);
    l.err.no_memory = !c && !l.err.why;
    *err = l.err;
    return c;
}

void *
load_symbol(struct LoadedCode *c, const char *name)
{
    for (int i = 0; i < c->n; i++)
        if (!strcmp(c->exports[i].name, name))
            return c->exports[i].at;
    return NULL;
}

const SwSite *
load_site(const struct LoadedCode *c, int32_t site)
{
    const SwSite *s = NULL;
    for (int i = 0; c && i < c->n_units && !s; i++)
        s = unit_site(c->units[i], site);
    return s;
}

void
load_free(struct LoadedCode *c)
{
    if (!c)
        return;
    release_units(c->units, c->n_units);
    rt_gdb_remove(c->gdb);
    munmap(c->base, c->size);
    free(c);
}
