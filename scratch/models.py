"""iteration ms per model and threads."""
import sys,time,warnings,os
import numpy as np
warnings.simplefilter("ignore")
import manifact; print(manifact.__file__, flush=True)
from manifact.backends import threads
from manifact.experiments.bench.benchmark_samples import prepared, random_start
from manifact.models import *
from manifact.graphs import KNNGraph
names=sys.argv[1].split(","); counts=[int(c) for c in sys.argv[2].split(",")]; its=int(sys.argv[3])
X=prepared("tdt2").X
g=KNNGraph(5,metric="cosine").build(X).W
k=30
V,UT=random_start(X,k,0)
mk={"gnmf":lambda n:GNMF(k,graph=g,graph_reg=100.,solver="mu",init=(V,UT),max_iter=n,tol=0),
"gnmfbcd":lambda n:GNMF(k,graph=g,graph_reg=100.,solver="bcd",init=(V,UT),max_iter=n,tol=0),
"nmf":lambda n:NMF(k,solver="mu",init=(V,UT),max_iter=n,tol=0),
"bcd":lambda n:NMF(k,solver="bcd",init=(V,UT),max_iter=n,tol=0),
"kl":lambda n:NMF(k,solver="mu",loss="kullback-leibler",init=(V,UT),max_iter=n,tol=0),
"lpnmf":lambda n:LPNMF(k,graph=g,solver="mu",init=(V,UT),max_iter=n,tol=0),
"affinity":lambda n:AffinityNMF(k,graph=g,max_iter=n,tol=0,random_state=0),}
for name in names:
    try:
        line=[]
        mk[name](2).fit(X)
        for c in counts:
            with threads.limit(c):
                ticks=[]
                mk[name](its).fit(X,callbacks=[lambda i: ticks.append(time.perf_counter())])
                d=np.diff(ticks)[1:]*1e3
                line.append((c,round(float(np.median(d)),2),round(float(d[0]),2),round(float(np.median(d[-3:])),2)))
        print(name,"(threads, median ms, iteration 2, last three)",line,flush=True)
    except Exception as e: print(name,"failed",repr(e)[:200],flush=True)
