# SPDX-License-Identifier: BSD-3-Clause
"""Runs seeds in forked children, so that a crash or a hang costs one program and is one result.

A child says which seed it begins and what came of it, a line of JSON each. One that dies or is
silent for too long is replaced, and the seed that it was at is the difference.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import select
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .judge import Difference, Verdict

BATCH = 200
TICK = 20.0  # seconds
SILENT = 120.0  # seconds
BUSY = 5  # so many times that, where the machine gives a child little of them
MEMORY = 8 << 30  # bytes of addresses; a program that wants more is one that never ends


@dataclass
class Tally:
    """What came of the programs of one kind."""

    states: dict[str, int] = field(default_factory=dict)
    why: dict[str, int] = field(default_factory=dict)
    found: list[tuple[int, Difference]] = field(default_factory=list)

    @property
    def programs(self) -> int:
        return sum(self.states.values())

    def add(self, seed: int, verdict: Verdict) -> None:
        self.states[verdict.state] = self.states.get(verdict.state, 0) + 1
        if verdict.why:
            why = f"{verdict.state}: {verdict.why}"
            self.why[why] = self.why.get(why, 0) + 1
        if verdict.difference:
            self.found.append((seed, verdict.difference))

    def __str__(self) -> str:
        return f"{self.programs} programs: " + ", ".join(
            f"{n} {state}" for state, n in sorted(self.states.items())
        )


def pack(verdict: Verdict) -> dict[str, Any]:
    d = verdict.difference
    return {"state": verdict.state, "why": verdict.why, "diff": d and [d.mode, d.what, d.text]}


def unpack(line: dict[str, Any]) -> Verdict:
    return Verdict(line["state"], line["diff"] and Difference(*line["diff"]), line["why"])


class Child:
    """A forked process that judges the seeds of one batch."""

    def __init__(self, judge: Callable[[int], Verdict], seeds: list[int]) -> None:
        self.seeds, self.at = seeds, seeds[0]
        self.text = b""
        self.heard = time.monotonic()
        self.spent = 0.0  # of the processor's time, until then
        self.pipe, out = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.pipe)
            quiet()
            try:
                work(judge, seeds, out)
            finally:
                os._exit(0)
        os.close(out)

    def lines(self) -> Iterator[dict[str, Any]]:
        data = os.read(self.pipe, 1 << 16)
        self.heard = time.monotonic()
        self.spent = spent(self.pid)
        self.text += data
        *whole, self.text = self.text.split(b"\n")
        for line in whole:
            yield json.loads(line)
        if not data:
            yield {"end": os.waitpid(self.pid, 0)[1]}
            os.close(self.pipe)

    def hangs(self, silent: float) -> bool:
        """Is it silent, and not for want of a processor?"""
        quiet = time.monotonic() - self.heard
        if quiet <= silent:
            return False
        return quiet > BUSY * silent or spent(self.pid) - self.spent > silent / 4

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.pipe)


def spent(pid: int) -> float:
    """Seconds of the processor's that a process has had."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def quiet() -> None:
    """A child's own words, and those of what crashes in it, are nobody's."""
    faulthandler.disable()
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    if not os.environ.get("FUZZ_STDERR"):
        os.dup2(null, 2)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def work(judge: Callable[[int], Verdict], seeds: list[int], out: int) -> None:
    def tell(line: dict[str, Any]) -> None:
        os.write(out, (json.dumps(line) + "\n").encode())

    for seed in seeds:
        tell({"at": seed})
        try:
            verdict = judge(seed)
        except BaseException as e:
            import traceback

            text = traceback.format_exc()[-1500:]
            verdict = Verdict("differs", Difference("", f"judge: {type(e).__name__}", text))
        tell({"seed": seed, **pack(verdict)})
    tell({"done": True})


def died(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"crash: {signal.Signals(os.WTERMSIG(status)).name}"
    return f"crash: status {status}"


def run_seeds(
    judge: Callable[[int], Verdict],
    seeds: range,
    jobs: int = 1,
    seconds: float = 1e9,
    silent: float = SILENT,
    say: Callable[[int, Difference], None] = lambda seed, d: None,
    tick: Callable[[Tally], None] = lambda tally: None,
) -> Tally:
    """Judge the seeds in `jobs` children, for at most so many seconds; `tick` is told of it."""
    tally = Tally()
    todo = [list(seeds[k : k + BATCH]) for k in range(0, len(seeds), BATCH)][::-1]
    children: dict[int, Child] = {}
    end = time.monotonic() + seconds
    told = time.monotonic()

    def result(child: Child, verdict: Verdict) -> None:
        tally.add(child.at, verdict)
        if verdict.difference:
            say(child.at, verdict.difference)

    def lost(child: Child, what: str) -> None:
        result(child, Verdict("differs", Difference("", what, what)))
        rest = child.seeds[child.seeds.index(child.at) + 1 :]
        if rest:
            todo.append(rest)

    while children or (todo and time.monotonic() < end):
        while todo and len(children) < jobs and time.monotonic() < end:
            child = Child(judge, todo.pop())
            children[child.pipe] = child
        if time.monotonic() - told > TICK:
            told = time.monotonic()
            tick(tally)
        ready, _, _ = select.select(list(children), [], [], 0.5)
        for pipe in ready:
            child = children[pipe]
            for line in child.lines():
                if "at" in line:
                    child.at = line["at"]
                elif "seed" in line:
                    result(child, unpack(line))
                elif "done" in line:
                    child.at = -1
                elif "end" in line:
                    del children[pipe]
                    if child.at != -1:
                        lost(child, died(line["end"]))
        for pipe, child in list(children.items()):
            if child.hangs(silent):
                child.kill()
                del children[pipe]
                lost(child, "hang")
            elif time.monotonic() > end:
                child.kill()
                del children[pipe]
    return tally


class Apart:
    """Judges texts in a forked child, which is made anew when one of them ends it."""

    def __init__(self, judge: Callable[[str], Verdict], seconds: float = 10.0) -> None:
        self.judge, self.seconds = judge, seconds
        self.pid = 0

    def start(self) -> None:
        read, self.send = os.pipe()
        self.receive, write = os.pipe()
        self.pid = os.fork()
        if self.pid:
            os.close(read)
            os.close(write)
            return
        os.close(self.send)
        quiet()
        with os.fdopen(read) as lines:
            for line in lines:
                try:
                    verdict = self.judge(json.loads(line))
                except BaseException as e:
                    verdict = Verdict(
                        "differs", Difference("", f"judge: {type(e).__name__}", str(e))
                    )
                os.write(write, (json.dumps(pack(verdict)) + "\n").encode())
        os._exit(0)

    def stop(self) -> int:
        os.close(self.send)
        os.close(self.receive)
        status = os.waitpid(self.pid, 0)[1]
        self.pid = 0
        return status

    def __call__(self, text: str) -> Verdict:
        if not self.pid:
            self.start()
        os.write(self.send, (json.dumps(text) + "\n").encode())
        data, end = b"", time.monotonic() + self.seconds
        while not data.endswith(b"\n"):
            if not select.select([self.receive], [], [], max(end - time.monotonic(), 0))[0]:
                os.kill(self.pid, signal.SIGKILL)
                self.stop()
                return Verdict("differs", Difference("", "hang", ""))
            more = os.read(self.receive, 1 << 16)
            if not more:
                what = died(self.stop())
                return Verdict("differs", Difference("", what, what))
            data += more
        return unpack(json.loads(data))

    def __enter__(self) -> Apart:
        return self

    def __exit__(self, *_: object) -> None:
        if self.pid:
            self.stop()
