"""From what a platform hands out, or a folder of files, to ``grading/submitted/<student>/<assignment>/``."""
