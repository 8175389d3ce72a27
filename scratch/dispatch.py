import sys,time,numpy as np,os
import manifact; print(manifact.__file__, flush=True)
from manifact.backends import threads
from manifact.backends.numpy.kernels import coordinate_steps as cs
from manifact.backends.numpy.kernels import sparse_products as sp
threads.SMALL_WORK=1
def run(n,k,reps):
    P,N,D=(np.random.rand(n,k).astype(np.float32)+.1 for _ in range(3)); out=np.empty_like(P)
    res=[]
    for t in (1,2,4,8,12,16):
        with threads.limit(t):
            f=lambda: threads.over_rows(cs.rescale,n,10**9,P,N,D,np.float32(1e-19),out)
            f();f()
            ts=[]
            for _ in range(reps):
                b=time.perf_counter(); f(); ts.append(time.perf_counter()-b)
            res.append((t,round(1e6*np.median(ts),1),round(1e6*min(ts),1)))
    print(n,k,"us (threads, median, min)",res,flush=True)
run(64,4,400); run(9394,30,200); run(36771,30,200); run(400000,30,20)
