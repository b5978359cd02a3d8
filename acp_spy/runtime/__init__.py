"""
The room with the processes, the pipes, the signals and the clock.

The proxy here is one thread and one `poll` loop over plain descriptors, not a trio program:
docs/architecture.md says why, with figures. `proxy.py` is the loop, `pump.py` carries one stream,
`stdio.py` is our own end of the pipes, `process.py` the agent's, `signals.py` what is sent to us,
`tap.py` shows what passes to the recorder.
"""
