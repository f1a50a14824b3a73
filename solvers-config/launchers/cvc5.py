"""Runs SMT-LIB commands from standard input with the cvc5 library.

The library's parser reads files and texts to their end, which would never come here: so this cuts the input after the
last parenthesis that closes a command and has each piece parsed as a text of its own.
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "lib"))
import cvc5  # noqa: E402

TOKEN = re.compile(rb'[()]|"|\||;')
ENDS = {b'"': b'"', b"|": b"|", b";": b"\n"}


class Cutter:
    """Hands out the whole commands of a stream; what is not yet whole waits."""

    def __init__(self):
        self.held, self.at, self.depth, self.inside = bytearray(), 0, 0, None

    def feed(self, chunk):
        self.held += chunk
        whole = 0
        while self.at < len(self.held):
            if self.inside:
                end = self.held.find(self.inside, self.at)
                if end < 0:
                    self.at = len(self.held)
                    break
                self.at, self.inside = end + 1, None
                continue
            found = TOKEN.search(self.held, self.at)
            if not found:
                self.at = len(self.held)
                break
            self.at, token = found.end(), found.group()
            if token == b"(":
                self.depth += 1
            elif token == b")":
                self.depth -= 1
                if self.depth == 0:
                    whole = self.at
            else:
                self.inside = ENDS[bytes(token)]
        commands = bytes(self.held[:whole])
        del self.held[:whole]
        self.at -= whole
        return commands.decode("ascii", "replace")


def main():
    if "--version" in sys.argv[1:]:
        print("cvc5 version", cvc5.__version__)
        return 0
    manager = cvc5.TermManager()
    solver = cvc5.Solver(manager)
    solver.setOption("incremental", "true")
    symbols = cvc5.SymbolManager(manager)
    parser = cvc5.InputParser(solver, symbols)
    cutter = Cutter()
    try:
        while chunk := os.read(0, 1 << 16):
            commands = cutter.feed(chunk)
            if not commands:
                continue
            parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, commands, "stdin")
            while not (command := parser.nextCommand()).isNull():
                if command.getCommandName() == "exit":
                    return 0
                answer = command.invoke(solver, symbols)
                if answer:
                    os.write(1, answer.encode("ascii", "replace"))
    except Exception as error:  # whatever the library raises has to reach the client as an answer
        text = str(error).replace('"', '""')
        os.write(1, f'(error "{text}")\n'.encode("ascii", "replace"))
        return 1
    return 0


sys.exit(main())
