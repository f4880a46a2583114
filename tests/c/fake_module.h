/* SPDX-License-Identifier: BSD-3-Clause
 * Modules, functions and launches of fake_cuda.c, whose types and checks it uses. A module is its
 * PTX's text, which the linker only puts a word before; a function's parameters are read from it,
 * so that a launch can print the values that it was given, the last byte first. */
static Result
log_error(unsigned n, const int *what, void **values, const char *text)
{
    char *to = NULL;
    size_t room = 0;
    for (unsigned i = 0; i < n; i++) {
        if (what[i] == 5)
            to = values[i];
        if (what[i] == 6)
            room = (size_t)values[i];
    }
    if (to && room)
        snprintf(to, room, "%s", text);
    return INVALID_PTX;
}

static int log_what[2];
static void *log_value[2];
static bool sealed; /* something was added whose names can't be seen */
static unsigned log_n;

Result
cuLinkCreate_v2(unsigned n, int *what, void **values, void **l)
{
    CALL(true);
    log_n = 0;
    linked[0] = 0;
    added_bytes = 0;
    for (unsigned i = 0; i < n; i++)
        if (what[i] != 5 && what[i] != 6)
            sprintf(linked + strlen(linked), "%d=%d ", what[i], (int)(size_t)values[i]);
    for (unsigned i = 0; i < n; i++)
        if (what[i] == 5 || what[i] == 6) {
            log_what[log_n] = what[i];
            log_value[log_n++] = values[i];
        }
    *l = make(LINK);
    return OK;
}

Result
cuLinkAddData_v2(void *l, int kind, const void *data, size_t size, const char *name, unsigned n,
                 int *what, void **values)
{
    CALL(true);
    (void)n, (void)what, (void)values;
    const char *text = data;
    if (!alive(l, LINK, __func__) || kind < 0 || kind > 5)
        return INVALID_VALUE;
    snprintf(linked + strlen(linked), 2048, "| %d %s ", kind, name);
    bool more = added_bytes > 0;
    added = realloc(added, added_bytes + size);
    memcpy(added + added_bytes, data, size);
    added_bytes += size;
    /* a fat binary of nvcc's is packed */
    sealed |= kind == 2 && size > 4 && !memcmp(data, "\x50\xed\x55\xba", 4);
    if (kind != 1)
        return OK;
    if (size == 0 || text[size - 1])
        breach("PTX that doesn't end");
    if (!strstr(text, ".version") || !strstr(text, ".target"))
        return log_error(log_n, log_what, log_value, "ptxas: fatal: this is no PTX");
    Handle *h = l;
    if (more)
        return OK;
    free(h->data);
    sealed = false;
    h->bytes = size + 6;
    h->data = malloc(h->bytes);
    memcpy(h->data, "CUBIN:", 6);
    memcpy(h->data + 6, data, size);
    return OK;
}

static char missing[256];

/* Each ".extern .func (...) name" must be named by something else that was added. */
static bool
undefined(const char *text, size_t own)
{
    for (const char *s = text; (s = strstr(s, ".extern .func ")) != NULL; s++) {
        const char *at = s + 14 + strspn(s + 14, " ");
        char name[100];
        if (*at == '(')
            at = strchr(at, ')') + 1;
        if (sscanf(at, " %99[A-Za-z0-9_$]", name) != 1 || !strcmp(name, "vprintf"))
            continue;
        if (own - 6 <= added_bytes &&
            memmem(added + (own - 6), added_bytes - (own - 6), name, strlen(name)))
            continue;
        snprintf(missing, sizeof missing, "error   : Undefined reference to '%s' in 'swathe'",
                 name);
        return true;
    }
    return false;
}

Result
cuLinkComplete(void *l, void **cubin, size_t *size)
{
    CALL(true);
    if (!alive(l, LINK, __func__))
        return INVALID_VALUE;
    if (!sealed && undefined(((Handle *)l)->data, ((Handle *)l)->bytes))
        return log_error(log_n, log_what, log_value, missing);
    *cubin = ((Handle *)l)->data;
    *size = ((Handle *)l)->bytes;
    return OK;
}

Result
cuLinkDestroy(void *l)
{
    CALL(true);
    if (!alive(l, LINK, __func__))
        return INVALID_VALUE;
    free(((Handle *)l)->data);
    *(Handle *)l = (Handle){0};
    return OK;
}

Result
cuModuleLoadDataEx(void **m, const void *image, unsigned n, int *what, void **values)
{
    CALL(true);
    if (strncmp(image, "CUBIN:", 6))
        return log_error(n, what, values, "this is no cubin");
    Handle *h = make(MODULE);
    h->data = strdup(image);
    *m = h;
    return OK;
}

Result
cuModuleUnload(void *m)
{
    CALL(true);
    if (!alive(m, MODULE, __func__))
        return INVALID_VALUE;
    for (int i = 0; i < HANDLES; i++)
        if (handles[i].kind == FUNCTION && handles[i].of == m) {
            free(handles[i].data);
            handles[i] = (Handle){0};
        }
    free(((Handle *)m)->data);
    *(Handle *)m = (Handle){0};
    return OK;
}

/* ".param .u64 name," or ".param .align 2 .b8 name[2]": how many bytes each has. */
static void
read_params(Handle *f, const char *s)
{
    const char *end = strchr(s, ')');
    while ((s = strstr(s, ".param ")) != NULL && s < end) {
        s += 7;
        int align = 0, bits = 0, n = 1;
        if (sscanf(s, ".align %d", &align) == 1)
            s = strstr(s + 1, " .") + 1;
        sscanf(s, ".%*[a-z]%d", &bits);
        const char *stop = s + strcspn(s, ",)"), *bracket = memchr(s, '[', (size_t)(stop - s));
        if (bracket)
            n = atoi(bracket + 1);
        f->param[f->n_params++] = bits / 8 * n;
    }
}

Result
cuModuleGetFunction(void **f, void *m, const char *name)
{
    CALL(true);
    char entry[300];
    if (!alive(m, MODULE, __func__))
        return INVALID_VALUE;
    snprintf(entry, sizeof entry, ".entry %s(", name);
    const char *found = strstr(((Handle *)m)->data, entry);
    if (!found)
        return NOT_FOUND;
    Handle *h = make(FUNCTION);
    h->of = m;
    h->data = strdup(name);
    h->dynamic = 49152;
    read_params(h, found);
    *f = h;
    return OK;
}

Result
cuFuncGetAttribute(int *v, int what, void *f)
{
    static const int values[] = {1024, 512, 0, 16, 40};
    CALL(true);
    if (!alive(f, FUNCTION, __func__) || what > 4)
        return INVALID_VALUE;
    *v = values[what];
    return OK;
}

Result
cuFuncSetAttribute(void *f, int what, int v)
{
    CALL(true);
    if (!alive(f, FUNCTION, __func__) || what != 8)
        return INVALID_VALUE;
    ((Handle *)f)->dynamic = v;
    return OK;
}

static Result
launch(const char *how, Handle *f, const unsigned *g, unsigned shared, void *s, void **args)
{
    char *p = last, *end = last + sizeof last;
    if (!alive(f, FUNCTION, how) || !alive(s, STREAM, how))
        return INVALID_VALUE;
    if (shared > (unsigned)f->dynamic)
        breach("%u bytes of shared memory that were not asked for", shared);
    p += snprintf(p, (size_t)(end - p), "%s %s %u,%u,%u %u,%u,%u %u", how, f->data, g[0], g[1],
                  g[2], g[3], g[4], g[5], shared);
    uint64_t fault = 0;
    for (int i = 0; i < f->n_params; i++) {
        p += snprintf(p, (size_t)(end - p), " ");
        uint64_t pointer = 0;
        memcpy(&pointer, args[i], f->param[i] < 8 ? 0 : 8);
        if (pointer)
            touch(s, pointer, false, how);
        fault = pointer;
        for (int k = f->param[i] - 1; k >= 0; k--)
            p += snprintf(p, (size_t)(end - p), "%02x", ((unsigned char *)args[i])[k]);
    }
    if (fault_site && piece(fault, 80)) { /* the last parameter: as if a thread had failed */
        const int64_t left[] = {fault_site, 1, 0, 0, 3, 0, 0, 11, 0, 8};
        memcpy((void *)(uintptr_t)fault, left, sizeof left);
        fault_site = 0;
    }
    return OK;
}

Result
cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
               unsigned bz, unsigned shared, void *s, void **args, void **extra)
{
    CALL(true);
    if (extra)
        breach("cuLaunchKernel with extra");
    return launch("launch", f, (unsigned[]){gx, gy, gz, bx, by, bz}, shared, s, args);
}

Result
cuLaunchCooperativeKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                          unsigned bz, unsigned shared, void *s, void **args)
{
    CALL(true);
    return launch("cooperative", f, (unsigned[]){gx, gy, gz, bx, by, bz}, shared, s, args);
}
