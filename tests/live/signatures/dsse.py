"""An envelope of a bundle with securesystemslib and openssl: a genuine one is taken, every change is refused.

usage: dsse.py KEY.pub ENVELOPE BUNDLE.zip OTHER-KEY.pub
"""
import base64
import copy
import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key
from securesystemslib.dsse import Envelope
from securesystemslib.signer import SSlibKey

key_file, envelope_file, bundle, other_file = sys.argv[1:]


def key(path, keyid=None):
    public = load_pem_public_key(Path(path).read_bytes())
    der = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return SSlibKey.from_crypto(public, keyid or hashlib.sha256(der).hexdigest())


def takes(envelope, keys):
    """Is the envelope signed by one of the keys, and about this manifest?"""
    try:
        read = Envelope.from_dict(copy.deepcopy(envelope))
        read.verify(keys, 1)
        statement = json.loads(read.payload)
        subject = statement["subject"]
        return (
            read.payload_type == "application/vnd.in-toto+json"
            and statement["_type"] == "https://in-toto.io/Statement/v1"
            and len(subject) == 1
            and subject[0] == {"name": "manifest.json", "digest": {"sha256": manifest}}
            and statement["predicateType"].startswith("urn:")
            and isinstance(statement["predicate"], dict)
        )
    except Exception:
        return False


def openssl(envelope, path):
    """The same signature with openssl, over the bytes that the standard says."""
    payload = base64.b64decode(envelope["payload"])
    kind = envelope["payloadType"].encode()
    signed = b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)
    with tempfile.TemporaryDirectory() as folder:
        message, signature = Path(folder, "message"), Path(folder, "signature")
        message.write_bytes(signed)
        signature.write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
        command = ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", path, "-in", message, "-sigfile", signature]
        return subprocess.run(command, capture_output=True).returncode == 0


with zipfile.ZipFile(bundle) as archive:
    manifest = hashlib.sha256(archive.read("manifest.json")).hexdigest()
genuine = json.loads(Path(envelope_file).read_text())
assert takes(genuine, [key(key_file)]) and openssl(genuine, key_file), "a genuine envelope"

payload = base64.b64decode(genuine["payload"])
signature = base64.b64decode(genuine["signatures"][0]["sig"])
count = 0


def refused(what, change, keys=None, path=None):
    global count
    envelope = copy.deepcopy(genuine)
    change(envelope)
    assert not takes(envelope, keys or [key(key_file)]), f"securesystemslib takes {what}"
    # openssl knows no key ids; what it sees of the change it must refuse.
    if what != "another key id":
        assert not openssl(envelope, path or key_file), f"openssl takes {what}"
    count += 1


def with_payload(data):
    return lambda envelope: envelope.update(payload=base64.b64encode(data).decode())


def with_signature(data):
    return lambda envelope: envelope["signatures"][0].update(sig=base64.b64encode(data).decode())


for at in range(0, len(payload), 7):
    refused(f"byte {at} of the payload", with_payload(payload[:at] + bytes([payload[at] ^ 1]) + payload[at + 1 :]))
for at in range(0, 64, 3):
    refused(f"byte {at} of the signature", with_signature(signature[:at] + bytes([signature[at] ^ 1]) + signature[at + 1 :]))
refused("a cut payload", with_payload(payload[:-1]))
refused("a longer payload", with_payload(payload + b"\n"))
refused("a cut signature", with_signature(signature[:-1]))
refused("another type", lambda envelope: envelope.update(payloadType="application/json"))
refused("another key id", lambda envelope: envelope["signatures"][0].update(keyid="0" * 64))
refused("another key", lambda envelope: None, [key(other_file)], other_file)
refused("another key by the same id", lambda envelope: None, [key(other_file, genuine["signatures"][0]["keyid"])], other_file)
manifest = "0" * 64
assert not takes(genuine, [key(key_file)]), "another manifest"
print(f"a genuine envelope: taken by both; {count + 1} changes: refused by both")
