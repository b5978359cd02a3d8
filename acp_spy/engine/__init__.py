"""What the proxy and a live replay share: processes, signals, our own streams, the recording."""
