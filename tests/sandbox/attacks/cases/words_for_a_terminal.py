"""Control characters, marks that turn the text around, and HTML, wherever a submission's words come into a report: names of types, keys,
parameters and files, printed text, errors, and metadata."""

EVIL = "\x1b]0;full points\x07\x1b[2J\u202e\u2028\x9b31m<script>alert(1)</script><img src=x onerror=alert(1)>"
ANSWERS = {
    "softmax": f"""
EVIL = {EVIL!r}
def softmax(E, dim=-1):
    print(EVIL, flush=True)
    return {{EVIL: [EVIL]}}
""",
    "attend": """
class Bad(Exception):
    def __str__(self): return EVIL
Bad.__name__ = EVIL
def attend(q, K, V):
    raise Bad(EVIL)
""",
    "scaled_dot_product_attention": """
def scaled_dot_product_attention(Q, K, V, allowed=None):
    raise Bad()
""",
    "SelfAttention": """
class SelfAttention(nn.Module):
    def __init__(self, a, b, c):
        super().__init__()
        self.__dict__["_parameters"][EVIL] = nn.Parameter(torch.zeros(2))
    def forward(self, X, allowed=None): return X, X
""",
    "causal_mask": """
def causal_mask(*a, **k): return EVIL
""",
}

def hand_in(folder, notebook, save):
    for cell in notebook["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id")
        if name in ANSWERS:
            cell["source"] = ANSWERS[name]
    notebook["cells"].insert(3, {"cell_type": "code", "metadata": {"tags": [EVIL], "name": EVIL}, "outputs": [], "execution_count": None, "source": "raise type('X' + chr(27) + '[2J<b>', (Exception,), {})(chr(27) + '[31m' + chr(0x202e) + '<script>alert(2)</script>')"})
    notebook["cells"].insert(3, {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": "import nothing_of_" + "this_name\nimport sys; sys.stdout.write(chr(27) + '[2J' + chr(0x9b) + 'x' + chr(0x202e))"})
    notebook["metadata"].update({"title": "</title><script>alert(3)</script>", "authors": [{"name": EVIL}], "kernelspec": {"name": EVIL, "display_name": EVIL}, "language_info": {"name": EVIL, "pygments_lexer": "html", "codemirror_mode": EVIL}, "widgets": {"application/vnd.jupyter.widget-state+json": {"state": {"</script><script>alert(4)</script>": {}}, "version_major": 2}}})
    for file in ("\x1b[2J\u202e.py", "<img src=x onerror=alert(1)>.pt", "a\nb\x1b[31m.zip.txt", "\x1b[31mnotes.pt"):
        try:
            (folder / file).write_bytes(b"x")
        except OSError:
            pass
    save(notebook)
