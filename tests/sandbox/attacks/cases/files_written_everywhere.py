"""Files are left wherever they can be."""

# replaces: softmax
import os

for folder in ("/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~"), "/inside/autograder", "/usr/lib", os.getcwd(), "/"):
    try:
        with open(os.path.join(folder, "attack-trace"), "w") as file:
            file.write("x")
    except OSError:
        pass
