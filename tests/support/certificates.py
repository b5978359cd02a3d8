"""A CA of our own, and a certificate for this machine by it."""

import shutil
import subprocess

from support.needs import do_without

KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")


def make(folder):
    """Return the paths of the CA's certificate, of one for 127.0.0.1, and of the key of that."""
    program = shutil.which("openssl") or do_without(
        "ACP_SPY_NEEDS_OPENSSL", "openssl is not there: `apt-get install openssl`"
    )
    ca, ca_key, own, own_key = (
        str(folder / name) for name in ("ca.pem", "ca.key", "own.pem", "own.key")
    )
    usage = "keyUsage=critical,digitalSignature,keyCertSign"  # Python 3.13 insists on it
    request = [program, "req", "-x509", *KEY, "-addext", usage]
    for words in (
        ["-subj", "/CN=CA of a test", "-keyout", ca_key, "-out", ca],
        [
            *("-subj", "/CN=agent", "-addext", "subjectAltName=IP:127.0.0.1"),
            *("-CA", ca, "-CAkey", ca_key, "-keyout", own_key, "-out", own),
        ],
    ):
        subprocess.run([*request, *words], capture_output=True, check=True)
    return ca, own, own_key
