"""Family RPC."""
