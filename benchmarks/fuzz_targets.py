"""What is fuzzed: each target takes bytes, and reads them or refuses them in one sentence."""

from __future__ import annotations

import gzip
import io
import json
import warnings
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.io import mmwrite, savemat

#: A sentence is at most so long, and begins with the name of the file.
LONGEST = 700


class Target(NamedTuple):
    """A reader or parser: bytes go through ``attempt``, which says "read" or "refused" or raises."""

    name: str
    attempt: Callable[[bytes, Path], str]
    #: Files, or their beginnings, that are changed.
    seeds: Callable[[], Sequence[bytes]]
    #: Who makes the inputs, and how many of the whole each makes.
    engines: dict[str, float]


def _sentence(problem: Exception, file: Path) -> None:
    message = str(problem)
    if not message.startswith(str(file)) or "\n" in message or len(message) > LONGEST + len(str(file)):
        raise AssertionError(f"no sentence about the file: {message!r}") from problem


def reading(ending: str, **options: str) -> Callable[[bytes, Path], str]:
    """Through a file with that ending."""

    def attempt(content: bytes, folder: Path) -> str:
        from manifact.io.readers import read

        file = folder / f"x{ending}"
        file.write_bytes(content)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read(file, **options)
            return "read"
        except (ValueError, MemoryError) as problem:
            _sentence(problem, file)
            return "refused"

    return attempt


def sparse_parts(content: bytes, folder: Path) -> str:
    """One array of a sparse .npz is changed, behind checksums that are right: the first byte says which."""
    parts = dict(_parts())
    if content:
        parts[list(parts)[content[0] % len(parts)]] = content[1:]
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, part in parts.items():
            archive.writestr(f"{name}.npy", part)
    return reading(".npz")(stream.getvalue(), folder)


def _parts() -> dict[str, bytes]:
    X = sparse.csc_array(_counts())
    arrays = {"indptr": X.indptr, "indices": X.indices, "shape": np.array(X.shape), "data": X.data}
    arrays["format"] = np.array(b"csc")
    return {name: _saved(lambda stream, array=array: np.save(stream, array)) for name, array in arrays.items()}


def image(content: bytes, folder: Path) -> str:
    from manifact.io.readers import read

    images = folder / "images"
    images.mkdir(exist_ok=True)
    (images / "x.png").write_bytes(content)
    try:
        read(images, strict=True)
        return "read"
    except (ValueError, MemoryError) as problem:
        _sentence(problem, images)
        return "refused"


def model(content: bytes, folder: Path) -> str:
    import manifact

    file = folder / "m.safetensors"
    file.write_bytes(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = manifact.load(file)
            found.predict(_samples()[:5, : found.n_features_in_])
        return "read"
    except (ValueError, TypeError, MemoryError, FloatingPointError) as problem:
        if "\n" in str(problem) and "feature" not in str(problem):
            raise
        return "refused"


def checkpoint(content: bytes, folder: Path) -> str:
    file = folder / "c.safetensors"
    file.write_bytes(content)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _unfitted().fit(_samples(), checkpoint=file)
        return "read"
    except (ValueError, MemoryError, FloatingPointError) as problem:
        if "\n" in str(problem):
            raise
        return "refused"


def encoding(content: bytes, folder: Path) -> str:
    from manifact.io.readers.likely_encoding import likely_encoding

    return "read" if likely_encoding(content) else "refused"


def formats(content: bytes, folder: Path) -> str:
    from manifact.io.readers.content_formats import format_of, looks_like_a_table

    looks_like_a_table(content)
    return "read" if format_of(content) else "refused"


def non_prose(content: bytes, folder: Path) -> str:
    from manifact.io.preparation.non_prose import chosen, without

    text = content.decode("utf-8", "replace")
    left = without(text, chosen("all"))
    assert len(left) <= len(text) + 1
    return "refused" if left == text else "read"


def cell(content: bytes, folder: Path) -> str:
    from manifact.io.readers.column_problems import kind_of
    from manifact.io.readers.delimited_cells import is_number, is_text, with_decimal_comma
    from manifact.io.readers.id_columns import called_like_an_id, is_code
    from manifact.io.spreadsheet_cells import protected, unprotected

    text = content.decode("utf-8", "surrogatepass" if b"\xed" in content else "replace")
    kind_of(text)
    is_code(text)
    called_like_an_id(text)
    with_decimal_comma(text)
    assert not (is_number(text) and is_text(text))
    assert unprotected(protected(text)) == text or protected(text) == text
    return "read" if is_number(text) else "refused"


def decoded_cell(content: bytes, folder: Path) -> str:
    try:
        return cell(content, folder)
    except UnicodeDecodeError:
        return "refused"


def _counts() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 4, (12, 6))


def _samples() -> np.ndarray:
    return np.random.default_rng(0).random((24, 8))


def _unfitted() -> object:
    import manifact
    from manifact.graphs import KNNGraph

    return manifact.GNMF(2, graph=KNNGraph(3), max_iter=4, tol=0, random_state=0, solver="mu")


def _saved(save: Callable[[io.BytesIO], None]) -> bytes:
    stream = io.BytesIO()
    save(stream)
    return stream.getvalue()


def _written(ending: str, write: Callable[[Path], None]) -> bytes:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder, f"x{ending}"))
        return Path(folder, f"x{ending}").read_bytes()


def tables() -> Sequence[bytes]:
    rows = "\n".join(f"s{i},{','.join(map(str, row))}" for i, row in enumerate(_counts()))
    return (
        f"name,a,b,c,d,e,f\n{rows}\n".encode(),
        rows.replace(",", "\t").encode(),
        b'id;x;y\n1;1,5;2\n2;"2,5";NA\n3;1.000,5;-inf\n',
        b'"a b","c"\n"1","2e3"\n" 3",.5\n',
        "Größe,Länge\n1,2\n3,4\n".encode("cp1252"),
        "a,b\n1,2\n".encode("utf-16"),
        b",w1,w2,w3\n,1.5,2,3\n0,2,1,4\n1,2020-01-01,true,x\n",
        b'text,label\n"one, two\nthree four five",x\nmore words than before,\'=y\n',
    )


def records() -> Sequence[bytes]:
    one = [{"text": f"document {i} é", "id": i, "class": "a"} for i in range(5)]
    return (
        "\n".join(map(json.dumps, one)).encode(),
        b'"one"\n"two \\ud800"\n',
        b'{"body": "long text here", "n": [1, {"a": null}], "x": 1e400}\n{"body": "", "n": 1}\n',
    )


def markets() -> Sequence[bytes]:
    matrices = (sparse.coo_array(_counts()), _counts().astype(float), sparse.coo_array(np.eye(3)))
    found = [_saved(lambda stream, X=X: mmwrite(stream, X)) for X in matrices]
    return (*found, b"%%MatrixMarket matrix coordinate pattern symmetric\n% c\n3 3 2\n2 1\n3 3\n")


def texts() -> Sequence[bytes]:
    return (
        b"one document here\nanother one there\n\nthird\n",
        "Привет мир, это текст\n".encode("cp1251"),
        "日本語のテキスト。\n".encode("shift_jis"),
        "plain".encode("utf-16-le"),
        b"From: Jane <jane@example.org>\nSubject: x\n\ncommit 9f86d081884c see https://a.b/c\n-- \nJane\n",
        b"Author: a\nDate: 10:00\n\n> wrote:\n0xDEADBEEF aB3dE5fG7h " + b"QUJD" * 20 + b"\n",
    )


def cells() -> Sequence[bytes]:
    return (b"-1.5e3", b"1,065", b"1.234,5", b"2026-11-16 10:00", b"NA", b"'=1+1", b"customer_id", b"3f2a-11", b" +.5 ")


def parquets() -> Sequence[bytes]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"who": [f"s{i}" for i in range(12)], **dict(zip("abcdef", _counts().T, strict=True))})
    return tuple(_saved(lambda s, c=c: pq.write_table(table, s, compression=c)) for c in ("snappy", "none", "zstd"))


def annotated() -> Sequence[bytes]:
    import anndata
    import pandas as pd

    obs = pd.DataFrame({"t": pd.Categorical(list("ab") * 6)}, index=[f"c{i}" for i in range(12)])
    adata = anndata.AnnData(sparse.csr_matrix(_counts().astype("f4")), obs=obs)
    adata.layers["counts"] = adata.X.copy()
    return tuple(_written(".h5ad", lambda file, c=c: adata.write_h5ad(file, compression=c)) for c in (None, "gzip"))


def images() -> Sequence[bytes]:
    from PIL import Image

    picture = Image.fromarray(np.random.default_rng(0).integers(0, 255, (16, 12, 3)).astype(np.uint8))
    kinds = ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP", "PPM", "EPS")
    return tuple(_saved(lambda stream, kind=kind: picture.save(stream, kind)) for kind in kinds)


def models() -> Sequence[bytes]:
    import manifact

    kinds = (_unfitted(), manifact.NMF(2, max_iter=4, random_state=0))
    fitted = [kind.fit(_samples()) for kind in kinds]
    return tuple(_written(".safetensors", found.save) for found in fitted)


def checkpoints() -> Sequence[bytes]:
    half = _unfitted().set_params(max_iter=2)
    return (_written(".safetensors", lambda file: half.fit(_samples(), checkpoint=file, every=1)),)


def matlabs() -> Sequence[bytes]:
    dense, thin = {"fea": _counts(), "gnd": np.arange(12)[:, None]}, {"fea": sparse.csc_matrix(_counts().astype(float))}
    odd = {"X": _counts(), "c": np.array(["a", 1.0], dtype=object), "s": {"a": 1, "b": "text"}}
    return tuple(
        _saved(lambda s, p=p, f=f: savemat(s, f, do_compression=p)) for f in (dense, thin, odd) for p in (0, 1)
    )


def numpies() -> Sequence[bytes]:
    return (
        _saved(lambda stream: np.savez(stream, X=_counts(), y=np.arange(12))),
        _saved(lambda stream: np.savez_compressed(stream, X=_counts(), names=np.array([f"s{i}" for i in range(12)]))),
        *(_saved(lambda s, f=f: sparse.save_npz(s, sparse.csr_array(_counts()).asformat(f))) for f in ("csr", "csc")),
        *(_saved(lambda s, f=f: sparse.save_npz(s, sparse.csr_array(_counts()).asformat(f))) for f in ("bsr", "coo")),
    )


_OURS = {"atheris": 0.5, "hypothesis": 0.2, "mutation": 0.3}
_FILES = {"mutation": 1.0}
TARGETS: tuple[tuple[Target, int], ...] = (
    (Target("delimited table", reading(".csv"), tables, _OURS), 6_000),
    (Target("delimited documents", reading(".csv", kind="documents"), tables, _OURS), 2_000),
    (Target("JSON lines", reading(".jsonl"), records, _OURS), 6_000),
    (Target("Matrix Market", reading(".mtx"), markets, _OURS), 6_000),
    (Target("text", reading(".txt"), texts, _OURS), 3_000),
    (Target("likely encoding", encoding, texts, _OURS), 20_000),
    (Target("formats by content", formats, tables, _OURS), 20_000),
    (Target("what is no prose", non_prose, texts, _OURS), 14_000),
    (Target("cells", decoded_cell, cells, _OURS), 32_000),
    (Target("compressed table", reading(".csv.gz"), lambda: [*map(gzip.compress, tables())], _FILES), 1_000),
    (Target(".npz", reading(".npz"), numpies, _FILES), 2_500),
    (
        Target(
            "arrays in .npz", sparse_parts, lambda: [bytes([i]) + p for i, p in enumerate(_parts().values())], _OURS
        ),
        6_000,
    ),
    (Target(".mat", reading(".mat"), matlabs, _FILES), 2_500),
    (Target(".parquet", reading(".parquet"), parquets, _FILES), 2_000),
    (Target(".h5ad", reading(".h5ad"), annotated, _FILES), 600),
    (Target("images", image, images, _FILES), 2_000),
    (Target("model files", model, models, _FILES), 1_500),
    (Target("checkpoints", checkpoint, checkpoints, _FILES), 1_000),
)
