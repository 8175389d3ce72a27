"""Errors that know which words of their sentence are parameters.

Python users set ``max_iter``, users of the command line ``--max-iter``: the sentence is one, and who shows it says what
a parameter is called there. Values (numbers, names of files, texts of others) are not looked at, but for characters
that act upon a terminal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from string import Formatter
from typing import Any

from manifact.utils.terminal_text import printable


class Parameter(str):
    """The name of a parameter, where it is not known when the sentence is written."""


class Sentence:
    """A text in which names in braces are parameters, and empty braces are the values that follow.

    >>> sentence = Sentence("{init}={!r} needs {n_components} <= {}", "max_iter", 3)
    >>> str(sentence)
    "init='max_iter' needs n_components <= 3"
    >>> sentence.worded(lambda parameter: f"--{parameter}")
    "--init='max_iter' needs --n_components <= 3"

    A value may be a `Parameter`, or another sentence:

    >>> str(Sentence("{}={} is too small: {}", Parameter("tau"), -1, Sentence("give another {tau}=…")))
    'tau=-1 is too small: give another tau=…'
    """

    def __init__(self, text: str, *values: Any) -> None:
        # Formatted at once: values may change until somebody reads the sentence.
        self._pieces = tuple(_pieces(text, values))

    def __str__(self) -> str:
        return "".join(self._pieces)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def __add__(self, other: str | Sentence) -> Sentence:
        return Sentence("{}{}", self, other)

    def worded(self, name: Callable[[str], str]) -> str:
        """The text with parameters as ``name`` calls them."""
        return "".join(name(piece) if isinstance(piece, Parameter) else piece for piece in self._pieces)

    def edited(self, edit: Callable[[str], str]) -> Sentence:
        """The sentence with everything but its parameters changed by ``edit``."""
        new = Sentence("")
        new._pieces = tuple(piece if isinstance(piece, Parameter) else edit(piece) for piece in self._pieces)
        return new


class ParameterError(Exception):
    """What is raised with a `Sentence`, or with what makes one."""

    def __init__(self, text: str | Sentence, *values: Any) -> None:
        self.sentence = text if isinstance(text, Sentence) else Sentence(text, *values)
        super().__init__(str(self.sentence))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.sentence,)


class BadValueError(ParameterError, ValueError):
    """A parameter has a value that does not fit it, or the data.

    >>> raise BadValueError("{max_iter}={} must be an integer >= 0", -1)
    Traceback (most recent call last):
    manifact.utils.errors.BadValueError: max_iter=-1 must be an integer >= 0
    """


class BadTypeError(ParameterError, TypeError):
    """A parameter has a value of the wrong type."""


class TooLargeError(ParameterError, MemoryError):
    """What is asked for would not fit into memory."""


class MissingPackageError(ParameterError, ImportError):
    """A parameter asks for what an optional package does."""


def worded(error: BaseException, name: Callable[[str], str]) -> str:
    """What an error says, with parameters as ``name`` calls them; others than ours in their own words."""
    return error.sentence.worded(name) if isinstance(error, ParameterError) else str(error)


class _Fields(Formatter):
    """Named fields are parameters."""

    def get_value(self, key: int | str, values: Sequence[Any], named: Mapping[str, Any]) -> Any:
        return Parameter(key) if isinstance(key, str) else values[key]


def _pieces(text: str, values: Sequence[Any]) -> Iterator[str]:
    fields, position = _Fields(), 0
    for literal, key, style, conversion in fields.parse(text):
        if literal:
            yield literal
        if key is None:
            continue
        if key == "":
            key, position = str(position), position + 1
        value, _ = fields.get_field(key, values, {})
        if isinstance(value, Sentence):
            yield from value._pieces
        elif isinstance(value, Parameter):
            yield value
        else:
            yield printable(format(fields.convert_field(value, conversion), style or ""))
