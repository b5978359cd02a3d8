"""Rules about permission requests and their responses."""
