"""The style sheet that confines students' text to its place on feedback pages and in formgrader."""

#: Nothing in a cell is drawn outside it, wherever it or MathJax positions it (``contain``); no character in it changes the
#: direction of the page's own text (``unicode-bidi``); and it fills at most a few screens. nbgrader's templates nest a second
#: ``#notebook-container`` in the first.
CSS = """
.text_cell_render, .input_area, .output_area, pre.as-typed {
  contain: content; unicode-bidi: isolate; overflow: auto; max-height: 4000px;
}
.text_cell_render img, .output_area img { max-width: 100%; max-height: 2000px; }
.panel-body > #notebook > #notebook-container::before {
  content: "Below is the notebook as it was handed in. Points stand only above it and in the bars of framed cells.";
  display: block; padding: 0.5em 0; color: #555; font-style: italic;
}
.text_cell_render td, .text_cell_render th { padding: 1px 8px; }
.text_cell_render summary, .output_area summary { display: list-item; cursor: pointer; }
@media print { .text_cell_render, .input_area, .output_area, pre.as-typed { max-height: none; } }
"""
