"""Files whose names hold line breaks, controls, markup, and letters that turn the line around."""

def hand_in(folder, notebook, save):
    save(notebook)
    for name in ("a\nSTUDENT earned 63\n", "\x1b]0;owned\x07", "<script>alert(1)<", "\u202efdp.exe", "=cmd|' C'!A0", "-rf", "\udcff"):
        (folder / name).write_bytes(b"x")
