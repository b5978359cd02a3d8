"""
The examples of the shapes, and what the page about secrets promises, in all that programs print.

`python -m benchmarks.printed_forms --set examples` tries all examples in all forms.
"""

import random

import pytest
from support import effort

from benchmarks.printed_forms import FORMS, examples, lost
from benchmarks.secrets import SEED, Place, missed

EXAMPLES = examples()
SOME = 16  # examples for each form
# How many of all examples may be missed. Code in a sentence has one line; these have more.
MOST_LOST = {"code in a sentence": 2}

# Found by what is in the lines around, or by the quotes: what printing changes most.
WEAK, STRONG = "hunter2", "q7Zk2Vw9Xn4Rb8Tm3Yc6"
TEXTS = [
    f"The password is:\n```\n{STRONG}\n```",
    f"Here is the API key\n\n```text\n{STRONG}\n```",
    "db.example.com\nadmin\nsunshine42",
    f'"user","password"\n"alice","{WEAK}"',
    f"jwt:\n  key: {STRONG}",
    f">>> settings.DB_PASSWORD\n'{WEAK}'",
    f'127.0.0.1:6379> GET api_token\n"{STRONG}"',
    f'(gdb) p config->password\n$1 = 0x5555556022a0 "{WEAK}"',
    f'(lldb) p password\n(const char *) $0 = 0x0000000100003f9c "{WEAK}"',
    f'[1] pry(main)> user.password\n=> "{WEAK}"',
    f'jshell> password\npassword ==> "{WEAK}"',
    f"scala> config.password\nval res0: String = {WEAK}",
]


@pytest.mark.parametrize("name", FORMS)
def test_the_examples_are_found_in_what_was_printed(name):
    dice = random.Random(f"{SEED} {name}")
    some = dice.sample(EXAMPLES, min(effort.examples(SOME), len(EXAMPLES)))
    gone = [place for place in some if lost(FORMS[name], [place])]
    assert len(gone) <= MOST_LOST.get(name, 0), gone


def test_in_each_example_something_is_found():
    assert [place.title for place in EXAMPLES if not place.secrets] == []


@pytest.mark.parametrize("name", [name for name in FORMS if name not in MOST_LOST])
@pytest.mark.parametrize("text", TEXTS)
def test_what_other_lines_show_is_found_in_what_was_printed(text, name):
    secret = next(each for each in (STRONG, WEAK, "sunshine42") if each in text)
    assert missed(Place("a text", FORMS[name](text), [secret])) == []
