"""The bare Python relay: what C's relay does, in Python; the least that a proxy in it can cost."""

import os
import subprocess
import sys
from select import POLLIN, poll

log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
agent = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
sinks = {0: agent.stdin.fileno(), agent.stdout.fileno(): 1}
poller = poll()
for source in sinks:
    poller.register(source, POLLIN)
while agent.stdout.fileno() in sinks:
    for source, _ in poller.poll():
        chunk = os.read(source, 65536)
        if not chunk:
            poller.unregister(source)
            os.close(sinks.pop(source))
            continue
        os.write(log, chunk)
        while chunk:
            chunk = chunk[os.write(sinks[source], chunk) :]
os._exit(agent.wait())
