"""Bytes become frames, frames become messages. Nothing here raises on what a peer sent."""
