"""Timing of kernel variants at RCV1's size."""
import json, os, sys, time, traceback
import torch
from manifact.backends.torch.row_segments import segments
from manifact.backends.torch.kernels import ratio_passes as rp
dev="cuda"; torch.manual_seed(0)
n,m,nnz,k=804414,47236,58_000_000,64
if os.environ.get("SMALL"): n,m,nnz=20000,3000,600_000
OUT=os.environ.get("OUT","/tmp")
log=open(f"{OUT}/variants.txt","w")
def say(*a):
    print(*a,flush=True); print(*a,file=log,flush=True)
def bench(f,rep=7):
    f(); torch.cuda.synchronize()
    ts=[]
    for _ in range(rep):
        a,b=torch.cuda.Event(enable_timing=True),torch.cuda.Event(enable_timing=True)
        a.record(); f(); b.record(); torch.cuda.synchronize(); ts.append(a.elapsed_time(b))
    return sorted(ts)[len(ts)//2]
def tried(name,f,rep=7):
    try:
        t=bench(f,rep); say(f"{name:60s} {t:8.3f} ms"); return t
    except Exception as e:
        say(name,"FAILED",repr(e)[:300]); return None
t0=time.time()
def make():
    g=torch.Generator(device=dev); g.manual_seed(1)
    w=1.0/(torch.arange(1,m+1,device=dev,dtype=torch.float64)+20)
    cdf=torch.cumsum(w,0)/w.sum()
    names=torch.randperm(m,device=dev,generator=g)
    lens=torch.exp(torch.randn(n,device=dev,generator=g)*.7)
    lens=(lens/lens.mean()*(nnz*1.056/n)).long().clamp(1,2000)
    rows=torch.repeat_interleave(torch.arange(n,device=dev),lens)
    u=torch.rand(len(rows),device=dev,generator=g,dtype=torch.float64)
    cols=names[torch.searchsorted(cdf,u).clamp(max=m-1)]
    key=torch.unique(rows*m+cols)
    r,c=key//m,key%m
    indptr=torch.zeros(n+1,dtype=torch.int64,device=dev); indptr[1:]=torch.cumsum(torch.bincount(r,minlength=n),0)
    vals=torch.rand(len(c),device=dev,generator=g)+.1
    return indptr,c.int(),vals,r
indptr,ind,vals,r=make(); torch.cuda.synchronize()
say("generated",len(ind),"nnz in",time.time()-t0,"longest row",int(torch.diff(indptr).max()), torch.cuda.get_device_name(), torch.__version__)
t0=time.time()
c2,order=torch.sort(ind,stable=True); indT=r[order].int(); valsT=vals[order]
ptrT=torch.zeros(m+1,dtype=torch.int64,device=dev); ptrT[1:]=torch.cumsum(torch.bincount(c2,minlength=m),0)
del c2,order; torch.cuda.synchronize(); say("transposed in",time.time()-t0,"longest column",int(torch.diff(ptrT).max()))
U=torch.rand(m,k,device=dev)+.01; V=torch.rand(n,k,device=dev)+.01
big=torch.empty(1<<29,device=dev); big2=torch.empty_like(big)
t=bench(lambda: big2.copy_(big)); say("copy TB/s",2*big.numel()*4/t/1e9)
del big,big2
fl=torch.full((1,),1e-10,device=dev)
ref=None
cut=segments(indptr,ind,m,512,1<<40); say("row segments",len(cut),cut.n_slots)
for halved in (64,128):
  for E,w in ((16,2),(16,1),(32,2),(32,1),(32,4),(8,1),(64,4)):
    rp.ENTRIES,rp.WARPS,rp.HALVED_FROM=E,w,halved
    tried(f"ratio rows halved{halved} E{E} w{w}",lambda: rp.ratio_rows(cut,ind,vals,U,V,fl,0,True))
rp.HALVED_FROM=64
cutT=segments(ptrT,indT,n,512,1<<17)
for E,w in ((16,2),(16,1),(32,2),(32,1),(8,1)):
    rp.ENTRIES,rp.WARPS=E,w
    tried(f"ratio columns halved E{E} w{w}",lambda: rp.ratio_rows(cutT,indT,valsT,V,U,fl,0,False))
