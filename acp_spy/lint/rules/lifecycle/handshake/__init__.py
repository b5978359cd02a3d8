"""Rules about the handshake: versions, capabilities, authentication."""
