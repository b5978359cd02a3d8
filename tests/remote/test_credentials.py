import pytest

from acp_spy.remote.credentials import RECORDED, recorded, without_credentials

SECRET = "s3cret"


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("authorization", "Bearer s3cret", "Bearer redacted"),
        ("authorization", "s3cret", "redacted"),
        ("cookie", "route=s3cret; b=s3cret", "route=redacted; b=redacted"),
        ("set-cookie", "route=s3cret; Path=/; HttpOnly", "route=redacted; Path=/; HttpOnly"),
        ("sec-websocket-protocol", "acp, qwen-bearer.s3cret", "acp, qwen-bearer.redacted"),
        ("location", "/acp?token=s3cret&a=b", "/acp?token=redacted&a=b"),
        ("cookie", 'a="s3cret, s3cret s3cret"; b=', "a=redacted; b=redacted"),
        ("cookie", "s3cret", "redacted"),
        ("sec-websocket-protocol", "bearer, s3cret, acp", "bearer, redacted, acp"),
        ("sec-websocket-protocol", "acp, access_token,s3cret", "acp, access_token,redacted"),
        ("sec-websocket-protocol", "acp, graphql-ws", "acp, graphql-ws"),
        ("sec-websocket-protocol", "acp, q7Zk2Vw9Xn4Rb8Tm3Yc6", "acp, redacted"),
        ("sec-websocket-protocol", "7f3a90c1d2e8b6457f3a90c1d2e8b645", "redacted"),
        ("sec-websocket-protocol", "v5.channel.k8s.io, acp.v1", "v5.channel.k8s.io, acp.v1"),
        ("location", "https://a:s3cret@b.io/x", "https://redacted@b.io/x"),
        ("location", "/in#access_token=s3cret&a=b", "/in#access_token=redacted&a=b"),
        ("content-type", "application/json", "application/json"),
    ],
)
def test_a_credential_is_replaced_in_a_header(name, value, shown):
    assert recorded([(name, value)]) == {name: shown}
    assert recorded([(name, value)], keep=True) == {name: value}


def test_only_some_headers_are_recorded():
    assert recorded(
        [("x-api-key", SECRET), ("proxy-authorization", SECRET), ("accept", "*/*")]
    ) == {"accept": "*/*"}
    assert "x-api-key" not in RECORDED


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/acp", "/acp"),
        ("/acp/ws?token=s3cret", "/acp/ws?token=redacted"),
        ("/acp?a=1&API_KEY=s3cret&b=2", "/acp?a=1&API_KEY=redacted&b=2"),
        ("/acp?access_token=s3cret#part", "/acp?access_token=redacted#part"),
        ("/in?code=s3cret&status_code=1", "/in?code=redacted&status_code=1"),
        ("/acp?pwd=s3cret&jwt=s3cret", "/acp?pwd=redacted&jwt=redacted"),
    ],
)
def test_a_credential_is_replaced_in_a_path(path, shown):
    assert without_credentials(path) == shown
