"""Runs SMT-LIB commands from standard input with the Boolector library.

The Python module has no way to read scripts, but the C library beside it does.
"""
import ctypes
import glob
import os
import sys

LIB = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "lib")
OPT_MODEL_GEN, OPT_INCREMENTAL = 0, 1


def load():
    found = glob.glob(os.path.join(LIB, "pyboolector.libs", "libboolector*.so*"))
    if not found:
        sys.exit("boolector: the library is missing from " + LIB)
    lib = ctypes.CDLL(found[0])
    pointer = ctypes.c_void_p
    lib.boolector_new.restype = pointer
    lib.boolector_version.restype = ctypes.c_char_p
    lib.boolector_version.argtypes = [pointer]
    lib.boolector_set_opt.argtypes = [pointer, ctypes.c_int, ctypes.c_uint32]
    lib.boolector_parse_smt2.argtypes = [pointer, pointer, ctypes.c_char_p, pointer,
                                         ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(ctypes.c_int)]
    return lib


def main():
    lib = load()
    solver = lib.boolector_new()
    if "--version" in sys.argv[1:]:
        print(lib.boolector_version(solver).decode())
        return 0
    lib.boolector_set_opt(solver, OPT_MODEL_GEN, 1)
    lib.boolector_set_opt(solver, OPT_INCREMENTAL, 1)
    libc = ctypes.CDLL(None)
    libc.fdopen.restype = ctypes.c_void_p
    libc.fdopen.argtypes = [ctypes.c_int, ctypes.c_char_p]
    libc.fflush.argtypes = [ctypes.c_void_p]
    commands, answers = libc.fdopen(0, b"r"), libc.fdopen(1, b"w")
    message, status = ctypes.c_char_p(), ctypes.c_int()
    lib.boolector_parse_smt2(solver, commands, b"<stdin>", answers, ctypes.byref(message), ctypes.byref(status))
    libc.fflush(answers)
    if message.value:
        text = message.value.decode("ascii", "replace").replace('"', '""')
        os.write(1, f'(error "{text}")\n'.encode("ascii", "replace"))
        return 1
    return 0


sys.exit(main())
