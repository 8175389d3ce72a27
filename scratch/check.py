import os, sys
import torch
dev = "cuda" if torch.cuda.is_available() else "cpu"
if dev == "cpu": os.environ["TRITON_INTERPRET"]="1"
import numpy as np
if dev=="cpu":
    import triton.runtime.interpreter as interp
    _o=interp._patch_lang_tensor
    def _p(tensor, *a):
        _o(tensor, *a)
        (a[0].set_attr(tensor,"__index__",lambda self:int(self.handle.data.item())) if a else setattr(tensor,"__index__",lambda self:int(self.handle.data.item())))
    interp._patch_lang_tensor=_p
from manifact.backends.torch.row_segments import segments
from manifact.backends.torch.kernels.ratio_passes import ratio_rows
from manifact.backends.torch.kernels.gathered_products import product_rows
from manifact.backends.torch.kernels.block_sums import block_products
from manifact.backends.torch.kernels.edge_chunks import edge_sums, edge_weights
from manifact.backends.torch.kernels.row_sweeps import sweep_all, sweep_group, sweep_quartic
from manifact.backends.torch.kernels.scaled_rows import rescaled
torch.manual_seed(0)
def rel(a,b): return float((a.double()-b.double()).norm()/b.double().norm())
for dt in (torch.float32, torch.float64):
  for (n,m,k) in ((13,40,5),(9,30,16)):
    X=(torch.rand(n,m)*(torch.rand(n,m)<.5)).to(dt).to(dev); X[2]=0; X[3]=.5
    U=torch.rand(m,k,dtype=dt,device=dev); V=torch.rand(n,k,dtype=dt,device=dev)
    S=X.to_sparse_csr()
    for at_once in (1000,16):
        cut=segments(S.crow_indices(),S.col_indices(),m,8,at_once)
        Y=V@U.T
        out,logs=ratio_rows(cut,S.col_indices().int(),S.values(),U,V,torch.full((1,),1e-10,dtype=dt,device=dev),0,True)
        print(dt,n,at_once,len(cut),cut.n_slots,"ratio",rel(out,(X/Y)@U),"logs",float(logs.sum()-(X.double()*Y.double().log()).sum()))
        print("prod",rel(product_rows(cut,n,S.col_indices().int(),S.values(),U),X@U))
    print("sums",rel(block_products(V,None),V.double().sum(0)),rel(block_products(V,V*2),(V.double()*V.double()*2).sum(0)))
    W=torch.triu(torch.rand(n,n)<.3,1); W=(W+W.T.clone()).to(dt).to(dev); Ws=W.to_sparse_csr()
    h,t=torch.nonzero(W,as_tuple=True)
    e=(.5*(V[h]-V[t])*(V[h]-V[t]).log1p().abs() if 0 else .5*((V[h]-V[t]).double()**2).sum(0))
    print("edges",rel(edge_sums(h.int(),t.int(),Ws.values(),V,V),e), rel(edge_sums(h.int(),t.int(),Ws.values(),V,2*V),2*e), rel(edge_weights(h.int(),t.int(),Ws.values(),V),torch.exp(-((V[h]-V[t])**2).sum(1))))
    from manifact.backends import plain
    G=U.T@U; B=torch.rand(n,k,dtype=dt,device=dev)*5; sc=torch.rand(n,dtype=dt,device=dev)+.1; sh=torch.rand(n,dtype=dt,device=dev)
    P=V.clone(); sweep_all(P,G,B,sc,sh,2); print("sweep",rel(P,plain.sweep_rows(V,G,B,sc,sh,2)))
    P=V.clone(); order=torch.tensor([0,4],device=dev); 
    sweep_group(P,G,B,sc,sh,order,(W@V)[order].contiguous(),torch.tensor(.3,dtype=dt,device=dev))
    Q=V.clone(); Q[order]=plain.sweep_rows(V,G,B+.3*(W@V),sc,sh,1)[order]; print("group",rel(P,Q))
    A=V.T@V
    print("quartic",rel(sweep_quartic(V,G,A,B,sc,sh,sh*2), torch.stack([plain.sweep_rows(V[j:j+1],sc[j]*G+2*sh[j]*A,B[j:j+1],1.0,sh[j],1)[0] for j in range(n)])))
    print("rescale",rel(rescaled(V,B,sh[:,None]+V,torch.tensor(1e-30,dtype=dt,device=dev)),V*B/(sh[:,None]+V)), rel(rescaled(V,B,V[:1].contiguous(),torch.tensor(1e-30,dtype=dt,device=dev)),V*B/V[:1]))

    from manifact.backends.torch.kernels.row_projections import least_squares, divergence
    from manifact.backends import numpy as nb
    Vn,rest=least_squares(G,B,sh,200,1e-10 if dt==torch.float64 else 5e-7); exp=torch.as_tensor(nb.nonnegative_least_squares(G.cpu().numpy(),B.cpu().numpy(),sh.cpu().numpy())).to(dev)
    print("nnls",rel(Vn,exp),int(rest.sum()))
    D=nb.data(__import__("scipy.sparse").sparse.csr_array(X.cpu().numpy()),None)
    for pull in (None, V):
        exp=torch.as_tensor(D.project_divergence(U.cpu().numpy(),None if pull is None else pull.cpu().numpy(),sh.cpu().numpy(),.1,.2)).to(dev)
        a=U.sum(0)+.1; Z=(X.sum(1,keepdim=True)/a.sum()).expand(-1,k).contiguous(); pl=torch.zeros_like(Z) if pull is None else pull
        Z=(Z+pl/(a+sh[:,None])).contiguous()
        divergence(S.crow_indices(),S.col_indices().int(),S.values(),U,a,.2,pl.contiguous(),sh,1e-10,1000,1e-9 if dt==torch.float64 else 5e-7,Z)
        print("kl projection",rel(Z,exp))
