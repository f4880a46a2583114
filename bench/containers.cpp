// What bench/containers.py does, in C++: each line of output is a name and nanoseconds.
#include "containers.h"

#include <cmath>
#include <cstdlib>
#include <deque>
#include <functional>
#include <memory>
#include <queue>

struct Cache {
    int64_t room, n = 0;
    Map<int64_t, HashInt> where;
    std::vector<int64_t> key, before, after;
    std::vector<double> value;
    Cache(int64_t r) : room(r), key(r), before(r + 1, r), after(r + 1, r), value(r) {}
    void unlink(int64_t i)
    {
        after[before[i]] = after[i];
        before[after[i]] = before[i];
    }
    void push(int64_t i)
    {
        int64_t f = after[room];
        after[room] = i;
        before[i] = room;
        after[i] = f;
        before[f] = i;
    }
    double get(int64_t k)
    {
        auto &e = where.find(k);
        if (!e.used)
            return -1;
        unlink(e.value);
        push(e.value);
        return value[e.value];
    }
    void put(int64_t k, double v)
    {
        int64_t i;
        if (n < room) {
            i = n++;
        } else {
            i = before[room];
            unlink(i);
            where.erase(key[i]);
        }
        where[k] = i;
        key[i] = k;
        value[i] = v;
        push(i);
    }
};

struct Machine {
    std::vector<int64_t> code, args, stack{0};
    size_t at = 0;
    int64_t run(int64_t most)
    {
        for (int64_t steps = 0; steps < most; steps++) {
            int64_t op = code.at(at), arg = args.at(at), b;
            at++;
            switch (op) {
            case 0:
                stack.push_back(arg);
                break;
            case 1:
                b = stack.back();
                stack.pop_back();
                stack.back() += b;
                break;
            case 2:
                b = stack.back();
                stack.pop_back();
                stack.back() = stack.back() * b % 1000003;
                break;
            case 3:
                at = (size_t)arg;
                break;
            default:
                b = stack.back();
                stack.pop_back();
                if (b == 0)
                    at = (size_t)arg;
            }
        }
        return stack.back();
    }
};

struct Node {
    int64_t key;
    std::unique_ptr<Node> left, right;
    Node(int64_t k) : key(k) {}
};

struct Tree {
    std::unique_ptr<Node> root;
    int64_t n = 1;
    Tree(int64_t k) : root(new Node(k)) {}
    void insert(int64_t k)
    {
        Node *at = root.get();
        for (;;) {
            if (k == at->key)
                return;
            auto &next = k < at->key ? at->left : at->right;
            if (!next) {
                next = std::make_unique<Node>(k);
                n++;
                return;
            }
            at = next.get();
        }
    }
};

struct Particle {
    double x, y, vx, vy;
    void move(double dt)
    {
        x += vx * dt;
        y += vy * dt;
        if (x > 1 || x < 0)
            vx = -vx;
        if (y > 1 || y < 0)
            vy = -vy;
    }
};

struct Job {
    double time;
    int64_t name;
};

struct Sets {
    std::vector<int64_t> parent, size;
    int64_t count;
    Sets(int64_t n) : parent(n), size(n, 1), count(n)
    {
        for (int64_t i = 0; i < n; i++)
            parent[i] = i;
    }
    int64_t find(int64_t x)
    {
        while (parent[x] != x) {
            parent[x] = parent[parent[x]];
            x = parent[x];
        }
        return x;
    }
    void join(int64_t a, int64_t b)
    {
        a = find(a), b = find(b);
        if (a == b)
            return;
        if (size[a] < size[b])
            std::swap(a, b);
        parent[b] = a;
        size[a] += size[b];
        count--;
    }
};

static void
classes(const std::vector<int64_t> &keys, const std::vector<double> &numbers, int rounds)
{
    int64_t n = (int64_t)keys.size();
    run("lru_cache", rounds, [&] {
        Cache c(1000);
        int64_t hits = 0;
        for (int64_t i = 0; i < n; i++) {
            int64_t k = keys[i] % 3000;
            if (c.get(k) >= 0)
                hits++;
            else
                c.put(k, numbers[i]);
        }
        return hits;
    });
    run("virtual_machine", rounds, [&] {
        Machine m;
        m.code = {0, 1, 0, 2, 0, 4, 3};
        m.args = {1, 0, 7, 0, 1, 0, 0};
        return m.run(n);
    });
    run("tree", rounds, [&] {
        Tree t(50000);
        for (int64_t k : keys)
            t.insert(k);
        return t.n;
    });
    run("particle_objects", rounds, [&] {
        std::vector<std::unique_ptr<Particle>> ps;
        for (int i = 0; i < 1000; i++)
            ps.emplace_back(new Particle{numbers[i % 10], 0.5, numbers[i % 7] - 0.5, 0.1});
        for (int64_t r = 0; r < n / 1000; r++)
            for (auto &p : ps)
                p->move(0.01);
        double s = 0;
        for (auto &p : ps)
            s += p->x;
        return s;
    });
    run("particle_records", rounds, [&] {
        std::vector<Particle> ps;
        for (int i = 0; i < 1000; i++)
            ps.push_back(Particle{numbers[i % 10], 0.5, numbers[i % 7] - 0.5, 0.1});
        for (int64_t r = 0; r < n / 1000; r++)
            for (auto &p : ps)
                p.move(0.01);
        double s = 0;
        for (auto &p : ps)
            s += p.x;
        return s;
    });
    run("priority_queue", rounds, [&] {
        std::vector<std::unique_ptr<Job>> q;
        auto later = [](const std::unique_ptr<Job> &a, const std::unique_ptr<Job> &b) {
            return b->time < a->time;
        };
        int64_t s = 0;
        q.emplace_back(new Job{0.5, 0});
        for (int64_t i = 0; i < n; i++) {
            q.emplace_back(new Job{numbers[i], i});
            std::push_heap(q.begin(), q.end(), later);
            if (q.size() > 200) {
                std::pop_heap(q.begin(), q.end(), later);
                s += q.back()->name % 7;
                q.pop_back();
            }
        }
        return s;
    });
    run("union_find", rounds, [&] {
        Sets u(100000);
        for (int64_t i = 0; i + 1 < n; i++)
            u.join(keys[i], keys[i + 1]);
        return u.count;
    });
}

static void
containers(const std::vector<int64_t> &keys, const std::vector<double> &numbers, int rounds)
{
    int64_t n = (int64_t)keys.size();
    run("sort_by_key", rounds, [&] {
        std::vector<std::pair<int64_t, double>> x;
        for (int64_t i = 0; i < n; i++)
            x.emplace_back(keys[i], numbers[i]);
        std::stable_sort(x.begin(), x.end(),
                         [](auto &a, auto &b) { return a.second < b.second; });
        return x[n / 2].first;
    });
    run("heap", rounds, [&] {
        using Item = std::pair<double, int64_t>;
        std::priority_queue<Item, std::vector<Item>, std::greater<Item>> q;
        double s = 0;
        for (int64_t i = 0; i < n; i++) {
            q.emplace(numbers[i], i);
            if (q.size() > 1000) {
                s += q.top().first;
                q.pop();
            }
        }
        return s;
    });
    run("set_of_tuples", rounds, [&] {
        Map<Pair, HashPair> seen;
        int64_t x = 0, y = 0;
        for (int64_t k : keys) {
            switch (k % 4) {
            case 0:
                x++;
                break;
            case 1:
                x--;
                break;
            case 2:
                y++;
                break;
            default:
                y--;
            }
            seen[{x, y}] = 1;
        }
        return seen.n;
    });
    run("breadth_first", rounds, [&] {
        int64_t side = (int64_t)std::sqrt((double)n);
        std::vector<int64_t> distance(side * side, -1);
        std::deque<Pair> q{{0, 0}};
        distance[0] = 0;
        while (!q.empty()) {
            auto [x, y] = q.front();
            q.pop_front();
            int64_t d = distance[x * side + y];
            static const int step[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
            for (auto &by : step) {
                int64_t u = x + by[0], v = y + by[1];
                if (u >= 0 && u < side && v >= 0 && v < side && distance[u * side + v] < 0 &&
                    keys[u * side + v] % 8) {
                    distance[u * side + v] = d + 1;
                    q.emplace_back(u, v);
                }
            }
        }
        return *std::max_element(distance.begin(), distance.end());
    });
}

int
main(int argc, char **argv)
{
    int64_t n = argc > 1 ? atoll(argv[1]) : 1000000;
    int rounds = argc > 2 ? atoi(argv[2]) : 5;
    std::string folder = argc > 3 ? argv[3] : ".";
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
    containers(keys, numbers, rounds);
    classes(keys, numbers, rounds);
    texts(keys, folder, rounds);
}
