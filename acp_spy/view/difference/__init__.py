"""Two captures compared: what was said, what was found, and how long it took."""
