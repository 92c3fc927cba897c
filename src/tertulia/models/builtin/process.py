"""The process that runs the built-in model: `python -m tertulia.models.builtin.process`.

It serves OpenAI's format on a loopback port of its own choice, and tells the server where.
"""

import importlib
import os
from typing import Any

import msgspec

from tertulia.infra.child.server_pipe import ServerPipe
from tertulia.models.builtin.frames import BuiltinAddress, BuiltinSetup

BUILTIN_CONTEXT_WINDOW_TOKENS = 8192
BUILTIN_NICENESS = 5


def main() -> None:
    """Serve until whoever started this process is gone."""
    pipe = ServerPipe()
    setup = pipe.receive(msgspec.msgpack.Decoder(BuiltinSetup))
    watcher = pipe.exit_with_server()
    os.nice(BUILTIN_NICENESS)
    address, server = serve(setup.weights, setup.key)
    pipe.send(BuiltinAddress(address))
    watcher.join()
    del server  # it serves for as long as it is held


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
