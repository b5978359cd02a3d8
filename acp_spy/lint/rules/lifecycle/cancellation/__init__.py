"""Rules about cancelling: turns, requests, and what must follow."""
