"""Files of every kind, with two groups of samples that anybody can tell apart."""

import json
import warnings

import numpy as np
import pytest
from scipy import io, sparse
from sklearn.datasets import load_digits

N = 60
GROUPS = np.arange(N) % 2
ANIMALS = ["cat", "dog", "horse", "sheep", "wolf", "tiger", "otter"]
TOOLS = ["hammer", "saw", "drill", "wrench", "pliers", "chisel", "lathe"]


@pytest.fixture(autouse=True)
def told():
    """What a command is warned of by ours is a line of its output, which tests look at, and no error."""
    with warnings.catch_warnings():
        warnings.filterwarnings("default", category=UserWarning)
        yield


def table():
    """Zeros and ones among handwritten digits, as counts."""
    digits = load_digits()
    zeros, ones = (digits.data[digits.target == group][: N // 2] for group in (0, 1))
    return np.stack([zeros, ones], axis=1).reshape(N, -1)


def documents():
    rng = np.random.default_rng(0)
    words = (ANIMALS, TOOLS)
    return [" ".join(rng.choice(words[group], 12)) for group in GROUPS]


@pytest.fixture
def make(tmp_path):
    """make("csv") writes the samples as a CSV file and returns its path."""

    def made(kind):
        return MAKERS[kind](tmp_path)

    return made


def _npy(folder):
    np.save(folder / "a.npy", table())
    return folder / "a.npy"


def _npz(folder):
    np.savez(folder / "a.npz", X=table(), y=GROUPS)
    return folder / "a.npz"


def _sparse_npz(folder):
    sparse.save_npz(folder / "a.npz", sparse.csr_array(table()))
    return folder / "a.npz"


def _delimited(folder, separator, ending):
    lines = [separator.join(["", *(f"p{i}" for i in range(64))])]
    lines += [separator.join([f"s{i}", *map(str, row)]) for i, row in enumerate(table())]
    (folder / f"a.{ending}").write_text("\n".join(lines) + "\n")
    return folder / f"a.{ending}"


def _parquet(folder):
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    from pyarrow import parquet

    columns = {f"p{i}": column for i, column in enumerate(table().T)}
    parquet.write_table(pyarrow.table({"name": [f"s{i}" for i in range(N)], **columns}), folder / "a.parquet")
    return folder / "a.parquet"


def _market(folder):
    io.mmwrite(folder / "a.mtx", sparse.coo_array(table()))
    return folder / "a.mtx"


def _matlab(folder):
    io.savemat(folder / "a.mat", {"fea": table(), "gnd": GROUPS[:, None] + 1})
    return folder / "a.mat"


def _h5ad(folder):
    anndata = pytest.importorskip("anndata", reason="AnnData files need anndata")
    from manifact.graphs import KNNGraph

    data = anndata.AnnData(sparse.csr_matrix(table()))
    data.obs["group"] = [f"g{group}" for group in GROUPS]
    data.layers["twice"] = data.X * 2
    data.obsp["connectivities"] = sparse.csr_matrix(KNNGraph(4).build(table()).W)
    data.write_h5ad(folder / "a.h5ad")
    return folder / "a.h5ad"


def _texts(folder):
    for i, text in enumerate(documents()):
        place = folder / "texts" / ("animals", "tools")[GROUPS[i]]
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{i}.txt").write_text(text)
    return folder / "texts"


def _lines(folder):
    (folder / "a.txt").write_text("\n".join(documents()))
    return folder / "a.txt"


def _jsonl(folder):
    lines = [json.dumps({"id": f"d{i}", "text": text, "class": int(GROUPS[i])}) for i, text in enumerate(documents())]
    (folder / "a.jsonl").write_text("\n".join(lines))
    return folder / "a.jsonl"


def _images(folder):
    image = pytest.importorskip("PIL.Image", reason="images need pillow")
    (folder / "pictures").mkdir()
    for i, row in enumerate(table()):
        image.fromarray((row.reshape(8, 8) * 15).astype(np.uint8)).save(folder / "pictures" / f"{i:02}.png")
    return folder / "pictures"


MAKERS = {
    "npy": _npy,
    "npz": _npz,
    "sparse npz": _sparse_npz,
    "csv": lambda folder: _delimited(folder, ",", "csv"),
    "tsv": lambda folder: _delimited(folder, "\t", "tsv"),
    "parquet": _parquet,
    "mtx": _market,
    "mat": _matlab,
    "h5ad": _h5ad,
    "texts": _texts,
    "txt": _lines,
    "jsonl": _jsonl,
    "images": _images,
}
