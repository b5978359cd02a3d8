"""Every dialect that can be translated, by name."""

from acp_spy.errors import AcpSpyError
from acp_spy.middleware.dialects.acpex import Acpex
from acp_spy.middleware.dialects.crow import Crow
from acp_spy.middleware.dialects.jetbrains import JetBrains
from acp_spy.middleware.dialects.quickref import Quickref
from acp_spy.middleware.dialects.threads import Threads
from acp_spy.middleware.dialects.translation import Translation
from acp_spy.middleware.dialects.version_2 import Version2
from acp_spy.middleware.dialects.zed import Zed0015, Zed0017, Zed0029
from acp_spy.middleware.dialects.zed_pushed import Zed0010
from acp_spy.protocol.spelling import nearest

TRANSLATIONS: dict[str, type[Translation]] = {
    each.name: each
    for each in (
        *(Crow, Threads, Quickref, JetBrains, Acpex),
        *(Zed0010, Zed0015, Zed0017, Zed0029, Version2),
    )
}


def find(name: str) -> type[Translation]:
    """Return the translation of that name. Raises `AcpSpyError` if there is none."""
    if name in TRANSLATIONS:
        return TRANSLATIONS[name]
    stages = [each for each in TRANSLATIONS if each.startswith(f"{name}-")]
    meant = nearest(name, tuple(TRANSLATIONS))
    hint = f"{f'did you mean `{meant}`? ' if meant else ''}run `acp-spy dialects`"
    if stages:
        hint = f"its stages are {', '.join(f'`{each}`' for each in stages)}"
    raise AcpSpyError(f"cannot translate `{name}`: no such dialect", hint=hint)
