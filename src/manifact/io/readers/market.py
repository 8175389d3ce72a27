"""Matrix Market files, and the folders in which 10x Genomics' programs write counts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from manifact.io.readers import matrix_market_lines as matrixmarket
from manifact.io.readers import tables
from manifact.io.readers.opening import lines, opened
from manifact.io.readers.problems import guarded, refusal
from manifact.io.readers.samples import Samples


def read(file: Path, source: str, image_shape: tuple[int, ...] | None = None) -> Samples:
    """The matrix in a .mtx file, a row for each sample; coordinate files stay sparse."""
    return Samples("table", source, tables.table(file, _matrix(file)), image_shape=image_shape)


def read_tenx(folder: Path, source: str) -> Samples:
    """Cells x genes, with barcodes and gene symbols, from matrix.mtx, barcodes.tsv and features.tsv or genes.tsv.

    Symbols that several genes share get a number, so that columns can be told apart.
    """
    matrix = _part(folder, "matrix.mtx")
    with guarded(matrix, "a Matrix Market file"):
        X: Any = tables.table(matrix, _matrix(matrix).T)
    names = _column(_part(folder, "barcodes.tsv"), X.shape[0], 0)
    genes = _column(_part(folder, "features.tsv", "genes.tsv"), X.shape[1], 1)
    return Samples("table", source, X, names=names, feature_names=tables.made_different(genes))


def _matrix(file: Path) -> Any:
    """The matrix, sparse if its entries are coordinates."""
    from scipy.io import mmread

    try:
        with opened(file) as content:
            whole = matrixmarket.check(content, str(file))
    except matrixmarket.MatrixMarketError as problem:
        raise refusal(file, problem.found, problem.remedy) from problem
    if whole:
        return mmread(file)
    with opened(file) as content:
        return mmread(matrixmarket.ended(content.read()))


def _part(folder: Path, *names: str) -> Path:
    for name in names:
        for file in (folder / name, folder / f"{name}.gz"):
            if file.is_file():
                return file
    raise refusal(folder, f"has no {' or '.join(names)} beside its matrix", "put it there, or name the matrix alone")


def _column(file: Path, n: int, column: int) -> list[str]:
    """A column of a file without a header, or the last one where there are fewer."""
    with guarded(file, "a table of text"), lines(file) as text:
        rows = [line.rstrip("\n").split("\t") for line in text if line.strip()]
    if len(rows) != n:
        raise refusal(file, f"has {len(rows)} lines for {n} in the matrix", "take both from the same run")
    return [cells[min(column, len(cells) - 1)] for cells in rows]
