"""More connections than there are files for: the others wait, and nothing is printed about it."""

import os
import socket
import subprocess
import urllib.request

from support.processes import ACP_SPY, DEADLINE

FEW = 64  # files


def test_connections_that_have_no_place_wait_for_one(tmp_path):
    server = subprocess.Popen(
        ["sh", "-c", f'ulimit -n {FEW}; exec "$@"', "sh", *ACP_SPY, "view", "--serve", "--no-open"],
        env={"ACP_SPY_DIR": str(tmp_path), "PATH": os.defpath},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    url = server.stdout.readline().decode().partition("#")[0]
    port = int(url.rpartition(":")[2].strip("/\n"))
    connections = [socket.create_connection(("127.0.0.1", port), DEADLINE) for _ in range(2 * FEW)]
    # With each response to the first, the server has had time to accept one more.
    request = b"GET /nothing HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port
    for _ in connections:
        connections[0].sendall(request)
        assert connections[0].recv(4096).startswith(b"HTTP/1.1 404")
    for connection in connections:
        connection.close()
    with urllib.request.urlopen(url, timeout=DEADLINE) as response:
        assert response.status == 200
    server.terminate()
    _, told = server.communicate()
    assert told.startswith(b"acp-spy: open the URL above")
    assert told.count(b"\n") == 1
