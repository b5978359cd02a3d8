"""`acp-spy -- URL`: the client speaks stdio, the agent is remote."""

import os
from collections.abc import Sequence

from acp_spy.cli.console import BROKEN, BUG, WRONG_USE, cannot_load, mask_secrets, note, report
from acp_spy.errors import AcpSpyError, reason_of, shortage

_NOT_OURS = frozenset(
    {"host", "content-length", "content-type", "transfer-encoding", "connection", "upgrade"}
)


def run_bridge(
    command: list[str],
    output: str = "",
    dir: str = "",  # noqa: A002 - as the option is called
    redact: str = "",
    verbose: str = "",
    no_check: str = "",
    header: Sequence[str] = (),
    header_env: Sequence[str] = (),
    ca: str = "",
    keep_credentials: str = "",
) -> int:
    """Bridge stdin and stdout to the agent at the URL that `command` is; return the status."""
    if redact:
        mask_secrets()
    try:
        return _run(
            command,
            output,
            dir,
            (*header, *map(_from_environment, header_env)),
            ca,
            redact=bool(redact),
            verbose=bool(verbose),
            no_check=bool(no_check),
            keep_credentials=bool(keep_credentials),
        )
    except AcpSpyError as error:
        return report(error)
    except BROKEN as error:  # trio, which this cannot do without
        return report(cannot_load(error))
    except Exception as error:  # noqa: BLE001 - stdout is the wire: no traceback may go there
        note(reason_of(error))
        return WRONG_USE if shortage(error) else BUG


def _run(
    command: list[str],
    output: str,
    folder: str,
    given: tuple[str, ...],
    ca: str,
    *,
    redact: bool,
    verbose: bool,
    no_check: bool,
    keep_credentials: bool,
) -> int:
    from acp_spy.remote.addresses import Guard, parse_target

    if len(command) > 1:
        raise AcpSpyError(
            f"cannot use `{command[1]}`: nothing may follow the URL of a remote agent",
            hint="give headers before `--`: `--header 'Name: value'`",
        )
    target = parse_target(command[0])
    headers = [_parsed(each) for each in given]
    from acp_spy.cli.remote_capture import LiveOutput, opener
    from acp_spy.engine.process import make_room
    from acp_spy.remote.bridge import OneConversation, run_bridge
    from acp_spy.remote.exchange import Rules
    from acp_spy.remote.service import Service, tls_for

    make_room()
    open_tap = opener(output, folder, [target.shown], target.authority, redact=redact, is_wire=True)
    tls = tls_for(target, ca)
    guard = Guard(target.host)
    live = LiveOutput(is_off=no_check, verbose=verbose)
    conversations = OneConversation(open_tap, live.begin, live.checking.end)
    service = Service(target, conversations, Rules(keep_credentials), guard, note, tls, live.log)
    try:
        return run_bridge(service, headers, live.checking)
    finally:
        live.close()


def _parsed(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    name = name.strip()
    is_token = name.isascii() and name.isprintable()
    if not colon or not is_token or not name or any(each in name for each in ' "(),/;<=>?@[]{}\\'):
        raise AcpSpyError(f"cannot use `{name}` as a header", hint="write `--header 'Name: value'`")
    if name.lower() in _NOT_OURS:
        raise AcpSpyError(f"cannot set the header `{name}`: acp-spy sets it itself", hint="omit it")
    value = value.strip()
    if any(each > "\xff" or each == "\x7f" or (each < " " and each != "\t") for each in value):
        raise AcpSpyError(
            f"cannot set the header `{name}`: its value has letters that HTTP does not allow",
            hint="write it in ASCII, in one line",
        )
    return name, value


def _from_environment(text: str) -> str:
    name, equals, variable = text.partition("=")
    if not equals:
        raise AcpSpyError(
            f"cannot use `{text}`: expected NAME=VARIABLE",
            hint="write `--header-env Authorization=MY_TOKEN`",
        )
    value = os.environ.get(variable, "")
    if not value:
        raise AcpSpyError(
            f"cannot set the header `{name}`: the variable `{variable}` is not set",
            hint=f"export {variable}",
        )
    return f"{name}: {value}"
