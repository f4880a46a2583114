/* SPDX-License-Identifier: BSD-3-Clause
 * Where a function's text is, and whose it is. */
#ifndef SWATHE_PY_SOURCE_H
#define SWATHE_PY_SOURCE_H

/* ---- source.c -------------------------------------------------------------------------------- */
/* On success the _ast node (FunctionDef or Lambda; new reference), *src and *shift. NULL
 * without exception: no source; *why says so (arena). */
PyObject *in_source(In *in, PyObject *code, Source **src, int *shift, const char **why);
bool in_is_library(const char *module);    /* swathe's own */
bool in_is_installed(PyFunctionObject *f); /* of a package in site-packages */
double source_begin(void);

/* ---- unfiled.c: texts that are in no file ---------------------------------------------------- */
void unfiled_begin(void); /* from here on they are heard of */
PyObject *unfiled_lines(PyObject *code, const char *file);

#endif
