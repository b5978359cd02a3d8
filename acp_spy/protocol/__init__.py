"""What official ACP says, as data, and two ways to compare a value with it: the validator and the walk."""
