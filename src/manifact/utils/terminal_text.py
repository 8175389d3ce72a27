"""Text from files and folders as a terminal may have it: nothing in it moves the cursor or renames the window."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from unicodedata import category

if TYPE_CHECKING:
    from rich.console import Console

#: Kinds of characters that do something instead of being something: controls, directions, halves of characters, lines.
_ACTING = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
#: Those of them that texts are made of: ends of lines, and what joins or parts letters and pictures.
_KEPT = frozenset("\n\t\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}")


def printable(text: str) -> str:
    r"""The text with escapes, as Python writes them, for all characters that would act upon a terminal.

    >>> print(printable("red \x1b[31m, \x9b2J and \u202eback, but é, \N{SNOWMAN} and 汉字"))
    red \x1b[31m, \x9b2J and \u202eback, but é, ☃ and 汉字
    """
    if text.isprintable():
        return text
    return "".join(_escaped(character) if is_acting(character) else character for character in text)


def is_acting(character: str) -> bool:
    """Whether a character acts upon a terminal, and is not one that texts are made of."""
    return category(character) in _ACTING and character not in _KEPT


def encodable(text: str) -> str:
    r"""The text as UTF-8 can hold it: half a character, as JSON and names of files may have, becomes its escape.

    >>> encodable("caf\udce9"), encodable("café")
    ('caf\\udce9', 'café')
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def safe_console(**options: Any) -> Console:
    """A console of rich whose own colours and movements reach the terminal, and those of texts do not."""
    from rich.console import Console
    from rich.segment import Segment

    class SafeConsole(Console):
        def render(self, *what: Any, **how: Any) -> Iterable[Segment]:
            for segment in super().render(*what, **how):
                own = segment.control is not None or segment.text.isprintable()
                yield segment if own else Segment(printable(segment.text), segment.style)

    return SafeConsole(**options)


def _escaped(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
