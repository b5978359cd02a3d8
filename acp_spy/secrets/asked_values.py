"""
What an interpreter, a debugger or a database prints below the line that asks for a secret.

`>>> settings.DB_PASSWORD` with `'x'` in the next line, `(Pdb) p password`, `irb> user.token` with
`=> "x"`, `In [2]: api_key` with `Out[2]: 'x'`, `(gdb) p password` with `$1 = 0x55e0 "x"`,
`127.0.0.1:6379> get app:password` with `"x"`. The value is a string in quotes; without, only if
the line prints it (`>>> print(password)`), or if its type is before it: `val res0: String = x`.
"""

from acp_spy.secrets.assigned_values import BY_STRENGTH
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.secret_names import Strength
from acp_spy.secrets.shape import Found
from acp_spy.secrets.values import is_value, read_quoted

_LONGEST_QUESTION = 200
# `>>> `, `ipdb> `, `irb(main):002:0> `, `127.0.0.1:6379> `; `> ` of Node.js; `(Pdb) `; `In [2]: `;
# `[1] pry(main)> `; `user=> ` of Clojure; `DB<1> ` of Perl
_PROMPT = expression(
    rb"[ \t]*+(?:(?:\[[0-9]{1,5}\] )?[\w()\[\]:@./*]{0,40}(?: [(\[][\w ]{1,20}[)\]])?>{1,3}"
    rb"|\([A-Za-z]{2,8}\)|In \[[0-9]{1,5}\]:|php >|[\w.-]{1,40}=>|DB<[0-9]{1,5}>) +"
    rb"(?P<asked>\S[^\n]*)?\Z"
)
_PRINTS = expression(
    rb"(?:print|puts|echo|say|console\.log|System\.out\.println|IO\.puts|fmt\.Println)\b"
)
_QUESTION_END = expression(rb"(?:\([^()\n]{0,60}\)|[\"']?[)\]};]{0,4})[ \t]*\r?\n[ \t]*+")
# What is before the value: `=> `, `Out[2]: `, `[1] ` of R, `0  ` of Perl, `< ` of a browser, a name
# for the result, its type, and where it is.
_TYPE = rb"\([\w:<>,*& ]{1,60}\) "
_RESULT = expression(
    rb"(?:=>[ ]?(?:\r?\n[ \t]*+)?|Out\[[0-9]{1,5}\]: |\[1\] |0  |[<=] |(?:%b)?"
    rb"(?:(?:\$\w{1,10} =|\$?\w{1,60} ==>"
    rb"|(?:va[lr] )?\$?\w{1,60}(?P<type>: (?:[\w.]{1,40}\.)?String) =) )?(?:%b)?"
    rb"(?:0x[0-9a-f]{1,16} )?)(?=\S)" % (_TYPE, _TYPE)
)
_WORD = expression(rb"[^\s\"'`]+(?=[ \t]*(?:\r?\n|\Z))")
# gdb adds with what an array is filled.
_LINE_END = expression(
    rb"[\"'`](?:, '\\{1,7}0{1,3}' <repeats [0-9]{1,6} times>)?[ \t]*(?:\r?\n|\Z)"
)


def value_asked_for(text: bytes, start: int, at: int, strength: Strength) -> Found | None:
    """Return the value below a line at a prompt that ends with a name, which begins at `start`."""
    question_end = _QUESTION_END.match(text, at)
    if question_end is None or strength not in BY_STRENGTH:
        return None
    first = max(0, start - _LONGEST_QUESTION)
    first = max(first, text.rfind(b"\n", first, start) + 1)
    prompt = _PROMPT.match(text[first:start])
    result = _RESULT.match(text, question_end.end())
    if prompt is None or result is None:
        return None
    if quoted := read_quoted(text, result.end()):
        first, end = quoted
        is_whole = _LINE_END.match(text, end) is not None
    else:
        word = _WORD.match(text, result.end())
        is_shown = result["type"] is not None or _PRINTS.match(prompt["asked"] or b"") is not None
        is_whole = word is not None and is_shown
        first, end = word.span() if word else (0, 0)
    is_one = is_whole and is_value(text[first:end], BY_STRENGTH[strength])
    return (first, end, "command-output") if is_one else None
