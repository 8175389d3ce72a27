"""Images: pixels between 0 and 1, then scaled rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from manifact.io.preparation.base_preparation import Preparation, shape_of
from manifact.io.raw_samples import Samples
from manifact.utils import memory
from manifact.utils.errors import Sentence


@dataclass(frozen=True)
class ImagePreparation(Preparation):
    """Pixels / 255 in float32: eight bits have no more digits, and half the memory holds twice the images."""

    kind = "images"

    @staticmethod
    def learn(samples: Samples, scale: str) -> ImagePreparation:
        """The size of these images."""
        return ImagePreparation(scale, image_shape=samples.image_shape)

    @property
    def read_options(self) -> dict[str, Any]:
        shape = self.image_shape or ()
        return {"kind": self.kind, "image_size": shape[:2], "color": len(shape) == 3}

    def _values(self, samples: Samples) -> Any:
        if samples.image_shape != self.image_shape:
            given, own = (" x ".join(map(str, shape or ())) for shape in (samples.image_shape, self.image_shape))
            raise ValueError(
                f"{samples.source} holds images of {given} and the model was fitted to {own}: read them in that size"
            )
        memory.require(2 * samples.X.size * 4, samples.source, Sentence("choose a smaller {image_size}=…"))
        return samples.X.astype(np.float32) / np.float32(255)

    def _learnt(self) -> dict[str, Any]:
        return {}

    @classmethod
    def _restored(cls, stored: dict[str, Any]) -> ImagePreparation:
        shape = shape_of(stored)
        if shape is None or len(shape) not in (2, 3):
            raise ValueError(f"an image_shape of {shape}")
        return ImagePreparation(stored["scale"], image_shape=shape)
