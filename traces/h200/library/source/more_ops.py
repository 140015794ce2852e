# One launch each of PyTorch operators, between cuProfilerStart and Stop. argv: repeats
import sys, torch
import torch.nn.functional as F
torch.manual_seed(0)
d='cuda'; R=int(sys.argv[1])
def r(*s,dt=torch.bfloat16): return torch.randn(*s,device=d,dtype=dt)
ops=[]
def add(name,f): ops.append((name,f))

bf,hf,f32,f64=torch.bfloat16,torch.float16,torch.float32,torch.float64
def mm(m,n,k,dt,ta=False,tb=False):
    a=r(k,m,dt=dt).t() if ta else r(m,k,dt=dt); b=r(n,k,dt=dt).t() if tb else r(k,n,dt=dt)
    add(f"mm_{str(dt)[6:]}_{m}x{n}x{k}{'_ta' if ta else ''}{'_tb' if tb else ''}",lambda:torch.mm(a,b))
for m,n,k in [(512,512,512),(1024,1024,4096),(3072,1024,1024),(128,4096,1024),(16,4096,4096),(1536,1536,200),(2000,1000,500)]: mm(m,n,k,bf)
mm(1024,1024,1024,hf,ta=True); mm(2048,512,1024,hf,tb=True); mm(768,768,768,hf,True,True); mm(256,1024,512,f32); mm(256,256,256,f64); mm(64,64,8192,hf); mm(8,8192,1024,hf)
def fp8(m,n,k):
    a=r(m,k).to(torch.float8_e4m3fn); b=r(n,k).to(torch.float8_e4m3fn).t(); s=torch.tensor(1.0,device=d)
    add(f'fp8_{m}x{n}x{k}',lambda:torch._scaled_mm(a,b,scale_a=s,scale_b=s,out_dtype=bf))
fp8(1024,1024,1024); fp8(512,4096,2048)
ia=torch.randint(-8,8,(1024,1024),device=d,dtype=torch.int8); ib=torch.randint(-8,8,(1024,1024),device=d,dtype=torch.int8).t()
add('int8_1024',lambda:torch._int_mm(ia,ib))
def bmm(b,m,n,k,dt):
    x,y=r(b,m,k,dt=dt),r(b,k,n,dt=dt); add(f'bmm_{b}x{m}x{n}x{k}_{str(dt)[6:]}',lambda:torch.bmm(x,y))
bmm(64,128,128,128,hf); bmm(8,1024,64,512,bf); bmm(16,256,256,64,f32)
def sd(b,h,s,e,be,causal,dt=bf):
    q,k,v=[r(b,h,s,e,dt=dt) for _ in range(3)]
    B=getattr(torch.nn.attention.SDPBackend,be)
    def f():
        with torch.nn.attention.sdpa_kernel(B): F.scaled_dot_product_attention(q,k,v,is_causal=causal)
    add(f'sdpa_{be[:5].lower()}_{b}x{h}x{s}x{e}{"c" if causal else ""}',f)
sd(2,8,1024,64,'FLASH_ATTENTION',False); sd(1,4,2048,128,'FLASH_ATTENTION',True); sd(2,4,512,64,'EFFICIENT_ATTENTION',False); sd(1,8,2048,128,'CUDNN_ATTENTION',True); sd(4,8,512,64,'CUDNN_ATTENTION',False,hf)
def conv(n,c,h,o,ks,st,dt,cl):
    x=r(n,c,h,h,dt=dt); w=r(o,c,ks,ks,dt=dt)
    if cl: x=x.to(memory_format=torch.channels_last); w=w.to(memory_format=torch.channels_last)
    add(f'conv_{n}x{c}x{h}_{o}k{ks}s{st}_{str(dt)[6:]}{"_cl" if cl else ""}',lambda:F.conv2d(x,w,stride=st,padding=ks//2))
conv(16,128,28,128,3,1,hf,True); conv(16,256,14,256,1,1,bf,True); conv(8,64,56,128,3,2,hf,True); conv(8,3,112,32,7,2,f32,False)
x1=r(2048,2048); x2=r(2048,2048,dt=f32); x3=r(1<<20,dt=f32); x4=r(64,64,64,64,dt=hf)
add('rms_norm',lambda:F.rms_norm(x1,(2048,))); add('group_norm',lambda:F.group_norm(x4,8)); add('log_softmax',lambda:torch.log_softmax(x2,-1)); add('dropout',lambda:F.dropout(x3,0.1))
add('add',lambda:x2+x2); add('mul_bcast',lambda:x2*x2[0]); add('silu',lambda:F.silu(x1)); add('where',lambda:torch.where(x2>0,x2,-x2)); add('cat',lambda:torch.cat([x1,x1],1))
add('max_dim',lambda:x2.max(1)); add('mean0',lambda:x2.mean(0)); add('var',lambda:x2.var(1)); add('norm',lambda:x3.norm()); add('sort',lambda:torch.sort(x3[:1<<16])); add('topk',lambda:torch.topk(x2[:256],16))
add('cumprod',lambda:torch.cumprod(x2[:256],1)); add('index_select',lambda:x2.index_select(0,ei2)) if False else None
ei2=torch.randint(0,2048,(1024,),device=d); add('index_select',lambda:x2.index_select(0,ei2)); add('masked_fill',lambda:x2.masked_fill(x2>0,0.0)); add('tril',lambda:torch.tril(x2)); add('rand',lambda:torch.rand(1<<20,device=d)); add('randn',lambda:torch.randn(1<<18,device=d)); add('arange',lambda:torch.arange(1<<20,device=d))
add('fft',lambda:torch.fft.fft(x3.view(256,4096))); add('rfft2',lambda:torch.fft.rfft2(x2[:512,:512])); add('interp',lambda:F.interpolate(x4[:8].float(),scale_factor=2,mode='bilinear')); add('maxpool',lambda:F.max_pool2d(x4,2)); add('avgpool',lambda:F.avg_pool2d(x4.float(),3)); add('xent',lambda:F.cross_entropy(x2,ei3))
ei3=torch.randint(0,2048,(2048,),device=d); add('unique_sorted_bincount',lambda:torch.bincount(ei3,minlength=2048)); add('histc',lambda:torch.histc(x3,100)); add('batch_norm',lambda:F.batch_norm(x4.float(),None,None,training=True)); add('sgd',lambda:so2.step())
pp=[torch.nn.Parameter(r(1<<18,dt=f32)) for _ in range(4)]
for q_ in pp: q_.grad=r(1<<18,dt=f32)
so2=torch.optim.SGD(pp,lr=0.1,momentum=0.9,foreach=True)
for n,f in ops:
    try: f(); f()
    except Exception as e: print('skip',n,str(e)[:100]); ops=[o for o in ops if o[0]!=n]
torch.cuda.synchronize()
torch.cuda.profiler.start()
for n,f in ops:
    for _ in range(R): f()
torch.cuda.synchronize()
torch.cuda.profiler.stop()
print('ops',[n for n,_ in ops])
