"""The process that runs the built-in model: `python -m tertulia.models.builtin.process`.

It reads its orders from standard input, serves OpenAI's format on a loopback
port of its own choice, writes that address as one line, and ends when its
input ends: so it never outlives the server that started it.
"""

import importlib
import json
import os
import sys
import threading
from typing import Any

BUILTIN_CONTEXT_WINDOW_TOKENS = 8192
BUILTIN_NICENESS = 5


def main() -> None:
    """Serve until whoever started this process is gone."""
    setup = json.loads(sys.stdin.readline())
    answers = redirect_output()
    watcher = threading.Thread(target=exit_on_stdin_eof, daemon=True)
    watcher.start()
    os.nice(BUILTIN_NICENESS)
    address, server = serve(setup["weights"], setup["key"])
    os.write(answers, f"{address}\n".encode())
    watcher.join()
    del server  # it serves for as long as it is held


def redirect_output() -> int:
    """Return a way to answer, and silence the library, which writes where it likes."""
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return answers


def exit_on_stdin_eof() -> None:
    """Wait for the end of the input and end at once, whatever the model is doing."""
    while sys.stdin.read(1):
        pass
    os._exit(0)


def serve(weights: str, key: str) -> tuple[str, object]:
    """Load the weights and return where they are served, and by what."""
    # A compiled library without types, that only this process needs, and only now.
    xllamacpp: Any = importlib.import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = weights
    params.model_alias = {"smollm2"}
    params.n_ctx = BUILTIN_CONTEXT_WINDOW_TOKENS
    params.n_parallel = 1
    params.n_gpu_layers = 0
    # Two threads spin on busy cores and are slower than one.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.n_threads_http = 4
    params.cache_ram_mib = 0
    params.sampling.temp = 0.2
    params.sampling.penalty_repeat = 1.1
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [key]
    params.ui = False
    params.offline = True
    params.endpoint_slots = False
    params.verbosity = 0
    server = xllamacpp.Server(params)
    return str(server.listening_address), server


if __name__ == "__main__":
    main()
