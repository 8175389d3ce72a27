"""A small data set of our own making, and a server on this machine that can misbehave."""

import re
import threading
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from scipy.io import savemat

from manifact.datasets import sources
from manifact.datasets.digest import digest
from manifact.datasets.sources import Entry, Remote

TOY_SHAPE = (3, 4)


@dataclass
class Served:
    """A file and how it is served."""

    content: bytes
    etag: str | None = '"one"'
    ranges: bool = True
    cut: int | None = None  # the connection ends after so many bytes of the body
    length: bool = True


@dataclass
class Server:
    address: str
    files: dict[str, Served] = field(default_factory=dict)
    requests: list[tuple[str, str | None]] = field(default_factory=list)

    def add(self, name, content, **how):
        self.files[f"/{name}"] = Served(content, **how)
        return Remote(f"{self.address}/{name}", sha256(content).hexdigest())


@pytest.fixture
def server():
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            log.requests.append((self.path, self.headers.get("Range")))
            served = log.files.get(self.path)
            if served is None:
                self.send_error(404)
                return
            start = self.start(served)
            if start is not None and start >= len(served.content):
                self.send_error(416)
                return
            self.answer(served, start)

        def start(self, served):
            asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
            same = self.headers.get("If-Range") in (None, served.etag)
            return int(asked[1]) if asked and same and served.ranges else None

        def answer(self, served, start):
            body = served.content[start or 0 :]
            self.send_response(200 if start is None else 206)
            if served.length:
                self.send_header("Content-Length", str(len(body)))
            if start is not None:
                last = len(served.content) - 1
                self.send_header("Content-Range", f"bytes {start}-{last}/{len(served.content)}")
            if served.etag:
                self.send_header("ETag", served.etag)
            self.end_headers()
            self.wfile.write(body[: served.cut])

        def log_message(self, *message):
            pass

    httpd = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    log = Server(f"http://127.0.0.1:{httpd.server_address[1]}")
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield log
    httpd.shutdown()
    httpd.server_close()
    thread.join()


@pytest.fixture
def toy(monkeypatch):
    """(entry, X, y) of a registered data set of 6 images 3 x 4 in 2 classes."""
    X = np.arange(72, dtype=np.uint8).reshape(6, 12)
    y = np.array([0, 0, 0, 1, 1, 1])
    entry = Entry(
        "toy", "images", 6, 12, 2, "uint8", "toy.npz", (("Toy.mat",),), digest(X, y), "http://toy.invalid/page",
        image_shapes=(TOY_SHAPE,),
    )  # fmt: skip
    monkeypatch.setattr(sources, "SETS", {**sources.SETS, "toy": entry})
    for module in ("home", "fetching"):
        monkeypatch.setattr(f"manifact.datasets.{module}.SETS", sources.SETS)
    return entry, X, y


def column_major(X, image_shape):
    """Images as MATLAB flattens them."""
    return np.stack([row.reshape(image_shape).ravel(order="F") for row in X])


@pytest.fixture
def toy_mat(toy, tmp_path):
    """The bytes of the toy's MATLAB file."""
    _, X, y = toy
    file = tmp_path / "made" / "Toy.mat"
    file.parent.mkdir()
    savemat(file, {"fea": column_major(X, TOY_SHAPE).astype(float), "gnd": y[:, None] + 1.0})
    return file.read_bytes()
