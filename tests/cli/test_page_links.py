"""The links of a console's pages."""

from acp_spy.live_page.access import Access


def test_each_link_works_once_and_makes_the_one_before_void():
    access = Access()
    first = access.token
    second = access.renew()
    assert access.enter(f"Bearer {first}") is None
    key = access.enter(f"Bearer {second}")
    assert access.admits(f"Bearer {key}")
    assert access.enter(f"Bearer {second}") == ""
    assert access.enter(f"Bearer {access.renew()}") == key  # another tab of the same browser
