"""Rules about permission requests and their answers."""
