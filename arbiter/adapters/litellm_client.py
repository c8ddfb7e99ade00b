"""Chat models of any provider, through litellm: one question, one answer, retries and prices."""

from __future__ import annotations

import importlib
import importlib.util
import logging
import os
import re
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from arbiter.domain.evidence import Spend, Unjudged
from arbiter.errors import MissingExtraError

if TYPE_CHECKING:
    from tenacity import RetryCallState

    from arbiter.judges.chat import Meter

_TRANSIENT = frozenset({408, 409, 429})
_REJECTED = frozenset({400, 422})
_NOT_BILLED = frozenset({"HTTPStatusError", "ConnectError", "ConnectTimeout"})
# The form that most providers' keys have; one that litellm took from its variable is not known here.
_KEY = re.compile(r"\b(?:sk|pk|gsk|key|Bearer)[-_ ][\w.-]{8,}")
_TOKENS_AROUND = 200
_MOST_TOKENS = 100_000_000  # more than any model takes
_MAX_MESSAGE_CHARS = 300


class LitellmClient:
    """A chat model by the name that litellm gives it, such as ``openai/gpt-4o-mini``.

    Requests that meet a passing trouble (408, 409, 429, 5xx, no connection, no answer in time) are sent
    again after a growing, random wait, or after the one that the provider asks for. Where a provider
    refuses answers by JSON schema, plain JSON is asked for, then plain text; what it took is remembered.
    litellm takes seconds to import, so that happens at the first question.

    Args:
        model: provider and model.
        api_base: address of the API, where it is not the provider's.
        api_key: key of the API; None: litellm reads the provider's own variable.
        headers: headers to send with each request.
        max_attempts: requests for one question, the first included.
        request_timeout_s: seconds that the provider may be silent during one request; None: all the time
            that the question has. A model that writes its whole answer first is silent for that long.
        usd_per_million: price of a million tokens, in and out; None: litellm's price list.
        sleep: waits between attempts.

    Raises:
        MissingExtraError: the extra ``llm`` is not installed.
    """

    def __init__(
        self,
        model: str,
        *,
        api_base: str | None = None,
        api_key: str | None = None,
        headers: Mapping[str, str] | None = None,
        max_attempts: int = 3,
        request_timeout_s: float | None = None,
        usd_per_million: tuple[float, float] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        for name in ("litellm", "tenacity"):
            if importlib.util.find_spec(name) is None:
                raise MissingExtraError(f"a language model needs {name}: install arbiter[llm]")
        self._model = model
        self._api_base = api_base
        self._api_key = api_key
        self._headers = dict(headers or {})
        self._max_attempts = max_attempts
        self._request_timeout_s = request_timeout_s
        self._usd_per_million = usd_per_million
        self._sleep = sleep
        self._format = 0

    @property
    def model(self) -> str:
        """Provider and model."""
        return self._model

    @property
    def has_price(self) -> bool:
        """Is the model's price known? Where it is not, a ceiling in US dollars holds nothing back."""
        return self._price(1, 1) is not None

    def complete(
        self,
        system: str,
        user: str,
        *,
        schema: Mapping[str, object],
        max_tokens: int,
        timeout_s: float,
        meter: Meter,
    ) -> str | Unjudged:
        """Return the model's answer, or why there is none.

        Raises:
            BudgetExceededError: the meter forbids the request.
        """
        from openai import OpenAIError
        from tenacity import Retrying, retry_if_exception, stop_after_attempt, stop_before_delay

        end = time.monotonic() + timeout_s
        litellm = self._litellm
        # A token is at least one byte, so this bound holds for every tokeniser.
        sent = sum(len(text.encode()) for text in (system, user, str(schema))) + _TOKENS_AROUND
        worst = Spend(1, sent, max_tokens, self._price(sent, max_tokens) or 0.0)
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        failure: Exception | None = None
        for number, response_format in self._formats(schema):
            retrying = Retrying(
                stop=stop_after_attempt(self._max_attempts) | stop_before_delay(end - time.monotonic()),
                wait=_wait,
                retry=retry_if_exception(_is_transient),
                sleep=self._sleep,
                reraise=True,
            )
            request = {"messages": messages, "max_tokens": max_tokens, "response_format": response_format}
            try:
                text: str = retrying(self._request, request, worst, end, meter)
            except OpenAIError as error:
                failure = error
                if not _is_rejection(error, litellm):
                    break
            else:
                self._format = number
                return text
        return self._unjudged(failure)

    def _formats(self, schema: Mapping[str, object]) -> Iterator[tuple[int, dict[str, object] | None]]:
        """Yield the formats in which to ask for an answer, from the strictest that may work."""
        strict = {"name": "reply", "schema": schema, "strict": True}
        formats: tuple[dict[str, object] | None, ...] = (
            {"type": "json_schema", "json_schema": strict},
            {"type": "json_object"},
            None,
        )
        yield from list(enumerate(formats))[self._format :]

    def _request(self, request: Mapping[str, Any], worst: Spend, end: float, meter: Meter) -> str:
        """Send one request, and tell the meter what it cost."""
        from openai import OpenAIError  # the root of litellm's errors

        timeout_s = max(0.001, end - time.monotonic())
        if self._request_timeout_s is not None:
            timeout_s = min(timeout_s, self._request_timeout_s)
        with meter(worst) as settle:
            try:
                response = self._litellm.completion(
                    model=self._model,
                    **request,
                    temperature=0,
                    # litellm keeps an HTTP client for each value, so there should be few.
                    timeout=float(int(timeout_s)) or timeout_s,
                    api_base=self._api_base,
                    api_key=self._api_key,
                    extra_headers=self._headers,
                    drop_params=True,
                    max_retries=0,
                    **{"no-log": True},
                )
            except OpenAIError as error:
                if any(type(cause).__name__ in _NOT_BILLED for cause in _causes(error)):
                    settle(Spend(llm_calls=1))
                raise
            if tokens := _tokens(getattr(response, "usage", None)):
                settle(Spend(1, *tokens, self._price(*tokens) or 0.0))
        return str(response.choices[0].message.content or "") if response.choices else ""

    def _price(self, tokens_in: int, tokens_out: int) -> float | None:
        """Return what tokens cost in US dollars; None where there is no price."""
        if self._usd_per_million is not None:
            usd_in, usd_out = self._usd_per_million
            return (tokens_in * usd_in + tokens_out * usd_out) / 1_000_000
        try:
            usd_in, usd_out = self._litellm.cost_per_token(
                model=self._model, prompt_tokens=tokens_in, completion_tokens=tokens_out
            )
        except Exception:  # noqa: BLE001  litellm raises a bare Exception, among others, for what it cannot price
            return None
        return float(usd_in + usd_out)

    def _unjudged(self, error: Exception | None) -> Unjudged:
        # An answer in which litellm finds no sense comes with the places in its code where it looked.
        message = _KEY.sub("***", " ".join(str(error).partition("Traceback (most recent")[0].split()))
        if self._api_key:
            message = message.replace(self._api_key, "***")
        return Unjudged(
            "judge_unavailable",
            message[:_MAX_MESSAGE_CHARS],
            retryable=error is not None and _is_transient(error),
        )

    @cached_property
    def _litellm(self) -> Any:  # noqa: ANN401  its types are not worth the minute that reading them takes
        # Read by litellm when it is imported: else it fetches its price list from the network, and loads
        # whatever .env file lies in the working directory into the environment.
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # noqa: TID251  no other switch
        os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # noqa: TID251  no other switch
        litellm = importlib.import_module("litellm")
        litellm.suppress_debug_info = True  # type: ignore[attr-defined]  # it prints advertisements otherwise
        logging.getLogger("LiteLLM").setLevel(logging.ERROR)  # it writes to standard output, texts included
        # Where a field of an answer has the wrong type the answer would be told of on standard error.
        warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
        return litellm


def _tokens(usage: Any) -> tuple[int, int] | None:  # noqa: ANN401  as above
    """Return the tokens that an answer took, in and out; None where it says nothing that can be believed."""
    asked, written = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None) or 0
    if not (isinstance(asked, int) and isinstance(written, int)):
        return None
    return (asked, written) if 0 < asked <= _MOST_TOKENS and 0 <= written <= _MOST_TOKENS else None


def _status(error: BaseException) -> int:
    status = getattr(error, "status_code", None)
    return status if isinstance(status, int) else 0


def _is_transient(error: BaseException) -> bool:
    status = _status(error)
    return status in _TRANSIENT or status >= 500 or (status in _REJECTED and _is_told_in_answer(error))


def _is_told_in_answer(error: BaseException) -> bool:
    """Did a response with status 200 hold this error? Then the status is one that litellm thought of."""
    causes = [type(cause).__name__ for cause in _causes(error)]
    return len(causes) > 1 and "HTTPStatusError" not in causes


def _is_rejection(error: BaseException, litellm: Any) -> bool:  # noqa: ANN401  as above
    """Could the provider have refused the form of the request, and not what it holds?"""
    content = (
        litellm.exceptions.ContextWindowExceededError,
        litellm.exceptions.ContentPolicyViolationError,
    )
    return _status(error) in _REJECTED and not (_is_told_in_answer(error) or isinstance(error, content))


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _wait(state: RetryCallState) -> float:
    """Return the seconds to wait: a growing, random time, or more if the provider says so."""
    from tenacity import wait_random_exponential

    error = state.outcome.exception() if state.outcome else None
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        asked = float(headers.get("retry-after", 0))
    except ValueError:
        asked = 0.0
    return max(wait_random_exponential(multiplier=0.5, max=20)(state), asked)  # in this order for a NaN
