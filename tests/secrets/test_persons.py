"""Home folders and user names give way to `/home/dev` and `dev`, wherever they are known from."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import effort

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
        # After an option and its letter, and in the links of editors and servers.
        (
            f"gcc -I/home/{ALICE}/x -isystem/Users/{ALICE}/y",
            "gcc -I/home/dev/x -isystem/Users/dev/y",
        ),
        (f"-L/home/{ALICE}/x", "-L/home/dev/x"),
        (f"-L/{ROOT}/x make -C/{ROOT}", "-L/home/dev/x make -C/home/dev"),
        (f"cl /IC:\\Users\\{ALICE}\\x -IC:/Users/{ALICE}", "cl /IC:\\Users\\dev\\x -IC:/Users/dev"),
        (f"vscode://file/home/{ALICE}/a.py:3", "vscode://file/home/dev/a.py:3"),
        (f"file://my-host/home/{ALICE}/x", "file://my-host/home/dev/x"),
        (f"file://wsl%24/Ubuntu/home/{ALICE}/x", "file://wsl%24/Ubuntu/home/dev/x"),
        (
            f"vscode://vscode-remote/wsl+Ubuntu-22.04/home/{ALICE}",
            "vscode://vscode-remote/wsl+Ubuntu-22.04/home/dev",
        ),
        (f"/proc/self/{ROOT}/home/{ALICE}/x", f"/proc/self/{ROOT}/home/dev/x"),
        (f"[x](file://docs/{'Users'}/guide.md) 'vscode-remote/src/{'home'}/views' views", None),
        (f"diff --git a/{'home'}/views.py b/{'home'}/views.py\n--- a/{'Users'}/list.tsx", None),
        (f"http://localhost:5173/@fs/home/{ALICE}/x", "http://localhost:5173/@fs/home/dev/x"),
        (f"/run/desktop/mnt/host/c/Users/{ALICE}", "/run/desktop/mnt/host/c/Users/dev"),
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
    assert redacted("/home/alice: alice@host, -home-alice-project, malice, Malice") == (
        "/home/dev: dev@host, -home-dev-project, malice, Malice"
    )
    assert redacted("/home/alice?by=%2Falice%2Fx") == "/home/dev?by=%2Fdev%2Fx"
    assert redacted("/home/alice by alice", users=False) == "/home/dev by alice"
    assert redacted("/home/alice by alice", homes=False) == "/home/dev by dev"


def test_a_user_name_may_be_capitalized_or_in_capitals():
    assert redacted("/home/alice by Alice and ALICE, not aLICE") == (
        "/home/dev by dev and dev, not aLICE"
    )
    assert redacted("/Users/Alice by alice", homes=False) == "/Users/dev by dev"
    assert redacted("/home/j\u00fcrgen by J\u00dcRGEN, J\u00fcrgen") == "/home/dev by dev, dev"
    assert redacted("/home/alice /Users/Alice: alice, Alice") == "/home/dev /Users/dev2: dev, dev2"
    assert redacted("Carol was here with carol", user="carol") == "dev was here with dev"
    assert redacted("/home/user by User") == "/home/dev by User"


def test_whoever_runs_this_is_known_besides():
    assert redacted(f"/data/people/{CAROL}/x", home="/data/people/carol") == "/home/dev/x"
    assert redacted("carol was here", user="carol") == "dev was here"
    assert redacted("bin / root", home="/", user="root") == "bin / root"
    persons = Persons(homes=True, users=True, home="/home/dev", user="dev")
    assert list(persons.find(b"/home/dev/x")) == []


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


@pytest.mark.parametrize(
    ("output", "kept"),
    [
        # As a whole value, in quotes, after `=`, in a prompt.
        (r"C:\Users\Ann Lee", r"C:\Users\dev"),
        (r"C:\Users\ann lee", r"C:\Users\dev"),
        ("/Users/Ann Lee", "/Users/dev"),
        (r"cd 'C:\Users\Ann Lee' && dir", r"cd 'C:\Users\dev' && dir"),
        ("USERPROFILE=C:\\Users\\Ann Lee\r\nx=1", "USERPROFILE=C:\\Users\\dev\r\nx=1"),
        ("PS C:\\Users\\Ann Lee> ls", "PS C:\\Users\\dev> ls"),
        # As a URL spells it.
        ("file:///C:/Users/Ann%20Lee/p/x.py", "file:///C:/Users/dev/p/x.py"),
        ("file:///Users/Ann%20Lee/p", "file:///Users/dev/p"),
        ("file:///home/j%C3%BCrgen/x", "file:///home/dev/x"),
        ("file:///home/%e5%b1%b1/x", "file:///home/dev/x"),
        ("c=C%3A%5CUsers%5CAnn%20Lee%5Cx", "c=C%3A%5CUsers%5Cdev%5Cx"),
        ("q=%2FUsers%2Fann%20we%20found", "q=%2FUsers%2Fdev%20we%20found"),
        (f"a=%2F{ROOT}%2Fx %2Fsrv%2F{ROOT}%2Fx", f"a=%2Fhome%2Fdev%2Fx %2Fsrv%2F{ROOT}%2Fx"),
        # Words, with a separator after them.
        (r"see C:\Users\ann lee\proj", r"see C:\Users\dev\proj"),
        (r"C:\Users\Mary Ann Smithson\proj", r"C:\Users\dev\proj"),
        (r"C:\Users\Ann van der Lee\proj", r"C:\Users\dev\proj"),
        ("C:\\Users\\Jos\u00e9 \u00c1lvarez\\x", "C:\\Users\\dev\\x"),
        (r"C:\Users\Sean O'Connor\x", r"C:\Users\dev\x"),
        (r"C:\Users\O'Connor\x", r"C:\Users\dev\x"),
        # What is known of one path is known in the next.
        (r"C:\Users\Ann Lee\x, so C:\Users\Ann Lee is", r"C:\Users\dev\x, so C:\Users\dev is"),
        # Other folders, and other letters.
        (rf"c:\users\{ALICE}\x C:\USERS\{ALICE}", r"c:\users\dev\x C:\USERS\dev"),
        (f"/mnt/c/users/{ALICE}/x", "/mnt/c/users/dev/x"),
        (f"/usr/home/{ALICE} /export/home/{ALICE}", "/usr/home/dev /export/home/dev"),
        (f"/System/Volumes/Data/Users/{ALICE}", "/System/Volumes/Data/Users/dev"),
        (f"vscode-remote://wsl%2Bubuntu/home/{ALICE}", "vscode-remote://wsl%2Bubuntu/home/dev"),
        ("C:\\Users\\\u0e2a\u0e21\u0e0a\u0e32\u0e22\\p", "C:\\Users\\dev\\p"),
        ("/home/\u0930\u093e\u092e/p", "/home/dev/p"),
        ("C:\\Users\\Nguy\u1ec5n\\p", "C:\\Users\\dev\\p"),
        ("\u5728/home/alice\u76ee\u5f55\u4e0b", "\u5728/home/dev\u76ee\u5f55\u4e0b"),
        ("/home/\u5c71\u7530\u3001x", "/home/dev\u3001x"),
        (f"in /{ROOT}.", "in /home/dev."),
        (r"path=/home/\u5c71\u7530/x", "path=/home/dev/x"),
    ],
)
def test_the_whole_name_of_a_home_folder_is_replaced(output, kept):
    assert redacted(output, users=False) == kept
    if ROOT not in output:  # nobody has that name
        assert redacted(output, homes=False) == kept


@pytest.mark.parametrize(
    ("output", "kept"),
    [
        (r"in C:\Users\ann we found C:\Users\bob\x", r"in C:\Users\dev we found C:\Users\dev2\x"),
        (r"in C:\Users\ann we use src\main.c", r"in C:\Users\dev we use src\main.c"),
        (r"We are in C:\Users\ann now", r"We are in C:\Users\dev now"),
        (r"We are in C:\Users\ann Now", r"We are in C:\Users\dev Now"),
        (r"C:\Users\ann is the home folder", r"C:\Users\dev is the home folder"),
        ("C:\\Users\\ann exists\nok", "C:\\Users\\dev exists\nok"),
        (r"C:\\Users\\ann found\nok", r"C:\\Users\\dev found\nok"),
        ("from /home/ann to src/x", "from /home/dev to src/x"),
        ("cp /Users/ann src/x", "cp /Users/dev src/x"),
        ("/Users/ann I/O", "/Users/dev I/O"),
        ("/home/ann's folder", "/home/dev's folder"),
        ("'/home/ann', 'x'", "'/home/dev', 'x'"),
        ("/home/ann%2Fx /home/ann%d", "/home/dev%2Fx /home/dev%d"),
        (r"C:\Users\ann -> x", r"C:\Users\dev -> x"),
        (r"C:\Users\All Users\x C:\Users\Public\x", r"C:\Users\All Users\x C:\Users\Public\x"),
        ("GET /v/users/list /users/list/x https://a.example/home/x", None),
        ("/root\u00e9 /rooted", None),
    ],
)
def test_the_words_after_a_home_folder_stay(output, kept):
    assert redacted(output, users=False) == (kept or output)


def test_a_person_has_one_number_however_a_url_spells_the_name():
    assert redacted(r"C:\Users\Ann Lee\x /Users/Ann%20Lee /home/bob", users=False) == (
        r"C:\Users\dev\x /Users/dev /home/dev2"
    )
    assert redacted("/home/j%C3%BCrgen/x by j\u00fcrgen", homes=False) == "/home/dev/x by dev"


def test_a_folder_as_a_whole_value():
    redactor = Redactor(persons=Persons(homes=True, users=False))
    assert redactor.record(Header(cwd=r"C:\Users\Ann Lee")).cwd == r"C:\Users\dev"
    raw = rb'{"method":"session/new","params":{"cwd":"C:\\Users\\Ann Lee","mcpServers":[]}}'
    assert redactor.record(Frame(1, 0.1, Peer.CLIENT, raw)).raw == raw.replace(b"Ann Lee", b"dev")


# ------------------------------------------------------------------------------------------ twice

KINDS = [
    {"homes": True, "users": False},
    {"homes": False, "users": True},
    {"homes": True, "users": True},
]


def assert_stable(text, kinds):
    """Check that what was redacted is not redacted again, in a message or from stderr."""
    update = {"method": "session/update", "params": {"update": {"content": {"text": text}}}}
    own = {"home": "/data/people/carol", "user": "carol"}
    for record in (
        Stderr(0.1, text.encode()),
        Frame(1, 0.1, Peer.AGENT, json.dumps(update, ensure_ascii=False).encode()),
    ):
        done = record
        for _ in range(2):
            before, redactor = done, Redactor(persons=Persons(**kinds, **own))
            redactor.learn_all([done])
            done = redactor.record(before)
        assert done.raw == before.raw
        assert redactor.counts == {}


@pytest.mark.parametrize("kinds", KINDS)
@pytest.mark.parametrize(
    "text",
    [
        "\u6587\u4ef6\u5728/root\u76ee\u5f55\u4e0b",
        "/root\u306e\u4e2d\u306b\u3042\u308b",
        "root@h:/root\x1b[32mmain\x1b[0m $",
        r"ls /root TODO1\nfoo",
        r're "/root\d+" x, "/root\.ssh", "/root\\proj"',
        "C:/Users/O'Connor/x C%3A%5CUsers%5CO'Connor-x",
        "/root Foo/x",
        "/root\u00e9 /root\\u00e9",
        '"%2Froot\\u00e9 /root\\u76ee',
        r"C:/Users/Anna Maria-x C:\Users\Anna Maria\y",
        "C:\\Users\\Anna Maria->x\nC:\\Users\\Anna Maria\\y",
        "/data/people/carol\u76ee Foo/x /data/people/carol%20x",
    ],
)
def test_what_replaces_a_home_is_known_again_whatever_follows(text, kinds):
    assert_stable(text, kinds)


HOMES = [
    "/root",
    f"%2F{ROOT}",
    f"/data/people/{CAROL}",
    *(
        "/home/",
        "/Users/",
        "C:\\Users\\",
        "c:/users/",
        r"C:\\Users\\",
        "%2Fhome%2F",
        "\\\\s\\Users\\",
    ),
    *("-home-", "projects/-Users-", "file:///Users/", "C%3A%5CUsers%5C"),
]
NEIGHBOURS = [
    *(ALICE, CAROL, "Anna", "Maria", "Ann Lee", "O'Connor", "dev", "dev2", "x", "7", "to"),
    *("\u5c71\u7530", "\u76ee\u5f55", "\u306e", "\u0e2a\u0e21", "\u00e9", "\u0438", "\ud55c"),
    *("\u2026", "\u3002", "\u2019", "\x1b[0m", "\x1b[32m", "\\n", '\\"', "\\", "\\\\"),
    *("\\u00e9", "\\u76ee", "\\d", "\\."),
    *(" ", " ", "/", "/", "%20", "%2F", "%C3%A9", "%5C", "\n", "'", '"', "`", ".", ",", "-", "_"),
    *("->", ">", "=", ":", "@h", "$ ", "redacted-value-1"),
]


@given(st.lists(st.sampled_from(HOMES) | st.sampled_from(NEIGHBOURS), max_size=14).map("".join))
@settings(max_examples=effort.examples(60))
def test_to_redact_persons_twice_is_to_do_it_once(text):
    for kinds in KINDS:
        assert_stable(text, kinds)


def test_words_of_the_protocol_are_no_names_of_users():
    """A route of a web application, `/home/session`, looks like a home folder."""
    asked = "add a route for /home/session, /home/content and /home/title; /home/alex is mine"
    prompt = {"sessionId": "s", "prompt": [{"type": "text", "text": asked}]}
    line = json.dumps({"id": 1, "method": "session/prompt", "params": prompt}).encode()
    redactor = Redactor(persons=Persons(homes=True, users=True))
    frame = Frame(1, 0.0, Peer.CLIENT, line)
    redactor.learn(frame)
    masked = json.loads(redactor.record(frame).raw)
    assert masked["method"] == "session/prompt"
    assert set(masked["params"]) == {"sessionId", "prompt"}
    assert "alex" not in masked["params"]["prompt"][0]["text"]
