/* SPDX-License-Identifier: BSD-3-Clause
 * The processor that code is made for when nobody names another. A cache key needs it without LLVM,
 * which would take 5 ms to load to say the same, so it is asked itself. */
#include "gen/gen.h"

#include <stdlib.h>
#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

static const char *
cpu_override(void)
{
    const char *s = getenv("SWATHE_CPU");
    return s && *s ? s : NULL;
}

GenTarget
gen_host_target(void)
{
    return (GenTarget){.cpu = cpu_override()};
}

/* What is not known of x86 is taken to have AVX2. */
int
gen_host_vector_bytes(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!cpu_override() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
        return 64;
    return 32;
#else
    return 16;
#endif
}

bool
gen_host_has_baseline(void)
{
    const char *cpu = cpu_override();
    if (cpu && strcmp(cpu, GEN_BASELINE) != 0)
        return false;
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("x86-64-v3");
#else
    return false;
#endif
}

#if defined(__x86_64__)
static uint64_t
enabled_state(void)
{
    uint32_t lo, hi;
    __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
    return (uint64_t)hi << 32 | lo;
}

/* Model and features. Leaf 1's EBX names the core that we run on just now, so it stays out; the
 * brand stays out as well, as the code made does not depend on it. */
void
gen_hash_processor(Hash *h)
{
    static const uint32_t leaves[][2] = {{0, 0}, {1, 0},    {7, 0},
                                         {7, 1}, {0x14, 0}, {0x80000001u, 0}};
    for (int i = 0; i < SW_LEN(leaves); i++) {
        uint32_t r[4] = {0};
        __get_cpuid_count(leaves[i][0], leaves[i][1], &r[0], &r[1], &r[2], &r[3]);
        if (leaves[i][0] == 1 || leaves[i][0] == 0x80000001u)
            r[1] = 0;
        if (leaves[i][0] == 1 && r[2] >> 27 & 1)
            hash_u64(h, enabled_state());
        hash_bytes(h, r, sizeof r);
    }
}
#elif defined(__aarch64__)
void
gen_hash_processor(Hash *h)
{
    uint64_t midr = 0;
    hash_u64(h, getauxval(AT_HWCAP));
    hash_u64(h, getauxval(AT_HWCAP2));
    if (getauxval(AT_HWCAP) & HWCAP_CPUID)
        __asm__("mrs %0, MIDR_EL1" : "=r"(midr));
    hash_u64(h, midr);
}
#else
#error "which processor is this?"
#endif
