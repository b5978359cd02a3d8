"""What a tool is: its name, when to use it, what it takes, and the function that does it."""

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from acp_spy.errors import AcpSpyError
from acp_spy.mcp_server.answer import Answer, spelled
from acp_spy.mcp_server.captures import Captures

Arguments = TypeVar("Arguments", bound=msgspec.Struct)


class Tool(msgspec.Struct, frozen=True):
    """
    A tool as an agent sees it, and what it does.

    `arguments` is a struct: its fields are in the JSON Schema of the tool, and what an agent sends
    is read by it. Nothing is changed by a tool, unless it `starts_processes`.
    """

    name: str
    description: str
    arguments: type[msgspec.Struct]
    run: Callable[[Any, Captures], Answer]
    starts_processes: bool = False

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        _, components = msgspec.json.schema_components([self.arguments])
        schema: dict[str, Any] = components[self.arguments.__name__]
        schema.pop("title", None)
        schema.pop("description", None)  # of the struct, which is for us
        return schema

    def call(self, given: dict[str, Any], captures: Captures) -> str:
        """Return the answer to these arguments. Raises `AcpSpyError` if there is none."""
        known = {name: value for name, value in given.items() if value is not None}
        try:
            # Not strict: models spell numbers as strings, too.
            arguments = msgspec.convert(known, self.arguments, strict=False)
        except msgspec.ValidationError as error:
            names = ", ".join(self.arguments.__struct_fields__) or "none"
            raise AcpSpyError(
                f"cannot call `{self.name}`: {error}", hint=f"its arguments are: {names}"
            ) from None
        try:
            return spelled(self.run(arguments, captures))
        except RecursionError:
            raise AcpSpyError(
                "cannot show it: a message is nested too deeply",
                hint="leave that frame out with the filter `-seq:NUMBER`",
            ) from None


def tool(
    tools: dict[str, Tool], arguments: type[Arguments], *, starts_processes: bool = False
) -> Callable[[Callable[[Arguments, Captures], Answer]], Callable[[Arguments, Captures], Answer]]:
    """Declare a tool: the function's name and docstring are its own. It is added to `tools`."""

    def declare(
        run: Callable[[Arguments, Captures], Answer],
    ) -> Callable[[Arguments, Captures], Answer]:
        name = run.__name__
        about = " ".join((inspect.getdoc(run) or "").split())
        tools[name] = Tool(name, about, arguments, run, starts_processes)
        return run

    return declare
