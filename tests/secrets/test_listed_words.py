"""The words of lists in JSON: what they take does not depend on how deep the lists are."""

from acp_spy.secrets.listed_words import ListedWords
from acp_spy.wire.json_text import leaves


class Unsliced(list):
    """A path that is not copied: in a message that is nested deeply, it is as long as that."""

    def __getitem__(self, key):
        assert not isinstance(key, slice)
        return super().__getitem__(key)


def found_in(raw):
    words = ListedWords(raw)
    found = []
    for leaf in leaves(raw):
        leaf.path = Unsliced(leaf.path)
        found += words.read(leaf, raw[leaf.start : leaf.end], [])
    return [secret.text for secret in found]


def test_a_path_is_not_copied_for_each_leaf():
    raw = (
        b'[{"token":["a",1,{"command":"mysql","args":["-u","me","-pQ7zk2Vw9Xn4"]}]},'
        b'["mysql","-pR8zk2Vw9Xn4"]]'
    )
    assert found_in(raw) == [b"Q7zk2Vw9Xn4", b"R8zk2Vw9Xn4"]
    assert found_in(b'{"command":"ls","of":{"args":["-pQ7zk2Vw9Xn4"]}}') == []
