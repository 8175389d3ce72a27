"""How often documents are taken apart and folders are walked."""

from collections import Counter

from sklearn.feature_extraction.text import CountVectorizer

from manifact.io.readers import folders


def count_analysed(monkeypatch):
    """A counter of the documents that are split into words, from now on."""
    seen: Counter[str] = Counter()
    build = CountVectorizer.build_analyzer

    def counting(self):
        analyse = build(self)

        def analysed(document):
            seen[document] += 1
            return analyse(document)

        return analysed

    monkeypatch.setattr(CountVectorizer, "build_analyzer", counting)
    return seen


def count_walked(monkeypatch):
    """A counter of the folders that are walked, from now on."""
    seen: Counter[str] = Counter()
    walk = folders.walk

    def walked(folder):
        seen[str(folder)] += 1
        return walk(folder)

    monkeypatch.setattr(folders, "walk", walked)
    return seen
