"""Command lines that the help pages end with."""

from __future__ import annotations

from collections.abc import Mapping

#: Command -> what somebody wants, and the line to type.
EXAMPLES: Mapping[str, Mapping[str, str]] = {
    "fit": {
        "Topics of a folder of text files, their number chosen": "manifact fit articles/",
        "Parts of images, and a page": "manifact fit faces/ -k 25 --image-size 32x32 --report faces.html",
        "A table with names and known classes": "manifact fit table.csv -k 8 --name sample --label class",
        "Cells, with the neighbours in the file": "manifact fit cells.h5ad -k 15 --graph obsp:connectivities",
    },
    "select": {
        "What speaks for which number of topics": "manifact select articles/ --plot topics.png",
        "Three numbers of parts, one graph": "manifact select table.csv -k 5,8,12 --graph knn",
    },
    "report": {"Write articles.html and show it": "manifact report articles.safetensors --open"},
    "predict": {"Clusters of new texts": "manifact predict articles.safetensors more-articles/ -o clusters.csv"},
    "transform": {"Topics of new texts": "manifact transform articles.safetensors more-articles/ -o V.csv"},
    "info": {
        "Model, parts and clusters": "manifact info articles.safetensors",
        "The same for programs": "manifact info articles.safetensors --json",
    },
    "demo": {"Every model beside k-means": "manifact demo"},
    "reproduce": {
        "What there is": "manifact reproduce",
        "One table, in minutes": "manifact reproduce gnmf-table3 --quick",
    },
    "data": {
        "What there is, and what is here": "manifact data",
        "Download one set": "manifact data coil20",
    },
    "bench": {"One section, quickly": "manifact bench --only kl --quick"},
}


def epilog(command: str) -> str:
    """The end of a help page."""
    return "\n\n".join(f"{meant}: `{typed}`" for meant, typed in EXAMPLES[command].items())
