import sys, time, warnings
from itertools import chain

warnings.simplefilter("ignore")
from manifact.backends import threads
from manifact.experiments.bench import peer_objectives, slow_corners
from manifact.experiments.bench.benchmark_settings import Scale, Setting

print("threads", threads.count(), flush=True)
begun = time.time()
setting = Setting(repeats=2, scale=Scale())
what = sys.argv[1]
if what == "corners":
    for corner in chain(slow_corners._first_uses(), slow_corners._fits(setting)):
        try:
            few = Setting(repeats=1 if "sklearn" in corner.beside_name else 2)
            row = slow_corners._row(few, corner)
            print(
                {k: round(v, 3) if isinstance(v, float) else v for k, v in row.items()},
                f"{time.time() - begun:.0f}",
                flush=True,
            )
        except Exception as error:
            print(corner.name, corner.data, repr(error)[:300], flush=True)
else:
    for name in ("pie", "tdt2", "mnist"):
        from manifact.experiments.bench.benchmark_samples import present

        samples = present(name)
        if samples is None:
            print("no", name)
            continue
        few = Setting(repeats=1, scale=Scale(peer_iterations=200 if name != "mnist" else 60))
        for row in peer_objectives._rows(few, samples):
            print(
                {k: round(v, 3) if isinstance(v, float) else v for k, v in row.items()},
                f"{time.time() - begun:.0f}",
                flush=True,
            )
