// What bench/containers.py does, in C++: each line of output is a name and nanoseconds.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

using Clock = std::chrono::steady_clock;
static volatile double sink;

static uint64_t
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
        auto t = Clock::now();
        sink = (double)f();
        int64_t ns = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - t).count();
        best = std::min(best, ns);
    }
    printf("%s %lld\n", name, (long long)best);
}

int
main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoll(argv[1]) : 1000000;
    int rounds = argc > 2 ? atoi(argv[2]) : 5;
    std::vector<int64_t> keys(n);
    std::vector<double> numbers(n);
    uint64_t x = 1;
    for (int64_t i = 0; i < n; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        keys[i] = (int64_t)((x >> 33) % 100000);
        numbers[i] = (double)(x >> 11) / 9007199254740992.0;
    }
    run("append_and_sum", rounds, [&] {
        std::vector<double> v;
        for (int64_t i = 0; i < n; i++)
            v.push_back((double)i * 0.5);
        double s = 0;
        for (double e : v)
            s += e;
        return s;
    });
    run("sort", rounds, [&] {
        std::vector<double> v;
        for (int64_t i = 0; i < n; i++)
            v.push_back(numbers[i]);
        std::stable_sort(v.begin(), v.end());
        return v[n / 2];
    });
    run("sieve", rounds, [&] {
        std::vector<char> s(n, 1);
        int64_t c = 0;
        for (int64_t i = 2; i < n; i++)
            if (s[i]) {
                c++;
                for (int64_t j = i * i; j < n; j += i)
                    s[j] = 0;
            }
        return (double)c;
    });
    run("count_by_int", rounds, [&] {
        Map<int64_t, HashInt> m;
        for (int64_t k : keys)
            m[k]++;
        return (double)m.n;
    });
    run("count_by_tuple", rounds, [&] {
        Map<Pair, HashPair> m;
        for (int64_t k : keys)
            m[{k % 1000, k / 1000}]++;
        return (double)m.n;
    });
}
