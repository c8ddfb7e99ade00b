"""What stands out among facts about one thing."""

from __future__ import annotations

from math import sqrt
from statistics import fmean, pvariance

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.domain.crowd import standing_out

COSINES = st.lists(st.floats(-1, 1), min_size=4, max_size=40)


@given(COSINES)
def test_the_bound_is_that_of_the_others(cosines: list[float]) -> None:
    """1.6 deviations above their mean, with four unseen ones that spread by 0.1; the fact itself left out."""
    found = standing_out({str(place): cosine for place, cosine in enumerate(cosines)}, ["0", "stranger"])
    for fact_id, others in (("0", cosines[1:]), ("stranger", cosines)):
        variance = (len(others) * pvariance(others) + 4 * 0.1**2) / (len(others) + 4)
        assert found[fact_id] == pytest.approx(fmean(others) + 1.6 * sqrt(variance), abs=1e-6)


def test_a_pair_stands_out_from_what_is_usual() -> None:
    """Among five facts about a person that are as alike as such are, the sixth is another matter."""
    cosines = {"home": 0.31, "job": 0.22, "car": 0.28, "dog": 0.35, "tea": 0.19, "same claim": 0.58}
    bounds = standing_out(cosines, cosines)
    assert [fact_id for fact_id in cosines if cosines[fact_id] >= bounds[fact_id]] == ["same claim"]
