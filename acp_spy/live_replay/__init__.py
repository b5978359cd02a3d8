"""Replay on real streams, by a real clock: `stage.py` as an agent, `drive.py` as a client."""
