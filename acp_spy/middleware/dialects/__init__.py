"""Translation: a peer that speaks a dialect talks to one that speaks official ACP."""
