"""One file over HTTP, continued where an earlier attempt stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from manifact.utils.progress import Advance, steps

if TYPE_CHECKING:
    from requests import Response

#: Seconds to connect, and to wait for the next bytes.
TIMEOUT = (15.0, 60.0)
CHUNK = 1 << 16


class CutError(OSError):
    """A connection ended before the file did."""


@dataclass(frozen=True)
class ResumingDownloader:
    """A pooch downloader that keeps what has arrived in ``part`` and asks only for the rest the next time.

    Beside the part stands what the server said about the file (``.json``). If it says something else the next time, or
    if it does not know ranges, the download starts over.
    """

    part: Path
    title: str

    def __call__(self, url: str, output_file: str | IO[bytes], pooch: Any) -> None:
        """Download ``url`` and put it, whole, at ``output_file``."""
        if not isinstance(output_file, str | os.PathLike):
            raise TypeError("a download that can be continued needs a file name, not an open file")
        with self._response(url) as (response, start):
            self._receive(url, response, start)
        os.replace(self.part, output_file)
        self._note.unlink(missing_ok=True)

    @property
    def _note(self) -> Path:
        return self.part.with_name(f"{self.part.name}.json")

    @contextmanager
    def _response(self, url: str) -> Iterator[tuple[Response, int]]:
        """An answer whose body belongs at the returned place in the part."""
        import requests

        start = self.part.stat().st_size if self.part.exists() and self._noted(url) else 0
        with requests.get(url, headers=_headers(start, self._noted(url)), stream=True, timeout=TIMEOUT) as response:
            continues = response.status_code == 206 and _fingerprint(url, response, start) == self._noted(url)
            if start == 0 or response.status_code == 200 or continues:
                response.raise_for_status()
                yield response, start if continues else 0
                return
            if response.status_code not in (206, 416):  # 416: the part is no shorter than the file now is
                response.raise_for_status()
        with requests.get(url, headers=_headers(0, {}), stream=True, timeout=TIMEOUT) as response:
            response.raise_for_status()
            yield response, 0

    def _noted(self, url: str) -> dict[str, Any]:
        """What the server said about the file when the part was begun; nothing if that was another address."""
        try:
            noted = json.loads(self._note.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return noted if isinstance(noted, dict) and noted.get("address") == url else {}

    def _receive(self, url: str, response: Response, start: int) -> None:
        """Write the body behind the first ``start`` bytes of the part."""
        from urllib3.exceptions import HTTPError

        fingerprint = _fingerprint(url, response, start)
        total = fingerprint["size"]
        if start == 0:
            self.part.unlink(missing_ok=True)
            self._note.write_text(json.dumps(fingerprint), encoding="utf-8")
        try:
            with _bar(self.title, total, start) as advance, self.part.open("ab") as file:
                for chunk in response.raw.stream(CHUNK, decode_content=False):
                    file.write(chunk)
                    advance(len(chunk))
        except HTTPError as problem:
            raise CutError(f"the connection broke: {problem}") from problem
        size = self.part.stat().st_size
        if total is not None and size != total:
            raise CutError(f"the connection ended after {size} of {total} bytes")


def _headers(start: int, noted: dict[str, Any]) -> dict[str, str]:
    """What to ask for: bytes as they are stored, those from ``start`` on, if the file is still the same."""
    headers = {"Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
        tag = noted.get("etag") or ""
        same = tag if tag and not tag.startswith("W/") else noted.get("modified")  # a weak tag may not stand here
        if same:
            headers["If-Range"] = same
    return headers


def _fingerprint(url: str, response: Response, start: int) -> dict[str, Any]:
    """What tells one version of a remote file from another."""
    size: int | None = None
    if response.status_code == 206:
        span, _, length = response.headers.get("Content-Range", "").rpartition("/")
        if span.startswith(f"bytes {start}-") and length.isdigit():
            size = int(length)
    elif response.headers.get("Content-Length", "").isdigit():
        size = int(response.headers["Content-Length"])
    return {
        "address": url,
        "size": size,
        "etag": response.headers.get("ETag"),
        "modified": response.headers.get("Last-Modified"),
    }


@contextmanager
def _bar(title: str, total: int | None, start: int) -> Iterator[Advance]:
    """A bar from where the part is, or none for a file of unknown length."""
    if total is None:
        yield lambda amount: None
        return
    with steps(title, total) as advance:
        advance(start)
        yield advance
