/* SPDX-License-Identifier: BSD-3-Clause
 * The loops of scan.c for one target: TARGET, an attribute, and OF, which names its functions. */
#ifdef TARGET

#define NAMED(x) OF(x, f64)
#define T double
#define V v_f64
#define U v_f64
#define B v_i64
#define N 8
#define WIDTH(x, k) x##_8_##k
#define GREATER(a, b) GREATER_f64(a, b)
#define LESSER(a, b) LESSER_f64(a, b)
#define QUICK_GREATER(a, b) QUICK_GREATER_f64(a, b)
#define QUICK_LESSER(a, b) QUICK_LESSER_f64(a, b)
#define HAS_NAN(v) HAS_NAN_f64(v)
#include "kernel/lib/scan_of.h"

#define NAMED(x) OF(x, i64)
#define T int64_t
#define V v_i64
#define U v_u64
#define B v_i64
#define N 8
#define WIDTH(x, k) x##_8_##k
#define GREATER(a, b) GREATER_i64(a, b)
#define LESSER(a, b) LESSER_i64(a, b)
#define QUICK_GREATER(a, b) QUICK_GREATER_i64(a, b)
#define QUICK_LESSER(a, b) QUICK_LESSER_i64(a, b)
#define HAS_NAN(v) HAS_NAN_i64(v)
#include "kernel/lib/scan_of.h"

#define NAMED(x) OF(x, f32)
#define T float
#define V v_f32
#define U v_f32
#define B v_i32
#define N 16
#define WIDTH(x, k) x##_16_##k
#define GREATER(a, b) GREATER_f32(a, b)
#define LESSER(a, b) LESSER_f32(a, b)
#define QUICK_GREATER(a, b) QUICK_GREATER_f32(a, b)
#define QUICK_LESSER(a, b) QUICK_LESSER_f32(a, b)
#define HAS_NAN(v) HAS_NAN_f32(v)
#include "kernel/lib/scan_of.h"

#define NAMED(x) OF(x, i32)
#define T int32_t
#define V v_i32
#define U v_u32
#define B v_i32
#define N 16
#define WIDTH(x, k) x##_16_##k
#define GREATER(a, b) GREATER_i32(a, b)
#define LESSER(a, b) LESSER_i32(a, b)
#define QUICK_GREATER(a, b) QUICK_GREATER_i32(a, b)
#define QUICK_LESSER(a, b) QUICK_LESSER_i32(a, b)
#define HAS_NAN(v) HAS_NAN_i32(v)
#include "kernel/lib/scan_of.h"

#undef TARGET
#undef OF
#undef HAS_NAN_f64
#undef HAS_NAN_f32
#undef GREATER_f64
#undef LESSER_f64
#undef GREATER_f32
#undef LESSER_f32
#undef GREATER_i64
#undef LESSER_i64
#undef GREATER_i32
#undef LESSER_i32
#undef QUICK_GREATER_f64
#undef QUICK_LESSER_f64
#undef QUICK_GREATER_f32
#undef QUICK_LESSER_f32
#endif
