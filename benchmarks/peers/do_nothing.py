"""A script that sees every message and does nothing."""


def request(event):
    pass


response = notification = noise = request
