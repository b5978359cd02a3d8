"""What official ACP says, as data, and two ways to hold a value to it: the gate and the walk."""
