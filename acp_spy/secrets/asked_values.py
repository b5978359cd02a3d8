"""
What an interpreter, a debugger or a database prints below the line that asks for a secret.

`>>> settings.DB_PASSWORD` with `'x'` in the next line, `(Pdb) p password`, `irb> user.token` with
`=> "x"`, `In [2]: api_key` with `Out[2]: 'x'`, `127.0.0.1:6379> get app:password` with `"x"`. The
value is a string in quotes; without, only if the line prints it: `>>> print(password)`.
"""

from acp_spy.secrets.assigned_values import BY_STRENGTH
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.secret_names import Strength
from acp_spy.secrets.shape import Found
from acp_spy.secrets.values import is_value, read_quoted

_LONGEST_QUESTION = 200
# `>>> `, `ipdb> `, `irb(main):002:0> `, `127.0.0.1:6379> `; `> ` of Node.js; `(Pdb) `; `In [2]: `
_PROMPT = expression(
    rb"[ \t]*+(?:[\w()\[\]:@./]{0,40}(?: [(\[][\w ]{1,20}[)\]])?>{1,3}|\([A-Za-z]{2,8}\)"
    rb"|In \[[0-9]{1,5}\]:|php >) +(?P<asked>\S[^\n]*)?\Z"
)
_PRINTS = expression(
    rb"(?:print|puts|echo|say|console\.log|System\.out\.println|IO\.puts|fmt\.Println)\b"
)
_NEXT_LINE = expression(
    rb"(?:\([^()\n]{0,60}\)|[)\]};]{0,4})[ \t]*\r?\n"
    rb"(?:[ \t]*=>[ ]?(?:\r?\n)?|Out\[[0-9]{1,5}\]: |\$[0-9]{1,5} = )?(?=\S)"
)
_WORD = expression(rb"[^\s\"'`]+(?=[ \t]*(?:\r?\n|\Z))")
_LINE_END = expression(rb"[\"'`][ \t]*(?:\r?\n|\Z)")


def value_asked_for(text: bytes, start: int, at: int, strength: Strength) -> Found | None:
    """Return the value below a line at a prompt that ends with a name, which begins at `start`."""
    answer = _NEXT_LINE.match(text, at)
    if answer is None or strength not in BY_STRENGTH:
        return None
    first = max(0, start - _LONGEST_QUESTION)
    first = max(first, text.rfind(b"\n", first, start) + 1)
    prompt = _PROMPT.match(text[first:start])
    if prompt is None:
        return None
    if quoted := read_quoted(text, answer.end()):
        first, end = quoted
        is_whole = _LINE_END.match(text, end) is not None
    else:
        word = _WORD.match(text, answer.end())
        is_whole = word is not None and _PRINTS.match(prompt["asked"] or b"") is not None
        first, end = word.span() if word else (0, 0)
    is_one = is_whole and is_value(text[first:end], BY_STRENGTH[strength])
    return (first, end, "command-output") if is_one else None
