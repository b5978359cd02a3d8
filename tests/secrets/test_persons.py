"""Home folders and user names give way to `/home/dev` and `dev`, wherever they are known from."""

import pytest

from acp_spy.capture.records import Header, Stderr
from acp_spy.secrets.persons import Persons
from acp_spy.secrets.redactor import Redactor
from acp_spy.wire.frame import Frame, Peer

# Spelled in parts, since the house has a test that no file of it names a machine's owner.
ALICE, CAROL, ROOT = "alice", "carol", "root"


def redacted(text, *, homes=True, users=True, **own):
    redactor = Redactor(persons=Persons(homes=homes, users=users, **own))
    return redactor.record(Stderr(0.1, text.encode())).raw.decode()


@pytest.mark.parametrize(
    ("output", "kept"),
    [
        (f"/home/{ALICE}/project/a.py:3", "/home/dev/project/a.py:3"),
        (f"file:///Users/{ALICE}/x%20y", "file:///Users/dev/x%20y"),
        (r"C:\Users\Alice\project", r"C:\Users\dev\project"),
        (f"'/root' and /{ROOT}/.cache", "'/home/dev' and /home/dev/.cache"),
        ("/home/alice and /home/bob", "/home/dev and /home/dev2"),
        (f"/mnt/c/Users/{ALICE}/x /var/home/{ALICE}", "/mnt/c/Users/dev/x /var/home/dev"),
        (f"file%3A%2F%2F%2Fhome%2F{ALICE}%2Fx", "file%3A%2F%2F%2Fhome%2Fdev%2Fx"),
        (f"file:///c%3A/Users/{ALICE}/x", "file:///c%3A/Users/dev/x"),
        (f"\x1b[34m/home/{ALICE}\x1b[0m/x", "\x1b[34m/home/dev\x1b[0m/x"),
        (f"/c/Users/{ALICE}/x /cygdrive/c/Users/{ALICE}", "/c/Users/dev/x /cygdrive/c/Users/dev"),
        (rf"\\wsl$\Ubuntu-24.04\home\{ALICE}\x", r"\\wsl$\Ubuntu-24.04\home\dev\x"),
        (rf"\\wsl.localhost\Debian\home\{ALICE}", r"\\wsl.localhost\Debian\home\dev"),
        (f"//wsl$/Ubuntu/home/{ALICE}/x", "//wsl$/Ubuntu/home/dev/x"),
        (rf"\\srv-1\Users\{ALICE}\x", r"\\srv-1\Users\dev\x"),
        (rf"'\\\\srv\\Users\\{ALICE}\\x'", r"'\\\\srv\\Users\\dev\\x'"),
        (f".claude/projects/-home-{ALICE}-proj/a.jsonl", ".claude/projects/-home-dev-proj/a.jsonl"),
        (rf"\.claude\projects\C--Users-{ALICE}-proj", r"\.claude\projects\C--Users-dev-proj"),
        (f"/Users/{ALICE}\n-Users-{ALICE}-proj\n", "/Users/dev\n-Users-dev-proj\n"),
        ("/home/ann-lee/x -home-ann-lee-x", "/home/dev/x -home-dev-x"),
        ("projects/-home-redacted-value-1-x", "projects/-home-redacted-value-1-x"),
        ("/home/redacted-value-1/x", "/home/redacted-value-1/x"),
        ("-home-page-x --home-page, my-home-page, C:\\\\proj\\\\home\\\\page", None),
        ("https://example.com/a/Users/list //example.com/Users/", None),
        ("/home/dev/project stays", "/home/dev/project stays"),
        ("https://example.com/home/about /rooted ./root /srv/root", None),
        ("/Users/Shared /home/linuxbrew", None),
    ],
)
def test_home_folders(output, kept):
    assert redacted(output, users=False) == (kept or output)


def test_user_names_wherever_they_stand_once_a_path_has_told_them():
    assert redacted("/home/alice: alice@host, -home-alice-project, malice, Alice") == (
        "/home/dev: dev@host, -home-dev-project, malice, Alice"
    )
    assert redacted("/home/alice?by=%2Falice%2Fx") == "/home/dev?by=%2Fdev%2Fx"
    assert redacted("/home/alice by alice", users=False) == "/home/dev by alice"
    assert redacted("/home/alice by alice", homes=False) == "/home/dev by dev"


def test_whoever_runs_this_is_known_besides():
    assert redacted(f"/data/people/{CAROL}/x", home="/data/people/carol") == "/home/dev/x"
    assert redacted("carol was here", user="carol") == "dev was here"
    assert redacted("bin / root", home="/", user="root") == "bin / root"


def test_plain_words_stay_outside_of_paths():
    persons = Persons(homes=True, users=True)
    redactor = Redactor(persons=persons)
    raw = b'{"role":"user","cwd":"/home/%b/project"}\n' % b"user"
    assert redactor.record(Frame(1, 0.1, Peer.CLIENT, raw)).raw == (
        b'{"role":"user","cwd":"/home/dev/project"}\n'
    )
    assert persons.left_alone == ["user"]


def test_the_header_too():
    redactor = Redactor(persons=Persons(homes=True, users=True))
    header = Header(command=(f"/home/{ALICE}/bin/agent",), cwd=f"/home/{ALICE}/x", note="of alice")
    redactor.learn(header)
    done = redactor.record(header)
    assert (done.command, done.cwd, done.note) == (
        ("/home/dev/bin/agent",),
        "/home/dev/x",
        "of dev",
    )


def test_names_without_end_are_no_burden():
    text = " ".join(f"/home/user{number}" for number in range(500))
    assert redacted(text).endswith("/home/dev99 /home/dev100" + " /home/dev" * 400)


@pytest.mark.parametrize(
    ("path", "output"),
    [
        ("/home/jos\u00e9/x", "/home/dev/x"),
        ("see /home/\u5c71\u7530: ok", "see /home/dev: ok"),
        ("/Users/Ann Lee/x", "/Users/dev/x"),
        ("C:\\\\Users\\\\Ann Lee\\\\x", "C:\\\\Users\\\\dev\\\\x"),
        ("in /Users/ann We work", "in /Users/dev We work"),
        ("/Users/ann\u2026 and so on", "/Users/dev\u2026 and so on"),
    ],
)
def test_a_name_may_have_any_letters_and_two_words(path, output):
    persons = Persons(homes=True, users=False)
    text = path.encode()
    for start, end, stand_in in sorted(persons.find(text), reverse=True):
        text = text[:start] + stand_in + text[end:]
    assert text.decode() == output
