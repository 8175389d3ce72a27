import triton, re, sys
from triton.compiler import ASTSource
from triton.backends.compiler import GPUTarget
from manifact.backends.torch.kernels import ratio_passes as rp, gathered_products as gp, block_sums as bs, edge_chunks as ec, row_sweeps as rs, scaled_rows as sr, slot_sums as ss
def go(fn, sig, const, warps, name):
    names=fn.arg_names
    signature={n: ("constexpr" if n in const else sig[n]) for n in names}
    attrs={}
    for i,n in enumerate(names):
        if n not in const and sig[n].startswith("*"): attrs[(i,)]=[["tt.divisibility",16]]
    src=ASTSource(fn=fn,signature=signature,constexprs={(names.index(n),):v for n,v in const.items()},attrs=attrs)
    k=triton.compile(src,target=GPUTarget("cuda",90,32),options={"num_warps":warps})
    ptx=k.asm["ptx"]
    import subprocess,tempfile,os
    f=tempfile.NamedTemporaryFile("w",suffix=".ptx",delete=False); f.write(ptx); f.close()
    ptxas=os.path.join(os.path.dirname(triton.__file__),"backends/nvidia/bin/ptxas")
    o=subprocess.run([ptxas,"-v","-arch=sm_90a",f.name,"-o","/dev/null"],capture_output=True,text=True).stderr
    print(name, re.findall(r"Used \d+ registers|\d+ bytes spill \w+",o), "v4 loads",len(re.findall(r"ld\.global\S*v4",ptx)), "shared", k.metadata.shared, flush=True)
f=sys.argv[1] if len(sys.argv)>1 else "*fp32"; i="*i32"; l="*i64"; d="*fp64"
from manifact.backends.torch.kernels import row_projections as pr
for E,w in ((16,2),(32,2),(16,1)):
    go(rp._segment_ratios,dict(row_at=i,first_at=l,size_at=i,slot_at=i,indices=i,values=f,M=f,N=f,floors=f,tiny_at=f,out=f,slots=f,logs=d),dict(k=64,H=32,E=E,HALVES=True,WHOSE=2,LOGS=True),w,f"ratio {E} {w}")
go(rp._segment_ratios,dict(row_at=i,first_at=l,size_at=i,slot_at=i,indices=i,values=f,M=f,N=f,floors=f,tiny_at=f,out=f,slots=f,logs=d),dict(k=20,H=32,E=16,HALVES=False,WHOSE=1,LOGS=True),2,f"ratio 20")
go(pr._least_squares,dict(G=f,B=f,shift=f,tol_at=f,V=f,restless=i,n="i32",most="i32"),dict(k=20,K=32,R=16),4,"nnls")
go(pr._divergence,dict(indptr=i,indices=i,values=f,UT=f,a=f,pull=f,shift=f,numbers=f,V=f,Y=f,m="i32",most="i32"),dict(k=20,K=32,T=128),4,"kl projection")
go(gp._segment_products,dict(row_at=i,first_at=l,size_at=i,slot_at=i,indices=i,values=f,M=f,out=f,slots=f),dict(k=64,K=64,E=16),1,"product")
go(ss._add_slots,dict(row_at=i,first_at=i,count_at=i,slots=f,out=f),dict(k=64,K=64,S=16),2,"slots")
for k,K,T,w in ((64,64,32,4),(20,32,64,4),(5,8,256,4),(100,128,16,4)):
  for tied in (True,False):
    go(rs._sweep,dict(V=f,G=f,B=f,scale=f,shift=f,order=i,pulls=f,lam_at=f,n="i32",sweeps="i32"),dict(k=k,K=K,R=T,TIED=tied),w,f"sweep k{k} R{T} w{w} {tied}")
go(rs._sweep_quartic,dict(V=f,G=f,A=f,B=f,scale=f,shift=f,tied=f,out=f,n="i32"),dict(k=64,K=64,R=32),4,"quartic")
go(bs._block_products,dict(A=f,B=f,sums=d,n="i32"),dict(k=64,K=64,R=64,ROWS_HERE=1024,TWO=True),4,"block")
go(ec._chunk_energies,dict(heads=i,tails=i,weights=f,A=f,B=f,sums=d,edges="i32"),dict(k=64,K=64,E=16,EDGES_HERE=512,SAME=False),4,"energies")
go(ec._chunk_gaussians,dict(heads=i,tails=i,weights=f,V=f,out=f,edges="i32"),dict(k=64,K=64,E=16),2,"gauss")
go(sr._rescaled,dict(P=f,negative=f,positive=f,floor=f,out=f,size="i32"),dict(k=64,ONE_ROW=False,N=1024),4,"rescale")
go(sr._rescaled,dict(P=f,negative=f,positive=f,floor=f,out=f,size="i32"),dict(k=64,ONE_ROW=True,N=1024),4,"rescale1")
