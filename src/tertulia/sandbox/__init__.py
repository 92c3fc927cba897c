"""Python that models wrote, run where it can reach nothing but what it was lent.

domain      a job, its limits, and what comes of it
names       which names a saved tool may have
backend     what runs jobs in isolation promises
wasi        the backend: CPython as WebAssembly, in worker processes of ours
workers     keeps those processes: prepared, stopped when idle, replaced when lost
link        one worker as the server sees it
frames      what the two say to each other
results     what is believed of a worker's verdict
process     the worker itself, with `guest` (one interpreter), `disk`, `output` and `confine`
inside      the little that runs around the code, inside its interpreter
compiling   makes the machine code, once, when code is first wanted; `refusal` is an admin's no to it
probes      attempts to get out; `selftest` makes them all before the backend is used
turns       whose job is next
service     the one door
"""
