/* SPDX-License-Identifier: BSD-3-Clause
 * Texts that are in no file, and of which functions are made nevertheless: what exec() and its like
 * were given, what was typed at the prompt (before Python 3.13, which keeps that itself), and a
 * script that came through a pipe. They are only candidates: swathe._source compiles them once
 * more, and takes the one that gives the function's own code. */
#include "py.h"
#include "source.h"
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAX_TEXTS = 1024, /* given to exec() and its like; the newest are kept */
    MAX_BYTES = 8 << 20,
    MAX_TYPED = 1 << 20,
    MAX_SCRIPT = 16 << 20,
};

/* ---- what exec() and compile() were given ---------------------------------------------------- */

/* Of the main interpreter, under its lock. */
static struct Given {
    PyInterpreterState *of;
    PyObject *texts[MAX_TEXTS];
    int64_t n, bytes; /* of all that were given; the n-th is at n % MAX_TEXTS */
    int64_t first;    /* of those kept */
} given;

static void
drop_oldest(void)
{
    PyObject **at = &given.texts[given.first++ % MAX_TEXTS];
    given.bytes -= PyBytes_GET_SIZE(*at);
    Py_CLEAR(*at);
}

static void
keep_given(PyObject *text)
{
    Py_ssize_t size = PyBytes_GET_SIZE(text);
    const char *s = PyBytes_AS_STRING(text);
    if (size > MAX_BYTES || (!strstr(s, "def ") && !strstr(s, "lambda")))
        return;
    while (given.n > given.first &&
           (given.n - given.first == MAX_TEXTS || given.bytes + size > MAX_BYTES))
        drop_oldest();
    given.texts[given.n++ % MAX_TEXTS] = Py_NewRef(text);
    given.bytes += size;
}

/* The parser says "compile" of each string that it is given, with its bytes. Modules have files. */
static int
hear(const char *event, PyObject *args, void *Py_UNUSED(data))
{
    if (strcmp(event, "compile") || !args || !PyTuple_Check(args) || PyTuple_GET_SIZE(args) != 2)
        return 0;
    PyObject *text = PyTuple_GET_ITEM(args, 0), *file = PyTuple_GET_ITEM(args, 1);
    if (!PyBytes_CheckExact(text) || !PyUnicode_Check(file) ||
        PyInterpreterState_Get() != given.of ||
        (PyUnicode_GET_LENGTH(file) > 0 && PyUnicode_READ_CHAR(file, 0) == '/'))
        return 0;
    keep_given(text);
    return 0;
}

/* ---- what was typed -------------------------------------------------------------------------- */

/* Statements as they were typed, with a NUL between; lines are read without the lock of Python. */
static struct Typed {
    pthread_mutex_t lock;
    char *(*read)(FILE *, FILE *, const char *);
    StrBuf text;
} typed = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void
keep_typed(const char *prompt, const char *line)
{
    pthread_mutex_lock(&typed.lock);
    if (typed.text.n > MAX_TYPED)
        typed.text.n = 0;
    bool more = prompt && !strncmp(prompt, "...", 3); /* sys.ps2, which hardly anyone changes */
    if (!more && typed.text.n)
        sb_addn(&typed.text, "", 1);
    sb_add(&typed.text, line);
    pthread_mutex_unlock(&typed.lock);
}

static char *
read_typed(FILE *in, FILE *out, const char *prompt)
{
    char *line = typed.read(in, out, prompt);
    if (line)
        keep_typed(prompt, line);
    return line;
}

void
unfiled_begin(void)
{
    given.of = PyInterpreterState_Get();
    PySys_AddAuditHook(hear, NULL);
    if (PY_VERSION_HEX < 0x030d0000 && PyOS_ReadlineFunctionPointer) {
        typed.read = PyOS_ReadlineFunctionPointer;
        PyOS_ReadlineFunctionPointer = read_typed;
    }
}

/* ---- a script on standard input -------------------------------------------------------------- */

/* A pipe can't be read again, but the C library still has what was read last, and CPython reads
 * all of a script before it runs it: the buffer is the end of it, or all. */
static PyObject *
script_text(void)
{
    struct stat at;
    if (fstat(0, &at) == 0 && S_ISREG(at.st_mode) && at.st_size < MAX_SCRIPT) {
        PyObject *r = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)at.st_size);
        if (r && pread(0, PyBytes_AS_STRING(r), (size_t)at.st_size, 0) == (ssize_t)at.st_size)
            return r;
        Py_XDECREF(r);
        PyErr_Clear();
    }
#ifdef __GLIBC__
    if (stdin->_IO_buf_base)
        return PyBytes_FromStringAndSize(stdin->_IO_buf_base,
                                         stdin->_IO_buf_end - stdin->_IO_buf_base);
#endif
    return PyBytes_FromString("");
}

/* ---- all of them ----------------------------------------------------------------------------- */

static PyObject *
given_texts(void)
{
    PyObject *r = PyList_New(0);
    for (int64_t i = given.n; r && i-- > given.first;)
        if (PyList_Append(r, given.texts[i % MAX_TEXTS]) < 0)
            Py_CLEAR(r);
    return r;
}

static PyObject *
typed_text(void)
{
    pthread_mutex_lock(&typed.lock);
    PyObject *r = PyBytes_FromStringAndSize(typed.text.s, (Py_ssize_t)typed.text.n);
    pthread_mutex_unlock(&typed.lock);
    return r;
}

/* The lines of a text that gives this code; NULL without exception where there is none. */
PyObject *
unfiled_lines(PyObject *code, const char *file)
{
    bool std = !strcmp(file, "<stdin>");
    PyObject *m = late_import("swathe._source"), *r = NULL;
    PyObject *texts = given_texts();
    PyObject *prompt = std ? typed_text() : PyBytes_FromString("");
    PyObject *script = std ? script_text() : PyBytes_FromString("");
    if (m && texts && prompt && script)
        r = PyObject_CallMethod(m, "unfiled", "OOOO", code, texts, prompt, script);
    Py_XDECREF(script);
    Py_XDECREF(prompt);
    Py_XDECREF(texts);
    Py_XDECREF(m);
    if (r == Py_None)
        Py_CLEAR(r);
    return r;
}
