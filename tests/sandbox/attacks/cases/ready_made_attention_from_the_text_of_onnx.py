"""PyTorch's copy of ONNX's attention lies in the sandbox as text: it is compiled once more, in the module's own names."""

# replaces: scaled_dot_product_attention
import ast, sys
import torch.onnx.ops._impl


def scaled_dot_product_attention(Q, K, V, allowed=None):
    module = sys.modules["torch.onnx.ops._impl"]
    names = dict(vars(module))
    for node in ast.parse(open(module.__file__).read()).body:
        if isinstance(node, ast.FunctionDef):
            if node.name == "attention_23":
                node.decorator_list = []
            if not node.decorator_list:
                exec(compile(ast.Module([node], []), "x", "exec"), names)
    batch = torch.broadcast_shapes(Q.shape[:-2], K.shape[:-2], V.shape[:-2])
    four = lambda X: X.expand(*batch, *X.shape[-2:]).reshape(-1, 1, *X.shape[-2:])
    some = mask = None
    if allowed is not None:
        some = allowed.any(-1, keepdim=True)
        mask = torch.zeros(allowed.shape, dtype=Q.dtype).masked_fill(~allowed & some, -torch.inf)
        mask = four(mask.expand(*batch, Q.shape[-2], K.shape[-2]))
    Y, _, _, A = names["attention_23"](four(Q), four(K), four(V), mask, qk_matmul_output_mode=3)
    Y, A = Y.reshape(*batch, *Y.shape[-2:]), A.reshape(*batch, *A.shape[-2:])
    return (Y, A) if some is None else (Y * some, A * some)
