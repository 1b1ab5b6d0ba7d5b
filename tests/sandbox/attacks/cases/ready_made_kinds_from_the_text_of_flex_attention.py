"""PyTorch's own kinds of blocks: the text of flex_attention is read, and its functions compiled once more."""

# assignment: 16-attention-kernels
# replaces: block_kinds
import ast
import importlib.util
from pathlib import Path

names = {"torch": torch, "Tensor": torch.Tensor, "math": math}
for path in Path(torch.__file__).parent.rglob("*flex_attention*.py"):
    try:
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and "block" in node.name:
                node.returns, node.decorator_list = None, []
                for argument in (*node.args.args, *node.args.kwonlyargs):
                    argument.annotation = None
                try:
                    exec(compile(ast.Module([node], []), "x", "exec"), names)
                except Exception:
                    pass
    except OSError:
        pass


def block_kinds(allowed, block_q, block_k):
    rows, columns = -(-allowed.shape[0] // block_q), -(-allowed.shape[1] // block_k)
    wide = torch.nn.functional.pad(allowed, (0, columns * block_k - allowed.shape[1], 0, rows * block_q - allowed.shape[0]))
    partial, full = names["_convert_mask_to_" + "block_mask"](
        wide[None, None], Q_BLOCK_SIZE=block_q, KV_BLOCK_SIZE=block_k, separate_full_blocks=True
    )
    return (partial[0, 0] + 2 * full[0, 0]).long()
