"""Cases of the files that hold several: tests/compiler/files.h says how they are written."""
import os
import re


def written(path, folder):
    """Writes each case of the file into the folder, as FILE.CASE.py; the paths. The path itself where the file is a single text."""
    with open(path) as stream:
        parts = re.split(r"^# ==== (.*)\n", stream.read(), flags=re.M)
    if len(parts) == 1:
        return [path]
    base, extension = os.path.splitext(os.path.basename(path))
    os.makedirs(folder, exist_ok=True)
    found = []
    for name, text in zip(parts[1::2], parts[2::2]):
        found.append(os.path.join(folder, "%s.%s%s" % (base, name, extension)))
        with open(found[-1], "w") as stream:
            stream.write(text.partition("# ---- expected\n")[0])
    return found
