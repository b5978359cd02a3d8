"""
Two captures side by side: what is in one and not in the other, whatever things are called.

    frames ► items ► normalized: without names, times and folders ► aligned ► changes

Each session's frames of each peer are a stream of their own: in which order the frames of two
sessions, or of two peers, were recorded is a matter of time and not of what was said.
"""
