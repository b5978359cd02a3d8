"""Where the interop tests keep what they install: a folder outside the checkout, filled once."""

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import platformdirs

from acp_spy.errors import AcpSpyError

LAB = Path(os.environ.get("ACP_SPY_LAB") or platformdirs.user_cache_path("acp-spy-lab"))
NODE = Path(__file__).parent / "node"  # package.json and its lock: node itself, the SDK, acpx


NODE_REMOTE = NODE.with_name("node_remote")  # the SDK that has the remote transport


def node_folder() -> Path:
    """Return where node, the TypeScript SDK and acpx are, or will be: another lock, another one."""
    lock = hashlib.sha256((NODE / "package-lock.json").read_bytes()).hexdigest()
    return LAB / f"node-{lock[:12]}"


def node_program() -> Path:
    """Return where node is, or will be: that of this machine may be older than acpx takes."""
    # Not in .bin: older releases of npm put no link there.
    kind = {"aarch64": "arm64", "x86_64": "x64"}.get(platform.machine(), platform.machine())
    return node_folder() / "node_modules" / f"node-linux-{kind}" / "bin" / "node"


def install_node() -> Path:
    """Install them if they are not there."""

    def fill(folder: Path) -> None:
        for name in "package.json", "package-lock.json":
            shutil.copy(NODE / name, folder)
        npm(folder)

    folder = filled(node_folder(), fill)
    if not node_program().exists():
        raise AcpSpyError(
            f"there is no {node_program()}", hint="node is had for Linux on arm64 and x64"
        )
    return folder


def remote_folder() -> Path:
    """Return where the TypeScript SDK with the remote transport is, or will be."""
    lock = hashlib.sha256((NODE_REMOTE / "package-lock.json").read_bytes()).hexdigest()
    return LAB / f"node-remote-{lock[:12]}"


def install_remote() -> Path:
    """Install it if it is not there."""

    def fill(folder: Path) -> None:
        for name in "package.json", "package-lock.json":
            shutil.copy(NODE_REMOTE / name, folder)
        npm(folder)

    return filled(remote_folder(), fill)


def npm(folder: Path) -> None:
    """Install what the package.json in `folder` asks for."""
    program = shutil.which("npm")
    if program is None:
        raise AcpSpyError("npm is needed and not there", hint="apt-get install nodejs npm")
    # Not `npm ci`: acpx has optional packages that were never published, and `ci` misses them.
    command = [program, "install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]
    try:
        run(command, folder)
    except AcpSpyError:  # often the network, which npm itself tries again only for a download
        run(command, folder)


def filled(folder: Path, fill: Callable[[Path], None]) -> Path:
    """Have `folder` filled beside its place, and put there when complete; by one worker alone."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f".{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            new = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
            try:
                fill(new)
                new.rename(folder)
            finally:
                shutil.rmtree(new, ignore_errors=True)
    return folder


def run(command: list[str], folder: Path, **environment: str) -> None:
    """Run a command of an installation; what it says matters only if it fails."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines()[-10:]
        raise AcpSpyError(f"`{' '.join(command)}` has failed", hint="\n".join(said))
