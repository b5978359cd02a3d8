"""Replay on real streams, by a real clock: `mock_agent.py` as an agent, `drive.py` as a client."""
