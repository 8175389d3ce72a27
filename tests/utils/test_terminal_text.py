import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

from manifact.utils.errors import BadValueError
from manifact.utils.progress import showing, steps
from manifact.utils.terminal_text import encodable, printable, safe_console

#: Colours, clearing, titles of windows, links, answers that the terminal types in, directions of writing.
HOSTILE = [
    "\x1b[31m",
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\x1b]8;;http://a\x1b\\",
    "\x9b6n",
    "\x90q\x9c",
    "\u202eabc",
    "\b\r\x7f",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_acts(text):
    shown = printable(f"a{text}b")
    assert shown.isprintable()
    assert shown.startswith("a\\")


@given(st.text())
def test_any_text_can_be_shown_and_written(text):
    shown = printable(text)
    assert not any(ord(character) < 32 and character not in "\n\t" for character in shown)
    assert not any(0x7F <= ord(character) < 0xA0 for character in shown)
    encodable(text).encode("utf-8")
    shown.encode("utf-8")


def test_text_without_controls_is_left_alone():
    text = "naïve 汉字 👩\u200d👩\u200d👧 می\u200cخواهم\n\tindented"
    assert printable(text) == encodable(text) == text


@pytest.mark.parametrize("text", HOSTILE)
def test_a_console_has_colours_of_its_own_alone(text):
    out = io.StringIO()
    console = safe_console(
        file=out, force_terminal=True, color_system="standard", markup=False, highlight=False, width=200
    )
    table = Table("name")
    table.add_row(text)
    table.add_row(Text(text))
    for what in (text, Text(text), table):
        console.print(what, style="red")
    shown = out.getvalue()
    assert "\x1b[31m" in shown, "the style that was asked for"
    for own in ("\x1b[31m", "\x1b[1m", "\x1b[0m", "\x1b[1;31m"):
        shown = shown.replace(own, "")
    assert not any(character in shown for character in "\x1b\x07\x9b\x90\x9c\x7f\b\u202e")


def test_errors_and_bars_show_no_escapes(capsys):
    assert str(BadValueError("{} is not {name}", "\x1b[31mred")) == "\\x1b[31mred is not name"
    with showing(True), steps("reading \x1b]0;title\x07", 1) as advance:
        advance(1)
    assert "\x1b]0" not in capsys.readouterr().err
