"""Which reader a path gets: by the end of its name, or by what a folder holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from manifact.io.readers import folders
from manifact.io.readers.problems import guarded, refusal
from manifact.io.readers.samples import KINDS, Kind, Samples
from manifact.utils import checks


@dataclass(frozen=True)
class Reader:
    """A function ``(file, source, **options) -> Samples`` that is imported when it is needed."""

    kind: Kind
    what: str
    module: str
    function: str
    options: tuple[str, ...] = ()


_COLUMNS = ("name", "label", "columns", "image_shape")
_DELIMITED = Reader("table", "a table of text", "delimited", "read", _COLUMNS)
_MARKET = Reader("table", "a Matrix Market file", "market", "read", ("image_shape",))
_RECORDS = ("text", "name", "label")

#: Readers by the end of the name; the first of a suffix is used where no kind is asked for.
READERS: dict[str, tuple[Reader, ...]] = {
    ".npy": (Reader("table", "a NumPy array", "arrays", "read_npy", ("image_shape",)),),
    ".npz": (Reader("table", "NumPy arrays", "arrays", "read_npz", ("variable", "image_shape")),),
    ".csv": (_DELIMITED, Reader("documents", "a table of text", "records", "read_delimited", _RECORDS)),
    ".tsv": (_DELIMITED, Reader("documents", "a table of text", "records", "read_delimited", _RECORDS)),
    ".parquet": (
        Reader("table", "a Parquet file", "parquet", "read", _COLUMNS),
        Reader("documents", "a Parquet file", "parquet", "read_documents", _RECORDS),
    ),
    ".mtx": (_MARKET,),
    ".mat": (Reader("table", "a MATLAB file", "matlab", "read", ("variable", "image_shape")),),
    ".h5ad": (Reader("table", "an AnnData file", "h5ad", "read", ("layer", "label")),),
    ".txt": (Reader("documents", "text", "plain", "read_lines"), _DELIMITED),
    ".jsonl": (Reader("documents", "JSON lines", "records", "read_jsonl", _RECORDS),),
}
PACKED = (".csv", ".tsv", ".txt", ".mtx", ".jsonl")
_FOLDERS = {
    "documents": Reader("documents", "text", "plain", "read_files"),
    "images": Reader("images", "images", "images", "read", ("image_size", "color")),
}
_TENX = Reader("table", "a 10x matrix", "market", "read_tenx")


def read(
    path: Path | str,
    *,
    kind: str | None = None,
    layer: str | None = None,
    text: str | None = None,
    name: str | None = None,
    label: str | None = None,
    image_size: int | tuple[int, int] | None = None,
    color: bool = False,
    variable: str | None = None,
    image_shape: tuple[int, ...] | None = None,
    columns: Sequence[str] | None = None,
) -> Samples:
    """The samples in a file or folder.

    Tables: ``.npy .npz .csv .tsv .parquet .mtx .mat .h5ad`` and folders with a 10x matrix. Documents: ``.txt`` (one in
    each line), ``.jsonl``, folders of text, and a column of ``.csv .tsv .parquet`` by ``text``. Images: folders.
    Text files may be packed (``.csv.gz``).

    Parameters
    ----------
    path : path
    kind : {"table", "documents", "images"}, optional
        What the file or folder holds, where its name and content leave that open.
    layer : str, optional
        The layer of an .h5ad file, instead of its X.
    text, name, label : str, optional
        The field or column with the documents, the samples' names, their classes (``label`` of an .h5ad: of its obs).
    image_size : int or (height, width), optional
        Size that images are brought to; an integer is the longer side. See `manifact.io.readers.images`.
    color : bool, default=False
        Keep the colours of images.
    variable : str, optional
        The variable of a .mat or .npz file that holds the samples.
    image_shape : tuple, optional
        (height, width) of the images that a table's rows are.
    columns : list of str, optional
        The columns of numbers that matter, such as those of a fitted model: others of a .csv, .tsv or .parquet file
        are not looked at. Files of other kinds are read whole.

    Returns
    -------
    Samples

    Raises
    ------
    ValueError
        One sentence with the file and the remedy, if it cannot be read.
    ImportError
        If the file needs an optional package.
    MemoryError
        If it would not fit.
    """
    given = {
        "layer": layer,
        "text": text,
        "name": name,
        "label": label,
        "image_size": image_size,
        "color": color or None,
        "variable": variable,
        "image_shape": image_shape,
    }
    options = {option: value for option, value in given.items() if value is not None}
    if kind is not None:
        checks.option("kind", kind, KINDS)
    for option in ("image_size", "image_shape"):
        for length in np.atleast_1d(options.get(option, 1)).tolist():
            checks.integer(option, length, 1)
    file, source = Path(path), str(path)
    with guarded(file, "a file or folder"):
        reader, more = _choose(file, kind, options)
        _fitting(file, reader, options)
    if columns is not None and "columns" in reader.options:
        more["columns"] = list(columns)
    with guarded(file, reader.what):
        function = getattr(import_module(f"manifact.io.readers.{reader.module}"), reader.function)
        samples: Samples = function(file, source, **options, **more)
        return samples


def check(path: Path | str, *, kind: str | None = None, **options: Any) -> None:
    """Refuse what `read` would refuse before it opens the file: a path that is not there, a kind that is not known."""
    file = Path(path)
    with guarded(file, "a file or folder"):
        reader, _ = _choose(file, kind, options)
        _fitting(file, reader, options)


def known() -> str:
    """The endings of names that are read.

    >>> known()
    '.npy, .npz, .csv, .tsv, .parquet, .mtx, .mat, .h5ad, .txt, .jsonl'
    """
    return ", ".join(READERS)


def suffix(file: Path) -> str:
    """The end of a name that says what is in the file, without the one that says that it is packed.

    >>> suffix(Path("counts.CSV.gz"))
    '.csv'
    """
    if file.suffix.lower() == ".gz" and Path(file.stem).suffix.lower() in PACKED:
        return Path(file.stem).suffix.lower()
    return file.suffix.lower()


def _choose(file: Path, kind: str | None, options: Mapping[str, Any]) -> tuple[Reader, dict[str, Any]]:
    if not file.exists():
        raise refusal(file, "does not exist", "check the path")
    if file.is_dir():
        return _of_folder(file, kind)
    readers = READERS.get(suffix(file))
    if readers is None:
        raise refusal(file, f"is of a kind that we do not know ({suffix(file) or 'no ending'})", f"we read {known()}")
    if kind is None and "text" in options:
        kind = "documents"
    for reader in readers:
        if kind in (None, reader.kind):
            return reader, {}
    kinds = " or ".join(reader.kind for reader in readers)
    raise refusal(file, f"cannot hold {kind}", f"a {suffix(file)} file is read as {kinds}")


def _of_folder(folder: Path, kind: str | None) -> tuple[Reader, dict[str, Any]]:
    if kind in (None, "table") and any((folder / name).is_file() for name in ("matrix.mtx", "matrix.mtx.gz")):
        return _TENX, {}
    if kind == "table":
        raise refusal(folder, "is a folder without matrix.mtx", "name a file to read a table")
    kind, files = folders.sorted_out(folder, kind)
    return _FOLDERS[kind], {"files": files}


def _fitting(file: Path, reader: Reader, options: Mapping[str, Any]) -> None:
    for option in options:
        if option not in reader.options:
            takes = [f"{name}=…" for name in reader.options if name != "columns"]
            usable = f"it takes {', '.join(takes)}" if takes else "leave it out"
            raise refusal(file, f"is read as {reader.what}, for which {option}=… has no meaning", usable)
