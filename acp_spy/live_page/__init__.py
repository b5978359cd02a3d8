"""The page of captures, live: served to a browser on this machine while they are recorded."""
