/* SPDX-License-Identifier: BSD-3-Clause
 * The functions of rt.def as the interpreter calls them: the very ones that compiled code is linked
 * to, for what needs no context of a call. */
#ifndef SWATHE_INTERP_RUNTIME_H
#define SWATHE_INTERP_RUNTIME_H
#include <stdint.h>

typedef struct SwCtx SwCtx;
typedef struct SwMem SwMem;
typedef struct SwLayout SwLayout;
typedef struct SwDesc SwDesc;
typedef struct SwError SwError;
typedef int (*SwBody)(SwCtx *cx, const uint64_t *env, int64_t chunk);
#define RT(id, ret, params, fails) ret id params;
#include "def/rt.def"
#undef RT
#endif
