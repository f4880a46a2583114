# SPDX-License-Identifier: BSD-3-Clause
"""Lazy arrays on a CUDA device: kernels and NVIDIA's libraries, by what stands in for them."""

from __future__ import annotations

from pathlib import Path

import pytest
from vendor_libs import build, needs_cc, run

pytestmark = needs_cc

CALLS = """
os.environ["SWATHE_TEST_DEVICE"] = "cuda"
import test_xp, test_xp_device as there
from swathe import xp

def calls(name):
    return library(name).fake_vendor_calls()

before = [calls(name) for name in ("cublas", "cufft", "cusolver")]
for name, (f, x) in test_xp.CALLS.items():
    there.same(f(there.there, there.there.asarray(x)), np.asarray(f(np, x)), name)
for name in ("concat_last", "reshape_of_view", "steps", "mask", "clip_arrays", "sum_as"):
    f, x = test_xp.MOVES[name]
    there.same(f(there.there, there.there.asarray(x) * 2.0 + 1.0), f(np, x * 2.0 + 1.0), name)
assert all(calls(n) > k for n, k in zip(("cublas", "cufft", "cusolver"), before))
"""

EXCHANGES = """
from swathe import xp

x = np.arange(12.0).reshape(3, 4)
d = swathe.lazy(q.to_device(x)) + 1.0
assert d.device is q and d.__dlpack_device__() == (2, 0)
again = xp.from_dlpack(d, device=q)
assert again.queue is q
taken = q.asarray(d)                    # a consumer of DLPack: the same memory
close(taken, x + 1)
assert swathe._device_array.overlap(taken, d.compute())
class Theirs:                           # another library's array
    __cuda_array_interface__ = taken.__cuda_array_interface__
close(xp.asarray(Theirs(), device=q).compute(), x + 1)
assert xp.asarray(Theirs()).device.backend == "cuda"
class Shown:                            # that shows DLPack
    def __dlpack__(self, **names): return taken.__dlpack__(**names)
    def __dlpack_device__(self): return taken.__dlpack_device__()
close(xp.from_dlpack(Shown(), device=q).compute(), x + 1)
assert xp.from_dlpack(Shown(), device="cpu").device == "cpu"
assert np.array_equal(np.from_dlpack(xp.from_dlpack(Shown(), device="cpu")), x + 1)
assert float(xp.from_dlpack(xp.sum(d), device=q)) == (x + 1).sum()
one = xp.sum(d)
assert one.__dlpack_device__() == (2, 0) and one.device is q
other = swathe.Queue("cuda")
raises(errors.ExecutionPlacementError, "two queues of cuda:gpu:0", lambda: d + d.to_device(other))
close((d.to_device(other) * 2.0).compute(), (x + 1) * 2)
before = fake.fake_calls_of(b"cuLaunchKernel")
((d - 1.0) * 2.0 + xp.sin(d)).compute()
assert fake.fake_calls_of(b"cuLaunchKernel") == before + 1
del d, again, taken, one, other, Theirs, Shown
"""


@pytest.fixture(scope="module")
def libs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("libs"), "cublas", "cufft", "cusolver")


@pytest.mark.parametrize("code", [CALLS, EXCHANGES], ids=["calls", "exchanges"])
def test_on_the_stand_in(libs: Path, tmp_path: Path, code: str) -> None:
    run(libs, tmp_path, code)
