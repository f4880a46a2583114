/* SPDX-License-Identifier: BSD-3-Clause
 * How many threads make sense: as many as SWATHE_NUM_THREADS says, or as the thread's
 * affinity has processors, or as the quota of its cgroups allows. A quota is looked for
 * in both versions of cgroups, in the process's own group and in those above it, since
 * the least one counts. What can't be read is no limit. */
#include "dev/dev.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

/* A file's first two words as numbers; "max" and -1 mean that there is no limit: 0. */
static int
read_numbers(const char *path, int64_t out[2])
{
    char line[128];
    FILE *f = fopen(path, "re");
    int n = 0;
    if (f && fgets(line, sizeof line, f) && strncmp(line, "max", 3) != 0) {
        long long a = 0, b = 0;
        n = sscanf(line, "%lld %lld", &a, &b);
        out[0] = a;
        out[1] = b;
    }
    if (f)
        fclose(f);
    return n > 0 && out[0] > 0 ? n : 0;
}

static int
least(int64_t quota, int64_t period, int so_far)
{
    if (quota <= 0 || period <= 0)
        return so_far;
    int64_t n = quota / period + (quota % period != 0);
    return so_far && so_far < n ? so_far : n < DEV_MAX_THREADS ? (int)n : DEV_MAX_THREADS;
}

/* Of one group, whose folder is given: the lesser of its quota and `so_far`. */
static int
group_quota(const char *folder, int so_far)
{
    char path[1200];
    int64_t v2[2] = {0, 0}, quota[2], period[2];
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    if (read_numbers(path, v2) == 2)
        so_far = least(v2[0], v2[1], so_far);
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
    if (!read_numbers(path, quota))
        return so_far;
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    return read_numbers(path, period) ? least(quota[0], period[0], so_far) : so_far;
}

/* The group at `path` below `root` and all above it. Inside a container the path may be
 * that of the host, and only the root is there. */
static int
groups_above(const char *root, const char *path, int so_far)
{
    char folder[1024];
    int base = snprintf(folder, sizeof folder, "%s", root);
    if (snprintf(folder + base, sizeof folder - (size_t)base, "%s", path) >=
        (int)sizeof folder - base)
        return so_far;
    for (;;) {
        so_far = group_quota(folder, so_far);
        char *slash = strrchr(folder + base, '/');
        if (!slash)
            return so_far;
        *slash = 0;
    }
}

/* A line of /proc/self/cgroup: "0::/path", or "4:cpu,cpuacct:/path". */
static int
line_quota(char *line, const char *sys_folder, int so_far)
{
    char root[512];
    line[strcspn(line, "\n")] = 0;
    char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
    if (!path || strlen(sys_folder) > 256)
        return so_far;
    *path++ = 0;
    names++;
    if (!*names)
        return groups_above(sys_folder, path, so_far);
    bool cpu = false;
    for (char *s = names; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
        cpu |= strcspn(s, ",") == 3 && strncmp(s, "cpu", 3) == 0;
    if (!cpu)
        return so_far;
    snprintf(root, sizeof root, "%s/%.200s", sys_folder, names);
    so_far = groups_above(root, path, so_far);
    snprintf(root, sizeof root, "%s/cpu", sys_folder);
    return groups_above(root, path, so_far);
}

int
dev_cpu_quota(const char *proc_file, const char *sys_folder)
{
    char line[1024];
    int n = 0;
    FILE *f = fopen(proc_file, "re");
    while (f && fgets(line, sizeof line, f))
        n = line_quota(line, sys_folder, n);
    if (f)
        fclose(f);
    return n;
}

/* The mask of a machine may be longer than a cpu_set_t. */
static int
affinity_count(void)
{
    for (int cpus = 1024; cpus <= 1 << 18; cpus *= 4) {
        cpu_set_t *set = CPU_ALLOC((size_t)cpus);
        size_t bytes = CPU_ALLOC_SIZE((size_t)cpus);
        int n = 0, r = set ? sched_getaffinity(0, bytes, set) : -1;
        int why = errno;
        if (r == 0)
            n = CPU_COUNT_S(bytes, set);
        CPU_FREE(set);
        if (r == 0 || why != EINVAL)
            return n;
    }
    return 0;
}

static int
clamp(int64_t n)
{
    return n < 1 ? 1 : n > DEV_MAX_THREADS ? DEV_MAX_THREADS : (int)n;
}

int
dev_cpu_count(void)
{
    const char *asked = getenv("SWATHE_NUM_THREADS");
    char *end = NULL;
    long long n = asked ? strtoll(asked, &end, 10) : 0;
    if (asked && end != asked && !*end && n >= 1)
        return clamp(n);
    int cpus = affinity_count(), quota = dev_cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
    return clamp(quota && quota < cpus ? quota : cpus);
}
