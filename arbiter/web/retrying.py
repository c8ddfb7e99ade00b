"""The thread that asks judges again about what none of them could tell, while the service runs."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable
from threading import Event, Thread

from arbiter.errors import ArbiterError
from arbiter.pipeline.retry import Retried
from arbiter.web.logs import FIELDS

_LOG = logging.getLogger("arbiter.retry")


class RetryWorker:
    """Makes a pass now and then, until it is told to stop; nothing that goes wrong in a pass ends it.

    Args:
        make_pass: makes one pass; its argument ``going_on`` says whether to go on.
        count: is told what each pass did.
        every_s: seconds between two passes.
        wait: waits for that long and says whether to stop; it returns as soon as it is to stop.
    """

    def __init__(
        self,
        make_pass: Callable[..., Retried],
        count: Callable[[Retried], None],
        *,
        every_s: float,
        wait: Callable[[float], bool] | None = None,
    ) -> None:
        self._make_pass = make_pass
        self._count = count
        self._every_s = every_s
        self._stopping = Event()
        self._wait = wait or self._stopping.wait
        self._thread = Thread(target=self._work, name="arbiter-retry", daemon=True)

    def start(self) -> None:
        """Begin; the first pass is made after the first wait."""
        self._thread.start()

    def stop(self) -> None:
        """Say that it is to stop; the question at hand is finished."""
        self._stopping.set()

    def join(self, timeout_s: float) -> bool:
        """Wait for its end; False if it takes longer, which harms nothing: what it asked is asked again."""
        if self._thread.ident is not None:
            self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def pass_once(self) -> None:
        """Make one pass; what goes wrong in it is logged."""
        try:
            done = self._make_pass(going_on=lambda: not self._stopping.is_set())
        except ArbiterError as error:
            _LOG.warning("retrying failed: %s", error.code)
        except Exception as error:  # noqa: BLE001  whatever it is, the next pass may go well
            places = "".join(traceback.format_tb(error.__traceback__))
            _LOG.error("%s while retrying\n%s", type(error).__name__, places)
        else:
            self._count(done)
            _tell(done)

    def _work(self) -> None:
        while not self._wait(self._every_s) and not self._stopping.is_set():
            self.pass_once()


def _tell(done: Retried) -> None:
    if not (done.asked or done.finished):
        return
    fields = {
        "asked": done.asked,
        "answered": done.answered,
        "finished": done.finished,
        "waiting": done.waiting,
        "outage": done.outage,
    }
    level = logging.WARNING if done.outage else logging.INFO
    _LOG.log(level, "asked again about what no judge could tell", extra={FIELDS: fields})
