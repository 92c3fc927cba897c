"""The process that makes the sandbox's machine code: `python -m tertulia.sandbox.compilation_process`."""

import traceback
from pathlib import Path

import msgspec

from tertulia.infra.child.server_pipe import ServerPipe
from tertulia.sandbox.compilation import (
    CompilationProgress,
    CompilationRequest,
    CompilationVerdict,
    compile_with_progress,
)

PROBLEM_MAX_CHARS = 300


def main() -> None:
    """Compile into the folder that the server names, and tell what came of it."""
    pipe = ServerPipe()
    request = pipe.receive(msgspec.msgpack.Decoder(CompilationRequest))
    pipe.exit_with_server()
    try:
        compile_with_progress(Path(request.folder), lambda share: pipe.send(CompilationProgress(share)))
    except Exception as error:
        problem = "".join(traceback.format_exception_only(error)).strip()
        pipe.send(CompilationVerdict(problem.rpartition("\n")[2][:PROBLEM_MAX_CHARS]))
        raise
    pipe.send(CompilationVerdict())


if __name__ == "__main__":
    main()
