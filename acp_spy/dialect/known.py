"""Every dialect that is known; between equals, the first is believed."""

from acp_spy.dialect.acpex import ACPEX
from acp_spy.dialect.crow import CROW
from acp_spy.dialect.jetbrains import JETBRAINS
from acp_spy.dialect.model import Dialect
from acp_spy.dialect.quickref import QUICKREF
from acp_spy.dialect.threads import THREADS
from acp_spy.dialect.zed_history import ZED_HISTORY

DIALECTS: tuple[Dialect, ...] = (CROW, THREADS, QUICKREF, JETBRAINS, ACPEX, ZED_HISTORY)
