"""The user's home folder, as far as it is known: in a container, for example, it may not be."""

import os

from acp_spy.errors import AcpSpyError


def expanded(path: str, *, is_file: bool = False) -> str:
    """
    Return `path` with a home folder in place of `~` or `~user`: an editor's settings know no shell.

    Raises `AcpSpyError` if that home folder is not known. A new folder called `~` is not meant,
    but a file (`is_file`) may be called `~name`.
    """
    first, slash, _ = path.partition(os.sep)
    if not first.startswith("~"):
        return path
    is_own = first == "~"
    is_empty = is_own and os.environ.get("HOME") == ""  # the root folder is not meant either
    if os.path.isabs(os.path.expanduser(first)) and not is_empty:
        return os.path.expanduser(path)
    if is_own:
        raise AcpSpyError(
            f"cannot use `{path}`: the home folder is not known",
            hint="set `HOME` to the path of your home folder",
        )
    if is_file and not slash:
        return path
    raise AcpSpyError(
        f"cannot use `{path}`: the home folder of `{first[1:]}` is not known",
        hint=f"give a path without `~`; for a folder that is called so, write `./{first}`",
    )
