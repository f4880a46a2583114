/* SPDX-License-Identifier: BSD-3-Clause
 * Which exception class derives from which: asked by handlers, of compiled code and of the
 * interpreter. Builtin classes are in the table; others are "module.name", and say what they derive
 * from: "m.Late<m.Error<ValueError", all of it, in Python's order. */
#include "ir/ir.h"

static const char *const class_base[][2] = {
    {"ArithmeticError", "Exception"},
    {"FloatingPointError", "ArithmeticError"},
    {"OverflowError", "ArithmeticError"},
    {"ZeroDivisionError", "ArithmeticError"},
    {"LookupError", "Exception"},
    {"IndexError", "LookupError"},
    {"KeyError", "LookupError"},
    {"UnboundLocalError", "NameError"},
    {"ModuleNotFoundError", "ImportError"},
    {"NotImplementedError", "RuntimeError"},
    {"RecursionError", "RuntimeError"},
    {"PythonFinalizationError", "RuntimeError"},
    {"UnicodeError", "ValueError"},
    {"UnicodeDecodeError", "UnicodeError"},
    {"UnicodeEncodeError", "UnicodeError"},
    {"UnicodeTranslateError", "UnicodeError"},
    {"numpy.linalg.LinAlgError", "ValueError"},
    {"numpy.exceptions.AxisError", "ValueError"},
    {"IndentationError", "SyntaxError"},
    {"TabError", "IndentationError"},
    {"BlockingIOError", "OSError"},
    {"ChildProcessError", "OSError"},
    {"ConnectionError", "OSError"},
    {"BrokenPipeError", "ConnectionError"},
    {"ConnectionAbortedError", "ConnectionError"},
    {"ConnectionRefusedError", "ConnectionError"},
    {"ConnectionResetError", "ConnectionError"},
    {"FileExistsError", "OSError"},
    {"FileNotFoundError", "OSError"},
    {"InterruptedError", "OSError"},
    {"IsADirectoryError", "OSError"},
    {"NotADirectoryError", "OSError"},
    {"PermissionError", "OSError"},
    {"ProcessLookupError", "OSError"},
    {"TimeoutError", "OSError"},
    {"DeprecationWarning", "Warning"},
    {"UserWarning", "Warning"},
    {"RuntimeWarning", "Warning"},
    {"FutureWarning", "Warning"},
    {"SyntaxWarning", "Warning"},
    {"KeyboardInterrupt", "BaseException"},
    {"SystemExit", "BaseException"},
    {"GeneratorExit", "BaseException"},
    {"Exception", "BaseException"},
    {"BaseException", NULL},
};

static const char *
base_of(const char *cls)
{
    for (int i = 0; i < SW_LEN(class_base); i++)
        if (strcmp(class_base[i][0], cls) == 0)
            return class_base[i][1];
    return "Exception";
}

static bool derives(const char *cls, const char *from);

bool
ir_exc_derives(const char *cls, const char *from)
{
    size_t n = cls ? strcspn(cls, "<") : 0;
    if (!cls || !cls[n])
        return derives(cls, from);
    for (; *cls; cls += n + (cls[n] == '<')) {
        n = strcspn(cls, "<");
        if (strlen(from) == n && !memcmp(cls, from, n))
            return true;
    }
    return false;
}

static bool
derives(const char *cls, const char *from)
{
    for (; cls; cls = base_of(cls)) {
        if (strcmp(cls, from) == 0)
            return true;
        /* the one class here with two bases, and two names of one class */
        if (strcmp(cls, "numpy.exceptions.AxisError") == 0 && derives("IndexError", from))
            return true;
        if (strcmp(cls, "OSError") == 0 &&
            (!strcmp(from, "IOError") || !strcmp(from, "EnvironmentError")))
            return true;
    }
    return false;
}
