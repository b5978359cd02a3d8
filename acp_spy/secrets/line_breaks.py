r"""
Where the formatters of code break a long line: after the sign of an assignment, at an operator.

`NAME =`, `NAME = (` and `NAME = \` have their value in the next line. A comment may be between.
"""

_COMMENT = rb"(?://|\#)[^\r\n]{0,120}"
_INDENT = rb"[ \t]{0,80}"
AFTER_SIGN = rb"(?:[ \t]{0,8}(?:\\|\(?(?:[ \t]{1,8}%b)?[ \t]{0,8})\r?\n%b(?:%b\r?\n%b){0,2})" % (
    _COMMENT,
    _INDENT,
    _COMMENT,
    _INDENT,
)
# Between two words of an expression, which may as well be in one line.
GAP = rb"(?:[ ]|[ \t]{0,8}\r?\n%b)" % _INDENT
