"""A conversation through all that is remote, over a network that fails."""
