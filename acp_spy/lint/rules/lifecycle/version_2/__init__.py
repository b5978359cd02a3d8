"""Rules that hold only when the peers have agreed on version 2, a draft."""
