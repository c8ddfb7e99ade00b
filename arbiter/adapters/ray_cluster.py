"""Ray, which computes functions on the cores of one machine or of many."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable, Iterable, Sequence
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from arbiter.errors import ArbiterError, MissingExtraError, ServiceError, UnreachableError

if TYPE_CHECKING:
    from ray.remote_function import RemoteFunction

Result = TypeVar("Result")

_TRIES_AGAIN = 10
_ANSWERS_WITHIN_S = 10
# What travels is text and vectors of a batch; Ray would take a third of the machine's memory for it.
_SHARED_MEMORY = 256 * 2**20


class RayCluster:
    """A cluster that computes functions of which nothing is known but their arguments.

    The function and its arguments go to a process that has room, on some machine of the cluster. Where
    that process dies, or its machine, another one computes the function again; so functions must be such
    that this makes no difference. Threads may share a cluster.

    Args:
        address: one that ``ray.init`` takes; None: a cluster of this machine alone, which ends with this
            object. Where the program has connected to Ray before, that connection is used and kept.
        cores: how many of this machine's cores its own cluster uses; None: all.

    Raises:
        MissingExtraError: Ray is not installed.
        UnreachableError: the cluster cannot be reached, or does not let this program in.
    """

    def __init__(self, address: str | None = None, *, cores: int | None = None) -> None:
        try:
            import ray
        except ModuleNotFoundError as error:
            raise MissingExtraError(f"{error.name} is not installed; it comes with arbiter[ray]") from error
        self._ray = ray
        self._functions: dict[Callable[..., Any], RemoteFunction] = {}
        self._own = not ray.is_initialized()
        self._folder: TemporaryDirectory[str] | None = None
        if not self._own:
            return
        try:
            self._join(address) if address else self._start(cores)
        except (OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            self.close()
            place = f"the Ray cluster at {address}" if address else "a Ray cluster of this machine"
            raise UnreachableError(f"{place} cannot be used: {error}") from error

    @property
    def address(self) -> str:
        """The address by which others join."""
        return str(self._ray.get_runtime_context().gcs_address)

    def map(self, function: Callable[..., Result], parts: Iterable[Sequence[object]]) -> list[Result]:
        """Return what a function makes of each part, its arguments, in their order.

        The machines of the cluster must be able to import the function.

        Raises:
            ArbiterError: the function raised it.
            ServiceError: the function failed in any other way.
            UnreachableError: processes that computed it died again and again, or the cluster is gone.
        """
        ray = self._ray
        remote = self._functions.get(function)
        if remote is None:
            # A task that is lost is computed again by itself; one that raises is not.
            remote = self._functions[function] = ray.remote(max_retries=_TRIES_AGAIN)(function)
        try:
            found: list[Result] = ray.get([remote.remote(*part) for part in parts])
        except ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, ArbiterError):
                raise error.cause from error
            raise ServiceError(f"a worker of the Ray cluster failed: {error.cause}") from error
        except ray.exceptions.RayError as error:
            raise UnreachableError(f"the Ray cluster failed: {error}") from error
        return found

    def close(self) -> None:
        """Leave the cluster; one that was started here ends."""
        if self._own:
            self._ray.shutdown()
        if self._folder is not None:
            self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _join(self, address: str) -> None:
        host, _, port = address.rpartition("://")[2].rpartition(":")
        if port.isdigit():
            # Ray itself tries for minutes.
            socket.create_connection((host.strip("[]"), int(port)), _ANSWERS_WITHIN_S).close()
        self._ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)

    def _start(self, cores: int | None) -> None:
        # Ray leaves its logs where it works. Its sockets lie there, too, and their paths must be short.
        self._folder = TemporaryDirectory(prefix="ray-", ignore_cleanup_errors=True)
        self._ray.init(
            address="local",
            num_cpus=cores,
            include_dashboard=False,
            object_store_memory=_SHARED_MEMORY,
            log_to_driver=False,
            logging_level=logging.ERROR,
            _temp_dir=self._folder.name,
        )
