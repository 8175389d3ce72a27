"""Counts of molecules as 10x Genomics writes them: a matrix of genes x cells beside the names of both.

Its programs write folders, and its web pages offer archives of them; either way the matrix is a Matrix Market file.
"""

from __future__ import annotations

import tarfile
import zlib
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.io.cell_matrices import SPOKEN, kind_of_values
from manifact.io.file_errors import guarded, refusal, unreadable
from manifact.io.raw_samples import Samples
from manifact.io.readers import matrix_market, table_checks
from manifact.io.readers.other_files import ELSEWHERE, leads_out
from manifact.io.readers.text_files import open_text
from manifact.io.unpacked_size import check_unpacked

#: The file that tells a folder of 10x's from others.
MATRIX = "matrix.mtx"
#: What is read from an archive.
MEMBERS = (MATRIX, "genes.tsv")


def is_tenx(folder: Path) -> bool:
    """Whether a folder holds a 10x matrix."""
    return any((folder / name).is_file() for name in (MATRIX, f"{MATRIX}.gz"))


def read(folder: Path, source: str) -> Samples:
    """Cells x genes, with barcodes and gene symbols, from matrix.mtx, barcodes.tsv and features.tsv or genes.tsv.

    Symbols that several genes share get a number, so that columns can be told apart.
    """
    matrix = _part(folder, MATRIX)
    with guarded(matrix, "a Matrix Market file"):
        X: Any = table_checks.checked_table(matrix, matrix_market.read_file(matrix).T)
    names = _column(_part(folder, "barcodes.tsv"), X.shape[0], 0)
    genes = _column(_part(folder, "features.tsv", "genes.tsv"), X.shape[1], 1)
    values = kind_of_values(X)
    return Samples(
        "cells",
        source,
        X,
        names=names,
        feature_names=table_checks.made_distinct(genes),
        matrix=f"{SPOKEN[values]} of {matrix.name}",
        values=values,
    )


def read_archive(file: Path) -> tuple[Any, Array]:
    """Cells x genes (CSR) and the symbols of the genes in a .tar.gz archive, of which nothing is unpacked to disk."""
    members = _members(file)
    counts = _counts(file, members[MATRIX])
    genes = np.array([line.split("\t")[1] for line in members["genes.tsv"].decode().splitlines() if "\t" in line])
    if len(genes) != counts.shape[1]:
        found = f"names {len(genes)} genes for {counts.shape[1]} rows of counts"
        raise refusal(file, found, "expected a name for each")
    return counts, genes


def _part(folder: Path, *names: str) -> Path:
    for name in names:
        for file in (folder / name, folder / f"{name}.gz"):
            if file.is_file():
                if leads_out(file, folder):
                    raise refusal(file, ELSEWHERE, "put the file itself there")
                return file
    raise refusal(folder, f"has no {' or '.join(names)} beside its matrix", "put it there, or name the matrix alone")


def _column(file: Path, n: int, column: int) -> list[str]:
    """A column of a file without a header, or the last one where there are fewer."""
    with guarded(file, "a table of text"), open_text(file) as text:
        rows = [line.rstrip("\n").split("\t") for line in text if line.strip()]
    if len(rows) != n:
        raise refusal(file, f"has {len(rows)} lines for {n} in the matrix", "take both from the same run")
    return [cells[min(column, len(cells) - 1)] for cells in rows]


def _members(file: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    size = 0
    try:
        with tarfile.open(file) as archive:
            for member in archive:
                name = PurePosixPath(member.name).name
                # A link would lead to another member, which has a name of its own.
                part = archive.extractfile(member) if name in MEMBERS and member.isfile() else None
                if part is not None:
                    size += member.size
                    check_unpacked(file, size)
                    found[name] = part.read()
    except (tarfile.TarError, EOFError, zlib.error) as problem:
        raise unreadable(file, "an archive", problem) from problem
    for name in MEMBERS:
        if name not in found:
            raise refusal(file, f"has no {name}", f"expected an archive with {' and '.join(MEMBERS)}")
    return found


def _counts(file: Path, matrix: bytes) -> Any:
    try:
        counts = sparse.csr_array(matrix_market.read_bytes(matrix, MATRIX).T)
    except Exception as problem:  # SciPy's reader has no error class of its own
        raise unreadable(file, "Matrix Market counts", problem) from problem
    counts.sum_duplicates()
    counts.eliminate_zeros()
    return counts
