"""Mocks from captures in somebody's tests: what passes, what fails, and with which words."""

import os
import sys

pytest_plugins = ["pytester"]


def test_a_mock_agent_answers_as_recorded_in_any_folder_by_any_way_to_name_the_capture(project):
    project.capture("unit/recordings/hello.jsonl")
    project.capture("unit/recordings/test_by_its_name-a-b.jsonl")
    project.test(
        """
        def works(command):
            answers = talk(command, INIT, NEW)
            assert answers[0]["result"]["agentInfo"] == {"name": "recorded"}
            assert answers[1]["result"] == {"sessionId": "s-1"}

        def test_by_an_argument(acp_agent):
            works(acp_agent("hello"))

        def test_twice(acp_agent):
            command = acp_agent("hello.jsonl")
            works(command)
            works(command)

        def plays(command, name):
            assert command[4:7] == ["replay", "agent", f"{os.path.dirname(__file__)}/recordings/{name}"]

        def test_asked_for_late(request):
            plays(request.getfixturevalue("acp_agent")("hello", optional=True), "hello.jsonl")

        def test_one_mock_with_the_other(acp_agent, acp_client):
            command = acp_client("hello", command=acp_agent("hello"), expect="exact")
            subprocess.run(command, check=True)

        @pytest.mark.acp_capture("hello")
        def test_by_the_marker(acp_agent):
            plays(acp_agent(optional=True), "hello.jsonl")

        @pytest.mark.parametrize("way", ["a b"])
        def test_by_its_name(acp_agent, way):
            plays(acp_agent(optional=True), "test_by_its_name-a-b.jsonl")

        @pytest.mark.acp_capture(match="params", strict=True, timing="recorded", timeout=5.5)
        @pytest.mark.acp_capture("hello", map_cwd=False, expect="exact")
        class TestOptions:
            @pytest.mark.acp_capture(ignore=["/params/a", "/params/b"], timing="2x")
            def test_the_nearest_counts(self, acp_agent):
                command = acp_agent(match=["prompt"], optional=True)
                assert command[:4] == [sys.executable, "-P", "-m", "acp_spy"]
                assert command[4:6] == ["replay", "agent"]
                assert command[7] == "--verdict"
                assert command[9] == "--quiet"
                assert sorted(command[10:]) == sorted([
                    "--no-map-cwd", "--match", "prompt", "--strict", "--timing", "2x",
                    "--timeout", "5.5", "--ignore", "/params/a", "--ignore", "/params/b",
                ])
        """,
        "unit/test_it.py",
    )
    assert project.run().outcomes == {"passed": 7}


def test_faults_are_between_a_mock_and_the_other_side(project):
    project.capture()
    project.test(
        """
        def test_an_agent(acp_agent):
            faults = ["error:-32000 method:initialize", "slice"]
            (answer,) = talk(acp_agent("hello", faults=faults, seed=3), INIT)
            assert answer["error"]["code"] == -32000

        def test_a_client(acp_agent, acp_client):
            command = acp_client("hello", command=acp_agent("hello"), faults="slice")
            assert "--fault" in command
            subprocess.run(command, check=True)

        def test_without(acp_agent):
            assert "--fault" not in acp_agent("hello", faults=[], optional=True)

        def test_a_wrong_one(acp_agent):
            acp_agent("hello", faults=["dorp"])
        """
    )
    result = project.run()
    assert result.outcomes == {"passed": 3, "failed": 1}
    assert "cannot use the fault `dorp`: no such fault: `dorp`" in result.text
    assert "hint: did you mean `drop`?" in result.text


def test_the_folder_of_the_captures_is_a_setting(project):
    project.settings(acp_recordings="../captures")
    project.capture("captures/hello.jsonl")
    project.test("def test_it(acp_agent): talk(acp_agent('hello'), INIT, NEW)", "unit/test_it.py")
    assert project.run().outcomes == {"passed": 1}


def test_every_way_to_diverge_from_a_capture_fails_and_is_explained(project):
    project.capture()
    project.test(
        """
        def test_too_much(acp_agent):
            talk(acp_agent("hello"), INIT, NEW, NEW)

        def test_other_params(acp_agent):
            talk(acp_agent("hello", match="params"), ("initialize", {"protocolVersion": 2}))

        def test_too_little(acp_agent):
            talk(acp_agent("hello"), INIT)

        def test_it_does_not_matter_here(acp_agent):
            talk(acp_agent("hello", on_divergence="warn"), INIT)

        def test_that_fails_by_itself(acp_agent):
            assert "result" in talk(acp_agent("hello"), NEW)[0], "no result"

        def test_that_may_do_without(acp_agent):
            acp_agent("hello", optional=True)

        def test_that_is_skipped(acp_agent):
            acp_agent("hello")
            pytest.skip("not today")

        def test_that_kills_it(acp_agent):
            connection = Connection(acp_agent("hello"))
            connection.call(*INIT)
            connection.process.kill()
            connection.close()

        def test_that_kills_it_when_all_was_said(acp_agent):
            connection = Connection(acp_agent("hello"))
            connection.call(*INIT)
            connection.call(*NEW)
            connection.process.kill()
            connection.close()
        """
    )
    run = project.run()
    assert run.outcomes == {"failed": 5, "passed": 3, "skipped": 1}
    assert run.report_of("test_too_much") == (
        "the client diverged from recordings/hello.jsonl:\n"
        "divergence 1: `session/new` was recorded, but already used\n"
        "  expected  the end of the stream\n"
        '  got       session/new (id 2) {"cwd": "/project", "mcpServers": []}\n'
        '  nearest   frame 3: session/new (id 1) {"cwd":"/project","mcpServers":[]}\n'
        "hint: if the new behavior is right, re-record it: pytest --acp-record=all test_it.py::test_too_much"
    )
    assert run.report_of("test_other_params").startswith(
        "the client diverged from recordings/hello.jsonl:\n"
        "divergence 1: `initialize` differs from the recording at /params/protocolVersion\n"
        '  expected  frame 1: initialize (id 0) {"protocolVersion":1}\n'
        '  got       initialize (id 0) {"protocolVersion": 2}\n'
        "            - /params/protocolVersion: 1\n"
        "            + /params/protocolVersion: 2\n"
    )
    assert run.report_of("test_too_little").startswith(
        "the client diverged from recordings/hello.jsonl:\n"
        "divergence 1: `session/new` did not come before the end of the stream\n"
        '  expected  frame 3: session/new (id 1) {"cwd":"/project","mcpServers":[]}\n'
    )
    by_itself = run.report_of("test_that_fails_by_itself")
    assert "E   AssertionError: no result" in by_itself
    output = by_itself.partition(" Captured acp-spy call ")[2].partition("\n")[2]
    assert output.startswith("the client diverged from recordings/hello.jsonl:\ndivergence 1: ")
    assert run.report_of("test_that_kills_it") == (
        "the mock agent of recordings/hello.jsonl was killed, but the client did not send all that"
        " was recorded\n"
        "hint: let the client end the conversation before the test ends"
    )


def test_a_mock_that_is_never_started_is_missed(project):
    project.capture()
    project.test("def test_it(acp_agent): acp_agent('hello')")
    run = project.run(grace=0)
    assert run.outcomes == {"passed": 1, "errors": 1}
    assert run.report_of("test_it") == (
        "the mock agent of recordings/hello.jsonl was never started\n"
        "hint: start it, or make it optional: acp_agent(..., optional=True)"
    )


def test_a_mock_that_outlives_the_test_is_judged_in_the_end(project):
    project.capture()
    project.test(
        """
        @pytest.fixture(scope="module")
        def connections():
            connections = []
            yield connections
            for connection in connections:
                connection.close()

        @pytest.fixture
        def connection(acp_agent, connections):
            connection = Connection(acp_agent("hello"))
            connections.append(connection)
            yield connection
            connection.process.stdin.close()  # and nobody waits for its end

        def test_well(connection):
            connection.call(*INIT)
            connection.call(*NEW)

        def test_badly(connection):
            connection.call(*INIT)

        def test_before_it_can_say_a_word(connection):
            pass

        @pytest.fixture
        def late(acp_agent):
            command = acp_agent("hello")
            yield
            talk(command, INIT, NEW)

        def test_started_when_a_fixture_ends(late):
            pass
        """
    )
    run = project.run()
    assert run.outcomes == {"passed": 4, "errors": 2}
    missing = {
        "test_badly": "`session/new`",
        "test_before_it_can_say_a_word": "2 recorded messages",
    }
    for test, what in missing.items():
        assert run.report_of(test).startswith(
            "the client diverged from recordings/hello.jsonl:\n"
            f"divergence 1: {what} did not come before the end of the stream\n"
        )


def test_what_comes_to_light_after_a_test_has_failed_is_told_all_the_same_and_once(project):
    project.capture()
    project.test(
        """
        @pytest.fixture
        def connection(acp_agent):
            connection = Connection(acp_agent("hello"))
            yield connection
            connection.close()

        def test_cut_off(connection):
            connection.call(*INIT)
            assert False, "it has seen enough"

        def test_too_much(connection):
            connection.call("session/list", {})
        """
    )
    run = project.run()
    assert run.outcomes == {"failed": 2}
    parted = "the client diverged from recordings/hello.jsonl:\n"
    cut_off, too_much = run.report_of("test_cut_off"), run.report_of("test_too_much")
    assert "E   AssertionError: it has seen enough" in cut_off
    output = cut_off.partition(" Captured acp-spy teardown ")[2].partition("\n")[2]
    missing = "`session/new` did not come before the end of the stream"
    assert output.startswith(f"{parted}divergence 1: {missing}\n")
    assert too_much.startswith(f"{parted}divergence 1: `session/list` was never recorded\n")
    assert too_much.count("divergence 1: ") == too_much.count("hint: ") == 1
    output = too_much.partition(" Captured acp-spy teardown ")[2].partition("\n")[2]
    missing = "2 recorded messages did not come before the end of the stream"
    assert output.startswith(f"{parted}divergence 2: {missing}\n")


def test_a_mock_client_drives_the_real_agent_and_tells_what_is_new_about_it(project, monkeypatch):
    project.capture()
    project.test(
        """
        def test_it(acp_client):
            subprocess.run(acp_client("hello"), stderr=subprocess.DEVNULL)

        @pytest.mark.acp_capture("hello", command=["/nowhere/agent", "--acp\\x1b[31m"])
        def test_there_is_no_such_agent(acp_client):
            subprocess.run(acp_client(), stderr=subprocess.DEVNULL)

        def test_exactly(acp_client):
            subprocess.run(acp_client("hello", expect="exact"))

        def test_that_crashes_at_once(acp_client):
            command = [sys.executable, "-I", "-S", "-c", "raise SystemExit('no API key')"]
            subprocess.run(acp_client("hello", command=command))
        """
    )
    run = project.run()
    assert run.outcomes == {"failed": 3, "passed": 1}
    crashed, _, captured = run.report_of("test_that_crashes_at_once").partition("\n---")
    assert crashed == (
        "the agent sent no message: it exited with status 1\n"
        "  no API key\n"
        f"hint: run it yourself: {sys.executable} -I -S -c 'raise SystemExit('\"'\"'no API key'\"'\"')'"
    )
    assert captured.endswith("\nno API key")  # and nothing of what is above
    assert run.report_of("test_there_is_no_such_agent") == (
        "cannot start the agent: command not found: `/nowhere/agent`\n"
        r"hint: run it yourself: /nowhere/agent '--acp\x1b[31m'"
    )
    exactly = run.report_of("test_exactly")
    assert "Captured stderr" not in exactly  # all is said
    assert exactly.startswith("the agent diverged from recordings/hello.jsonl:\n")
    assert (
        '            - /result/agentInfo/name: "recorded"\n'
        '            + /result/agentInfo/name: "live"\n'
    ) in exactly
    assert exactly.endswith(
        "hint: if the new behavior is right, re-record it: pytest --acp-record=all test_it.py::test_exactly"
    )


def test_what_cannot_be_is_refused_with_a_reason(project):
    project.settings()
    project.capture()
    (project.path / "recordings" / "broken.jsonl").write_text("no capture\n")
    os.mkfifo(project.path / "recordings" / "pipe.jsonl")
    project.test(
        """
        def test_missing(acp_agent):
            acp_agent("missing")

        def test_pipe(acp_agent):
            Connection(acp_agent("pipe")).close()

        def test_pipe_client(acp_client):
            acp_client("pipe", command="true")

        def test_missing_client(acp_client):
            acp_client("missing")

        def test_no_agent(acp_client):
            acp_client("hello")

        def test_no_command(acp_client):
            acp_client("hello", command="'agent")

        def test_command_of_no_words(acp_client):
            acp_client("hello", command=5)

        def test_name_that_is_a_number(acp_agent):
            acp_agent(5)

        def test_broken(acp_agent):
            Connection(acp_agent("broken")).close()

        def test_no_such_matcher(acp_agent):
            acp_agent("hello", match=["prompt", "parms"])

        @pytest.mark.acp_capture("hello", timing="slow")
        def test_no_such_timing(acp_agent):
            acp_agent()

        def test_no_pointer(acp_agent):
            acp_agent("hello", ignore="params/cwd")

        def test_no_time(acp_agent):
            acp_agent("hello", timeout=-1)

        def test_no_words(acp_agent):
            acp_agent("hello", ignore=7)

        def test_neither_true_nor_false(acp_agent):
            acp_agent("hello", map_cwd="no")

        def test_no_such_option(acp_agent):
            acp_agent("hello", mach="params")

        def test_no_such_word(acp_agent):
            acp_agent("hello", on_divergence="explode")

        def test_no_number(acp_agent):
            acp_agent("hello", timeout="a minute")

        @pytest.mark.acp_capture("hello", "goodbye")
        def test_two_names(acp_agent):
            acp_agent()

        def test_above(acp_agent):
            acp_agent("x/../../hello")

        def test_elsewhere(acp_client):
            acp_client("/etc/passwd")

        def test_two_lines(acp_agent):
            acp_agent("hello\\n::error::")
        """
    )
    run = project.run()
    assert run.outcomes == {"failed": 22}
    for test in ("pipe", "pipe_client"):
        assert run.report_of(f"test_{test}") == (
            "cannot play recordings/pipe.jsonl: it is not a regular file\n"
            "hint: remove it, or give another name"
        )
    for test, name in (
        ("above", "x/../../hello"),
        ("elsewhere", "/etc/passwd"),
        ("two_lines", r"hello\n::error::"),
    ):
        assert run.report_of(f"test_{test}") == (
            f"cannot use `{name}.jsonl` as the name of a capture: it must be in the folder of the"
            " captures\nhint: give a name without `..`; `acp_recordings` sets the folder"
        )
    assert run.report_of("test_missing") == (
        "cannot play recordings/missing.jsonl: no such file\n"
        "hint: set acp_agent_command = COMMAND in pytest's settings; then"
        " record it: pytest --acp-record=once test_it.py::test_missing"
    )
    assert run.report_of("test_missing_client") == (
        "cannot play recordings/missing.jsonl: no such file\n"
        'hint: record it with --acp-record=once and a test that uses acp_agent("missing"); or give'
        " your client this agent command:"
        f" acp-spy -o {project.path}/recordings/missing.jsonl -- COMMAND"
    )
    assert run.report_of("test_no_agent") == (
        "cannot play recordings/hello.jsonl: no agent command\n"
        "hint: set acp_agent_command = COMMAND in pytest's settings"
    )
    assert run.report_of("test_no_command") == (
        "cannot read the command `'agent`: a quote is not closed"
    )
    assert run.report_of("test_command_of_no_words") == (
        "`command` must be a word or several, not `5`"
    )
    assert run.report_of("test_name_that_is_a_number").startswith(
        "cannot play recordings/5.jsonl: no such file"
    )
    assert run.report_of("test_broken").startswith(
        "cannot play recordings/broken.jsonl: cannot read `"
    )
    assert run.report_of("test_no_such_matcher") == (
        "no such matcher: `parms`\nhint: use one of params, prompt, exact"
    )
    assert run.report_of("test_no_such_timing") == (
        "`--timing` must be `fast`, `recorded` or a factor such as `2x`, not `slow`\n"
        "hint: use `2x` to halve the recorded pauses, `0.5x` to double them"
    )
    assert run.report_of("test_no_pointer") == (
        "`params/cwd` is not a JSON Pointer\n"
        "hint: start with `/` at the top of the message: `/params/prompt/0/text`"
    )
    assert run.report_of("test_no_time") == (
        "the timeout must be a number of seconds, not `-1`\nhint: use 0 for no timeout"
    )
    assert run.report_of("test_no_words") == "`ignore` must be a word or several, not `7`"
    assert run.report_of("test_neither_true_nor_false") == (
        "`map_cwd` must be True or False, not `no`"
    )
    assert run.report_of("test_no_such_option") == (
        "a mock has no option `mach`; did you mean `match`?"
    )
    assert run.report_of("test_no_such_word") == (
        "`on_divergence` must be one of error, warn, stop, not `explode`"
    )
    assert run.report_of("test_no_number") == (
        "`timeout` must be a number of seconds, not `a minute`"
    )
    assert run.report_of("test_two_names") == (
        "`acp_capture` takes one name, and options by their names"
    )
