"""Runs SMT-LIB commands from standard input with the Bitwuzla library."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "lib"))
import bitwuzla  # noqa: E402


def main():
    if "--version" in sys.argv[1:]:
        print(bitwuzla.version())
        return 0
    parser = bitwuzla.Parser(bitwuzla.TermManager(), bitwuzla.Options())
    try:
        # The library's own name for standard input; it answers each command as soon as it has read it.
        parser.parse("<stdin>")
    except Exception as error:  # whatever the library raises has to reach the client as an answer
        text = str(error).replace('"', '""')
        os.write(1, f'(error "{text}")\n'.encode("ascii", "replace"))
        return 1
    return 0


sys.exit(main())
