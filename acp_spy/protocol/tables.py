"""
The tables of official ACP: which methods there are, who sends them, and what they carry.

The data files are made from the official schema by `scripts/condense_schema.py`; the capability
gates are written by hand, in `gates.py`.
"""

import functools
import re
from importlib import resources
from typing import Literal

import msgspec

from acp_spy.protocol.capability_gates import Gate, gates
from acp_spy.protocol.shapes import Ref, Shape
from acp_spy.wire.frame import Peer

Kind = Literal["request", "notification"]

# Oldest promise first: a name that several know is explained by the earliest of these.
NAMES = ("v1", "v1-unstable", "v2", "v2-unstable")


_WORD = re.compile(rb'[/"]([A-Za-z_]+)(?=[/"])')


class Method(msgspec.Struct, frozen=True):
    """One method as its `senders` may send it. `params` and `result` name shapes."""

    name: str
    senders: frozenset[Peer]
    kind: Kind
    params: str
    result: str = ""
    gate: Gate | None = None


class Spec(msgspec.Struct, frozen=True, eq=False):  # one object is one edition, and can be a key
    """One edition of the protocol. A method that is sent in two ways is there twice."""

    name: str
    version: int
    methods: tuple[Method, ...]
    shapes: dict[str, Shape]

    def find(self, method: str) -> tuple[Method, ...]:
        """Return each way in which `method` may be sent; none if this edition lacks it."""
        return _by_name(self).get(method, ())

    def method(self, name: str, sender: Peer, kind: Kind) -> Method | None:
        """Return the method that `sender` may send in this way, if there is one."""
        for method in self.find(name):
            if method.kind == kind and sender in method.senders:
                return method
        return None

    def resolve(self, shape: Shape) -> Shape:
        """Follow names until there is a shape."""
        while isinstance(shape, Ref):
            shape = self.shapes[shape.name]
        return shape


class _Table(msgspec.Struct):
    version: int
    methods: tuple[Method, ...]
    shapes: dict[str, Shape]


@functools.cache
def words() -> frozenset[bytes]:
    """Return each word of the methods, fields and values of the protocol, in small letters."""
    found = (_WORD.finditer(_data(name)) for name in NAMES)
    return frozenset(word[1].lower() for words in found for word in words)


@functools.cache
def spec(name: str) -> Spec:
    """Return the edition called `name`, one of `NAMES`."""
    if name not in NAMES:
        raise ValueError(f"no edition of ACP is called {name!r}; there are {', '.join(NAMES)}")
    table = msgspec.json.decode(_data(name), type=_Table)
    gate_of = gates(table.version).methods.get
    methods = tuple(msgspec.structs.replace(m, gate=gate_of(m.name)) for m in table.methods)
    return Spec(name, table.version, methods, table.shapes)


def _data(name: str) -> bytes:
    return (resources.files("acp_spy.protocol") / "data" / f"{name}.json").read_bytes()


@functools.cache
def _by_name(edition: Spec) -> dict[str, tuple[Method, ...]]:
    found: dict[str, tuple[Method, ...]] = {}
    for method in edition.methods:
        found[method.name] = (*found.get(method.name, ()), method)
    return found
