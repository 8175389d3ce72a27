"""Every format: what is read in blocks is what is read at once, prepared alike."""

import gzip
import json

import anndata
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from scipy import sparse
from scipy.io import mmwrite
from tests.io.out_of_core.helpers import LITTLE, assembled, dense, same_as_at_once
from tests.io.readers.helpers import refused

from manifact.io import Samples, open_blocks, read
from manifact.io.out_of_core.open_sources import fits, memory_needed, open_source
from manifact.io.out_of_core.workspace import Workspace
from manifact.io.readers import check

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*zarr", "ignore:Variable names are not unique", "ignore::FutureWarning"
)


def counts(n=400, m=60, seed=0, density=0.15):
    rng = np.random.default_rng(seed)
    X = sparse.random_array((n, m), density=density, format="csr", random_state=rng)
    X.data = np.ceil(6 * X.data)
    return X


def cells(X, **more):
    n, m = X.shape
    obs = pd.DataFrame({"kind": ["a", "b"] * (n // 2)}, index=[f"c{i}" for i in range(n)])
    return anndata.AnnData(X, obs=obs, var=pd.DataFrame(index=[f"g{i}" for i in range(m)]), **more)


FORMS = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix, "dense": dense}


@pytest.mark.parametrize("ending", ["h5ad", "zarr"])
@pytest.mark.parametrize("form", FORMS)
def test_cells(tmp_path, form, ending):
    path = tmp_path / f"x.{ending}"
    data = cells(FORMS[form](counts().astype(np.float32)))
    getattr(data, "write_h5ad" if ending == "h5ad" else "write_zarr")(path)
    found = same_as_at_once(path, reading={"label": "kind"}, genes=20, min_cells=5)
    assert found.samples.matrix == "counts of X"
    assert found.X.shape == (400, 20)
    assert found.X.n_blocks > 1
    # Chosen genes are the same whether means and variances are of all cells or of blocks.
    same_as_at_once(path, weighting="counts", genes="all", scale="sum")
    same_as_at_once(path, reading={"kind": "table"}, scale="none")


def test_cells_that_are_logged_in_a_layer(tmp_path):
    path = tmp_path / "x.h5ad"
    X = counts().astype(np.float32)
    scaled = dense(X) - 1
    logged = X.copy()
    logged.data = np.log1p(logged.data / 1.5)
    cells(scaled, layers={"lognorm": logged}).write_h5ad(path)
    found = same_as_at_once(path, genes=30)
    assert found.samples.matrix == "log-normalised values of layers['lognorm']"
    cells(scaled).write_h5ad(path)
    with refused(path, "has no counts and no log-normalised values: X has negative values"):
        open_blocks(path, memory="64K")


def test_a_zarr_array(tmp_path):
    zarr = pytest.importorskip("zarr")
    X = dense(counts())
    store = zarr.create_array(str(tmp_path / "x.zarr"), shape=X.shape, chunks=(32, 60), dtype="f4")
    store[:] = X
    found = same_as_at_once(tmp_path / "x.zarr", at_once=Samples("table", "x.zarr", X.astype(np.float32)))
    assert found.X.n_blocks > 2
    assert np.array_equal(read(tmp_path / "x.zarr").X, X.astype(np.float32))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("columns", ["auto", "range", "std", "max"])
def test_a_mapped_array(tmp_path, order, columns):
    file = tmp_path / "x.npy"
    np.save(file, np.asarray(dense(counts()) - 2 * (columns in ("range", "std")), order=order))
    assert same_as_at_once(file, columns=columns).X.n_blocks > 1


def test_integers_become_floats(tmp_path):
    file = tmp_path / "x.npy"
    np.save(file, dense(counts()).astype(np.int32))
    assert same_as_at_once(file, scale="none").X.dtype == np.float64


@pytest.mark.parametrize("columns", ["auto", "range", "std", "max"])
def test_parts_of_a_sparse_matrix(tmp_path, columns):
    X = counts()
    for number, start in enumerate(range(0, 400, 37)):
        sparse.save_npz(tmp_path / f"part{number}.npz", X[start : start + 37].astype(np.float32))
    at_once = Samples("table", str(tmp_path), X.astype(np.float32))
    found = same_as_at_once(tmp_path, at_once=at_once, columns=columns)
    assert found.X.is_sparse
    assert np.array_equal(dense(read(tmp_path).X), dense(X)), "part2 comes before part10"


def test_parts_of_a_dense_array_with_classes(tmp_path):
    X = dense(counts())
    for number in range(4):
        rows = slice(100 * number, 100 * number + 100)
        kind = np.float32 if number else np.int16  # the types of all parts together
        np.savez(tmp_path / f"{number}.npz", X=X[rows].astype(kind), y=np.arange(400)[rows])
    at_once = Samples("table", str(tmp_path), X.astype("f4"), labels=np.arange(400))
    found = same_as_at_once(tmp_path, Workspace(64 << 10), at_once=at_once)
    assert found.X.dtype == np.float32
    np.savez(tmp_path / "4.npz", X=X[:3, :5])
    with refused(tmp_path / "4.npz", "has 5 columns and 0.npz has 60"):
        open_blocks(tmp_path)


def test_a_part_that_does_not_fit(tmp_path):
    np.savez(tmp_path / "0.npz", X=np.ones((100, 60)))
    with refused(tmp_path / "0.npz", "takes 46.9 KiB in memory, of which 64.0 KiB may be used: write more and smaller"):
        open_blocks(tmp_path, memory="64K")


def matrix_market(file, X, symmetry=None, shuffle=True):
    """Entries in the order of nobody."""
    mmwrite(str(file), X, symmetry=symmetry)
    lines = file.read_bytes().splitlines(keepends=True)
    head = next(number for number, line in enumerate(lines) if not line.startswith(b"%")) + 1
    body = lines[head:]
    np.random.default_rng(1).shuffle(body)
    file.write_bytes(b"".join(lines[:head] + body))


@pytest.mark.parametrize("kind", ["general", "symmetric", "skew-symmetric", "integer", "pattern"])
def test_entries_in_any_order(tmp_path, kind):
    file = tmp_path / "x.mtx"
    X = sparse.coo_array(counts())
    if kind in ("symmetric", "skew-symmetric"):
        S = counts(300, 300, density=0.02)
        X = sparse.coo_array(S + S.T if kind == "symmetric" else S - S.T)
    if kind == "integer":
        X = X.astype(np.int64)
    matrix_market(file, X, "general" if kind in ("integer", "pattern") else kind)
    if kind == "pattern":
        text = file.read_text().replace("real", "pattern", 1).splitlines(keepends=True)
        head = next(i for i, line in enumerate(text) if not line.startswith("%"))
        file.write_text("".join(text[: head + 1] + [" ".join(line.split()[:2]) + "\n" for line in text[head + 1 :]]))
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    found = same_as_at_once(
        file, Workspace(LITTLE.memory, scratch), scale="none" if kind.startswith("skew") else "unit"
    )
    assert found.X.n_blocks > 1
    assert list(scratch.iterdir()) == [found.X.folder], "entries that were sorted are gone when X is written"


def test_compressed_entries_and_what_is_wrong_with_them(tmp_path):
    file = tmp_path / "x.mtx"
    matrix_market(file, sparse.coo_array(counts()))
    packed = tmp_path / "x.mtx.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    same_as_at_once(packed)
    text = file.read_text()
    file.write_text(text + "\n\n")
    same_as_at_once(file)
    file.write_text(text + "1 1 2.0\n")
    with refused(file, "has 3601 entries and its head says 3600"):
        open_blocks(file, memory="64K")
    file.write_text(text.replace("400 60", "300 60", 1))
    with refused(file, "cannot be read as a Matrix Market file"):
        open_blocks(file, memory="64K")
    mmwrite(str(file), dense(counts()))
    with refused(file, "lists all values by columns, which is not read in blocks"):
        open_blocks(file, memory="64K")


@pytest.mark.parametrize("bad", ["401 1 1.0", "1 61 1.0", "0 1 1.0"])
@pytest.mark.parametrize("comments", [[], ["% one", "", "%two"]])
def test_an_entry_out_of_range_is_in_the_line_of_the_file(tmp_path, bad, comments):
    file = tmp_path / "x.mtx"
    mmwrite(str(file), sparse.coo_array(counts()))
    lines = file.read_text().splitlines()
    lines[1:1] = comments
    lines[2999] = bad
    file.write_text("\n".join(lines) + "\n")
    told = []
    for opened in (lambda: read(file), lambda: open_blocks(file, memory="64K")):
        with pytest.raises(ValueError, match=r"\(Line 3000: .* out of bounds\)") as problem:
            opened()
        told.append(str(problem.value))
    assert told[0] == told[1]


def test_a_folder_of_tenx(tmp_path):
    X = sparse.coo_array(counts().T.astype(np.int64))
    mmwrite(str(tmp_path / "matrix.mtx"), X)
    (tmp_path / "barcodes.tsv").write_text("".join(f"cell{i}\n" for i in range(400)))
    (tmp_path / "features.tsv").write_text("".join(f"id{i}\tgene{i % 50}\tx\n" for i in range(60)))
    found = same_as_at_once(tmp_path, genes=20)
    assert found.samples.matrix == "counts of matrix.mtx"


def table(n=300):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.gamma(2.0, 3.0, (n, 8)), columns=[f"f{i}" for i in range(8)])
    frame["count"] = rng.integers(0, 9, n)
    return frame


def parquet_parts_unread(folder, frame, rows=37):
    for number, start in enumerate(range(0, len(frame), rows)):
        frame[start : start + rows].to_parquet(folder / f"part-{number}.parquet", index=False)


def parquet_parts(folder, frame, rows=37):
    parquet_parts_unread(folder, frame, rows)
    whole = folder.parent / f"{folder.name}.parquet"
    frame.to_parquet(whole, index=False)
    return read(whole, **{})


@pytest.fixture
def parts(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    return folder


def test_parquet_parts_are_the_table(parts):
    at_once = parquet_parts(parts, table())
    found = same_as_at_once(parts, at_once=at_once)
    assert found.preparation.columns.how == "range"
    assert found.X.n_blocks > 1
    same_as_at_once(parts, at_once=at_once, columns="std")
    same_as_at_once(parts, at_once=at_once, scale="unit")
    same_as_at_once(parts.parent / "parts.parquet")
    assert np.array_equal(read(parts).X, at_once.X)


def test_ids_and_classes_of_parquet_parts(parts):
    frame = table()
    frame.insert(3, "order_id", 1000 + 7 * np.arange(len(frame)))
    frame["code"] = [f"x{i}" for i in range(len(frame))]
    frame["line"] = np.arange(1, len(frame) + 1)
    frame["class"] = ["u", "v", "w"] * 100
    whole = parts.parent / "parts.parquet"
    parquet_parts(parts, frame.drop(columns="class"))
    found = same_as_at_once(parts, at_once=read(whole))
    assert found.samples.names[:2] == ["1000", "1007"]
    assert [str(note) for note in found.samples.left_out.notes] == [str(note) for note in read(whole).left_out.notes]
    same_as_at_once(
        parts, at_once=read(whole, keep="order_id", drop="line"), reading={"keep": "order_id", "drop": "line"}
    )
    for file in [*parts.iterdir()]:
        file.unlink()
    frame.to_parquet(parts / "0.parquet", index=False)
    same_as_at_once(
        parts, at_once=read(parts / "0.parquet", label="class", name="code"), reading={"label": "class", "name": "code"}
    )
    with pytest.raises(ValueError, match="string in column 'class'"):
        open_blocks(parts)


@pytest.mark.parametrize("missing", ["mean", "drop"])
def test_missing_values_of_parquet_parts(parts, missing):
    frame = table()
    frame.loc[[3, 77, 200], "f2"] = np.nan
    frame.loc[[77, 299], "count"] = None
    frame["count"] = frame["count"].astype("Int64")
    frame.to_parquet(parts / "0.parquet", index=False)
    at_once = read(parts / "0.parquet", missing=missing)
    found = same_as_at_once(parts, at_once=at_once, reading={"missing": missing})
    assert (found.samples.left_out.rows, found.samples.left_out.row_names) == (
        at_once.left_out.rows,
        at_once.left_out.row_names,
    )
    with pytest.raises(ValueError, match="missing") as problem:
        open_blocks(parts)
    with pytest.raises(ValueError, match="missing") as at_once_too:
        read(parts / "0.parquet")
    assert str(problem.value) == str(at_once_too.value)


def test_entries_in_parquet_parts(parts):
    X = sparse.coo_array(counts())
    order = np.random.default_rng(0).permutation(X.nnz)
    frame = pd.DataFrame({"row": X.row, "col": X.col, "value": X.data.astype("f4")}).iloc[order]
    parquet_parts(parts, frame, 500)
    same_as_at_once(parts, at_once=Samples("table", str(parts), sparse.csr_array(X).astype("f4")))
    frame.loc[frame.index[5], "row"] = -1
    frame.to_parquet(parts / "part-0.parquet", index=False)
    with refused(parts / "part-0.parquet", "has other than whole numbers >= 0 in column 'row'"):
        open_blocks(parts)


@pytest.mark.parametrize("n_files", [1, 7])
def test_entries_beside_an_index_that_pandas_stored(parts, n_files):
    """Entries in another order, or some of them, have an index of numbers, which pandas stores as a column."""
    X = sparse.coo_array(counts())
    order = np.random.default_rng(0).permutation(X.nnz)
    frame = pd.DataFrame({"row": X.row, "col": X.col, "value": X.data}).iloc[order]
    for number, rows in enumerate(np.array_split(np.arange(X.nnz), n_files)):
        frame.iloc[rows].to_parquet(parts / f"{number}.parquet")
    assert "__index_level_0__" in pq.read_schema(parts / "0.parquet").names
    assert np.array_equal(dense(read(parts).X), dense(X))
    same_as_at_once(parts, at_once=Samples("table", str(parts), sparse.csr_array(X)))
    frame.rename_axis("line").iloc[:9].to_parquet(parts / "0.parquet")
    assert sparse.issparse(read(parts).X)


def test_entries_whose_rows_and_columns_are_the_index(parts):
    X = sparse.coo_array(counts())
    frame = pd.DataFrame({"row": X.row, "col": X.col, "value": X.data}).set_index(["row", "col"])
    frame.to_parquet(parts / "0.parquet")
    assert np.array_equal(dense(read(parts).X), dense(X))


def test_entries_of_other_columns_are_refused(parts):
    frame = pd.DataFrame({"row": [0, 1], "col": [1, 0], "value": [1.0, 2.0]})
    frame.to_parquet(parts / "0.parquet")
    frame.rename(columns={"value": "other"}).to_parquet(parts / "1.parquet")
    with refused(parts / "1.parquet", "has other columns than 0.parquet: give all files the same columns"):
        read(parts)


def test_an_entry_without_a_value_is_named_by_its_row(parts):
    frame = pd.DataFrame({"row": np.arange(5000), "col": 0, "value": 1.0})
    frame.to_parquet(parts / "0.parquet")
    frame.loc[4210, "value"] = np.nan
    frame.to_parquet(parts / "1.parquet")
    with refused(parts / "1.parquet", r"has no number in column 'value' \(missing, row 4211\)"):
        open_blocks(parts, memory="64K")


def test_a_missing_value_is_named_by_the_row_of_its_file(parts):
    frame = table()
    frame.loc[[211, 250], "f2"] = np.nan
    frame.loc[70, "f3"] = np.inf
    parquet_parts_unread(parts, frame)
    told = (
        r"has a missing value in row 27 of part-5.parquet, column 'f2', and 1 more; "
        r"an infinite value \(inf\) in row 34 of part-1.parquet, column 'f3'"
    )
    for opened in (lambda: read(parts), lambda: open_blocks(parts, memory="64K")):
        with refused(parts, told):
            opened()


def documents(n=500):
    rng = np.random.default_rng(0)
    words = [f"w{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(600)]
    return [" ".join(words[j] for j in rng.zipf(1.4, size=30) % 600) for _ in range(n)]


@pytest.mark.parametrize(
    "options", [{}, {"max_features": 40}, {"weighting": "counts", "ngrams": (1, 2)}, {"min_df": 0.02, "max_df": 0.4}]
)
def test_lines_of_json(tmp_path, options):
    file = tmp_path / "x.jsonl.gz"
    with gzip.open(file, "wt") as content:
        for number, text in enumerate(documents()):
            content.write(json.dumps({"key": f"k{number}", "body": text, "topic": number % 3}) + "\n")
    found = same_as_at_once(file, Workspace(1 << 18), {"label": "topic"}, **options)
    assert found.samples.names[0] == "k0"
    assert len(list(found.samples.read())) > 1


def test_strings_lines_and_what_is_neither(tmp_path):
    file = tmp_path / "x.jsonl"
    texts = documents()
    file.write_text("".join(json.dumps(text) + "\n\n" for text in texts))
    same_as_at_once(file)
    lines = tmp_path / "x.txt"
    lines.write_text("\n\n".join(texts))
    found = same_as_at_once(lines)
    assert (found.samples.n_places, found.samples.places[:3]) == (999, [0, 2, 4])
    file.write_text("".join(json.dumps(text) + "\n" for text in texts) + '{"text": "no"}\n')
    with refused(file, "has an object in line 501 and strings in others"):
        open_blocks(file)
    file.write_text('{"text": "1984"}\n{"text": "2001"}\n')
    with refused(file, "leaves no words of its 2 documents"):
        open_blocks(file)


def test_new_samples_are_prepared_by_a_model(tmp_path):
    file = tmp_path / "x.npy"
    X = dense(counts())
    np.save(file, X)
    learnt = open_blocks(file, memory="64K", columns="max").preparation
    np.save(file, 2 * X[::-1])
    found = assembled(open_blocks(file, memory="64K", preparation=learnt))
    np.testing.assert_allclose(found, learnt.apply(Samples("table", "x", 2 * X[::-1])))


def test_where_a_number_is_none(tmp_path):
    file = tmp_path / "x.npy"
    X = dense(counts())
    X[317, 4] = np.nan
    np.save(file, X)
    with refused(file, "has nan in row 318, column 5: fill in or drop what is missing"):
        open_blocks(file, memory="64K")


def test_what_fits_and_what_cannot_be_read_in_blocks(tmp_path):
    file = tmp_path / "x.npy"
    np.save(file, np.ones((1000, 10)))
    assert fits(check(file), Workspace(200_000))
    assert not fits(check(file), Workspace(100_000))
    table = tmp_path / "x.csv"
    table.write_text("a,b\n1,2\n")
    assert memory_needed(check(table)) == 8
    assert not fits(check(table), Workspace(1))
    with refused(table, "is a table of text, which is not read in blocks: store it as .zarr"):
        open_source(check(table), LITTLE)
    with pytest.raises(TypeError, match="colour=… is not known"):
        open_blocks(file, colour=True)


def test_a_file_that_is_not_read_in_blocks_has_to_fit(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("a,b\n" + "1,2\n" * 5000)
    assert fits(check(file), Workspace.of("1M"))
    assert not fits(check(file), Workspace.of("10K"))
    with pytest.raises(ValueError, match=r"not read in blocks: store it as .zarr, .*, or raise memory="):
        open_source(check(file), Workspace.of("10K"))


def test_what_is_no_path_is_told_that_models_take_it(rng):
    with pytest.raises(TypeError, match="path=ndarray must be the path of a file: models take arrays"):
        open_blocks(rng.random((4, 3)))
