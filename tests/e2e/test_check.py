"""`acp-spy check` and `acp-spy rule`, from the command line to the exit status."""

import json
import re
from xml.etree import ElementTree as ET

import pytest
from support.in_process import acp_spy
from support.rules import a_rule

from acp_spy.capture.codec import encode
from acp_spy.capture.records import Header
from acp_spy.capture.transcript import parse
from acp_spy.lint.catalogue import CATALOGUE
from acp_spy.lint.rule import Remark, Severity

FORMATS = ("full", "concise", "json", "github", "sarif", "junit")


def declare(code, name, severity, word):
    def check(moment):
        """
        ## What it does

        Explain at length.

        ## Why it matters

        Words hurt.

        ## Use instead

        Say nothing.
        """
        if word.encode() in moment.frame.raw:
            if word == "crash":
                raise ValueError(word)
            yield Remark(f"`{word}` was said", at="/say", hint="do not")

    return a_rule(
        check,
        code=code,
        name=name,
        severity=severity,
        summary="A word was said",
        bad=f'-> {{"say": "{word}"}}',
        good="-> {}",
        covers=("FRM-01",),
        spec="https://x.example",
    )


RULES = (
    declare("RPC001", "a-mistake", Severity.ERROR, "mistake"),
    declare("RPC002", "a-slip", Severity.WARNING, "slip"),
    declare("SCH001", "a-quirk", Severity.NOTE, "quirk"),
    declare("SCH002", "a-crash", Severity.ERROR, "crash"),
)


@pytest.fixture(autouse=True)
def _four_small_rules(monkeypatch):
    """So that what is tested here outlives the catalogue."""
    monkeypatch.setattr("acp_spy.view.rule_text.FIXES", {})
    monkeypatch.setenv("COLUMNS", "80")
    whole = dict(CATALOGUE)
    CATALOGUE.clear()
    CATALOGUE.update({each.code: each for each in RULES})
    yield
    CATALOGUE.clear()
    CATALOGUE.update(whole)


@pytest.fixture
def make(tmp_path):
    """Write a capture in which these words are said, a frame each."""

    def make(name, *said):
        talk = "".join(f'-> {{"say": "{word}"}}\n' for word in said)
        (tmp_path / name).write_bytes(encode([Header(), *parse(talk)]))
        return name

    return make


@pytest.fixture
def check(tmp_path):
    """Run `acp-spy check` where the captures are; settings are looked for there as well."""
    (tmp_path / "acp-spy.toml").touch()

    def check(*words, **how):
        return acp_spy("check", *words, cwd=tmp_path, **how)

    return check


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["mistake"], 1),
        (["slip"], 0),
        (["quirk"], 0),
        ([], 0),
        (["slip", "--fail-on", "warning"], 1),
        (["quirk", "--fail-on", "warning"], 0),
        (["quirk", "--fail-on", "note"], 1),
        (["mistake", "--fail-on", "never"], 0),
        (["mistake", "--ignore", "RPC001"], 0),
        (["mistake", "--ignore", "a-mistake,SCH"], 0),
        (["mistake", "--select", "RPC002", "--select", "SCH"], 0),
        (["mistake", "--severity", "RPC001=warning"], 0),
        (["quirk", "--severity", "SCH=error"], 1),
        (["crash"], 70),
        (["crash", "mistake"], 1),
        (["crash", "--ignore", "SCH002"], 0),
    ],
)
def test_the_exit_status_says_how_it_went(make, check, words, status):
    said = [word for word in words if word in ("mistake", "slip", "quirk", "crash")]
    capture = make("run.jsonl", *said)
    _, _, got = check(capture, *words[len(said) :])
    assert got == status


def test_findings_are_told_on_stdout_with_the_place_in_the_file(make, check):
    out, err, _ = check(make("run.jsonl", "hello", "mistake"))
    assert out == (
        "run.jsonl: noise in handshake\n"
        '  The client wrote 2 lines that are not JSON-RPC (frame 1: `{"say": "hello"}`),\n'
        "  and no request.\n"
        "\n"
        "error RPC001 a-mistake  frame 2  client must fix  0.002 s\n"
        "  `mistake` was said\n"
        '     2  client → {"say": "mistake"}\n'
        "                  ^^^^^^^^^^^^^^^^\n"
        "  hint: do not\n"
        "  more: acp-spy rule RPC001\n"
        "  spec: https://x.example\n"
        "\n"
        "2 frames, 1 finding\n"
        "  1 error: client must fix 1\n"
    )
    assert err == ""


def test_every_format_tells_of_every_capture(make, check):
    captures = make("a.jsonl", "mistake"), make("b.jsonl", "slip", "slip"), make("c.jsonl")
    output = {form: check(*captures, "--format", form) for form in FORMATS}
    silent = "note: `c.jsonl` has no frames: there is nothing to check\n"
    assert {(err, status) for _, err, status in output.values()} == {(silent, 1)}
    outs = {form: out for form, (out, _, _) in output.items()}
    assert outs["concise"] == (
        "a.jsonl:2: error RPC001 `mistake` was said (client must fix, frame 1)\n"
        "b.jsonl:2: warning RPC002 `slip` was said (client must fix, frame 1, 2 times, also in frame 2)\n"
    )
    assert [
        (
            capture["path"],
            capture["frames"],
            [seq for finding in capture["findings"] for seq in finding["places"]],
        )
        for capture in json.loads(outs["json"])["captures"]
    ] == [("a.jsonl", 1, [1]), ("b.jsonl", 2, [1, 2]), ("c.jsonl", 0, [])]
    assert re.findall("file=(.*?),line=(.*?),", outs["github"]) == [
        ("a.jsonl", "2"),
        ("b.jsonl", "2"),
    ]
    assert [
        result["occurrenceCount"] for result in json.loads(outs["sarif"])["runs"][0]["results"]
    ] == [1, 2]
    assert [suite.get("failures") for suite in ET.fromstring(outs["junit"])] == ["1", "0", "0"]
    assert outs["full"].endswith("3 captures, 3 frames: 1 error, 1 warning\n")


def test_the_line_is_that_of_the_file(make, check, tmp_path):
    """Live findings and records that we do not know stand between the frames."""
    path = tmp_path / make("run.jsonl", "hello", "mistake")
    header, *frames = path.read_bytes().splitlines(keepends=True)
    between = b'{"type":"finding","seq":1,"code":"RPC001"}\n{"type":"unheard-of","x":1}\n'
    path.write_bytes(header + between.join(frames) + b'{"type":"fra')
    out, _, status = check("run.jsonl", "--format", "github")
    assert re.findall("line=(.*?),", out) == ["5"]
    assert status == 1
    out, _, _ = check("run.jsonl", "--format", "concise")
    assert out == "run.jsonl:5: error RPC001 `mistake` was said (client must fix, frame 2)\n"


def test_what_cannot_be_read_does_not_keep_the_others(make, check):
    out, err, status = check("missing.jsonl", make("run.jsonl", "mistake"), "--format", "concise")
    assert out == "run.jsonl:2: error RPC001 `mistake` was said (client must fix, frame 1)\n"
    assert err.startswith("error: cannot read `missing.jsonl`: No such file or directory\nhint:")
    assert status == 2


@pytest.mark.parametrize("words", ["check --diff", "check --fix -o new", "script --fault drop"])
def test_nor_is_it_a_traceback_where_the_traffic_would_be_changed(words, tmp_path):
    (tmp_path / "run.jsonl").write_text("{nonsense\n")
    out, err, status = acp_spy(*words.split(), "run.jsonl", cwd=tmp_path)
    assert (out, status) == ("", 2)
    assert err.startswith("error: cannot read `run.jsonl`: it is neither a capture nor")
    assert not (tmp_path / "new").exists()


def test_an_empty_file_is_no_clean_bill(make, check, tmp_path):
    """A recording that failed must not be green."""
    (tmp_path / "empty.jsonl").touch()
    out, err, status = check("empty.jsonl", make("run.jsonl", "slip"), "--format", "concise")
    assert out == "run.jsonl:2: warning RPC002 `slip` was said (client must fix, frame 1)\n"
    assert err == (
        "error: cannot read `empty.jsonl`: it is empty\n"
        "hint: record again: `acp-spy -o NEW.jsonl -- COMMAND`\n"
    )
    assert status == 2


def test_without_a_name_the_newest_capture_is_checked(make, tmp_path):
    make("run.jsonl", "slip")
    out, err, status = acp_spy(
        "check", "--format", "concise", cwd="/", env={"ACP_SPY_DIR": str(tmp_path)}
    )
    assert (
        out
        == f"{tmp_path}/run.jsonl:2: warning RPC002 `slip` was said (client must fix, frame 1)\n"
    )
    assert (err, status) == (f"checking the newest capture: {tmp_path}/run.jsonl\n", 0)


HELP = "run `acp-spy check --help`"
LISTED = "`acp-spy rule` lists them all"


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (
            "x --select RPC01",
            "no such rule: `RPC01`",
            f"did you mean `RPC001`? {LISTED}",
        ),
        (
            "x --severity RPC001=bad",
            "no such severity: `bad` in `RPC001=bad`",
            "write it as CODE=SEVERITY; the severity is `error`, `warning` or `note`",
        ),
        (
            "x --select RPC --ignore RPC",
            "no rule is left to check",
            "select more, or ignore less; by default all rules run",
        ),
        (
            "x --select SCH --dialect crow",
            "none of the selected rules runs with `--dialect crow`",
            "select more rules, such as `DIA`, which check against the dialect's document",
        ),
        (
            "x --dialect latin",
            (
                "invalid value for `--dialect`: `latin` is not one of `auto`, `acp`,"
                " `crow`, `threads`, `quickref`, `jetbrains`, `acpex`"
            ),
            HELP,
        ),
    ],
)
def test_wrong_use_is_one_error_and_one_hint(check, words, message, hint):
    assert check(*words.split()) == ("", f"error: {message}\nhint: {hint}\n", 2)


def test_a_rule_that_raises_is_told_as_our_bug(make, check):
    out, err, status = check(
        make("run.jsonl", "crash", "slip", "crash"), "--format", "concise", "--severity", "SCH=note"
    )
    assert out == "run.jsonl:3: warning RPC002 `slip` was said (client must fix, frame 2)\n"
    assert err == (
        "a bug in acp-spy: rule SCH002 raised ValueError('crash') at frame 1 of `run.jsonl`"
        " (2 times)\n"
        "hint: please report it; this rule's findings may be incomplete\n"
    )
    assert status == 70


@pytest.mark.parametrize("form", FORMATS)
def test_nothing_acts_on_the_terminal(tmp_path, check, form):
    frame = '<- {"say": "mistake [red]\u202e\x9b"} \x1b[31m'
    (tmp_path / "\x1b[1m.jsonl").write_bytes(encode([Header(), *parse(frame)]))
    out, err, status = check("\x1b[1m.jsonl", "--format", form)
    assert out.replace("\n", "").isprintable()
    assert (err, status) == ("", 1)


class TestSettings:
    """What a project has written down counts, and the command line counts for more."""

    @pytest.fixture
    def settings(self, tmp_path):
        def write(name, text):
            (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
            (tmp_path / name).write_text(text)

        return write

    OWN = "fail-on = 'warning'\nformat = 'concise'\nignore = ['SCH']\n"
    SHARED = "[tool.acp-spy]\nfail-on = 'warning'\nformat = 'concise'\n[tool.acp-spy.severity]\n"

    @pytest.mark.parametrize(("name", "text"), [("acp-spy.toml", OWN), ("pyproject.toml", SHARED)])
    @pytest.mark.parametrize("folder", [".", "deep/down"])
    def test_they_are_found_upwards(self, make, settings, tmp_path, *, name, text, folder):
        settings(name, text)
        settings("deep/down/pyproject.toml", "[project]\nname = 'x'\n")
        capture = tmp_path / make("run.jsonl", "slip")
        out, err, status = acp_spy("check", capture, cwd=tmp_path / folder)
        assert (out, err, status) == (
            f"{capture}:2: warning RPC002 `slip` was said (client must fix, frame 1)\n",
            "",
            1,
        )

    def test_our_own_file_wins(self, make, settings, check):
        settings("pyproject.toml", "[tool.acp-spy]\nformat = 'json'\n")
        settings("acp-spy.toml", self.OWN)
        assert check(make("run.jsonl", "slip"))[0].startswith("run.jsonl:2:")

    def test_the_command_line_counts_for_more(self, make, settings, check):
        settings("acp-spy.toml", self.OWN)
        capture = make("run.jsonl", "slip", "quirk")
        out, _, status = check(capture, "--fail-on", "error", "--ignore", "RPC")
        assert (out, status) == (
            "run.jsonl:3: note SCH001 `quirk` was said (client must fix, frame 2)\n",
            0,
        )

    @pytest.mark.parametrize(
        ("name", "text", "message"),
        [
            ("acp-spy.toml", "selct = []", "{}/acp-spy.toml: no such key: `selct`"),
            (
                "pyproject.toml",
                "[tool.acp-spy]\nspec = 'v3'",
                "{}/pyproject.toml [tool.acp-spy]: `spec` is `v3`",
            ),
            ("acp-spy.toml", "ignore = ['RPC009']", "{}/acp-spy.toml: no such rule: `RPC009`\n"),
            (
                "acp-spy.toml",
                "select = ",
                "cannot read `{}/acp-spy.toml`: it is not TOML: Invalid value",
            ),
            ("acp-spy.toml", "select = 'XYZ'", "{}/acp-spy.toml: no such rule: `XYZ`"),
        ],
    )
    def test_what_is_wrong_in_them_is_named(self, make, settings, tmp_path, *, name, text, message):
        settings(name, text)
        out, err, status = acp_spy("check", make("run.jsonl"), cwd=tmp_path)
        assert err.startswith(f"error: {message.format(tmp_path)}")
        assert "\nhint: " in err
        assert (out, status) == ("", 2)


class TestRule:
    """The catalogue, as text and as JSON."""

    def test_all_are_listed_by_family(self, tmp_path):
        out, err, status = acp_spy("rule", cwd=tmp_path)
        assert out.split("\n")[1:3] == [
            "  RPC001  error    a-mistake  A word was said",
            "  RPC002  warning  a-slip  A word was said",
        ]
        assert out.startswith("RPC  ")
        assert "\n\nSCH  " in out
        assert (err, status) == ("", 0)

    @pytest.mark.parametrize("word", ["RPC001", "rpc001", "a-mistake"])
    def test_one_is_explained(self, tmp_path, word):
        out, err, status = acp_spy("rule", word, cwd=tmp_path)
        assert out == (
            "RPC001 a-mistake (error, since 0.1)\n"
            "A word was said\n"
            "\n"
            "What it does\n"
            "  Explain at length.\n"
            "\n"
            "Why it matters\n"
            "  Words hurt.\n"
            "\n"
            "Example\n"
            '  >> -> {"say": "mistake"}\n'
            "     error RPC001 `mistake` was said (client must fix, frame 1)\n"
            "     hint: do not\n"
            "  (-> client to agent, <- agent to client, >> what the finding is about)\n"
            "\n"
            "Use instead\n"
            "  Say nothing.\n"
            "\n"
            "     -> {}\n"
            "\n"
            "Specification\n"
            "  https://x.example\n"
            "  Coverage table: FRM-01\n"
            "  Online: https://acp-spy.readthedocs.io/rules/RPC001/\n"
        )
        assert (err, status) == ("", 0)

    def test_programs_are_told_the_same(self, tmp_path):
        one = json.loads(acp_spy("rule", "RPC002", "--format", "json", cwd=tmp_path)[0])
        assert one["code"] == "RPC002"
        assert one["severity"] == "warning"
        assert [finding["text"] for finding in one["findings"]] == ["`slip` was said"]

    def test_one_that_is_not_there_is_refused_with_the_nearest(self, tmp_path):
        out, err, status = acp_spy("rule", "a-mistke", cwd=tmp_path)
        assert (out, status) == ("", 2)
        assert err == (
            f"error: no such rule: `a-mistke`\nhint: did you mean `a-mistake`? {LISTED}\n"
        )

    @pytest.mark.parametrize(
        ("words", "found"),
        [
            (["sch"], ["SCH001", "SCH002"]),
            (["RPC001", "SCH002"], ["RPC001", "SCH002"]),
            (["said"], ["RPC001", "RPC002", "SCH001", "SCH002"]),
        ],
    )
    def test_several_are_listed(self, tmp_path, words, found):
        out, err, status = acp_spy("rule", *words, cwd=tmp_path)
        assert (err, status) == ("", 0)
        assert re.findall(r"^  (\w+)  ", out, re.MULTILINE) == found
        assert out.endswith(f"\n\n{len(found)} rules; `acp-spy rule CODE` explains one\n")

    def test_programs_get_a_list_of_several(self, tmp_path):
        many = json.loads(acp_spy("rule", "rpc", "--format", "json", cwd=tmp_path)[0])
        assert [one["code"] for one in many["rules"]] == ["RPC001", "RPC002"]

    def test_a_word_that_one_has_explains_it(self, tmp_path):
        out, err, status = acp_spy("rule", "quirk", cwd=tmp_path)
        assert (out.split(" ")[0], err, status) == ("SCH001", "", 0)
        assert acp_spy("rule", "quirk", "--format", "json")[0].startswith('{\n  "code": "SCH001"')


@pytest.mark.parametrize("form", FORMATS)
def test_what_is_written_to_a_file_is_what_is_printed(make, check, tmp_path, form):
    make("run.jsonl", "mistake", "slip")
    printed = check("run.jsonl", "--format", form)
    for words in (["--format", form, "-o", "a.out"], ["--format", f"{form}:b.out"]):
        assert check("run.jsonl", *words) == ("", "", 1)
    assert (tmp_path / "a.out").read_text() == (tmp_path / "b.out").read_text() == printed.out


def test_several_formats_are_written_in_one_run(make, check, tmp_path):
    """Findings are the same in all; what is wrong with a capture is reported once."""
    make("run.jsonl", "mistake", "crash")
    captures = ["run.jsonl", "missing.jsonl"]
    asked = ["concise", "json:all.json", "sarif:all.sarif", "junit:all.xml"]
    words = [word for form in asked for word in ("--format", form)]
    out, err, status = check(*captures, *words)
    assert (out, status) == (check(*captures, "--format", "concise").out, 2)
    assert err.count("error: cannot read `missing.jsonl`") == 1
    assert err.count("a bug in acp-spy") == 1
    for form in ("json", "sarif", "junit"):
        name = {"junit": "all.xml"}.get(form, f"all.{form}")
        assert (tmp_path / name).read_text() == check(*captures, "--format", form).out


@pytest.mark.parametrize(
    ("name", "form"),
    [("x.sarif", "sarif"), ("x.xml", "junit"), ("x.json", "json"), ("x.txt", "full")],
)
def test_the_suffix_of_the_file_says_the_format(make, check, tmp_path, name, form):
    make("run.jsonl", "slip")
    assert check("run.jsonl", "-o", name) == ("", "", 0)
    assert (tmp_path / name).read_text() == check("run.jsonl", "--format", form).out


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (
            "--format json --format sarif",
            "`--format json` cannot be used with `--format sarif`: both go to stdout",
            "write one of them to a file: `--format sarif:FILE`",
        ),
        (
            "--format json:a.json -o b.json",
            "`--output` cannot be used with `--format FORMAT:FILE` alone",
            "remove `-o`, or add the format to write there: `--format FORMAT`",
        ),
        (
            "--format json:a --format sarif:a",
            "cannot write two formats to `a`",
            "give each format its own file",
        ),
        (
            "--format sarf:a",
            "no such format: `sarf`; did you mean `sarif`?",
            "use one of full, concise, json, github, sarif, junit",
        ),
        ("--format json:", "missing file in `--format json:`", "add it: `--format json:FILE`"),
        (
            "-o run.jsonl",
            "cannot write `run.jsonl`: it is a capture",
            "give a new name; to look at it, run `acp-spy view run.jsonl`",
        ),
    ],
)
def test_outputs_that_contradict_each_other_are_refused(make, check, words, message, hint):
    make("run.jsonl", "slip")
    said = f"error: {message}\nhint: {hint}\n"
    assert check("run.jsonl", *words.split()) == ("", said, 2)


@pytest.mark.parametrize("words", [["--format", "json"], ["--diff"]])
@pytest.mark.parametrize("given", ["log.ndjson", "./log.ndjson", "."])
def test_what_is_checked_is_not_written_over(make, check, tmp_path, given, words):
    log = tmp_path / ("log.ndjson" if given != "." else "log.jsonl")
    log.write_text('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n')
    before = log.read_bytes()
    out, err, status = check(given, "-o", log.name, *words)
    said = f"error: cannot write `{log.name}`: it is a file that is checked\n"
    assert (out, status) == ("", 2)
    assert err.startswith(said)
    assert log.read_bytes() == before


def test_what_is_repaired_is_not_written_over(check, tmp_path):
    log = tmp_path / "log.ndjson"
    log.write_text('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n')
    before = log.read_bytes()
    out, err, status = check("--fix", "-o", "new.jsonl", "--format", "json:log.ndjson", log.name)
    assert (out, status) == ("", 2)
    assert err.startswith("error: cannot write `log.ndjson`: it is a file that is checked\n")
    assert log.read_bytes() == before


def test_two_names_of_one_file_are_one_output(make, check):
    make("run.jsonl", "slip")
    out, err, status = check("run.jsonl", "--format", "json:a", "--format", "sarif:./a")
    assert (out, status) == ("", 2)
    assert err.startswith("error: cannot write two formats to `a`\n")


def test_a_folder_is_all_captures_in_it(make, check, tmp_path):
    make("b.jsonl", "mistake")
    make("a.jsonl", "slip")
    (tmp_path / "notes.txt").write_text("no capture")
    (tmp_path / "empty").mkdir()
    assert check(".", "--format", "concise") == check(
        "./a.jsonl", "./b.jsonl", "--format", "concise"
    )
    said = (
        "error: cannot check `empty`: it is a folder without captures\n"
        "hint: record into it: `acp-spy --dir empty -- COMMAND`\n"
    )
    assert check("empty") == ("", said, 2)


def test_what_cannot_be_read_in_a_folder_is_reported_as_if_it_were_named(make, check, tmp_path):
    make("b.jsonl", "slip")
    (tmp_path / "a.jsonl").touch()
    (tmp_path / "c.jsonl").write_text("garbage\n")
    out, err, status = check(".", "--format", "concise")
    assert (out, err, status) == check("./a.jsonl", "./b.jsonl", "./c.jsonl", "--format", "concise")
    assert "cannot read `./a.jsonl`: it is empty" in err
    assert "`./c.jsonl`" in err
    assert "b.jsonl" in out
    assert status == 2
