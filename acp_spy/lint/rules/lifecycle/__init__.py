"""Family LIF, in one room per subject."""
