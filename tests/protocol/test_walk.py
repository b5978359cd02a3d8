"""Every mismatch, and one mismatch per mistake."""

import msgspec
import pytest
from support.work import calls_of

from acp_spy.protocol.mismatch import LONGEST_QUOTE
from acp_spy.protocol.tables import spec
from acp_spy.protocol.walk import Mismatch, MismatchKind, walk

V1, V1_UNSTABLE, V2 = spec("v1"), spec("v1-unstable"), spec("v2")
TEXT = {"type": "text", "text": "hi"}


def brief(mismatches):
    """Return the mismatches as rows of kind, path, and what should have been."""
    return [(mismatch.kind.name, mismatch.path, mismatch.instead) for mismatch in mismatches]


def update(edition=V1, /, **keys):
    """Walk a `session/update` with these keys in its `update`."""
    name = "SessionNotification" if edition.version == 1 else "UpdateSessionNotification"
    return walk(edition, name, {"sessionId": "s", "update": keys})


def new_session(*servers):
    return walk(V1, "NewSessionRequest", {"cwd": "/home/dev/project", "mcpServers": [*servers]})


def prompt(*blocks):
    return walk(V1, "PromptRequest", {"sessionId": "s", "prompt": [*blocks]})


class TestWhatIsRight:
    def test_has_no_breach(self):
        assert update(sessionUpdate="agent_message_chunk", content=TEXT) == []
        assert walk(V1, "InitializeRequest", {"protocolVersion": 1}) == []
        assert walk(V1, "CloseSessionResponse", {}) == []

    def test_null_is_fine_where_the_schema_says_so(self):
        assert update(sessionUpdate="tool_call_update", toolCallId="t", title=None) == []

    def test_a_shape_that_nobody_knows_has_none_either(self):
        assert walk(V1, "NoSuchShape", 5) == []
        assert walk(V1, "ExtRequest", {"any": ["thing"]}) == []


class TestKeys:
    def test_a_missing_key(self):
        value = {"sessionId": "s", "cwd": "/home/dev/project"}
        assert walk(V1, "LoadSessionRequest", value) == [
            Mismatch(
                MismatchKind.MISSING_KEY,
                "",
                expected="a list",
                got="an object",
                key="mcpServers",
                shape="LoadSessionRequest",
            )
        ]

    def test_another_spelling_is_walked_under_the_right_name(self):
        value = {"session_id": 5, "prompt": [TEXT]}
        assert walk(V1, "PromptRequest", value) == [
            Mismatch(
                MismatchKind.RENAMED_KEY,
                "/session_id",
                expected="`sessionId`",
                got="the integer 5",
                key="session_id",
                instead="sessionId",
                shape="PromptRequest",
            ),
            Mismatch(
                MismatchKind.WRONG_TYPE,
                "/session_id",
                expected="a string",
                got="the integer 5",
                key="session_id",
                shape="SessionId",
            ),
        ]

    @pytest.mark.parametrize(
        ("shape", "value", "path", "instead"),
        [
            ("PromptRequest", {"sessionId": "s", "content": [TEXT]}, "/content", "prompt"),
            ("PromptRequest", {"threadId": "s", "prompt": [TEXT]}, "/threadId", "sessionId"),
            ("PromptRequest", {"sesionId": "s", "prompt": [TEXT]}, "/sesionId", "sessionId"),
            ("PromptResponse", {"stop_reason": "end_turn"}, "/stop_reason", "stopReason"),
            ("CurrentModeUpdate", {"modeId": "ask"}, "/modeId", "currentModeId"),
        ],
    )
    def test_a_required_key_under_another_name(self, shape, value, path, instead):
        assert brief(walk(V1, shape, value)) == [("RENAMED_KEY", path, instead)]

    def test_the_surest_likeness_wins(self):
        """`id` could be either key, were `option_id` not there."""
        option = {"id": "x", "option_id": "a", "name": "A", "kind": "allow_once"}
        assert brief(walk(V1, "PermissionOption", option)) == [
            ("RENAMED_KEY", "/option_id", "optionId"),
            ("UNKNOWN_KEY", "/id", ""),
        ]

    def test_an_unknown_key_is_ignored_by_readers(self):
        assert walk(V1, "CloseSessionResponse", {"note/s": 1}) == [
            Mismatch(
                MismatchKind.UNKNOWN_KEY,
                "/note~1s",
                got="the integer 1",
                key="note/s",
                shape="CloseSessionResponse",
                lenient="ignored",
            )
        ]

    def test_an_unknown_key_has_the_nearest_legal_one(self):
        value = {"protocolVersion": 1, "client_info": {}, "capabilities": {}}
        (info, capabilities) = walk(V1, "InitializeRequest", value)
        assert (info.key, info.instead, info.legal_in) == ("client_info", "clientInfo", "")
        assert (capabilities.instead, capabilities.legal_in) == ("clientCapabilities", "v2")

    def test_a_key_that_another_edition_knows(self):
        (mismatch,) = walk(V1, "PromptResponse", {"stopReason": "end_turn", "usage": {}})
        assert (mismatch.kind, mismatch.legal_in) == (MismatchKind.UNKNOWN_KEY, "v1-unstable")
        assert brief(walk(V1_UNSTABLE, "PromptResponse", {"stopReason": "end_turn"})) == []

    def test_a_key_of_another_variant_is_legal_in_no_other_edition(self):
        (mismatch,) = walk(V1, "CreateElicitationResponse", {"action": "decline", "content": {}})
        assert (mismatch.kind, mismatch.legal_in) == (MismatchKind.UNKNOWN_KEY, "")

    def test_the_edition_of_the_same_version_comes_first(self):
        result = {"protocolVersion": 2, "info": {"name": "n", "version": "1"}}
        (mismatch,) = walk(V2, "InitializeResponse", result | {"capabilities": {"providers": {}}})
        assert mismatch.legal_in == "v2-unstable"

    def test_a_key_that_is_there_is_not_suggested(self):
        value = {"protocolVersion": 1, "clientInfo": None, "client_info": {}}
        assert brief(walk(V1, "InitializeRequest", value)) == [("UNKNOWN_KEY", "/client_info", "")]

    def test_an_extension_key_is_unknown_too(self):
        assert brief(walk(V1, "CloseSessionResponse", {"_mine": 1})) == [
            ("UNKNOWN_KEY", "/_mine", "")
        ]

    def test_meta_is_an_object_or_null_and_its_own_business(self):
        assert walk(V1, "CloseSessionResponse", {"_meta": {"sessionUpdate": [1.5]}}) == []
        assert walk(V1, "CloseSessionResponse", {"_meta": None}) == []
        (mismatch,) = walk(V1, "CloseSessionResponse", {"_meta": []})
        assert (mismatch.kind, mismatch.path, mismatch.got) == (
            MismatchKind.WRONG_TYPE,
            "/_meta",
            "a list of 0",
        )

    def test_an_open_object_has_no_unknown_keys(self):
        assert walk(V1_UNSTABLE, "McpError", {"code": 1, "message": "m", "more": 1}) == []


class TestValues:
    @pytest.mark.parametrize(
        ("value", "got"),
        [(True, "true"), (1.0, "the float 1.0"), ("1", 'the string "1"'), (None, "null")],
    )
    def test_an_integer_is_written_as_one(self, value, got):
        (mismatch,) = walk(V1, "InitializeRequest", {"protocolVersion": value})
        assert (mismatch.kind, mismatch.expected, mismatch.got) == (
            MismatchKind.WRONG_TYPE,
            "an integer",
            got,
        )

    def test_out_of_range(self):
        (mismatch,) = walk(V1, "InitializeRequest", {"protocolVersion": 70000})
        assert (mismatch.kind, mismatch.expected) == (MismatchKind.OUT_OF_RANGE, "0 to 65535")

    def test_a_number_may_be_whole(self):
        cost = {"amount": 1, "currency": "EUR"}
        assert update(sessionUpdate="usage_update", used=1, size=2, cost=cost) == []

    def test_a_value_that_a_closed_enumeration_lacks(self):
        assert walk(V1, "PromptResponse", {"stopReason": "done"}) == [
            Mismatch(
                MismatchKind.UNKNOWN_VALUE,
                "/stopReason",
                expected="`end_turn`, `max_tokens`, `max_turn_requests`, `refusal`, `cancelled`",
                got='the string "done"',
                key="stopReason",
                instead="end_turn",
                shape="StopReason",
            )
        ]

    def test_a_value_that_another_edition_knows(self):
        call = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "status": "paused"}
        (mismatch,) = update(**call)
        assert (mismatch.kind, mismatch.legal_in) == (MismatchKind.UNKNOWN_VALUE, "v2")

    def test_an_open_enumeration_takes_any_string(self):
        assert update(sessionUpdate="notice", severity="loud", title="T") == []

    def test_too_short(self):
        assert brief(update(sessionUpdate="notice", severity="info", title="")) == [
            ("TOO_SHORT", "/update/title", "")
        ]
        assert brief(walk(V2, "PromptRequest", {"sessionId": "s", "prompt": []})) == [
            ("TOO_SHORT", "/prompt", "")
        ]

    def test_a_bad_format(self):
        ask = {"message": "m", "mode": "url", "sessionId": "s", "elicitationId": "e"}
        assert walk(V1, "CreateElicitationRequest", ask | {"url": "https://example.org/a"}) == []
        (mismatch,) = walk(V1, "CreateElicitationRequest", ask | {"url": "over there"})
        assert (mismatch.kind, mismatch.expected) == (MismatchKind.BAD_FORMAT, "a uri")

    def test_a_long_string_is_quoted_in_part(self):
        (mismatch,) = walk(V1, "PromptResponse", {"stopReason": "x" * 500})
        assert mismatch.got == f'the string "{"x" * LONGEST_QUOTE}…"'

    def test_the_whole_may_be_wrong(self):
        assert walk(V1, "NewSessionRequest", None) == [
            Mismatch(
                MismatchKind.WRONG_TYPE,
                "",
                expected="an object",
                got="null",
                shape="NewSessionRequest",
            )
        ]


class TestTags:
    def test_a_tag_under_another_key_is_one_breach(self):
        assert update(type="agent_message_chunk", content=TEXT) == [
            Mismatch(
                MismatchKind.WRONG_TAG_KEY,
                "/update/type",
                expected="`sessionUpdate` with the value `agent_message_chunk`",
                got='the string "agent_message_chunk"',
                key="type",
                instead="sessionUpdate",
                shape="SessionUpdate",
            )
        ]

    @pytest.mark.parametrize(
        ("key", "word"),
        [
            ("@type", "agent_message_text"),
            ("kind", "agent_message"),
            ("update_type", "agentMessageChunk"),
            ("session_update", "message"),
        ],
    )
    def test_so_is_one_that_holds_a_dialect_word(self, key, word):
        assert brief(update(**{key: word}, content=TEXT)) == [
            ("WRONG_TAG_KEY", f"/update/{key}", "sessionUpdate")
        ]

    def test_the_walk_goes_on_in_that_branch(self):
        call = {"kind": "tool_call_start", "tool_call_id": "1", "title": "T", "status": "running"}
        assert brief(update(**call)) == [
            ("WRONG_TAG_KEY", "/update/kind", "sessionUpdate"),
            ("RENAMED_KEY", "/update/tool_call_id", "toolCallId"),
            ("UNKNOWN_VALUE", "/update/status", "in_progress"),
        ]

    def test_an_unknown_tag_ends_the_walk(self):
        (mismatch,) = update(sessionUpdate="message", role="assistant", content=[TEXT])
        assert (mismatch.kind, mismatch.path) == (MismatchKind.UNKNOWN_TAG, "/update/sessionUpdate")
        assert (mismatch.instead, mismatch.lenient) == ("agent_message_chunk", "")

    def test_an_unknown_tag_that_another_edition_knows(self):
        (mismatch,) = update(sessionUpdate="plan_update", entries=[])
        assert (mismatch.kind, mismatch.instead, mismatch.legal_in) == (
            MismatchKind.UNKNOWN_TAG,
            "plan",
            "v1-unstable",
        )

    def test_no_tag_at_all(self):
        (mismatch,) = update(content=TEXT)
        assert (mismatch.kind, mismatch.path, mismatch.key) == (
            MismatchKind.MISSING_TAG,
            "/update",
            "sessionUpdate",
        )

    def test_a_tag_that_is_no_string(self):
        assert brief(update(sessionUpdate=5)) == [("WRONG_TYPE", "/update/sessionUpdate", "")]

    def test_an_open_union_takes_any_tag(self):
        assert update(V2, sessionUpdate="brand_new", anything=1) == []

    def test_a_union_within_a_union(self):
        idle = {"sessionUpdate": "state_update", "state": "idle"}
        assert update(V2, **idle) == []
        assert update(V2, **idle, stopReason="end_turn") == []
        assert update(V2, **idle, stopReason=None) == []
        assert brief(update(V2, **idle, stopReason="end_turn", sesion=1)) == [
            ("UNKNOWN_KEY", "/update/sesion", "")
        ]


class TestUntagged:
    STDIO = {"name": "n", "command": "/bin/x", "args": [], "env": []}  # noqa: RUF012

    def test_a_server_without_a_type_is_a_stdio_server(self):
        assert new_session(self.STDIO) == []
        assert brief(new_session(self.STDIO | {"env": {"A": "b"}})) == [
            ("WRONG_TYPE", "/mcpServers/0/env", "")
        ]

    def test_a_needless_tag_is_ignored_by_readers(self):
        (mismatch,) = new_session(self.STDIO | {"type": "stdio"})
        assert (mismatch.kind, mismatch.lenient, mismatch.legal_in) == (
            MismatchKind.UNKNOWN_TAG,
            "ignored",
            "v2",
        )

    def test_an_unknown_tag_with_its_own_keys_is_one_breach(self):
        (mismatch,) = new_session({"name": "n", "type": "websocket", "url": "wss://example.org"})
        assert (mismatch.kind, mismatch.path, mismatch.lenient) == (
            MismatchKind.UNKNOWN_TAG,
            "/mcpServers/0/type",
            "",
        )

    def test_a_forgotten_tag_is_recognised_by_the_other_keys(self):
        (mismatch,) = new_session({"name": "n", "url": "https://example.org", "headers": []})
        assert (mismatch.kind, mismatch.key) == (MismatchKind.MISSING_TAG, "type")
        assert mismatch.expected == "`type`: one of `http`, `sse`"

    def test_a_boolean_option_needs_its_type(self):
        option = {"sessionId": "s", "configId": "c"}
        assert walk(V1, "SetSessionConfigOptionRequest", option | {"value": "x"}) == []
        (mismatch,) = walk(V1, "SetSessionConfigOptionRequest", option | {"value": True})
        assert (mismatch.kind, mismatch.instead) == (MismatchKind.MISSING_TAG, "boolean")

    def test_a_resource_is_text_or_blob(self):
        def resource(**keys):
            return brief(prompt({"type": "resource", "resource": {"uri": "file:///a", **keys}}))

        assert resource(text="t") == []
        assert resource(blob="YQ==") == []
        assert resource(blob=5) == [("WRONG_TYPE", "/prompt/0/resource/blob", "")]
        assert resource() == [("MISSING_KEY", "/prompt/0/resource", "")]

    def test_select_options_are_flat_or_in_groups(self):
        def options(*items):
            option = {"id": "m", "name": "M", "type": "select", "currentValue": "a"}
            value = {"configOptions": [option | {"options": [*items]}]}
            return brief(walk(V1, "SetSessionConfigOptionResponse", value))

        group = {"group": "g", "name": "G"}
        assert options() == []
        assert options({"value": "a", "name": "A"}) == []
        assert options(group | {"options": [{"value": "a", "name": "A"}]}) == []
        assert options(group | {"options": [{"value": "a"}]}) == [
            ("MISSING_KEY", "/configOptions/0/options/0/options/0", "")
        ]

    def test_none_of_the_choices(self):
        (mismatch,) = walk(V1, "CancelRequestNotification", {"requestId": 1.5})
        assert mismatch.expected == "null or an integer or a string"


class TestWrappers:
    def test_an_update_without_its_wrapper_is_walked_as_if_wrapped(self):
        flat = {"sessionId": "s", "sessionUpdate": "agent_message_chunk", "content": [TEXT]}
        assert walk(V1, "SessionNotification", flat) == [
            Mismatch(
                MismatchKind.MISSING_WRAPPER,
                "",
                expected="`update` with `sessionUpdate`, `content` inside",
                got="an object",
                key="update",
                shape="SessionNotification",
                inner=("sessionUpdate", "content"),
            ),
            Mismatch(
                MismatchKind.WRONG_TYPE,
                "/content",
                expected="an object",
                got="a list of 1",
                key="content",
                shape="ContentBlock",
            ),
        ]

    def test_so_is_one_with_another_tag_key(self):
        flat = {"sessionId": "s", "type": "message", "content": TEXT}
        assert brief(walk(V1, "SessionNotification", flat)) == [
            ("MISSING_WRAPPER", "", ""),
            ("WRONG_TAG_KEY", "/type", "sessionUpdate"),
        ]

    @pytest.mark.parametrize(
        "answer",
        [
            {"outcome": "selected", "optionId": "a"},
            {"outcome": "cancelled"},
            {"optionId": "a"},
        ],
    )
    def test_a_permission_answer_nests_twice(self, answer):
        (mismatch,) = walk(V1, "RequestPermissionResponse", answer)
        assert (mismatch.kind, mismatch.key) == (MismatchKind.MISSING_WRAPPER, "outcome")

    def test_tool_content_wraps_its_block(self):
        call = {"sessionUpdate": "tool_call_update", "toolCallId": "t", "content": [TEXT]}
        (mismatch,) = update(**call)
        assert (mismatch.kind, mismatch.path, mismatch.key, mismatch.lenient) == (
            MismatchKind.MISSING_WRAPPER,
            "/update/content/0",
            "content",
            "skip",
        )

    def test_a_resource_block_nests_its_resource(self):
        block = {"type": "resource", "uri": "file:///a", "text": "t"}
        assert brief(prompt(block)) == [("MISSING_WRAPPER", "/prompt/0", "")]

    def test_a_chunk_wraps_its_text(self):
        assert brief(update(sessionUpdate="agent_message_chunk", text="hi")) == [
            ("MISSING_WRAPPER", "/update", "")
        ]


class TestLeniency:
    def lenient(self, mismatches):
        return [(mismatch.path, mismatch.lenient) for mismatch in mismatches]

    def test_a_field_that_falls_back_to_its_default(self):
        value = {"protocolVersion": 1, "clientCapabilities": {"elicitation": {"form": True}}}
        assert self.lenient(walk(V1, "InitializeRequest", value)) == [
            ("/clientCapabilities/elicitation/form", "default")
        ]

    def test_an_item_that_is_skipped(self):
        call = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T"}
        diff = {"type": "diff", "path": "/a"}
        assert self.lenient(
            update(**call, content=[diff], locations=[{"path": "/a", "line": -1}])
        ) == [
            ("/update/content/0", "skip"),
            ("/update/locations/0/line", "default"),
        ]

    def test_only_null_is_forgiven(self):
        value = {"cwd": "/home/dev/project", "mcpServers": None}
        assert self.lenient(walk(V1, "NewSessionRequest", value)) == [("/mcpServers", "null")]
        value = {"cwd": "/home/dev/project", "mcpServers": {}}
        assert self.lenient(walk(V1, "NewSessionRequest", value)) == [("/mcpServers", "")]

    def test_what_is_lost_is_the_field_or_item_that_readers_drop(self):
        value = {"protocolVersion": 1, "clientInfo": {"name": "n"}}
        (mismatch,) = walk(V1, "InitializeRequest", value)
        assert (mismatch.path, mismatch.lost) == ("/clientInfo", "/clientInfo")
        call = {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "T"}
        (mismatch,) = update(**call, content=[{"type": "tool_result"}])
        assert (mismatch.path, mismatch.lost) == ("/update/content/0/type", "/update/content/0")

    def test_nothing_is_lost_where_the_whole_breaks_or_a_key_is_ignored(self):
        for value in ({"stopReason": "done"}, {"stopReason": "end_turn", "more": 1}):
            (mismatch,) = walk(V1, "PromptResponse", value)
            assert mismatch.lost == ""


class TestHostileValues:
    def test_depth_does_no_harm(self):
        deep = msgspec.json.decode(b"[" * 900 + b"]" * 900)
        for shape in V1.shapes:
            walk(V1, shape, deep)
            walk(V1, shape, {"update": deep, "_meta": deep, "content": deep})

    def test_a_great_many_strange_keys_are_all_named_at_no_more_cost_for_each(self):
        def calls(count):
            # Names that nobody has asked for before: what is known of one is kept.
            value = {f"stop_reasons_{count + number}": number for number in range(count)}
            return calls_of(lambda: told.append(len(walk(V1, "PromptResponse", value)))).total

        told = []
        few, more, many = calls(300), calls(600), calls(1_200)
        assert told == [301, 601, 1_201]
        assert many - more <= 2.1 * (more - few)

    def test_long_names_are_no_slips_of_the_pen(self):
        assert brief(walk(V1, "CloseSessionResponse", {"x" * 1_000_000: 1}))[0][2] == ""
        (mismatch,) = walk(V1, "PromptResponse", {"stopReason": "x" * 1_000_000})
        assert mismatch.instead == ""

    def test_a_huge_integer_is_not_spelled_out(self):
        (mismatch,) = walk(V1, "InitializeRequest", {"protocolVersion": 10**5000})
        assert mismatch.got == "a huge integer"
