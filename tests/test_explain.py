# SPDX-License-Identifier: BSD-3-Clause
"""explain(): remarks at their lines, as text and as a page that needs nothing else."""

from __future__ import annotations

import inspect
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import swathe
from swathe import prange


def norm2(v):
    s = 0.0
    for k in range(len(v)):
        s += v[k] * v[k]
    return s


def step(a, b, idx, out):
    t = a * 2.0 + b
    u = np.sin(t) - t / 3.0
    s = 0.0
    for i in prange(a.shape[0]):
        s += u[i] if u[i] < 1e30 else 0.0  # text with <b> & "quotes"
    for i in prange(a.shape[0]):
        out[idx[i]] = a[i]
    return s + norm2(u)


def gather(a, idx, out):
    for i in range(idx.shape[0]):
        out[idx[i]] = a[i]


def median(a):
    return np.median(a)


@pytest.fixture(scope="module")
def compiled():
    f = swathe.njit(cache=False, parallel=True)(step)
    a = np.ones(5000)
    f(a, a, np.arange(5000), a.copy())
    return f


def line_of(text: str, function=step) -> int:
    lines, first = inspect.getsourcelines(function)
    return next(first + k for k, line in enumerate(lines) if text in line)


class Page(HTMLParser):
    """Collects tags, attributes, and the source lines shown, by number."""

    VOID = {"meta", "br"}

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.open: list[tuple[str, str]] = []
        self.numbers: list[int] = []
        self.sources: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        kind = dict(attrs).get("class") or ""
        if tag not in self.VOID:
            self.open.append((tag, kind))
        if kind == "src":
            self.sources.append("")

    def handle_endtag(self, tag):
        assert self.open and self.open.pop()[0] == tag

    def handle_data(self, data):
        kind = self.open[-1][1] if self.open else ""
        if kind == "no":
            self.numbers.append(int(data))
        elif kind == "src":
            self.sources[-1] += data


def test_text(compiled) -> None:
    text = compiled.explain()
    assert isinstance(text, str) and repr(text) == str(text)
    assert compiled.signatures[0] in text
    for line in inspect.getsource(step).splitlines() + inspect.getsource(norm2).splitlines():
        assert f"| {line}" in text
    expected = [
        ("t = a * 2.0", "fuse", "temporary removed"),
        ("u = np.sin", "fuse", "fused"),
        ("u = np.sin", "outline", "parallel"),
        ("u = np.sin", "vector", "vectorised"),
        ("for i in prange", "outline", "parallel"),
        ("out[idx[i]]", "bounds", "check hoisted: idx, axis 0"),
    ]
    for where, who, what in expected:
        assert f"  {line_of(where)}: [{who}] {what}" in text, (where, who, what)


def test_failed_proof_shows_the_access(compiled) -> None:
    text = compiled.explain()
    n = line_of("out[idx[i]]")
    assert "not proven independent: 'out'" in text
    assert re.search(rf"^ +{n} \|         out\[idx\[i\]\] = a\[i\]\n +\| +\^", text, re.M)


def test_one_truth_for_a_check() -> None:
    f = swathe.njit(cache=False)(gather)
    a = np.ones(1000)
    f(a, np.arange(1000), a.copy())
    text = f.explain()
    checks = re.findall(r"\] (check \w+): (\w+),", text)
    assert len({array for _, array in checks}) == len(checks), checks
    assert ("check hoisted", "out") in checks
    assert "check remains" not in text


def test_page(compiled) -> None:
    page = Page(compiled.explain(format="html"))
    assert not page.open, page.open
    want = {}
    for f in (step, norm2):
        lines, first = inspect.getsourcelines(f)
        want |= {first + k: line.rstrip("\n") for k, line in enumerate(lines)}
    assert dict(zip(page.numbers, page.sources, strict=True)) == want


def test_page_is_self_contained(compiled) -> None:
    text = compiled.explain(format="html")
    page = Page(text)
    assert not {"script", "link", "img", "iframe", "object", "base"} & set(page.tags)
    names = {name for name, _ in page.attributes}
    assert not {"src", "href", "srcset"} & names
    assert not [n for n in names if n.startswith("on")]
    assert "url(" not in text and "@import" not in text and "http" not in text
    assert "prefers-color-scheme:dark" in text
    assert "<b> &" not in text and "&lt;b&gt; &amp; &quot;quotes&quot;" in text


BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), ""
)


def screenshot(page: Path, dark: bool) -> np.ndarray:
    """What a browser shows of a page: an array of red, green and blue."""
    from matplotlib.image import imread

    out = page.with_suffix(".dark.png" if dark else ".light.png")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    flags += ["--window-size=1000,700", f"--user-data-dir={page.parent / 'profile'}"]
    flags += [f"--blink-settings=preferredColorScheme={0 if dark else 1}", f"--screenshot={out}"]
    env = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}  # a sanitizer's is not for it
    command = [BROWSER, *flags, page.as_uri()]
    subprocess.run(command, env=env, capture_output=True, timeout=120, check=True)
    return imread(out)[:600, :, :3]


@pytest.mark.skipif(not BROWSER, reason="no Chromium here")
def test_page_in_a_browser(compiled, tmp_path: Path) -> None:
    """Dark on light or light on dark, with marks in colour, and the reasons where it is open."""
    shut, wide = tmp_path / "shut.html", tmp_path / "open.html"
    text = compiled.explain(html=shut).html
    wide.write_text(text.replace("<details>", "<details open>"), encoding="utf-8")
    ink = {}
    for dark in False, True:
        for page in shut, wide:
            shot = screenshot(page, dark)
            ground = shot[-1, -1].mean() if page is shut else shot[0, 0].mean()
            assert ground < 0.15 if dark else ground > 0.95
            apart = np.abs(shot.mean(axis=2) - ground)
            assert (apart > 0.6).sum() > 2000  # letters, far from the ground
            green = shot[..., 1] - np.maximum(shot[..., 0], shot[..., 2])
            assert (green > 0.04).sum() > 1000
            ink[dark, page] = (apart > 0.3).sum()
        assert ink[dark, wide] > 1.3 * ink[dark, shut]


def test_notebook_and_file(compiled, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    text = compiled.explain(html=out)
    assert out.read_text(encoding="utf-8") == text.html == compiled.explain(format="html")
    shown = text._repr_html_()
    assert shown.startswith('<div class="swathe-explain">') and shown in text.html


def test_signatures(compiled) -> None:
    f = swathe.njit(cache=False)(norm2)
    assert "nothing is compiled yet" in f.explain()
    assert "Nothing is compiled yet" in f.explain(format="html")
    f(np.ones(3)), f(np.ones(3, np.float32))
    for sig in f.signatures:
        text = f.explain(sig)
        assert sig in text and text.count("\nFile ") == 1
    assert f.explain().count("\nFile ") == 2
    with pytest.raises(KeyError, match="no specialisation for int64"):
        f.explain("int64(int64)")
    with pytest.raises(ValueError, match="'text' or 'html'"):
        f.explain(format="pdf")


def test_diagnostics(compiled, capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for level in (1, 2, 3, 4):
        assert compiled.parallel_diagnostics(level=level) is None
        shown.append(capsys.readouterr().out)
    swathe.parallel_diagnostics(compiled, level=1)
    assert capsys.readouterr().out == shown[0]
    checks = re.compile(r"\] check (removed|hoisted|remains)")
    assert "parallel" in shown[0] and "vectorised" not in shown[0] and not checks.search(shown[0])
    assert "vectorised" in shown[1] and not checks.search(shown[1])
    assert "] check hoisted" in shown[2]
    assert [len(s) for s in shown] == sorted(len(s) for s in shown)
    with pytest.raises(ValueError, match="level is"):
        compiled.parallel_diagnostics(level=9)


def test_from_the_cache_and_without_source(tmp_path: Path) -> None:
    path = tmp_path / "gone.py"
    path.write_text(inspect.getsource(norm2))
    scope: dict = {}
    exec(compile(path.read_text(), str(path), "exec"), scope)
    f = swathe.njit(scope["norm2"])
    f(np.ones(4))
    g = swathe.njit(scope["norm2"])
    g(np.ones(4))
    assert "check removed" in g.explain()
    path.unlink()
    assert "check removed" in g.explain() and Page(g.explain(format="html")).numbers


def test_command_line(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nimport swathe\n@swathe.njit\ndef first(x):\n    return x + 1\n"
        "@swathe.njit\ndef second(x):\n    return x + 2\n"
        "print(first(int(sys.argv[1])), second(2))\n"
    )

    def run(*args):
        command = [sys.executable, "-m", "swathe", "explain", *args]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    both = run(str(script), "41")
    assert both.stdout.startswith("42 4\n")
    assert "in first" in both.stdout and "in second" in both.stdout
    page = tmp_path / "page.html"
    one = run("--html", str(page), f"{script}:second", "1")
    assert "in first" not in one.stdout and "in second" in one.stdout
    assert "second" in page.read_text() and "<html" in page.read_text()
    wrong = run(f"{script}:third", "1")
    assert wrong.returncode == 2 and "there are: first, second" in wrong.stderr
    assert run(str(tmp_path / "no.py")).returncode == 2


# --- loops without vectors: LLVM's reasons, in our words ------------------------------------


def strict_sum(a, b):
    s = 0.0
    for i in range(len(a)):
        s += a[i]
    return s


def recurrence(a, b):
    for i in range(1, len(a)):
        b[i] = b[i - 1] + a[i]


def hash_like(a, b):
    m = 0
    for i in range(len(a)):
        m = (m * 31 + int(a[i])) ^ 7
    return m


@pytest.mark.parametrize(
    ("f", "options", "why"),
    [
        (strict_sum, {}, "in the order that Python adds them"),
        (strict_sum, {"fastmath": True}, ""),
        (recurrence, {}, "what a later one reads or stores"),
        (hash_like, {}, "is no sum, product or extreme"),
    ],
)
def test_why_no_vectors(f, options, why):
    c = swathe.njit(cache=False, **options)(f)
    c(np.ones(40), np.ones(40))
    said = [line for line in c.explain().splitlines() if "[vector]" in line]
    assert len(said) == 1
    assert ("not vectorised" in said[0]) == bool(why) and why in said[0]


def test_kinds_of_remarks():
    """def/remark.def: a kind for each, and no two of one name."""
    rows = swathe._core.remark_kinds()
    assert {kind for _, _, kind, _, _ in rows} == {"good", "bad", "note"}
    assert len({row[:2] for row in rows}) == len(rows)
