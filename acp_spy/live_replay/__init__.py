"""Replay on real streams, by a real clock: `loop.py` as an agent, `client_loop.py` as a client."""
