"""What commands print, the one place where text goes to a terminal."""

from __future__ import annotations

import sys
from io import TextIOBase

import typer

from manifact.utils.terminal_text import encodable, printable


def say(text: str, err: bool = False) -> None:
    """A line for a person; what names of files, samples and columns do to terminals is taken out of it."""
    typer.echo(printable(text), err=err)


def hand_over(content: str) -> None:
    """Results on standard output: as they are for a program, and as `say` shows them on a terminal."""
    typer.echo(printable(content) if sys.stdout.isatty() else encodable(content), nl=False)


class HandedOver(TextIOBase):
    """Standard output as a stream, each piece by `hand_over`: a large table is never there as one text."""

    def write(self, text: str) -> int:
        """Hand over a piece."""
        hand_over(text)
        return len(text)
