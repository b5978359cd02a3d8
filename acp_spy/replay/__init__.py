"""
One side of a capture, played against a live peer.

    capture ► Script(role) ► Player ◄─► the live peer

A script is what one peer sent and what it waited for; a player plays it. Neither reads a clock
nor a pipe: frames and times are arguments, bytes to write and divergences are results.
"""
