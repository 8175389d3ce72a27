"""Arrays of a package that has no backend here and speaks DLPack: what CuPy is on a GPU, in the host's memory."""

import numpy as np


class ForeignArray:
    """Hands its numbers over by DLPack, names its namespace, and can do nothing else with NumPy or PyTorch."""

    def __init__(self, numbers):
        self.numbers = np.asarray(numbers)
        self.shape, self.dtype, self.ndim = self.numbers.shape, self.numbers.dtype, self.numbers.ndim

    def __dlpack__(self, **options):
        return self.numbers.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.numbers.__dlpack_device__()

    def __array_namespace__(self, api_version=None):
        return ForeignNamespace

    def __array__(self, *_, **__):
        raise TypeError("convert it explicitly")

    def __add__(self, other):
        return ForeignArray(self.numbers + other)


class ForeignNamespace:
    """As much of the package as results need."""

    @staticmethod
    def from_dlpack(array):
        return ForeignArray(np.from_dlpack(array))
