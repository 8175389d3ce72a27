"""Files of a folder that are none of its samples, in words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from manifact.io.readers.text_files import ending

#: Why a file is no sample, said of one.
NO_TEXT, NO_IMAGE = "is not text", "is not an image that we read"
LINKED, ODD, PAGE = "is a link to a folder", "is no plain file", "is a report of a model"
ELSEWHERE = "is a link out of the folder"
_OF_MANY = {
    NO_TEXT: "are not text",
    NO_IMAGE: "are not images that we read",
    LINKED: "are links to folders",
    ODD: "are no plain files",
    ELSEWHERE: "are links out of the folder",
    PAGE: "are reports of models",
}
#: Endings that a sentence lists.
LISTED = 5
#: What our reports have among their first bytes.
_GENERATOR, _HEAD = b'<meta name="generator" content="Manifact">', 1 << 11


def never_a_sample(file: Path, folder: Path) -> str | None:
    """Why a file is no sample, whatever its name; None of one that may be. A link to nothing is told by who opens it.

    A folder from somebody else may have links to files that are nobody's but ours. A report that was written beside the
    texts it shows would be one of them when they are read again.
    """
    if file.is_dir():
        return LINKED if file.is_symlink() else None
    if file.exists() and not file.is_file():
        return ODD
    if file.exists() and leads_out(file, folder):
        return ELSEWHERE
    return PAGE if file.suffix.lower() == ".html" and _is_report(file) else None


def leads_out(file: Path, folder: Path) -> bool:
    """Whether a file is, or is reached by, a link that leads out of a folder."""
    return file.is_symlink() and not file.resolve().is_relative_to(folder.resolve())


def _is_report(file: Path) -> bool:
    try:
        with file.open("rb") as content:
            return _GENERATOR in content.read(_HEAD)
    except OSError:
        return False


def told(others: Mapping[str, str]) -> dict[str, list[str]]:
    """Sentences such as "75 files (.docx) are not text", each with the names of these files."""
    return {
        spoken(others, why): [name for name in others if others[name] == why] for why in dict.fromkeys(others.values())
    }


def spoken(others: Mapping[str, str], why: str) -> str:
    """The sentence about those files of which ``why`` is true.

    >>> spoken({"a.docx": NO_TEXT, "b.docx": NO_TEXT, "c": LINKED}, NO_TEXT)
    '2 files (.docx) are not text'
    """
    names = [name for name in others if others[name] == why]
    many = counted(len(names), "file")
    verb = why if len(names) == 1 else _OF_MANY[why]
    if why not in (NO_TEXT, NO_IMAGE):
        return f"{many} {verb}"
    endings = sorted({ending(Path(name)) or "no ending" for name in names})
    more = ", …" if len(endings) > LISTED else ""
    return f"{many} ({', '.join(endings[:LISTED])}{more}) {verb}"


def counted(count: int, what: str) -> str:
    """A number and what is counted.

    >>> counted(1, "file"), counted(2000, "file")
    ('1 file', '2,000 files')
    """
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
