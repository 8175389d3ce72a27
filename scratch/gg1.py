import cProfile, io, os, pstats, sys, time, traceback
import numpy as np, torch
from scipy import sparse
D = os.environ["MANIFACT_DATA"]
dev = "cuda"
print(torch.__version__, torch.cuda.get_device_name(0), os.cpu_count())
def timed(name, f, reps=3):
    try:
        for r in range(reps):
            torch.cuda.synchronize(); t = time.perf_counter(); out = f(); torch.cuda.synchronize()
            print(f"{name}: {time.perf_counter()-t:.3f} s")
        return out
    except Exception:
        traceback.print_exc()
from manifact.backends import torch as tb, numpy as nb
from manifact.graphs import KNNGraph, LandmarkGraph, AutoGraph
from manifact import AffinityNMF, GNMF
Xh = np.load(f"{D}/mnist.npz")["X"].astype(np.float32) / 255
X = timed("place", lambda: torch.as_tensor(Xh, device=dev))
timed("nearest mnist", lambda: tb.nearest(X, 5))
print("peak GiB", torch.cuda.max_memory_allocated() / 2**30)
timed("first_equal", lambda: tb.rows.first_equal(X), 2)
timed("directions 50", lambda: tb.leading_directions(X, 50), 2)
timed("KNNGraph binary", lambda: KNNGraph().build(X), 2)
timed("KNNGraph dir50", lambda: KNNGraph(30, weight="local", directions=50, balance=0.5).build(X), 2)
timed("Landmark", lambda: LandmarkGraph(1000).build(X), 2)
def prof(name, f):
    p = cProfile.Profile(); t = time.perf_counter(); p.enable()
    try: out = f()
    except Exception: traceback.print_exc(); out = None
    p.disable(); torch.cuda.synchronize(); print(f"== {name} {time.perf_counter()-t:.3f} s")
    s = io.StringIO(); pstats.Stats(p, stream=s).sort_stats("cumtime").print_stats(r"manifact|sklearn/clus|torch", 45)
    print("\n".join(l[:120] for l in s.getvalue().splitlines() if "manifact" in l or "{" in l or "sklearn" in l)[:5000])
    return out
def affinity(X): m = AffinityNMF(10, random_state=0).fit(X); m.labels_; return m
t = time.perf_counter(); m = affinity(X); torch.cuda.synchronize(); print("AffinityNMF auto first", time.perf_counter() - t, m.n_iter_)
m = prof("AffinityNMF auto again", lambda: affinity(X))
t = time.perf_counter(); GNMF(10, random_state=0).fit(X); print("GNMF auto first", time.perf_counter() - t)
prof("GNMF auto", lambda: GNMF(10, random_state=0).fit(X))
prof("transform", lambda: m.transform(X[:10000]))
from sklearn.metrics import adjusted_rand_score as ari
def small():
    for name in ("coil20", "yale32", "orl32", "umist_28x23", "binalpha", "pie_pose27", "pcmac", "basehock", "pbmc3k"):
        f = f"{D}/{name}.npz"
        try:
            z = np.load(f)
            if "X" in z: X, y = z["X"].astype(float), z["y"]
            else: X, y = sparse.csr_array(sparse.load_npz(f)).astype(float), np.load(f"{D}/{name}_y.npy")
            k = len(set(y[y >= 0].tolist()))
            for M in (AffinityNMF, GNMF):
                t = time.perf_counter(); a = M(k, random_state=0).fit(X).labels_; t1 = time.perf_counter()
                b = M(k, random_state=0).fit(tb.like(X, torch.empty(0, device=dev))).labels_; t2 = time.perf_counter()
                print(f"{name} {M.__name__} ARI {ari(np.asarray(a), np.asarray(b)):.4f} cpu {t1-t:.2f} gpu {t2-t1:.2f}", flush=True)
        except Exception: traceback.print_exc()
small()
try:
    import cupy; print("cupy", cupy.__version__)
    from array_api_compat import array_namespace
    c = cupy.random.rand(50, 20); t = torch.from_dlpack(c); print(t.device, array_namespace(c), type(cupy.from_dlpack(t)))
    import cupyx.scipy.sparse as cs
    S = cs.random(50, 20, 0.3, format="csr"); print(type(S).__module__, S.has_canonical_format, tb.rows)
    from manifact.backends import native
    print(native(S).shape, native(S).device)
except Exception: traceback.print_exc()
