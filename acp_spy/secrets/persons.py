"""
Home folders and user names, replaced by `/home/dev` and `dev`.

They are taken from the paths in the capture, which may come from another machine; those of the
caller are added. Several users become `dev`, `dev2`, `dev3`.
"""

import os
import re
from collections.abc import Iterable, Iterator
from urllib.parse import unquote_to_bytes

from acp_spy.protocol.tables import words
from acp_spy.secrets.expressions import expression
from acp_spy.secrets.home_folders import (
    ACCENTED,
    AFTER_LETTER,
    MAY_GO_ON,
    REPLACEMENT_NAME,
    is_below_homes,
    names_of_homes,
    stands_in,
)

# A folder that is named after a path, with `-` for each sign, as Claude Code names those of
# projects: `-home-alex-proj`. Where the name ends, only a path shows.
_NAMED_FOLDER = expression(
    rb"(?:(?<![\w.-])-(?:home|Users)|(?<![\w-])[A-Za-z]--Users)-(?P<rest>[A-Za-z0-9-]{1,200})"
)
_OF_PROJECTS = expression(rb"projects[\\/]{1,4}$")
_NO_LETTER = expression(rb"[^A-Za-z0-9]")
_BEFORE_OWN = rb"(?:(?<![\w./-])|%b)" % AFTER_LETTER
_ROOT = expression(rb"%b/root(?!%b)" % (_BEFORE_OWN, MAY_GO_ON))
_ROOT_IN_URL = expression(
    rb"(?:(?<![\w.%%-])|(?<=%%2[Ff0])|(?<=%%3[AaDd]))(?P<separator>%%2[Ff])root(?!%b)" % MAY_GO_ON
)
# Of nobody, in small letters.
_NOBODY = frozenset((b"shared", b"public", b"linuxbrew", b"all users", b"default user"))

# A capture of made-up paths must not slow down without end. In a path, all others become `dev`.
_MOST = 100

# Words of every day and of JSON-RPC: to replace them, or those of ACP, would wreck the capture.
_PLAIN_WORDS = frozenset(
    (
        *(b"jsonrpc", b"method", b"params", b"result", b"error", b"message", b"data"),
        *(b"user", b"root", b"agent", b"client", b"admin", b"home", b"test", b"runner", b"node"),
        *(b"app", b"code", b"work", b"text", b"name", b"ubuntu", b"vscode", b"build", b"git"),
    )
)


class Persons:
    """
    Finds home folders (`homes`) and user names (`users`), and what replaces them.

    `home` and `user` are those of the caller, in case that no path in the capture shows them. Also
    found are a name in small letters, capitalized, and in capitals.
    """

    def __init__(self, *, homes: bool, users: bool, home: str = "", user: str = "") -> None:
        self._homes = homes
        self._users = users
        self._given: dict[bytes, bytes] = {}
        self._of_several_words: list[bytes] = []
        self._own_home: re.Pattern[bytes] | None = None
        encoded = home.encode(errors="surrogateescape").rstrip(b"/")
        if encoded.count(b"/") > 1 and not is_below_homes(encoded):  # neither `/` nor `/root`
            own = _BEFORE_OWN, re.escape(encoded), MAY_GO_ON
            self._own_home = re.compile(rb"%b%b(?!%b)" % own)
        self._named: re.Pattern[bytes] | None = None  # compiled for so many:
        self._compiled_for = 0
        self._by_spelling: dict[bytes, bytes] = {}  # what replaces a name, however it is spelled
        self._user = user.encode(errors="surrogateescape")
        is_name = self._user and not _is_plain(self._user)
        self._own_user = _any_of(_spellings(self._user)) if is_name else None

    @classmethod
    def of_this_machine(cls, *, homes: bool, users: bool) -> "Persons":
        """Return what also finds the home folder and the name of who runs this."""
        own = os.path.expanduser("~")
        return cls(homes=homes, users=users, home=own, user=os.path.basename(own))

    @property
    def left_alone(self) -> list[str]:
        """User names in the capture that are plain words, and stay outside of paths."""
        return sorted(name.decode(errors="replace") for name in self._given if _is_plain(name))

    @property
    def count(self) -> int:
        """How many persons are known by now."""
        return len(self._given)

    def learn(self, text: bytes) -> None:
        """Take note of whose home folders are in `text`."""
        known = -1
        while known != len(self._of_several_words):  # one may be the beginning of the next
            known = len(self._of_several_words)
            for start, end in names_of_homes(text, self._of_several_words):
                self._add(text[start:end])
        if self._own_user and self._own_user.search(text):
            self._add(self._user)

    def find(self, text: bytes) -> Iterator[tuple[int, int, bytes]]:
        """Give what in `text` identifies a person: start, end, and what replaces it."""
        self.learn(text)
        if self._homes:
            for start, end in names_of_homes(text, self._of_several_words):
                if not _is_nobody(name := text[start:end]):
                    yield start, end, self._given.get(name, REPLACEMENT_NAME)
            yield from self._in_named_folders(text)
            for pattern in filter(None, (_ROOT, self._own_home)):
                for found in pattern.finditer(text):
                    yield *found.span(), b"/home/" + REPLACEMENT_NAME
            for found in _ROOT_IN_URL.finditer(text):
                yield *found.span(), b"home".join([found["separator"]] * 2) + REPLACEMENT_NAME
        if self._users and (named := self._names()):
            for found in named.finditer(text):
                yield *found.span(), self._by_spelling[found[0]]

    def _in_named_folders(self, text: bytes) -> Iterator[tuple[int, int, bytes]]:
        """Give the names in folders such as `-home-alex-proj`; unknown ones below `projects`."""
        for found in _NAMED_FOLDER.finditer(text):
            start, rest = found.start("rest"), found["rest"]
            known = [
                (len(name), stand_in)
                for name, stand_in in self._given.items()
                if (rest + b"-").startswith(_NO_LETTER.sub(b"-", name) + b"-")
            ]
            length, stand_in = max(known, default=(rest.find(b"-"), REPLACEMENT_NAME))
            if not known and not _OF_PROJECTS.search(
                text[max(0, found.start() - 16) : found.start()]
            ):
                continue
            end = start + length if length > 0 else found.end()
            if not _is_nobody(text[start:end]):
                yield start, end, stand_in

    def _names(self) -> re.Pattern[bytes] | None:
        """Return what finds the known names; not compiled again for each of those in one text."""
        if self._compiled_for != len(self._given):
            self._compiled_for = len(self._given)
            names = {name: by for name, by in self._given.items() if not _is_plain(name)}
            spelled = {each: by for name, by in names.items() for each in _spellings(name)}
            self._by_spelling = spelled | names
            self._named = _any_of(self._by_spelling)
        return self._named

    def _add(self, name: bytes) -> None:
        if name in self._given or _is_nobody(name) or len(self._given) >= _MOST:
            return
        person = unquote_to_bytes(name)  # as a URL spells it, it is the same
        if person not in self._given:
            number = len(set(self._given.values())) + 1
            self._given[person] = REPLACEMENT_NAME + (b"%d" % number if number > 1 else b"")
            if b" " in person:
                self._of_several_words.append(person)
        self._given[name] = self._given[person]


def _is_nobody(name: bytes) -> bool:
    return name.lower() in _NOBODY or stands_in(name, 0)


def _is_plain(name: bytes) -> bool:
    return len(name) < 3 or name.lower() in _PLAIN_WORDS or name.lower() in words()


def _spellings(name: bytes) -> set[bytes]:
    """Return a name as it is, in small letters, capitalized, and in capitals."""
    text = name.decode(errors="surrogateescape")
    spelled = {text, text.lower(), text[:1].upper() + text[1:], text.upper()}
    return {each.encode(errors="surrogateescape") for each in spelled}


def _any_of(names: Iterable[bytes]) -> re.Pattern[bytes] | None:
    longest_first = sorted(names, key=len, reverse=True)
    if not longest_first:
        return None
    words = b"|".join(map(re.escape, longest_first))
    before = rb"(?<![A-Za-z0-9])(?<![\xc3-\xdf][\x80-\xbf])|(?<=%2[Ff])|(?<=%5[Cc])"
    return re.compile(rb"(?:%b)(?:%b)(?![A-Za-z0-9]|%b)" % (before, words, ACCENTED))
