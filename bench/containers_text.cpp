// The rows over text of containers.py in C++: what is read of a text is a view of it.
#include "containers.h"

#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

using View = std::string_view;

struct HashText {
    uint64_t operator()(View s) const
    {
        uint64_t h = s.size();
        while (s.size() >= 8) {
            uint64_t w;
            memcpy(&w, s.data(), 8);
            h = mix(h, w);
            s.remove_prefix(8);
        }
        uint64_t w = 0;
        for (size_t i = 0; i < s.size(); i++)
            w |= (uint64_t)(unsigned char)s[i] << 8 * i;
        return mix(h, w);
    }
};
using Counts = Map<View, HashText>;

static bool
is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool
is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool
is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

template <class F>
static void
each_word(View s, F f)
{
    for (size_t i = 0, n = s.size();;) {
        while (i < n && is_space(s[i]))
            i++;
        if (i == n)
            return;
        size_t j = i;
        while (j < n && !is_space(s[j]))
            j++;
        f(s.substr(i, j - i));
        i = j;
    }
}

static std::vector<View>
split(View s)
{
    std::vector<View> words;
    each_word(s, [&](View w) { words.push_back(w); });
    return words;
}

static std::string
whole(const std::string &path)
{
    std::ifstream f(path, std::ios::binary);
    std::stringstream s;
    s << f.rdbuf();
    return s.str();
}

static int64_t
count_words(const std::string &path)
{
    std::string s = whole(path);
    Counts d;
    each_word(s, [&](View w) { d[w]++; });
    int64_t most = 0;
    for (auto &e : d.at)
        most = std::max(most, e.used ? e.value : 0);
    return most * 100000 + (int64_t)d.n;
}

static int64_t
tokenize(View s)
{
    Counts names;
    int64_t kinds[3] = {0, 0, 0};
    size_t n = s.size(), i = 0;
    while (i < n) {
        size_t j = i + 1;
        if (is_space(s[i])) {
            i++;
        } else if (is_alpha(s[i])) {
            while (j < n && (is_alpha(s[j]) || is_digit(s[j])))
                j++;
            names[s.substr(i, j - i)]++;
            kinds[0]++;
            i = j;
        } else if (is_digit(s[i])) {
            while (j < n && (is_digit(s[j]) || s[j] == '.'))
                j++;
            kinds[1]++;
            i = j;
        } else {
            kinds[2]++;
            i++;
        }
    }
    return (int64_t)names.n + kinds[0] * 3 + kinds[1] * 5 + kinds[2] * 7;
}

static int64_t
edit_distance(View a, View b)
{
    std::vector<int64_t> row(b.size() + 1);
    for (size_t j = 0; j < row.size(); j++)
        row[j] = (int64_t)j;
    for (size_t i = 0; i < a.size(); i++) {
        int64_t before = row[0];
        row[0] = (int64_t)i + 1;
        for (size_t j = 0; j < b.size(); j++) {
            int64_t here =
                a[i] == b[j] ? before : 1 + std::min(std::min(before, row[j]), row[j + 1]);
            before = row[j + 1];
            row[j + 1] = here;
        }
    }
    return row.back();
}

static size_t
split_and_join(View s)
{
    std::string all;
    std::vector<View> words = split(s), lines;
    for (View w : words) {
        if (!all.empty())
            all += '-';
        all += w;
    }
    for (size_t i = 0;;) {
        size_t j = s.find('\n', i);
        lines.push_back(s.substr(i, j - i));
        if (j == View::npos)
            break;
        i = j + 1;
    }
    return all.size() + lines.size();
}

static std::string
write_ints(const std::vector<int64_t> &keys)
{
    std::string all;
    char digits[24];
    for (size_t i = 0; i < keys.size(); i++) {
        if (i)
            all += ',';
        all.append(digits, std::to_chars(digits, digits + 24, keys[i]).ptr - digits);
        all += ':';
        all.append(digits, std::to_chars(digits, digits + 24, i).ptr - digits);
    }
    return all;
}

void
texts(const std::vector<int64_t> &keys, const std::string &folder, int rounds)
{
    auto of = [&](const char *name) { return whole(folder + "/" + name); };
    std::string text = of("text"), source = of("source"), decimals = of("decimals"),
                integers = of("integers"), a = of("a"), b = of("b");
    run("split_and_join", rounds, [&] { return split_and_join(text); });
    run("count_words", rounds, [&] { return count_words(folder + "/text"); });
    run("count_by_str", rounds, [&] {
        Counts d;
        each_word(text, [&](View w) { d[w]++; });
        return d.n;
    });
    run("tokenize", rounds, [&] { return tokenize(source); });
    run("edit_distance", rounds, [&] { return edit_distance(a, b); });
    run("parse_floats", rounds, [&] {
        double s = 0;
        each_word(decimals, [&](View w) {
            double x = 0;
            std::from_chars(w.data(), w.data() + w.size(), x);
            s += x;
        });
        return s;
    });
    run("parse_ints", rounds, [&] {
        int64_t s = 0;
        each_word(integers, [&](View w) {
            int64_t x = 0;
            std::from_chars(w.data(), w.data() + w.size(), x);
            s += x;
        });
        return s;
    });
    run("write_ints", rounds, [&] { return write_ints(keys).size(); });
    run("sort_words", rounds, [&] {
        std::vector<View> words = split(text);
        std::stable_sort(words.begin(), words.end());
        return words[words.size() / 2].size();
    });
}
