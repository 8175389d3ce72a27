"""Reading what people have: tables, documents and images, each refused in one sentence where it is broken.

`read` chooses by the name's ending, or by what a folder holds. Nothing is changed on the way: scaling, counting words
and everything else that a model learns from its samples is `manifact.io.preparation`.
"""

from manifact.io.raw_samples import Samples
from manifact.io.readers.formats import check, known, read
from manifact.io.readers.matrices import read_graph, read_matrix
from manifact.io.readers.text_documents import read_words

__all__ = ["Samples", "check", "known", "read", "read_graph", "read_matrix", "read_words"]
