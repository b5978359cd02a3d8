"""The formats that are known. One more is one module, and one word here."""

from acp_spy.capture.foreign import (
    acp_devtools,
    acp_inspector,
    conductor,
    gptme,
    ndjson,
    python_sdk,
    sacp_tee,
    sacp_tee_json,
    zed,
)
from acp_spy.capture.foreign.format import Format

FORMATS: tuple[Format, ...] = tuple(
    module.FORMAT
    for module in (
        ndjson,
        conductor,
        sacp_tee,
        sacp_tee_json,
        acp_devtools,
        zed,
        acp_inspector,
        gptme,
        python_sdk,
    )
)
NAMES = tuple(each.name for each in FORMATS)
