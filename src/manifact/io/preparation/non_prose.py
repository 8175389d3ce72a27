"""What stands in documents and is not about anything: headers of messages, addresses, codes.

Each is recognised by its form, not by a list of words, and a text without any of them is returned as it is:

headers
    Lines that say who wrote when to whom: the fields at the head of a mail, a newsgroup post, a commit or a proposal,
    of which the subject stays; the signature at its foot; and lines that are no more than a person's name and address,
    or lead in a quotation.
addresses
    Of the web and of people.
codes
    Hexadecimal numbers and encoded data: seven hexadecimal digits or more with two of 0-9 and a letter among them, and
    words of ten characters or more in which letters, digits and capitals change places more often than at every third
    character. ``mp3``, ``h1n1``, ``covid19`` and ``iPhone12ProMax`` are words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from manifact.utils.errors import BadValueError

#: Fields of messages (RFC 5322, RFC 5536), commits and proposals, which are dropped from a head with their values.
FIELDS = frozenset(
    [
        "from",
        "to",
        "cc",
        "bcc",
        "sender",
        "date",
        "received",
        "path",
        "newsgroups",
        "organization",
        "organisation",
        "lines",
        "distribution",
        "references",
        "originator",
        "expires",
        "approved",
        "supersedes",
        "archive",
        "control",
        "disclaimer",
        "precedence",
        "status",
        "author",
        "authors",
        "authordate",
        "commit",
        "commitdate",
        "committer",
        "merge",
        "maintainer",
    ]
)
#: One of them at least makes a block of fields the head of a message.
WRITERS = frozenset(
    ["from", "sender", "author", "authors", "received", "newsgroups", "message-id", "committer", "path"]
)
#: Words beside an address that a line about somebody has at most.
FEW = 8
#: Lines of a signature, at most.
FOOT = 10
#: Words in lower case that names have.
PARTICLES = ("and", "da", "de", "del", "der", "di", "la", "le", "ten", "van", "von", "y")

_FIELD = re.compile(r"([A-Za-z][\w.-]*):(?=\s|$)")
#: The whole line, with names of branches as git writes them: a sentence may begin so, too.
_COMMIT = r"commit [0-9a-f]{7,64}(?:\s+\([^)]*\))?\s*$"
_FIRST_LINE = re.compile(rf"{_COMMIT}|From \S+ .*\d{{4}}\s*$")
# No pattern can be tried from within a run that it has failed on: time grows with the text, whatever is in it.
_ADDRESS = re.compile(r"(?<![\w.+$%'=/-])\w[\w.+$%'=/-]*@[\w-]+(?:\.[\w-]+)*")
_WEB = re.compile(r"\b(?:[a-z][a-z+]{1,9}://|www\.)[!#-&(-;=?-~]+", re.IGNORECASE)
_COMMIT_OR_DATE = re.compile(rf"{_COMMIT}|\s*\w*date:.*\d\d:\d\d", re.IGNORECASE)
#: Lines between the parts of a message.
_OF_PARTS = re.compile(r"(?:content-[a-z-]+|mime-version):\s|\s+(?:boundary|charset|filename|name)=", re.IGNORECASE)
_LEADS_IN = re.compile(r"\b(?:wrote|writes):\s*$")
_SIGNATURE = re.compile(r"^-- ?\r?\n", re.MULTILINE)
_BY = re.compile(r"[\W_]*(?:authors?|maintainers?|committer|[a-z]+(?:-[a-z]+)?-by)\s*:\s*", re.IGNORECASE)
_LETTERED = re.compile(r"[^\W\d_][\w'-]*")

_UUID = re.compile(r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b")
_IN_UUID = re.compile(r"-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-")
#: Bytes in a row, as in dumps and hardware addresses.
_BYTES = re.compile(r"\b(?:(?:[0-9a-fA-F]{2}|[0-9a-fA-F]{4}|[0-9a-fA-F]{8})[ :-]){5,}[0-9a-fA-F]{2,8}\b")
#: Full lines of uuencoded data, and of data in base64.
_DATA = re.compile(r"^M[ -`]{60}$|^[ \t]*[A-Za-z0-9+/]{60,}={0,2}[ \t\r]*$", re.MULTILINE)
_ENCODED = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_=-]{24,}")
#: Words that can be codes: long ones with a digit, and those that say of themselves that they are numbers.
_WITH_DIGIT = re.compile(r"\b(?:0[xXoObB][0-9a-fA-F]+\b|(?=[^\W\d]*\d)\w{7,})")
_HEXADECIMAL = re.compile(r"0[xXoObB][0-9a-fA-F]+|(?=\D*\d\D*\d)(?=\d*[a-fA-F])[0-9a-fA-F]{7,}")
#: Places where letters, digits and capitals meet; a capital that begins a word is none.
_CHANGE = re.compile(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
LONG = 10


def chosen(remove: str | Iterable[str] | None) -> tuple[str, ...]:
    """Names of what is to be removed, in the order in which it is; "all", "none" and one name may stand alone.

    >>> chosen("all")
    ('headers', 'addresses', 'codes')
    """
    if remove is None:
        return ()
    given = {"all": list(REMOVERS), "none": []}.get(remove, [remove]) if isinstance(remove, str) else list(remove)
    for name in given:
        if name not in REMOVERS:
            raise BadValueError(
                "{remove}={!r} is not known: choose among {}, or all, or none", name, ", ".join(REMOVERS)
            )
    return tuple(name for name in REMOVERS if name in given)


def without(text: str, remove: Sequence[str]) -> str:
    """The text without what is named.

    >>> without("mail jane@example.org about python3 and commit 9f86d081884c", ("addresses", "codes")).split()
    ['mail', 'about', 'python3', 'and', 'commit']
    """
    for name in remove:
        text = REMOVERS[name](text)
    return text


def _without_headers(text: str) -> str:
    text = _without_foot(_without_head(text))
    if not any(mark in text for mark in ("@", ":", "=", "commit ")):
        return text
    return "\n".join("" if _is_about_somebody(line) else line for line in text.split("\n"))


def _without_head(text: str) -> str:
    """The text without the fields of a message before its first blank line, the subject and the like excepted."""
    lines = text.lstrip().split("\n")
    first = 1 if _FIRST_LINE.match(lines[0]) else 0
    names: list[str] = []
    kept: list[str] = []
    end = len(lines)
    for number in range(first, len(lines)):
        line = lines[number]
        if not line.strip():
            end = number
            break
        field = _FIELD.match(line)
        if field is not None:
            names.append(field[1].lower())
        elif not names or not line[0].isspace():
            return text
        if not _is_dropped(names[-1]):
            kept.append(line if field is None else _without_label(line, field))
    known = [name for name in names if _is_dropped(name) or name == "subject"]
    if len(known) < 2 or not WRITERS & set(known):
        return text
    return "\n".join((*kept, *lines[end:]))


def _without_foot(text: str) -> str:
    """The text without the signature that stands below a line of two hyphens (RFC 3676)."""
    *_, last = (None, *_SIGNATURE.finditer(text))
    return text if last is None or text.count("\n", last.end()) > FOOT else text[: last.start()]


def _is_dropped(field: str) -> bool:
    """Whether a field says how a message went: those with a hyphen in their names do."""
    return field in FIELDS or "-" in field


def _without_label(line: str, field: re.Match[str]) -> str:
    return line[field.end() :] if field[1].lower() in ("subject", "title", "keywords", "summary") else line


def _is_about_somebody(line: str) -> bool:
    """Whether a line says no more than who wrote something, and when."""
    if "@" in line and _ADDRESS.search(line):
        rest = _ADDRESS.sub(" ", line)
        words = _LETTERED.findall(rest)
        if len(words) > FEW:
            return False
        labelled = _FIELD.match(line.lstrip(" \t#*;>|%-/"))
        return bool(labelled) or rest.rstrip().endswith(":") or _are_names(words)
    if (lead := _LEADS_IN.search(line)) is not None:
        words = _LETTERED.findall(line[: lead.start()])
        return len(words) <= FEW and _are_names(words)
    if (by := _BY.match(line)) is not None:
        words = _LETTERED.findall(line[by.end() :])
        return len(words) <= FEW and _are_names(words)
    return _COMMIT_OR_DATE.match(line) is not None or _OF_PARTS.match(line) is not None


def _are_names(words: Iterable[str]) -> bool:
    return all(word[0].isupper() or word in PARTICLES for word in words)


def _without_addresses(text: str) -> str:
    if "@" in text:
        text = _ADDRESS.sub(" ", text)
    return _WEB.sub(" ", text) if "://" in text or "www." in text.lower() else text


def _without_codes(text: str) -> str:
    if _IN_UUID.search(text):
        text = _UUID.sub(" ", text)
    text = _DATA.sub(" ", _BYTES.sub(" ", text))
    text = _ENCODED.sub(_unless(_is_mixed), text)
    return _WITH_DIGIT.sub(_unless(_is_code), text)


def _unless(unwanted: Callable[[str], bool]) -> Callable[[re.Match[str]], str]:
    return lambda found: " " if unwanted(found[0]) else found[0]


def _is_code(word: str) -> bool:
    """Whether a word with a digit is a hexadecimal number, or looks drawn by lot.

    >>> [word for word in "690de66 0x1f h1n1 b2b face2face cyp2d6 dQw4w9WgXcQ 1980s x86_64 BatchNorm2d".split()
    ...  if _is_code(word)]
    ['690de66', '0x1f', 'dQw4w9WgXcQ']
    """
    if word.isdecimal():
        return False
    parts = word.split("_")
    return any(_HEXADECIMAL.fullmatch(part) or _is_mixed(part) for part in parts)


def _is_mixed(run: str) -> bool:
    """Whether letters, digits and capitals change places oftener than at every third character."""
    if len(run) < LONG or not any(map(str.isdigit, run)):
        return False
    letters = sum(map(str.isalnum, run))
    return 3 * len(_CHANGE.findall(run)) > letters - 1


REMOVERS: dict[str, Callable[[str], str]] = {
    "headers": _without_headers,
    "addresses": _without_addresses,
    "codes": _without_codes,
}
