"""PyTorch's exporter describes attention in ONNX's operators, as text in the sandbox: compiled once more, with operators that compute."""

# assignment: 01-attention
# replaces: scaled_dot_product_attention
import ast, pathlib


class Op:
    def __getattr__(self, name):
        return {
            "MatMul": torch.matmul, "Mul": torch.mul, "Add": torch.add, "Sqrt": torch.sqrt, "Softmax": lambda x, axis=-1: torch.softmax(x, axis),
            "Transpose": lambda x, perm=None: x.permute(perm), "Constant": lambda value_float=None, value_floats=None, value_ints=None, **k: torch.tensor(value_float if value_float is not None else value_floats or value_ints),
            "CastLike": lambda x, y: torch.as_tensor(x).to(y.dtype), "Cast": lambda x, to=None: torch.as_tensor(x).double(),
            "Shape": lambda x, start=None, end=None: torch.tensor(x.shape[start:end]), "Reshape": lambda x, s: x.reshape(tuple(s.tolist())),
            "Slice": lambda x, a, b, *r: x[int(a): int(b) if int(b) < 2**31 else None], "Concat": lambda *x, axis=0: torch.cat([torch.as_tensor(y).reshape(-1) for y in x]),
            "Div": torch.div, "Identity": lambda x: x, "IsNaN": torch.isnan, "Where": torch.where, "Dropout": lambda x, *a: (x, None),
            "Gather": lambda x, i, axis=0: x[i][0],
        }[name]


def scaled_dot_product_attention(Q, K, V, allowed=None):
    file = pathlib.Path(torch.__file__).parent / "onnx/_internal/exporter/_torchlib/ops/nn.py"
    op = Op()
    names = {}
    for node in ast.parse(file.read_text()).body:
        if isinstance(node, ast.FunctionDef) and "attention" in node.name:
            node.decorator_list, node.returns = [], None
            for a in [*node.args.args, *node.args.kwonlyargs]:
                a.annotation = None
            node.args.defaults = []
            exec(compile(ast.Module([node], []), "x", "exec"), names)
    batch = torch.broadcast_shapes(Q.shape[:-2], K.shape[:-2], V.shape[:-2], *([] if allowed is None else [allowed.shape[:-2]]))
    four = lambda X: X.expand(*batch, *X.shape[-2:]).reshape(-1, 1, *X.shape[-2:])
    inner = names["_aten_scaled_dot_product_attention_float_mask_onnx"]
    some = torch.ones(Q.shape[-2], 1, dtype=torch.bool)
    mask = torch.zeros(Q.shape[-2], K.shape[-2], dtype=Q.dtype)
    if allowed is not None:
        some = allowed.any(-1, keepdim=True)
        mask = torch.zeros(allowed.shape, dtype=Q.dtype).masked_fill(~allowed & some, -torch.inf)
    mask = four(mask.expand(*batch, Q.shape[-2], K.shape[-2]))
    scale = names["_attention_scale"](Q, op)
    run = lambda values: inner(four(Q), four(K), four(values), mask, scale, 0.0, op)
    Y = run(V)
    A = run(torch.eye(K.shape[-2], dtype=Q.dtype).expand(*K.shape[:-2], -1, -1))
    Y, A = Y.reshape(*batch, *Y.shape[-2:]), A.reshape(*batch, *A.shape[-2:])
    return Y * some, A * some
