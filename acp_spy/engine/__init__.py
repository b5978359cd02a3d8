"""
What the proxy and a live replay share: processes, signals, our own streams, and the recording.

`stream.py` passes bytes on to its `sink.py`, and `carrier.py` calls both when something comes or is
taken; `work.py` and `driven.py` say until when, without trio and by it. `process.py` starts the
agent and ends as it did, `signals.py` forwards signals to it, `stdio.py` and `stderr_queue.py` are
our own streams, `tap.py` records.
"""
