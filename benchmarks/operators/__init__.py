"""What a peer can do wrong, and what it may do: one module for each family of rules."""
