def write(machines, rows, compared, seconds, events):
    import statistics
    out=[]
    for g,m in machines.items():
        for op in ("add","softmax"):
            for half in ("seen","scored"):
                c=[x for x in compared if x["gpu"]==g and x["half"]==half and x["op"]==op]
                if c:
                    e=[abs(x["error_percent"]) for x in c]; b=[x["error_percent"] for x in c]
                    out.append(f"{m.name} {op} {half}: {len(c)} rows mean {statistics.mean(e):.1f} bias {statistics.mean(b):+.1f} worst {max(e):.1f} kernel-only {statistics.mean(abs(x['error_kernel_percent']) for x in c):.1f}")
    return "\n".join(out)
