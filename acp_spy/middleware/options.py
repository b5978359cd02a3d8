"""From the proxy's options to the stages of its pipeline, in their order."""

from collections.abc import Callable, Iterable, Mapping

from acp_spy.middleware.pipeline import Stage
from acp_spy.middleware.scripts.stage import ScriptStage
from acp_spy.wire.frame import Peer

Options = Mapping[str, str | list[str]]
Maker = Callable[[Options], list[Stage]]


def _scripts(options: Options) -> list[Stage]:
    return [ScriptStage(path) for path in options.get("script", ())]


def _faults(options: Options) -> list[Stage]:
    if not options.keys() & {"fault", "seed"}:
        return []
    from acp_spy.middleware.faults.catalogue import make_faults

    return [*make_faults([*options.get("fault", ())], str(options.get("seed", "")))]


def _fixes_of(side: Peer) -> Maker:
    def make(options: Options) -> list[Stage]:
        if "fix" not in options:
            return []
        from acp_spy.middleware.fixes.stage import FixStage

        return [FixStage(side)]

    return make


def _dialect_of(side: Peer) -> Maker:
    def make(options: Options) -> list[Stage]:
        name = options.get(f"{side.value}_dialect")
        if not isinstance(name, str):
            return []
        from acp_spy.middleware.dialects.stage import DialectStage

        return [DialectStage(side, name)]

    return make


def _holds(options: Options) -> list[Stage]:
    if not options.keys() & {"intercept", "hold_timeout", "control"}:
        return []
    from acp_spy.middleware.holds.make import make_holds

    return [make_holds(options)]


# Each takes all options and returns its stages, if it has been asked for any. The order is that of
# the stages, from the client to the agent.
MAKERS: tuple[Maker, ...] = (
    _dialect_of(Peer.CLIENT),
    _fixes_of(Peer.CLIENT),
    _scripts,
    _holds,
    _fixes_of(Peer.AGENT),
    _faults,
    _dialect_of(Peer.AGENT),
)


def note_of(stages: Iterable[Stage]) -> str:
    """Return the note for a capture: which options may have changed its traffic."""
    remarks = [*dict.fromkeys(stage.remark for stage in stages if stage.remark)]
    options = " ".join(each for each in remarks if each.startswith("--"))
    changed = [f"acp-spy may have changed the traffic: {options}"] if options else []
    return "; ".join([*changed, *(each for each in remarks if not each.startswith("--"))])


def make_stages(options: Options) -> list[Stage]:
    """Return the stages that the options ask for. Raises `AcpSpyError` for a wrong value."""
    return [stage for make in MAKERS for stage in make(options)]
