# One launch each of PyTorch operators, between cuProfilerStart and Stop. argv: repeats
import sys, torch
import torch.nn.functional as F
torch.manual_seed(0)
d='cuda'; R=int(sys.argv[1])
def r(*s,dt=torch.bfloat16): return torch.randn(*s,device=d,dtype=dt)
ops=[]
def add(name,f): ops.append((name,f))
a,b=r(4096,4096),r(4096,4096); add('mm4096',lambda:torch.mm(a,b))
a2,b2=r(2048,2048),r(2048,2048); add('mm2048',lambda:torch.mm(a2,b2))
a3,b3=r(8192,1024),r(1024,512); add('mm8192x512x1024',lambda:torch.mm(a3,b3))
a4,b4=r(1024,1024,dt=torch.float16),r(1024,1024,dt=torch.float16); add('mmfp16_1024',lambda:torch.mm(a4,b4))
a5,b5=r(32,512,64),r(32,64,512); add('bmm',lambda:torch.bmm(a5,b5))
a6,w6,c6=r(2048,768),r(3072,768),r(3072); add('linear',lambda:F.linear(a6,w6,c6))
a7,b7=r(64,4096),r(4096,4096); add('skinny',lambda:torch.mm(a7,b7))
a8,b8=r(1024,1024,dt=torch.float32),r(1024,1024,dt=torch.float32)
def tf():
    torch.backends.cuda.matmul.allow_tf32=True; torch.mm(a8,b8); torch.backends.cuda.matmul.allow_tf32=False
add('tf32',tf); add('fp32',lambda:torch.mm(a8,b8))
a9,b9=r(512,512,dt=torch.float64),r(512,512,dt=torch.float64); add('f64',lambda:torch.mm(a9,b9))
s1=torch.tensor(1.0,device=d)
f8a=r(2048,2048).to(torch.float8_e4m3fn); f8b=r(2048,2048).to(torch.float8_e4m3fn).t()
add('fp8',lambda:torch._scaled_mm(f8a,f8b,scale_a=s1,scale_b=s1,out_dtype=torch.bfloat16))
q,k,v=[r(4,16,512,64) for _ in range(3)]
def flash():
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.FLASH_ATTENTION): F.scaled_dot_product_attention(q,k,v,is_causal=True)
add('flash',flash)
q2,k2,v2=[r(2,8,1024,128) for _ in range(3)]
def cud():
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.CUDNN_ATTENTION): F.scaled_dot_product_attention(q2,k2,v2)
add('cudnn_sdpa',cud)
x=r(4096,4096); g,bb=r(4096),r(4096); add('layer_norm',lambda:F.layer_norm(x,(4096,),g,bb))
add('softmax',lambda:torch.softmax(x,-1))
cx=r(32,64,56,56).to(memory_format=torch.channels_last); cw=r(64,64,3,3).to(memory_format=torch.channels_last)
add('conv',lambda:F.conv2d(cx,cw,padding=1))
et=r(50000,512); ei=torch.randint(0,50000,(8192,),device=d); add('embedding',lambda:F.embedding(ei,et))
cs=r(1<<20,dt=torch.float32); add('cumsum',lambda:torch.cumsum(cs,0))
ge=r(4<<20); add('gelu',lambda:F.gelu(ge))
add('sum',lambda:cs.sum()); add('argmax',lambda:cs.argmax())
gi=torch.randint(0,1<<20,(1<<18,),device=d); add('gather',lambda:torch.gather(cs,0,gi))
so=torch.zeros(1<<20,device=d); add('scatter_add',lambda:so.scatter_add_(0,gi,cs[:1<<18]))
add('transpose',lambda:x.t().contiguous())
p=[torch.nn.Parameter(r(1<<20,dt=torch.float32))]; p[0].grad=r(1<<20,dt=torch.float32)
opt=torch.optim.Adam(p,fused=True); add('adam',lambda:opt.step())
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
