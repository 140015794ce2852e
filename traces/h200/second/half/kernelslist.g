MemcpyHtoD,0x00007fbb42000000,1081344
kernel-1.heddle
