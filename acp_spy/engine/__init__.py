"""
What the proxy and a live replay share: processes, signals, our own streams, and the recording.

`process.py` starts the agent and ends as it did, `signals.py` forwards signals to it, `stdio.py`
and `stderr_queue.py` are our own streams, `tap.py` records what passes.
"""
