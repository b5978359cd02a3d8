"""The table of keys: what is declared is what works, and what the docs say."""

from pathlib import Path

import pytest

from acp_spy.console.captures_screen import CapturesScreen
from acp_spy.console.conversation_screen import ConversationScreen
from acp_spy.console.keys import BOTH, KEYS, footer, keys_of, spelled

SCREENS = {"list": CapturesScreen, "conversation": ConversationScreen}
PAGE = Path(__file__).parents[2] / "docs" / "console.md"


@pytest.mark.parametrize("screen", BOTH)
def test_every_key_does_something_and_only_one_thing(screen):
    keys = list(keys_of(screen))
    spellings = [each for key in keys for each in (key.key, *key.also)]
    assert len(spellings) == len(set(spellings))
    for key in keys:
        action = key.action.partition("(")[0]
        assert getattr(SCREENS[screen], f"action_{action}").__doc__, key


def test_the_keys_that_people_know_are_there():
    wanted = {*"jkgG/?qfFmxynNiaAeXV:", "enter", "esc"}
    assert wanted <= {spelled(key) for key in KEYS}


@pytest.mark.parametrize("screen", BOTH)
@pytest.mark.parametrize("width", [40, 80, 200])
def test_the_footer_fits_and_begins_with_the_help(screen, width):
    shown = footer(screen, width)
    assert shown[0] == ("?", "help")
    assert sum(len(key) + len(word) + 3 for key, word in shown) <= width


def test_the_docs_have_every_key():
    page = PAGE.read_text()
    for key in KEYS:
        assert f"| `{spelled(key)}` | {key.does} |" in page
