"""HTML pages: balanced, without scripts and links, and the words a reader sees."""

from html.parser import HTMLParser

Attributes = list[tuple[str, str | None]]


class Page(HTMLParser):
    """Fails on tags that do not match; keeps the names of tags and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        self.seen.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Attributes) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)


def checked(text: str) -> Page:
    page = Page()
    page.feed(text)
    assert not page.open
    assert "script" not in page.seen
    assert "http" not in text.replace("http-equiv", "")
    return page


def words(text: str) -> str:
    """What a reader sees."""
    return " ".join(" ".join(checked(text).text).split())
