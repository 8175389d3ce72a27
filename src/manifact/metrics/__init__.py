"""How well clusters agree with classes, how sparse parts are, and whether the words of topics belong together."""

from manifact.metrics.agreement import accuracy, match, nmi, sparseness
from manifact.metrics.topic_words import coherence, diversity

__all__ = ["accuracy", "coherence", "diversity", "match", "nmi", "sparseness"]
