#!/usr/bin/env python3
"""Compares rlx's signatures and keys with an independent implementation: RFC 8032's arithmetic on integers,
hashlib's BLAKE2b.

    signature.py --rlx PATH

Signs files with rlx and verifies them here, following vm/signature.h; creates the same signatures here and
compares bytes; reads rlx's keys and writes keys for rlx to read. Ends with "N passed, N failed".
"""
import argparse
import base64
import hashlib
import os
import struct
import subprocess
import tempfile

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SIGNATURE, ROW = 15, 40
NAME = b"rlx executable 1"
PUBLIC = (b"PUBLIC KEY", bytes.fromhex("302a300506032b6570032100"))
SECRET = (b"PRIVATE KEY", bytes.fromhex("302e020100300506032b657004220420"))


def add(a, b):
    k = D * a[0] * b[0] * a[1] * b[1] % P
    return ((a[0] * b[1] + b[0] * a[1]) * pow(1 + k, P - 2, P) % P, (a[1] * b[1] + a[0] * b[0]) * pow(1 - k, P - 2, P) % P)


def multiply(n, a):
    out = (0, 1)
    while n:
        if n & 1:
            out = add(out, a)
        a = add(a, a)
        n >>= 1
    return out


def point(code):
    """Decodes a point from 32 bytes."""
    y = int.from_bytes(code, "little")
    sign, y = y >> 255, y & (2**255 - 1)
    xx = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(xx, (P + 3) // 8, P)
    if (x * x - xx) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    assert (x * x - xx) % P == 0
    return (P - x if x & 1 != sign else x, y)


BASE = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def encode(a):
    return (a[1] | (a[0] & 1) << 255).to_bytes(32, "little")


def number(data):
    return int.from_bytes(hashlib.sha512(data).digest(), "little")


def halves(seed):
    """The secret scalar, and the prefix hashed into a signature's r."""
    digest = hashlib.sha512(seed).digest()
    return int.from_bytes(digest[:32], "little") & ~7 & (1 << 254) - 1 | 1 << 254, digest[32:]


def public_of(seed):
    return encode(multiply(halves(seed)[0], BASE))


def sign(seed, message):
    scalar, prefix = halves(seed)
    r = number(prefix + message) % ORDER
    big_r = encode(multiply(r, BASE))
    k = number(big_r + public_of(seed) + message) % ORDER
    return big_r + ((r + k * scalar) % ORDER).to_bytes(32, "little")


def holds(key, message, signature):
    s = int.from_bytes(signature[32:], "little")
    k = number(signature[:32] + key + message) % ORDER
    return s < ORDER and multiply(s, BASE) == add(point(signature[:32]), multiply(k, point(key)))


def pem(kind, data):
    label, prefix = kind
    return b"-----BEGIN %s-----\n%s\n-----END %s-----\n" % (label, base64.b64encode(prefix + data), label)


def message_and_parts(data):
    """The message that Ed25519 signs, and a file's key and signature."""
    data = bytearray(data)
    for row in range(64, 64 + ROW * struct.unpack_from("<I", data, 24)[0], ROW):
        kind, _, at, size = struct.unpack_from("<IIQQ", data, row)
        if kind == SIGNATURE:
            assert size == 100 and struct.unpack_from("<I", data, at)[0] == 1
            key, signature = bytes(data[at + 4:at + 36]), bytes(data[at + 36:at + 100])
            data[at + 36:at + 100] = bytes(64)
            data[row + 24:row + 32] = bytes(8)
            data[32:40] = bytes(8)
            return NAME + hashlib.blake2b(data).digest(), key, signature
    raise AssertionError("no signature")


TEXTS = {
    "empty": ".func main () -> object {\n make_tuple r0, []\n ret r0\n}\n",
    "constants": ".func main () -> object {\n load_const r0, tensor float32 [%d] { %s }\n ret r0\n}\n" % (
        1000, ", ".join(str(i) for i in range(1000))),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rlx", required=True)
    parser.add_argument("--rlxc")  # unused; passed to every file of test-ops
    rlx = os.path.abspath(parser.parse_args().rlx)
    passed = failed = 0

    def expect(what, fact):
        nonlocal passed, failed
        passed, failed = passed + bool(fact), failed + (not fact)
        if not fact:
            print("FAIL", what)

    def run(*words):
        return subprocess.run([rlx, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def read(name):
        with open(name, "rb") as stream:
            return stream.read()

    def write(name, data):
        with open(name, "wb") as stream:
            stream.write(data)

    # RFC 8032, 7.1, test 2: checks the arithmetic in this file
    seed = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
    expect("the reference", public_of(seed).hex() == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
           and sign(seed, b"\x72").hex().startswith("92a009a9f0d4cab8720e820b5f642540")
           and holds(public_of(seed), b"\x72", sign(seed, b"\x72")))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        expect("keygen", run("keygen", "-o", "made").returncode == 0)
        made = base64.b64decode(read("made.key").splitlines()[1])[-32:]
        expect("made.key", read("made.key") == pem(SECRET, made))
        expect("made.pub", read("made.pub") == pem(PUBLIC, public_of(made)))
        write("given.key", pem(SECRET, seed))
        write("given.pub", pem(PUBLIC, public_of(seed)))
        for name, text in TEXTS.items():
            write("text", text.encode())
            expect(name + " assembled", run("asm", "text", "-o", "plain.rlx").returncode == 0)
            for key, secret in (("made", made), ("given", seed)):
                done = run("sign", "plain.rlx", "--key", key + ".key", "-o", "signed.rlx")
                expect("%s signed with %s: %s" % (name, key, done.stdout), done.returncode == 0)
                message, signer, signature = message_and_parts(read("signed.rlx"))
                expect("%s, %s: the key" % (name, key), signer == public_of(secret))
                expect("%s, %s: the signature" % (name, key), signature == sign(secret, message))
                expect("%s, %s: holds" % (name, key), holds(signer, message, signature))
                done = run("verify", "signed.rlx", "--key", key + ".pub")
                expect("%s, %s: %s" % (name, key, done.stdout), done.returncode == 0)
        os.chdir("/")
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    raise SystemExit(main())
