"""Timing of kernel variants at RCV1's size."""
import json, os, sys, time, traceback
import torch
from manifact.backends.torch.row_segments import segments
from manifact.backends.torch.kernels import ratio_passes as rp, gathered_products as gp, block_sums as bs, edge_chunks as ec, row_sweeps as rs, scaled_rows as sr
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
    lens=(lens/lens.mean()*(nnz*1.16/n)).long().clamp(1,2000)
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
for E,w,st in ((32,2,1),(32,1,1),(16,1,1),(64,4,1),(64,2,1),(32,4,1),(32,2,2),(32,2,3),(16,2,1),(32,1,2)):
    rp.ENTRIES,rp.WARPS,rp.STAGES=E,w,st
    tried(f"ratio rows E{E} w{w} st{st}",lambda: rp.ratio_rows(cut,ind,vals,U,V,fl,0,True))
rp.ENTRIES,rp.WARPS,rp.STAGES=32,2,1
tried("ratio rows E32 w2 no logs",lambda: rp.ratio_rows(cut,ind,vals,U,V,fl,0,False))
a=rp.ratio_rows(cut,ind,vals,U,V,fl,0,True); b=rp.ratio_rows(cut,ind,vals,U,V,fl,0,True); say("same bits",torch.equal(a[0],b[0]) and torch.equal(a[1],b[1]))
for S in (512,1024,2048):
  for blk in (1<<40,1<<17,1<<16,1<<15):
    t0=time.time(); cutT=segments(ptrT,indT,n,S,blk); torch.cuda.synchronize(); dt=time.time()-t0
    for E,w in (((32,2),(32,1),(64,4),(16,1)) if S==512 else ((32,2),)):
        rp.ENTRIES,rp.WARPS=E,w
        tried(f"ratio columns S{S} blk{blk} E{E} w{w} segs{len(cutT)} slots{cutT.n_slots} cut{dt:.2f}s",lambda: rp.ratio_rows(cutT,indT,valsT,V,U,fl,0,False))
cutT=segments(ptrT,indT,n,512,1<<16)
for E,w,st in ((32,2,1),(32,1,1),(64,4,1),(16,1,1),(32,2,3)):
    gp.ENTRIES,gp.WARPS,gp.STAGES=E,w,st
    tried(f"X U E{E} w{w} st{st}",lambda: gp.product_rows(cut,n,ind,vals,U))
    tried(f"Xt V E{E} w{w} st{st}",lambda: gp.product_rows(cutT,m,indT,valsT,V))
gp.ENTRIES,gp.WARPS,gp.STAGES=32,2,1
try:
    Xs=torch.sparse_csr_tensor(indptr.int(),ind,vals,(n,m)); tried("cusparse X U",lambda: Xs@U)
    say("product agrees",float((Xs@U-gp.product_rows(cut,n,ind,vals,U)).norm()/(Xs@U).norm())); del Xs
    Xt=torch.sparse_csr_tensor(ptrT.int(),indT,valsT,(m,n)); tried("cusparse Xt V",lambda: Xt@V); del Xt
except Exception as e: say("cusparse",repr(e)[:200])
# graph
d=4
h=torch.arange(n,device=dev).repeat_interleave(d); tl_=torch.randint(0,n,(n*d,),device=dev)
key=torch.unique(torch.cat([h*n+tl_,tl_*n+h])); h,tl_=key//n,key%n; ok=h!=tl_; h,tl_=h[ok],tl_[ok]
gptr=torch.zeros(n+1,dtype=torch.int64,device=dev); gptr[1:]=torch.cumsum(torch.bincount(h,minlength=n),0)
h,tl_=h.int(),tl_.int(); gw=torch.ones(len(h),device=dev); say("edges",len(h))
gcut=segments(gptr,tl_,n,512,1<<40)
for E,w in ((8,1),(16,1),(4,1),(8,2),(16,2)):
    gp.ENTRIES=E
    old=gp.padded
    gp.WARPS=w
    tried(f"W V E{E} w{w}",lambda: gp.product_rows(gcut,n,tl_,gw,V))
gp.ENTRIES,gp.WARPS=32,2
Ws=torch.sparse_csr_tensor(gptr.int(),tl_,gw,(n,n)); tried("cusparse W V",lambda: Ws@V); del Ws
for C,T in ((512,16),(1024,16),(512,8),(512,32),(2048,16)):
    ec.CHUNK,ec.TILE=C,T
    tried(f"edge energies same chunk{C} tile{T}",lambda: ec.edge_sums(h,tl_,gw,V,V))
ec.CHUNK,ec.TILE=512,16
L=V.log(); tried("edge energies V, log V",lambda: ec.edge_sums(h,tl_,gw,V,L)); tried("edge gaussians",lambda: ec.edge_weights(h,tl_,gw,V))
G=U.T@U/m; B=V@G*1.1; one=torch.ones(n,device=dev); P=V.clone()
for T,w in ((2048,4),(2048,2),(1024,1),(1024,2),(512,1),(4096,4),(2048,1)):
    rs.TILE,rs.WARPS=T,w
    tried(f"sweep all 1 sweep tile{T} w{w}",lambda: rs.sweep_all(P,G,B,one,one,1))
order=torch.randperm(n,device=dev)[:n//3].sort()[0].int(); lam=torch.tensor(.5,device=dev)
for T,w in ((2048,4),(1024,1),(512,1),(1024,2)):
    rs.TILE,rs.WARPS=T,w
    tried(f"sweep group n/3 tile{T} w{w}",lambda: rs.sweep_group(P,G,B,one,one,order,gptr,tl_,gw,lam))
rs.TILE,rs.WARPS=2048,4
tried("sweep quartic",lambda: rs.sweep_quartic(V,G,G,B,one,one,one))
for R,T in ((1024,4096),(512,2048),(2048,4096),(512,4096),(256,2048)):
    bs.ROWS,bs.TILE=R,T
    tried(f"column products rows{R} tile{T}",lambda: bs.block_products(V,B))
tried("column sums",lambda: bs.block_products(V,None))
tried("torch column sums f64",lambda: torch.sum(V,dim=0,dtype=torch.float64))
f=torch.tensor(1e-20,device=dev)
tried("rescaled",lambda: sr.rescaled(V,B,B,f)); tried("torch V*B/max",lambda: V*(B/torch.maximum(B,f)))
def crossed(rows):
    q=n//rows*rows
    a=V[:q].view(-1,rows,k); s=torch.matmul(a.mT,a).sum(0,dtype=torch.float64)
    return s+ (V[q:].mT@V[q:]).double()
for rows in (256,1024,4096): tried(f"cross bmm rows{rows}",lambda: crossed(rows))
tried("cross f64",lambda: V.double().T@V.double())
say("cross error",float((crossed(1024)-V.double().T@V.double()).norm()/(V.double().T@V.double()).norm()))
tried("V @ G",lambda: V@G); tried("log V",lambda: V.log())
for name,fn in (("launch-bound tiny kernels x20",lambda: [sr.rescaled(U,U,U,f) for _ in range(20)]),): tried(name,fn)
t0=time.time(); [sr.rescaled(U,U,U,f) for _ in range(200)]; say("host us per triton launch",(time.time()-t0)/200*1e6)
torch.cuda.synchronize(); t0=time.time(); rp.ratio_rows(cut,ind,vals,U,V,fl,0,True); say("host us ratio_rows",(time.time()-t0)*1e6)
