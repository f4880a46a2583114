// What the rows of containers.py have in common in C++.
#ifndef CONTAINERS_H
#define CONTAINERS_H
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

// Processor time, as containers.py takes it.
static inline int64_t
now()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
inline volatile double sink;

static inline uint64_t
mix(uint64_t h, uint64_t bits)
{
    h = (h ^ bits) * 0x9e3779b97f4a7c15u;
    return h ^ h >> 32;
}

struct HashInt {
    uint64_t operator()(int64_t k) const
    {
        return mix(0, (uint64_t)k);
    }
};
using Pair = std::pair<int64_t, int64_t>;
struct HashPair {
    uint64_t operator()(const Pair &p) const
    {
        return mix(mix(0, (uint64_t)p.first), (uint64_t)p.second);
    }
};

// Open addressing, linear probing, entries in the table.
template <class K, class H> struct Map {
    struct Entry {
        K key;
        int64_t value;
        bool used;
    };
    std::vector<Entry> at{8};
    size_t n = 0;
    H hash;
    Entry &find(const K &k)
    {
        size_t i = hash(k) & (at.size() - 1);
        while (at[i].used && !(at[i].key == k))
            i = (i + 1) & (at.size() - 1);
        return at[i];
    }
    void erase(const K &k)
    {
        size_t m = at.size() - 1, i = (size_t)(&find(k) - at.data());
        if (!at[i].used)
            return;
        for (size_t j = (i + 1) & m; at[j].used; j = (j + 1) & m)
            if (((j - (hash(at[j].key) & m)) & m) >= ((j - i) & m)) {
                at[i] = at[j];
                i = j;
            }
        at[i].used = false;
        n--;
    }
    int64_t &operator[](const K &k)
    {
        if ((n + 1) * 3 > at.size() * 2) {
            std::vector<Entry> old(at.size() * 2);
            old.swap(at);
            for (auto &e : old)
                if (e.used)
                    find(e.key) = e;
        }
        Entry &e = find(k);
        if (!e.used) {
            e = {k, 0, true};
            n++;
        }
        return e.value;
    }
};

template <class F>
static void
run(const char *name, int rounds, F f)
{
    int64_t best = INT64_MAX;
    for (int r = 0; r < rounds; r++) {
        int64_t t = now();
        sink = (double)f();
        best = std::min(best, now() - t);
    }
    printf("%s %lld\n", name, (long long)best);
}

void texts(const std::vector<int64_t> &keys, const std::string &folder, int rounds);
#endif
