"""What the library for commands says of a wrong command line, in our words."""

import re

_INVALID = re.compile(r"Invalid value for '(?P<name>[^']+)': (?P<why>.*)", re.DOTALL)
_CHOICE = re.compile(r"(?:Value error, )?'(?P<given>.*)' is not one of (?P<legal>.*)", re.DOTALL)
_BOUND = re.compile(r"Input should be (greater|less) than or equal to (?P<bound>\S+)")
_BOUNDS = {"greater": "or more", "less": "or less"}
_TYPES = {
    "Input should be a valid integer": "must be a whole number",
    "Input should be a valid number": "must be a number",
}


def complaint(said: str) -> str:
    """Return what is wrong with the command line, for a person."""
    invalid = _INVALID.fullmatch(said)
    if not invalid:
        return said
    name, why = invalid["name"].split(" / ")[-1].strip("'"), invalid["why"]
    if choice := _CHOICE.fullmatch(why):
        legal = choice["legal"].rstrip(".").replace("'", "`")
        return f"`{name}` is `{choice['given']}`; expected one of {legal}"
    if bound := _BOUND.match(why):
        return f"`{name}` must be {bound['bound']} {_BOUNDS[bound[1]]}"
    for start, must in _TYPES.items():
        if why.startswith(start):
            return f"`{name}` {must}"
    return f"`{name}`: {why.removeprefix('Value error, ')}"
