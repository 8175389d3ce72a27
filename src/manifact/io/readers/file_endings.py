"""What the end of a file's name says about it, among the files of a folder."""

from __future__ import annotations

from pathlib import Path

from manifact.io.readers.text_files import ending

IMAGES = frozenset((".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".pgm"))
#: Endings of what people write for people: beside images these are likely to be meant.
TEXTS = frozenset((".txt", ".text", ".md", ".rst", ".eml"))

_PICTURES = ".avif .cr2 .dng .eps .exr .heic .heif .ico .jfif .jp2 .nef .pbm .pnm .ppm .psd .raw .svg .svgz .tga .xcf"
_SOUND_AND_FILM = ".aac .aif .aiff .avi .flac .flv .m4a .m4v .mid .mkv .mov .mp3 .mp4 .mpeg .mpg .oga .ogg .ogv .opus"
_OFFICE = (
    ".doc .docm .docx .dotx .key .msg .numbers .odg .odp .ods .odt .pages .ppt .pptm .pptx .pst .rtf .xls "
    ".xlsb .xlsm .xlsx .djvu .dvi .epub .mobi .azw .azw3 .pdf .ps .xps"
)
_DATA = (
    ".arrow .avro .bson .csv .dat .db .dbf .dta .feather .geojson .h5 .h5ad .hdf .hdf5 .ipynb .json .jsonl .ldjson "
    ".loom .mat .mdb .mtx .nc .ndjson .npy .npz .onnx .orc .parquet .pickle .pkl .pt .pth .rda .rdata .rds "
    ".safetensors .sav .sqlite .sqlite3 .tab .tfrecord .tsv .zarr"
)
_ARCHIVES = (
    ".7z .apk .bz2 .cab .deb .dmg .gz .img .iso .jar .lz .lz4 .lzma .rar .rpm .tar .tbz2 .tgz .txz .whl .xz .z "
    ".zip .zst"
)
_PROGRAMS = ".bin .class .dll .dylib .elc .exe .msi .o .obj .pyc .pyd .pyo .so .swf .wasm"
_FONTS_AND_KEYS = ".der .gpg .jks .otf .p12 .pfx .sig .ttf .woff .woff2"
#: Endings of what is no text, or is no document though it is text: a table is not one, nor are records.
NOT_TEXT = IMAGES.union(
    *map(str.split, (_PICTURES, _SOUND_AND_FILM, ".wav .webm .wma .wmv", _OFFICE, _DATA)),
    *map(str.split, (_ARCHIVES, _PROGRAMS, _FONTS_AND_KEYS)),
)


def may_be_text(file: Path) -> bool:
    """Whether nothing in a file's name says that it is no text: endings that nobody knows do not.

    >>> [may_be_text(Path(name)) for name in ("LGPL-2.1", "51060", "mail.eml", "notes.log.gz", "page.html")]
    [True, True, True, True, True]
    >>> [may_be_text(Path(name)) for name in ("a.docx", "b.PNG", "c.csv.gz", "d.tar.xz", "e.pdf")]
    [False, False, False, False, False]
    """
    return ending(file) not in NOT_TEXT


def is_image(file: Path) -> bool:
    """Whether a file is called like an image that we read."""
    return file.suffix.lower() in IMAGES


def is_surely_text(file: Path) -> bool:
    """Whether a file is called like what people write for people."""
    return ending(file) in TEXTS
