"""
One side of a capture, played against a live peer.

    capture ► Script(role) ► Player ◄─► the live peer

A script is what one peer said and what it waited for; a player speaks it. Neither reads a clock
nor a pipe: frames and times are arguments, bytes to write and divergences are what comes back.
"""
