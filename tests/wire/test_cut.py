import pytest

from acp_spy.wire.cut import cut_at_word


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("short", "short"),
        ("exactly 10", "exactly 10"),
        ("one two three", "one two "),
        ("one two th three", "one two th"),
        ("one two\nthree four", "one two"),
        ("a\nsecond line", "a\nsecond "),
        ('{"url":"postgres://a:b@c"}', '{"url":"'),
        ("oneverylongword", ""),
        ("oneverylongword and more", ""),
    ],
)
def test_no_word_of_what_is_left_is_cut(text, cut):
    assert cut_at_word(text, 10) == cut
