"""The formats that are read: which reader a path gets, by the end of its name or by what a folder holds."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np

from manifact.io.file_errors import guarded, refusal
from manifact.io.raw_samples import KINDS, Kind, Samples
from manifact.io.readers import folders, table_folders
from manifact.io.readers.other_files import counted, told
from manifact.io.readers.tenx import is_tenx
from manifact.io.readers.text_files import check_encoding, ending
from manifact.utils import checks
from manifact.utils.errors import Parameter, Sentence
from manifact.utils.terminal_text import printable


@dataclass(frozen=True)
class Reader:
    """A function ``(file, source, **options) -> Samples`` that is imported when it is needed."""

    kind: Kind
    what: str
    module: str
    function: str
    options: tuple[str, ...] = ()


_COLUMNS = ("name", "label", "columns", "image_shape", "drop", "keep", "missing", "id")
#: What a model remembers of its table: files of other kinds are read without.
_REMEMBERED = ("drop", "missing", "id", "decimal")
_DELIMITED = Reader("table", "a table of text", "delimited_tables", "read", (*_COLUMNS, "encoding", "decimal"))
_RECORDS = ("text", "name", "label")
_ENCODED_RECORDS = (*_RECORDS, "encoding")
_RECORDS_IN_TABLE = Reader("documents", "a table of text", "record_documents", "read_delimited", _ENCODED_RECORDS)

#: Readers by the end of the name; the first one for an ending is used where no kind is asked for.
READERS: dict[str, tuple[Reader, ...]] = {
    ".npy": (Reader("table", "a NumPy array", "numpy_files", "read_npy", ("image_shape",)),),
    ".npz": (Reader("table", "NumPy arrays", "numpy_files", "read_npz", ("variable", "image_shape")),),
    ".csv": (_DELIMITED, _RECORDS_IN_TABLE),
    ".tsv": (_DELIMITED, _RECORDS_IN_TABLE),
    ".parquet": (
        Reader("table", "a Parquet file", "parquet", "read", _COLUMNS),
        Reader("documents", "a Parquet file", "parquet", "read_documents", _RECORDS),
    ),
    ".mtx": (Reader("table", "a Matrix Market file", "matrix_market", "read", ("image_shape",)),),
    ".mat": (Reader("table", "a MATLAB file", "matlab_files", "read", ("variable", "image_shape")),),
    ".h5ad": (
        Reader("cells", "an AnnData file", "h5ad", "read", ("layer", "label", "expects")),
        Reader("table", "an AnnData file", "h5ad", "read_table", ("layer", "label")),
    ),
    ".txt": (Reader("documents", "text", "text_documents", "read_lines", ("encoding",)), _DELIMITED),
    ".jsonl": (Reader("documents", "JSON lines", "record_documents", "read_jsonl", _ENCODED_RECORDS),),
}
#: Endings of text files, which may be compressed (``.csv.gz``).
COMPRESSIBLE = (".csv", ".tsv", ".txt", ".mtx", ".jsonl")
#: What ``format`` may be.
FORMATS = tuple(name.removeprefix(".") for name in READERS)
_FOLDERS = {
    "documents": Reader("documents", "text", "text_documents", "read_files", ("encoding", "strict")),
    "images": Reader("images", "images", "image_folders", "read", ("image_size", "color", "strict")),
}
_TENX = Reader("cells", "a 10x matrix", "tenx", "read")
#: Folders that hold one table in several files.
STORES: dict[str, tuple[Reader, ...]] = {
    "zarr array": (Reader("table", "a zarr array", "table_folders", "read_zarr", ("image_shape",)),),
    "zarr cells": (
        Reader("cells", "AnnData in zarr", "table_folders", "read_zarr_cells", ("layer", "label", "expects")),
        Reader("table", "AnnData in zarr", "table_folders", "read_zarr_table", ("layer", "label")),
    ),
    ".npz": (Reader("table", "a folder of .npz files", "table_folders", "read_npz", ("variable", "image_shape")),),
    ".parquet": (Reader("table", "a folder of Parquet files", "table_folders", "read_parquet", _COLUMNS),),
}
#: Options that a fitted model sets, and people do not.
_OF_MODELS = ("columns", "expects")


class ReadOptions(TypedDict, total=False):
    """Options of `read`."""

    kind: str | None
    layer: str | None
    text: str | None
    name: str | None
    label: str | None
    image_size: int | tuple[int, int] | None
    color: bool
    variable: str | None
    image_shape: tuple[int, ...] | None
    columns: Sequence[str] | None
    expects: str | None
    format: str | None
    encoding: str | None
    strict: bool
    drop: str | int | Sequence[str | int] | None
    keep: str | int | Sequence[str | int] | None
    missing: str | None
    id: str | None
    decimal: str | None


@dataclass(frozen=True)
class CheckedPath:
    """A file or folder that `check` found nothing against; `read` opens it as it was checked.

    The files of a folder are those that `check` found.
    """

    path: Path
    #: The path as it was given.
    source: str
    reader: Reader
    #: Arguments of the reader.
    arguments: Mapping[str, Any]

    def read(self) -> Samples:
        """The samples, as `manifact.io.read` describes them."""
        with guarded(self.path, self.reader.what):
            function = getattr(import_module(f"manifact.io.readers.{self.reader.module}"), self.reader.function)
            try:
                samples: Samples = function(self.path, self.source, **self.arguments)
            except ValueError as problem:
                raise self._of_texts() or problem from problem
            # A table of another format may hold cells; a matrix of 10x may be taken as it is.
            return samples if samples.kind == self.reader.kind else replace(samples, kind=self.reader.kind)

    def _of_texts(self) -> ValueError | None:
        """The error for a table that cannot be read because it holds documents."""
        if self.reader != _DELIMITED or "columns" in self.arguments:
            return None
        from manifact.io.readers.record_documents import text_column

        try:
            found = text_column(self.path, self.arguments.get("encoding"))
        except ValueError:
            return None
        if found is None or found[0] in (self.arguments.get("name"), self.arguments.get("label")):
            return None
        key, number, cell = found
        shown = cell if len(cell) <= 40 else f"{cell[:40]}…"
        # Commas separate columns in `drop`: a name that has one is given by its number.
        dropped = str(number) if "," in key else key
        remedy = Sentence(
            "give {text}={!r} to read a document in each row, or leave the column out with {drop}={!r}", key, dropped
        )
        return refusal(self.path, f"has sentences in column {key!r} ({shown!r}), where numbers should be", remedy)


def read(path: Path | str, **options: Unpack[ReadOptions]) -> Samples:
    """The samples in a file or folder.

    Tables: ``.npy .npz .csv .tsv .parquet .mtx .mat .h5ad .zarr``, folders with a 10x matrix, and folders of ``.npz``
    or of ``.parquet`` files with rows of one table. Documents: ``.txt`` (one in each line), ``.jsonl``, folders of
    text, and a column of ``.csv .tsv .parquet`` by ``text``. Images: folders.
    Text files may be compressed (``.csv.gz``, ``.txt.bz2``, ``.jsonl.xz``), in folders as well. In a folder of text
    every file is a document whose ending does not say that it is something else; where nine files in ten are texts or
    images, the others do not matter.

    Parameters
    ----------
    path : path
    kind : {"table", "documents", "images", "cells"}, optional
        What the file or folder holds, where its name and content leave that open. An .h5ad file and a 10x folder hold
        cells, unless they are called a table; a table of any format holds cells if it is said so.
    layer : str, optional
        The layer of an .h5ad file, or "raw" or "X". Without it the first of these without negative values: layers of
        counts, .raw, X, layers of logarithms, other layers.
    text, name, label : str, optional
        The field or column with the documents, the samples' names, their classes (``label`` of an .h5ad: of its obs).
    image_size : int or (height, width), optional
        Size that images are scaled to; an integer is the longer side. Without it, small images that agree in size
        keep it, and the longer side of others becomes 64 pixels.
    color : bool, default=False
        Keep the colours of images.
    variable : str, optional
        The variable of a .mat or .npz file that holds the samples.
    image_shape : tuple, optional
        (height, width) of the images that a table's rows are.
    columns : list of str, optional
        The columns of numbers that matter, such as those of a fitted model: others of a .csv, .tsv or .parquet file
        are not looked at. Files of other kinds are read whole.
    expects : {"counts", "log"}, optional
        What the values of an .h5ad file should be where several matrices could be taken, as a fitted model says.
    format : str, optional
        What the file is, "csv", "jsonl" and so on, where its name does not say so.
    encoding : str, optional
        Of text: a name that Python knows, such as "cp1252". Default: UTF-8, or what a byte order mark says.
    strict : bool, default=False
        Refuse a folder with a file that cannot be read, is empty or is not text. Without it such files are skipped:
        ``samples.skipped`` says which and why, and a warning says how many. Files whose names say that they are
        something else, such as pictures beside texts, are left out in any case (``samples.other_files``).
    drop : str, int or list, optional
        Columns of a .csv, .tsv or .parquet file to leave out: names, numbers from 1, or several with commas between.
    keep : str, int or list, optional
        Columns that are features though they look like ids. Whole numbers that count the rows from 0 or 1, and columns
        called "id", "customer_id", "Unnamed: 0" and the like whose values all differ, are left out otherwise, and name
        the samples if nothing else does; so are columns of codes that all differ. ``samples.left_out.notes`` says so.
    missing : {"drop", "mean"}, optional
        Of tables with missing or infinite values: rows that have some are left out (``samples.left_out.rows``), or
        NaN stands in X, for which `learn` knows the mean of the column. Without it they are refused.
    id : str, optional
        The header (or number from 1) of a column that names the samples, if it is there and nothing else does.
    decimal : {".", ","}, optional
        What stands before the decimals of numbers in a .csv or .tsv file. Without it a point; or a comma, where
        semicolons or tabs separate cells, columns have commas that cannot be those of thousands, and no number has a
        point. ``samples.left_out.notes`` says so.

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
    samples = check(path, **options).read()
    if samples.skipped:
        name, why = next(iter(samples.skipped.items()))
        count = len(samples.skipped)
        of = f"{count:,} of {counted(samples.n_places, 'file')} in {path} {'is' if count == 1 else 'are'} skipped"
        warnings.warn(printable(f"{of}, such as {name}, which {why}: strict=True stops at the first"), stacklevel=2)
    for said, names in told(samples.other_files).items():
        warnings.warn(printable(f"{said} and left out, such as {names[0]} in {path}"), stacklevel=2)
    return samples


def check(path: Path | str, **options: Unpack[ReadOptions]) -> CheckedPath:
    """Refuse what `read` would refuse before it opens the file, such as a path that is not there or an unknown kind.

    Takes the options of `read`. What it returns reads the samples: ``check(path).read()`` is ``read(path)``, with time
    for other checks in between.
    """
    # None and False, as of `color`, are as good as not given.
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None and value is not False}
    kind, form = given.pop("kind", None), given.pop("format", None)
    of_models = {name: given.pop(name) for name in _OF_MODELS if name in given}
    strict = {"strict": True} if given.pop("strict", False) else {}
    if form is not None:
        checks.option("format", form, FORMATS)
    if "encoding" in given:
        check_encoding(given["encoding"])
    if "missing" in given:
        checks.option("missing", given["missing"], ("drop", "mean"))
    if "decimal" in given:
        checks.option("decimal", given["decimal"], (".", ","))
    if kind is not None:
        checks.option("kind", kind, KINDS)
    for option in ("image_size", "image_shape"):
        for length in np.atleast_1d(given.get(option, 1)).tolist():
            checks.integer(option, length, 1)
    file = Path(path)
    with guarded(file, "a file or folder"):
        reader, found = _choose(file, kind, given, form)
        if "columns" in options:
            given = {name: value for name, value in given.items() if name not in _REMEMBERED or name in reader.options}
        _check_options(file, reader, given)
    if "strict" in reader.options:  # a single file is never read in part
        found |= strict
    found |= {name: value for name, value in of_models.items() if name in reader.options}
    return CheckedPath(file, str(path), reader, {**given, **found})


def columns_of_numbers(path: Path | str, format: str | None = None, encoding: str | None = None) -> int:
    """How many columns of numbers a .csv, .tsv or .parquet file has; 0 for other files, and for what cannot be read."""
    readers = READERS.get(suffix(Path(path)) if format is None else f".{format}", ())
    module = next((reader.module for reader in readers[:1] if "columns" in reader.options), None)
    if module is None:
        return 0
    try:
        encoded = {} if encoding is None else {"encoding": encoding}
        return int(import_module(f"manifact.io.readers.{module}").columns_of_numbers(Path(path), **encoded))
    except (ValueError, ImportError, OSError):
        return 0


def known() -> str:
    """The endings of names that are read.

    >>> known()
    '.npy, .npz, .csv, .tsv, .parquet, .mtx, .mat, .h5ad, .txt, .jsonl'
    """
    return ", ".join(READERS)


def suffix(file: Path) -> str:
    """The end of a name that says what is in the file, without the one that says that it is compressed.

    >>> suffix(Path("counts.CSV.gz"))
    '.csv'
    """
    inner = ending(file)
    return inner if inner in COMPRESSIBLE else file.suffix.lower()


def _choose(
    file: Path, kind: str | None, options: Mapping[str, Any], form: str | None
) -> tuple[Reader, dict[str, Any]]:
    if not file.exists():
        raise refusal(file, "does not exist", "check the path")
    if file.is_dir():
        if form is not None:
            raise refusal(file, Sentence("is a folder, for which {format}=… has no meaning"), "leave it out")
        return _of_folder(file, kind)
    if not file.is_file():  # a pipe would keep us waiting, and a device has no end
        raise refusal(file, "is a pipe or a device", "store the data in a file, or send them to standard input as -")
    named = suffix(file) if form is None else f".{form}"
    readers = READERS.get(named)
    if readers is None:
        remedy = Sentence("we read {}, and say with {format}=… what another file is", known())
        raise refusal(file, f"is of a kind that we do not know ({named or 'no ending'})", remedy)
    if kind is None and "text" in options:
        kind = "documents"
    for reader in readers:
        if kind in (None, reader.kind):
            return reader, {}
        if kind == "cells" and reader.kind == "table":
            return replace(reader, kind="cells"), {}
    kinds = " or ".join(reader.kind for reader in readers)
    raise refusal(file, f"cannot hold {kind}", f"a {named} file is read as {kinds}")


def _of_folder(folder: Path, kind: str | None) -> tuple[Reader, dict[str, Any]]:
    if kind in (None, "table", "cells") and is_tenx(folder):
        return replace(_TENX, kind="table" if kind == "table" else "cells"), {}
    store = table_folders.store_of(folder) if kind in (None, "table", "cells") else None
    if store is not None:
        readers = STORES[store]
        asked = kind or readers[0].kind
        reader = next((reader for reader in readers if reader.kind == asked), replace(readers[0], kind="cells"))
        return reader, {}
    if kind in ("table", "cells"):
        what = "a table" if kind == "table" else "cells"
        raise refusal(folder, "is a folder without matrix.mtx", f"name a file to read {what}")
    found = folders.find_samples(folder, kind)
    return _FOLDERS[found.kind], {"files": found.files, "others": found.others}


def _check_options(file: Path, reader: Reader, options: Mapping[str, Any]) -> None:
    for option in options:
        if option not in reader.options:
            takes = [Parameter(name) for name in reader.options if name not in (*_OF_MODELS, "id")]
            usable = Sentence(f"it takes {', '.join(['{}=…'] * len(takes))}", *takes) if takes else "leave it out"
            found = Sentence("is read as {}, for which {}=… has no meaning", reader.what, Parameter(option))
            raise refusal(file, found, usable)
