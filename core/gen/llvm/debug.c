/* SPDX-License-Identifier: BSD-3-Clause
 * DWARF lines under debug=True: a compile unit for the module, a subprogram for each
 * function, and the Python line of every statement, so that gdb and perf show the user's
 * source. Without debug all of this does nothing. */
#include "emit.h"

/* LLVM's DebugDirectivesOnly, which its C interface doesn't name: lines, and no sections, which
 * older versions of PTX can't hold. */
#define LINES_ONLY ((LLVMDWARFEmissionKind)3)

static LLVMMetadataRef
file_of(Gen *g, const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *base = slash ? slash + 1 : path ? path : "<unknown>";
    size_t dir = slash ? (size_t)(slash - path) : 0;
    return LLVMDIBuilderCreateFile(g->di, base, strlen(base), path ? path : "", dir);
}

void
debug_begin(Gen *g)
{
    if (!g->opt.debug)
        return;
    const char *path = NULL;
    for (int i = 0; i < g->m->funcs.n && !path; i++)
        if (g->m->funcs.at[i]->at.src)
            path = g->m->funcs.at[i]->at.src->file;
    LLVMAddModuleFlag(g->mod, LLVMModuleFlagBehaviorWarning, "Debug Info Version", 18,
                      LLVMValueAsMetadata(k32(g, (int64_t)LLVMDebugMetadataVersion())));
    LLVMAddModuleFlag(g->mod, LLVMModuleFlagBehaviorWarning, "Dwarf Version", 13,
                      LLVMValueAsMetadata(k32(g, 4)));
    g->di = LLVMCreateDIBuilder(g->mod);
    g->di_file = file_of(g, path);
    g->di_unit = LLVMDIBuilderCreateCompileUnit(
        g->di, LLVMDWARFSourceLanguageC99, g->di_file, "swathe", 6, true, "", 0, 0, "", 0,
        g->ptx ? LINES_ONLY : LLVMDWARFEmissionFull, 0, false, false, "", 0, "", 0);
}

void
debug_function(Gen *g, IrFunc *f, FnDecl *d)
{
    if (!g->di)
        return;
    LLVMMetadataRef file = f->at.src ? file_of(g, f->at.src->file) : g->di_file;
    LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(g->di, file, NULL, 0, LLVMDIFlagZero);
    size_t n;
    const char *link = LLVMGetValueName2(d->fn, &n);
    unsigned line = (unsigned)(f->at.line > 0 ? f->at.line : 1);
    d->sub = LLVMDIBuilderCreateFunction(g->di, file, f->name, strlen(f->name), link, n, file, line,
                                         type, true, true, line, LLVMDIFlagZero, true);
    LLVMSetSubprogram(d->fn, d->sub);
}

/* A statement without a place gets the function's line: LLVM wants one on every call that
 * may be inlined. One of a body in place of a call gets the line of the call. */
void
debug_at(Gen *g, Span at)
{
    if (!g->di || !g->d || !g->d->sub)
        return;
    while (at.src && at.src->call)
        at = *at.src->call;
    int line = at.line > 0 ? at.line : g->f->at.line > 0 ? g->f->at.line : 1;
    unsigned col = at.line > 0 ? (unsigned)at.col + 1 : 0;
    LLVMSetCurrentDebugLocation2(
        g->b, LLVMDIBuilderCreateDebugLocation(g->c, (unsigned)line, col, g->d->sub, NULL));
}

void
debug_end(Gen *g)
{
    if (!g->di)
        return;
    LLVMDIBuilderFinalize(g->di);
    LLVMDisposeDIBuilder(g->di);
    g->di = NULL;
}
