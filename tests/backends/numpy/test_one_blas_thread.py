from contextlib import ExitStack

import pytest

from manifact.backends.numpy.one_blas_thread import ONE_BLAS_THREAD


def test_blas_has_its_threads_back_when_the_last_one_leaves():
    threadpoolctl = pytest.importorskip("threadpoolctl")

    def of_blas():
        return [library["num_threads"] for library in threadpoolctl.threadpool_info() if library["user_api"] == "blas"]

    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = of_blas()
        one, other = ExitStack(), ExitStack()
        one.enter_context(ONE_BLAS_THREAD)
        other.enter_context(ONE_BLAS_THREAD)
        one.close()
        assert set(of_blas()) == {1}
        other.close()
        assert of_blas() == before
