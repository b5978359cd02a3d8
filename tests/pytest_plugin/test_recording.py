"""`--acp-record`: what each of its words records, and what it leaves alone."""

import os
import resource
import shutil
import stat
import sys
from pathlib import Path

import pytest
from support.keys import spelled_out

from acp_spy import Peer, load
from acp_spy.capture.codec import encode
from acp_spy.capture.files import CaptureFile
from acp_spy.capture.records import Exit, Header
from acp_spy.pytest_plugin.new_recording import NewRecording
from acp_spy.pytest_plugin.recorded_captures import RecordedCaptures
from acp_spy.wire.frame import Frame

pytest_plugins = ["pytester"]

QUICK_SDK = Path(__file__).parents[1] / "interop" / "programs" / "quick_sdk.py"
OLD = b'"name":"recorded"'
MORE = """
    def test_kept(acp_agent):
        talk(acp_agent("hello"), INIT, NEW)

    def test_new(acp_agent):
        talk(acp_agent("new"), INIT)
"""
ONE = "def test_it(acp_agent):\n    talk(acp_agent('new'), INIT)\n"
OTHERS = "is a link of another user, in a folder that others can write to"


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_none_is_the_default_and_records_nothing(project):
    project.test(MORE)
    project.capture()
    run = project.run()
    assert run.outcomes == {"failed": 1, "passed": 1}
    assert run.report_of("test_new") == (
        "cannot play recordings/new.jsonl: no such file\n"
        "hint: record it: pytest --acp-record=once test_it.py::test_new"
    )
    assert names(project.path / "recordings") == ["hello.jsonl"]


def test_the_folder_of_a_capture_that_is_recorded_need_not_be_utf8(tmp_path):
    recorded = RecordedCaptures(tmp_path, "")
    path = os.fsdecode(b"/tests\xff/recordings/new.jsonl")
    assert path not in recorded
    assert recorded.add(path)
    assert path in recorded
    assert not recorded.add(path)


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), ValueError("a bug")])
def test_nothing_stays_behind_of_a_recording_that_cannot_be_noted(project, monkeypatch, error):
    def add(self, path):
        raise error

    project.test(MORE)
    project.capture()
    monkeypatch.setattr(RecordedCaptures, "add", add)
    assert project.run("--acp-record=once").outcomes == {"passed": 2, "errors": 1}
    assert names(project.path / "recordings") == ["hello.jsonl"]


def test_once_records_what_does_not_exist_and_plays_it_from_then_on(project, monkeypatch):
    project.test(MORE)
    hello = project.capture()
    before = hello.read_bytes()
    run = project.run("--acp-record=once")
    assert run.outcomes == {"passed": 2}
    assert "= acp-spy: recorded =" in run.text
    assert "\nrecordings/new.jsonl\n" in run.text
    assert hello.read_bytes() == before
    assert names(project.path / "recordings") == ["hello.jsonl", "new.jsonl"]
    new = load(project.path / "recordings" / "new.jsonl")
    assert [frame.sender for frame in new.frames] == [Peer.CLIENT, Peer.AGENT]
    assert new.header.command[-1].endswith("agent.py")
    project.settings(acp_agent_command="/nowhere/agent")  # it is not needed any more
    run = project.run("--acp-record=once")
    assert run.outcomes == {"passed": 2}
    assert "acp-spy: recorded" not in run.text


def test_a_recording_for_which_there_was_no_room_is_not_kept(tmp_path):
    """The traffic goes on when recording stops, so the test passes."""
    recorded = encode([Header(), Frame(1, 0.0, Peer.CLIENT, b"{}\n")])
    (tmp_path / "a.jsonl").write_bytes(recorded)
    recording = NewRecording("recordings/a.jsonl", str(tmp_path), shown="recordings/a.jsonl")
    assert recording.trouble() == ""  # it has no end, but the agent may have been killed
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(recorded) + 10, hard))
    try:
        trouble = recording.trouble()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert trouble.startswith("cannot record recordings/a.jsonl: recording stopped: File too large")
    assert (tmp_path / "a.jsonl").read_bytes() == recorded


def test_a_recording_without_an_end_does_not_replace_one_that_has_it(tmp_path):
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "a.jsonl").write_bytes(encode([Header()]))
    (tmp_path / "a.jsonl").write_bytes(encode([Header(), Exit(1.0, 0)]))
    recording = NewRecording(str(tmp_path / "a.jsonl"), str(tmp_path / "new"), shown="a.jsonl")
    assert "the recording that is there has an end" in recording.trouble()


def test_a_link_to_a_capture_stays_a_link_when_it_is_re_recorded(project):
    project.test(MORE)
    project.capture()
    real = project.path / "kept" / "hello.jsonl"
    real.parent.mkdir()
    link = project.path / "recordings" / "hello.jsonl"
    link.rename(real)
    link.symlink_to("../kept/hello.jsonl")
    assert project.run("--acp-record=all").outcomes == {"passed": 2}
    assert link.is_symlink()
    assert OLD not in real.read_bytes()
    assert names(real.parent) == ["hello.jsonl"]
    assert names(link.parent) == ["hello.jsonl", "new.jsonl"]


def test_all_re_records_all_but_what_tests_share_only_once(project):
    project.test(
        MORE
        + """
    def test_shared(acp_agent):
        answers = talk(acp_agent("hello"), INIT, NEW)
        assert answers[0]["result"]["agentInfo"] == {"name": "live"}

    def test_that_does_not_fit(acp_agent):
        talk(acp_agent("hello"), INIT)
    """
    )
    hello = project.capture()
    assert OLD in hello.read_bytes()
    run = project.run("--acp-record=all")
    assert run.outcomes == {"failed": 1, "passed": 3}
    assert "\ndivergence 1: `session/new` did not come before the end" in run.report_of(
        "test_that_does_not_fit"
    )
    assert OLD not in hello.read_bytes()
    assert len(load(hello).frames) == 4
    assert names(project.path / "recordings") == ["hello.jsonl", "new.jsonl"]


def test_new_records_what_is_missing_and_what_a_test_diverged_from(project):
    kept, grown, asserted = (
        project.capture(f"recordings/{name}.jsonl") for name in ("hello", "grown", "asserted")
    )
    before = kept.read_bytes()
    project.test(
        MORE
        + """
    def test_grown(acp_agent):
        answers = talk(acp_agent("grown"), INIT, NEW, NEW)
        assert len(answers) == 3

    def test_that_does_not_fit_what_was_just_recorded(acp_agent):
        talk(acp_agent("grown"), INIT)

    def test_that_fails_until_it_is_recorded(acp_agent):
        answers = talk(acp_agent("asserted"), INIT, NEW, ("session/prompt", {"sessionId": "s"}))
        assert "result" in answers[2]
    """
    )
    run = project.run("--acp-record=new")
    assert run.outcomes == {"failed": 1, "passed": 4}
    assert "divergence 1: " in run.report_of("test_that_does_not_fit_what_was_just_recorded")
    assert "\nrecordings/asserted.jsonl\nrecordings/grown.jsonl\nrecordings/new.jsonl\n" in run.text
    assert kept.read_bytes() == before
    assert len(load(grown).frames) == len(load(asserted).frames) == 6


def test_a_test_that_fails_leaves_the_capture_as_it_was_and_says_where_the_new_one_is(project):
    hello = project.capture()
    before = hello.read_bytes()
    project.test(
        """
        def test_it(acp_agent):
            talk(acp_agent("hello"), INIT)
            assert False

        def test_twice(acp_agent):
            command = acp_agent("twice")
            talk(command, INIT)
            talk(command, INIT)

        def test_never(acp_agent):
            acp_agent("never")
        """
    )
    run = project.run("--acp-record=all", f"--basetemp={project.path}/kept")
    assert run.outcomes == {"failed": 1, "passed": 2, "errors": 2}
    assert "\nrecordings/hello.jsonl was not recorded, because the test did not pass\n" in run.text
    output = "the failed attempt is in "
    (path,) = [line[len(output) :] for line in run.text.splitlines() if line.startswith(output)]
    assert len(load(path).frames) == 2
    assert hello.read_bytes() == before
    assert names(project.path / "recordings") == ["hello.jsonl"]
    assert run.report_of("test_twice") == (
        "cannot record recordings/twice.jsonl: the agent was started 2 times\n"
        "hint: a capture is one conversation; call acp_agent once for each, with another name"
    )
    assert run.report_of("test_never") == (
        "cannot record recordings/never.jsonl: the agent's command was never started"
    )


# An agent made with the SDK, of which a later version asks for a file, and stops for another reason.
SDK_AGENT = """
import asyncio, os, uuid
import quick_sdk
import acp

class Agent(acp.Agent):
    def on_connect(self, conn):
        self.client = conn

    async def initialize(self, protocol_version, **_):
        return acp.InitializeResponse(protocol_version=protocol_version)

    async def new_session(self, cwd, **_):
        return acp.NewSessionResponse(session_id=str(uuid.uuid4()))

    async def prompt(self, prompt, session_id, **_):
        said = "Hello"
        if os.environ["STOP"] == "refusal":
            try:
                await self.client.read_text_file(session_id=session_id, path="/project/a.txt")
            except acp.RequestError as error:
                said = f"no file: {error.code}"
        update = acp.update_agent_message_text(said)
        await self.client.session_update(session_id=session_id, update=update)
        return acp.PromptResponse(stop_reason=os.environ["STOP"])

asyncio.run(acp.run_agent(Agent()))
"""


@pytest.mark.long  # with an agent that is not real: the next one
def test_a_mock_client_of_a_real_sdk_agent_is_recorded_and_re_recorded(project, monkeypatch):
    # As in a worker of pytest-xdist: the runs here are runs of their own all the same.
    monkeypatch.setenv("PYTEST_XDIST_TESTRUNUID", "of-the-outer-run")
    (project.path / "agent.py").write_text(SDK_AGENT)
    shutil.copy(QUICK_SDK, project.path)
    project.settings(acp_agent_command=f"{sys.executable} {project.path}/agent.py")
    project.test(
        """
        def test_record(acp_agent):
            connection = Connection(acp_agent("cycle"))
            connection.call(*INIT)
            session = connection.call(*NEW)["result"]["sessionId"]
            prompt = {"sessionId": session, "prompt": [{"type": "text", "text": "Hello"}]}
            connection.call("session/prompt", prompt)
            connection.process.stdout.readline()
            connection.close()
        """,
        "test_client.py",
    )
    project.test(
        """
        def test_agent(acp_client):
            subprocess.run(acp_client("cycle"), stderr=subprocess.DEVNULL)
        """,
        "test_agent.py",
    )
    assert project.run("--acp-record=once", "test_client.py").outcomes == {"passed": 1}
    capture = project.path / "recordings" / "cycle.jsonl"
    monkeypatch.setenv("STOP", "refusal")
    run = project.run("--acp-record=all", "test_agent.py")  # from which it has diverged
    assert run.outcomes == {"passed": 1}
    assert "\nrecordings/cycle.jsonl\n" in run.text
    new = load(capture)
    assert b"refusal" in new.frames[-1].raw
    asked = [frame.sender for frame in new.frames if b'"fs/read_text_file"' in frame.raw]
    assert asked == [Peer.AGENT]
    assert project.run("test_agent.py").outcomes == {"passed": 1}  # that is how it is now


@pytest.mark.parametrize("mode", ["new", "all"])
def test_a_mock_client_can_take_what_the_agent_does_now_for_what_it_should(
    mode, project, monkeypatch
):
    stop = '{"jsonrpc":"2.0","id":0,"result":{"stopReason":"max_tokens"}}'
    ask = '{"jsonrpc":"2.0","id":0,"method":"session/prompt","params":{"sessionId":"s"}}'
    capture = project.capture("recordings/stop.jsonl", f"-> {ask}\n<- {stop}\n-> EOF\n")
    project.test(
        """
        def test_it(acp_client):
            subprocess.run(acp_client("stop"), stderr=subprocess.DEVNULL)
        """
    )
    run = project.run(f"--acp-record={mode}")
    assert run.outcomes == {"passed": 1}
    assert "\nrecordings/stop.jsonl\n" in run.text
    assert b'"end_turn"' in capture.read_bytes()


def test_a_run_that_re_records_does_not_suggest_to(project):
    project.capture()
    project.test(
        """
        def test_it(acp_client):
            subprocess.run(acp_client("hello", command="true"), stderr=subprocess.DEVNULL)
        """
    )
    output = project.run("--acp-record=all").report_of("test_it")
    assert output.startswith(
        "the agent sent no message: it exited with status 0\nhint: run it yourself: true\n"
    )
    assert "--acp-record" not in output


def test_a_capture_is_recorded_by_one_mock_of_a_test_though_several_may_play_it(project):
    hello = project.capture()
    before = hello.read_bytes()
    project.test(
        """
        def test_two(acp_agent):
            first, second = acp_agent("hello"), acp_agent("hello")
            talk(first, INIT, NEW)
            talk(second, INIT, NEW)

        def test_both_sides(acp_agent, acp_client):
            command = acp_client("both", command=acp_agent("both"))
            subprocess.run(command, stderr=subprocess.DEVNULL)
        """
    )
    both = project.capture("recordings/both.jsonl")
    assert project.run().outcomes == {"passed": 2}
    run = project.run("--acp-record=all")
    assert run.outcomes == {"failed": 1, "passed": 1}
    assert run.report_of("test_two").startswith(
        "cannot record recordings/hello.jsonl: this test records it already\n"
        "hint: a capture is one conversation; give each mock of a test its own capture\n"
    )
    assert hello.read_bytes() == before
    assert OLD not in both.read_bytes()
    assert "\nrecordings/both.jsonl\n" in run.text


def test_what_is_recorded_is_redacted_and_needs_an_agent(project):
    project.settings()
    key = "sk-ant-api03-" + "a1B2c3D4e5" * 9 + "-xyzXYZAA"
    project.test(
        f"""
        ENV = [{{"name": "API_TOKEN", "value": "{key}"}}]
        SERVER = {{"name": "m", "command": "/m", "args": [], "env": ENV}}

        @pytest.mark.acp_capture(command="{project.agent}")
        def test_secret(acp_agent):
            talk(acp_agent("secret"), INIT, ("session/new", {{"cwd": "/", "mcpServers": [SERVER]}}))

        def test_whom(acp_agent):
            acp_agent("whom")
        """
    )
    run = project.run("--acp-record=once")
    assert run.outcomes == {"failed": 1, "passed": 1}
    assert run.report_of("test_whom") == (
        "cannot record recordings/whom.jsonl: no agent command\n"
        "hint: set acp_agent_command = COMMAND in pytest's settings"
    )
    recorded = (project.path / "recordings" / "secret.jsonl").read_text()
    assert key not in recorded
    assert "redacted-" in recorded


def test_names_of_captures_and_options_are_printed_without_secrets_and_commands(project):
    key = spelled_out("ghp_<36>")
    project.test(
        f"""
        def test_recorded(acp_agent):
            talk(acp_agent("##[group]{key}"), INIT)

        def test_never_started(acp_agent):
            acp_agent("##[group]{key}-2")

        def test_wrong(acp_agent):
            acp_agent("x", timing="{key}")
        """
    )
    run = project.run("--acp-record=once", "--junit-xml=report.xml")
    assert run.outcomes == {"failed": 1, "passed": 2, "errors": 1}
    assert "\nrecordings/#\\x23[group]redacted-github-token-1.jsonl\n" in run.text
    assert "cannot record recordings/#\\x23[group]redacted-github-token-1-2.jsonl" in run.text
    shown = run.text + (project.path / "report.xml").read_text()
    assert key[:12] not in shown
    assert "##[" not in shown


@pytest.fixture
def link_of_other(project):
    """Return what puts a link of another user into a folder that everybody can write to."""
    if os.getuid() != 0:
        pytest.skip("a link of another user needs root")

    def put(name, to):
        project.test(ONE)
        link = project.path / name
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(to)
        os.lchown(link, 54321, -1)
        link.parent.chmod(0o1777)
        return link

    return put


@pytest.mark.parametrize("to", ["../precious.jsonl", "../missing.jsonl"])
def test_nothing_is_recorded_through_a_link_of_another_user(project, link_of_other, to):
    precious = project.capture("precious.jsonl")
    before = precious.read_bytes()
    link = link_of_other("recordings/new.jsonl", to)
    run = project.run("--acp-record=all")
    assert run.outcomes == {"passed": 1, "errors": 1}
    assert f"cannot record recordings/new.jsonl: `{link}` {OTHERS}\nhint: make sure" in run.text
    assert precious.read_bytes() == before
    assert not (project.path / "missing.jsonl").exists()
    assert names(link.parent) == ["new.jsonl"]


def test_no_folder_is_made_through_one_either(project, link_of_other):
    (project.path / "precious").mkdir()
    link = link_of_other("shared/link", "../precious")
    project.settings(acp_agent_command=project.agent, acp_recordings="shared/link/a/b")
    run = project.run("--acp-record=once")
    assert run.outcomes == {"passed": 1, "errors": 1}
    assert f"`{link}` {OTHERS}" in run.text
    assert names(project.path / "precious") == []


@pytest.mark.parametrize("folder", ["a/b", "a/../b"])
def test_a_new_folder_has_the_mode_of_other_new_folders(project, folder):
    project.test(ONE)
    project.settings(acp_agent_command=project.agent, acp_recordings=folder)
    before = os.umask(0o027)
    try:
        assert project.run("--acp-record=once").outcomes == {"passed": 1}
    finally:
        os.umask(before)
    made = project.path / folder
    assert [stat.S_IMODE(each.stat().st_mode) for each in (made, made / "new.jsonl")] == [
        0o750,
        0o640,
    ]


def test_a_capture_that_is_being_recorded_is_not_replaced(project):
    project.test(ONE)
    there = project.path / "recordings" / "new.jsonl"
    there.parent.mkdir()
    file = CaptureFile(str(there), Header())
    before = there.read_bytes()
    run = project.run("--acp-record=all")
    file.close()
    assert run.outcomes == {"passed": 1, "errors": 1}
    assert (
        "\ncannot write `recordings/new.jsonl`: it is a capture that is being recorded\n"
        "hint: give a new name; to look at it, run `acp-spy view -f recordings/new.jsonl`;"
        " what was recorded is in "
    ) in run.text
    assert there.read_bytes() == before
    assert names(there.parent) == ["new.jsonl"]
    assert project.run("--acp-record=all").outcomes == {"passed": 1}
    assert there.read_bytes() != before


def test_what_is_no_capture_is_not_replaced(project):
    project.test(ONE)
    there = project.path / "recordings" / "new.jsonl"
    there.parent.mkdir()
    there.write_text("a diary\n")
    run = project.run("--acp-record=all")
    assert run.outcomes == {"passed": 1, "errors": 1}
    assert (
        "\ncannot write `recordings/new.jsonl`: it is not a capture\n"
        "hint: give a new name, or remove it first: `rm recordings/new.jsonl`;"
        " what was recorded is in "
    ) in run.text
    assert there.read_text() == "a diary\n"
    assert names(there.parent) == ["new.jsonl"]


@pytest.mark.parametrize("content", [b"", b'{"type":"header","format":99}\n'])
def test_what_is_or_may_become_a_capture_is_replaced(project, content):
    """Its writer was killed before its first line, or is newer than we are."""
    project.test(ONE)
    there = project.path / "recordings" / "new.jsonl"
    there.parent.mkdir()
    there.write_bytes(content)
    assert project.run("--acp-record=all").outcomes == {"passed": 1}
    assert load(there).frames


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda there: there.write_bytes(b""), "Not a directory"),
        (lambda there: (there / "new.jsonl").mkdir(parents=True), "Is a directory"),
    ],
)
def test_what_cannot_be_written_is_told_and_nothing_is_left(project, make, reason):
    """The folder is a file, or the capture is a folder."""
    project.test(ONE)
    recordings = project.path / "recordings"
    make(recordings)
    run = project.run("--acp-record=all", "--tb=long")
    assert run.outcomes == {"passed": 1, "errors": 1}
    assert f"\ncannot record recordings/new.jsonl: {reason}\nhint: make sure that" in run.text
    assert "Traceback" not in run.text
    assert "During handling" not in run.text
    assert "new_recording.py" not in run.text
    assert recordings.is_file() or names(recordings) == ["new.jsonl"]


def test_another_word_is_refused_with_the_list(project):
    project.test(MORE)
    run = project.run("--acp-record=sometimes")
    assert run.status == 4
    assert "--acp-record: invalid choice: 'sometimes'" in run.text


def test_what_records_runs_first_whatever_the_order_of_the_files(project):
    project.test(
        """
        import acp_spy

        def test_agent(acp_client):
            subprocess.run(acp_client("hello"), stderr=subprocess.DEVNULL)

        def test_clean():
            acp_spy.assert_clean("recordings/hello.jsonl")
        """,
        "test_a.py",
    )
    run = project.run("--acp-record=once", "-k", "test_agent")
    assert run.report_of("test_agent") == (
        "cannot play recordings/hello.jsonl: no such file\n"
        'hint: record it with a test that uses acp_agent("hello"): none did so in this run; or give'
        " your client this agent command:"
        f" acp-spy -o {project.path}/recordings/hello.jsonl -- {project.agent}"
    )
    project.test("def test_b(acp_agent): talk(acp_agent('hello'), INIT, NEW)", "test_b.py")
    assert project.run("--acp-record=once").outcomes == {"passed": 3}


def test_the_cause_of_a_failed_recording_is_on_the_screen(project):
    project.settings(acp_agent_command=f"{sys.executable} -I -S {project.path}/broken.py")
    (project.path / "broken.py").write_text("import sys\nsys.exit('no API key')\n")
    project.test(
        """
        def test_it(acp_agent):
            talk(acp_agent("hello"), INIT)

        @pytest.mark.acp_capture("hello", command="/nowhere/agent")
        def test_not_even_started(acp_agent):
            talk(acp_agent(), INIT)
        """
    )
    run = project.run("--acp-record=once", f"--basetemp={project.path}/kept")
    assert run.outcomes == {"failed": 2}
    said = run.report_of("test_it").partition(" Captured acp-spy teardown ")[2].partition("\n")[2]
    assert said == (
        "recordings/hello.jsonl was not recorded, because the test did not pass\n"
        "the agent sent no message: it exited with status 1\n"
        "  no API key\n"
        f"the failed attempt is in {project.path}/kept/acp-spy0/hello.jsonl"
    )
    cause = "\ncannot start the agent: command not found: `/nowhere/agent`\n"
    assert cause in run.report_of("test_not_even_started")


def test_what_is_said_of_a_failure_has_no_secrets(project):
    key = spelled_out("ghp_<36>")
    project.settings(acp_agent_command=f"{sys.executable} -I -S {project.path}/broken.py")
    (project.path / "broken.py").write_text(f"import sys\nsys.exit('bad key {key}')\n")
    project.capture()
    project.test(
        f"""
        def test_recorded(acp_agent):
            talk(acp_agent("new"), INIT)

        def test_played(acp_agent):
            talk(acp_agent("hello", match="params"), ("initialize", {{"protocolVersion": "1 {key}"}}))

        def test_without_a_capture(acp_client):
            acp_client("none", command="agent {key}")

        def test_not_served(acp_agent):
            acp_agent("other", command="/nowhere/{key}", transport="http")
        """
    )
    run = project.run("--acp-record=once")
    assert run.outcomes == {"failed": 4}
    assert "-- agent redacted-github-token-1" in run.report_of("test_without_a_capture")
    assert "cannot serve `/nowhere/redacted-github-token-1`" in run.report_of("test_not_served")
    said = run.report_of("test_recorded").partition(" Captured acp-spy teardown ")[2]
    assert "bad key redacted-github-token-1" in said
    assert key not in said
    assert "redacted-github-token-1" in run.report_of("test_played")
    assert key not in run.report_of("test_played")


def test_a_project_is_the_same_from_any_of_its_folders(project, monkeypatch):
    words = "talk.py --config=talk.py ./unit --data=./unit unit test_it.py"
    project.settings(acp_agent_command=f"{sys.executable} -I -S agent.py {words}")
    project.test(
        """
        def test_it(acp_agent):
            talk(acp_agent("hello"), INIT)
        """,
        "unit/test_it.py",
    )
    (project.path / "elsewhere").mkdir()
    monkeypatch.chdir(project.path / "elsewhere")
    run = project.run("../unit")
    hint = "hint: record it: pytest --acp-record=once ../unit/test_it.py::test_it"
    assert run.report_of("test_it") == (
        f"cannot play ../unit/recordings/hello.jsonl: no such file\n{hint}"
    )
    run = project.run(*hint.split()[4:])
    assert run.outcomes == {"passed": 1}
    assert "\n../unit/recordings/hello.jsonl\n" in run.text
    assert names(project.path / "unit" / "recordings") == ["hello.jsonl"]
    here = project.path
    assert load(here / "unit" / "recordings" / "hello.jsonl").header.command[3:] == (
        *(f"{here}/agent.py", f"{here}/talk.py", f"--config={here}/talk.py"),
        *(f"{here}/unit", f"--data={here}/unit", "unit", "test_it.py"),
    )
