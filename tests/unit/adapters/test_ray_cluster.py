"""A Ray cluster that cannot be had; what one does is tested where a cluster runs, see test_scan_ray.py."""

from __future__ import annotations

import socket
import sys

import pytest

from arbiter.adapters.ray_cluster import RayCluster
from arbiter.errors import MissingExtraError, UnreachableError


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named."""
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingExtraError, match=r"ray is not installed; it comes with arbiter\[ray\]"):
        RayCluster()


def test_an_address_at_which_nobody_answers() -> None:
    """It is told at once, and not when Ray gives up."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(UnreachableError, match=f"the Ray cluster at {address} cannot be used") as caught:
            RayCluster(address)
    assert caught.value.retryable


def test_an_address_that_is_none() -> None:
    """What Ray says of it is passed on."""
    with pytest.raises(UnreachableError, match=r"the Ray cluster at nonsense cannot be used: .*nonsense"):
        RayCluster("nonsense")
