from rich.text import Text

from acp_spy.view.columns import Column, cell, lay_out

COLUMNS = (Column("name", gives_way=True), Column("n", right=True), Column("what", gives_way=True))


def shown(rows, width):
    cells = [[cell(text) for text in row] for row in rows]
    return [line.plain for line in lay_out(COLUMNS, cells, width)]


def test_a_column_is_as_wide_as_its_widest_cell():
    assert shown([("a", "1", "x"), ("long", "1,000", "yy")], 80) == [
        "name      n  what",
        "a         1  x",
        "long  1,000  yy",
    ]


def test_the_widest_that_may_gives_way():
    row = ("abcdefghijkl", "1,000", "abcdefghijklmnop")
    assert shown([row], 32) == [
        "name             n  what",
        "abcdefghij…  1,000  abcdefghijk…",
    ]
    assert all(len(line) <= 10 for line in shown([row], 10))


def test_wide_letters_take_their_room():
    (_, first, second) = shown([("日本", "1", "x"), ("abcd", "1", "x")], 80)
    assert first.replace("日本", "abcd") == second


def test_what_a_terminal_would_obey_is_shown():
    assert cell("\x1b[31m[bold]\n") == Text("\\x1b[31m[bold]\\n")


def test_a_column_that_has_nothing_to_tell_may_go():
    columns = (Column("a"), Column("b", may_go=True), Column("c", may_go=True))
    rows = [[cell("1"), cell("-"), cell("-")], [cell("2"), cell(""), cell("x")]]
    assert [line.plain for line in lay_out(columns, rows, 80)] == ["a  c", "1  -", "2  x"]
