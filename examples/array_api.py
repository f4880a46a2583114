#!/usr/bin/env python3
"""SciPy's functions and scikit-learn's estimators over swathe's lazy arrays.

Both libraries take any arrays of Python's array API standard once they are told to: SciPy by the
variable SCIPY_ARRAY_API, scikit-learn by an option. What they compute goes through `swathe.xp`.

    python examples/array_api.py
"""

from __future__ import annotations

import os

os.environ["SCIPY_ARRAY_API"] = "1"  # before SciPy is imported

import numpy as np
import sklearn
from scipy import special, stats
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

from swathe import xp


def measurements(n: int = 500) -> np.ndarray:
    """Points near a plane in five dimensions."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((n, 2)) @ rng.standard_normal((2, 5)) + 0.1 * rng.random((n, 5))


def computed(x):
    """The same for arrays of any library."""
    space = x.__array_namespace__()
    scaled = StandardScaler().fit_transform(x)
    target = x[:, 0] * 2 - x[:, 3]
    kinds = space.astype(target > 0, space.int64) + space.astype(target > 1, space.int64)
    above, guess = [space.astype(v > 0, space.int64) for v in (target, x[:, 1])]
    return {
        "softmax": special.softmax(x, axis=1),
        "log-sum-exp": special.logsumexp(x, axis=0),
        "kurtosis": stats.kurtosis(x),
        "correlation": stats.pearsonr(x[:, 0], x[:, 1]).statistic,
        "scaled": scaled,
        "components": space.abs(PCA(2, svd_solver="full").fit(scaled).components_),
        "fitted": Ridge(solver="svd").fit(x, target).predict(x),
        "discriminant": LinearDiscriminantAnalysis().fit(x, kinds).predict_proba(x),
        "naive Bayes": GaussianNB().fit(x, kinds).predict(x),
        "scores": space.asarray(
            [balanced_accuracy_score(above, guess), log_loss(above, special.expit(x[:, 1]))]
        ),
    }


def main() -> None:
    """Compare with NumPy's arrays."""
    sklearn.set_config(array_api_dispatch=True)
    points = measurements()
    want, got = computed(points), computed(xp.asarray(points))
    for name, value in got.items():
        off = float(np.abs(np.asarray(value) - want[name]).max())
        print(f"{name:12} {type(value).__name__:10} off by {off:.1e}")
        assert off < 1e-9 and type(value).__name__ == "LazyArray"


if __name__ == "__main__":
    main()
