import os
from contextlib import ExitStack

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from manifact.backends.numpy.one_blas_thread import ONE_BLAS_THREAD


def of_blas():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_blas_has_its_threads_back_when_the_last_one_leaves():
    with threadpool_limits(2, user_api="blas"):
        before = of_blas()
        one, other = ExitStack(), ExitStack()
        one.enter_context(ONE_BLAS_THREAD)
        other.enter_context(ONE_BLAS_THREAD)
        one.close()
        assert set(of_blas()) == {1}
        other.close()
        assert of_blas() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_does_not_wait_for_its_parents_threads():
    with threadpool_limits(2, user_api="blas"):
        before = of_blas()
        with ONE_BLAS_THREAD, ONE_BLAS_THREAD._lock:
            child = os.fork()
            if child == 0:
                with ONE_BLAS_THREAD:
                    inside = of_blas()
                os._exit(0 if set(inside) == {1} and of_blas() == before else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
