"""A real OCI registry on loopback, over TLS: wassette speaks nothing else."""

import datetime
import ipaddress
import json
import shutil
import socket
import ssl
import subprocess
import time
import urllib.request
from contextlib import contextmanager

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

MANIFEST = "application/vnd.oci.image.manifest.v1+json"


class Registry:
    """Where it listens, and the certificate to trust."""

    def __init__(self, address, certificate):
        self.address = address
        self.certificate = certificate

    def manifest(self, name, tag):
        url = f"https://{self.address}/v2/{name}/manifests/{tag}"
        trusted = ssl.create_default_context(cafile=self.certificate)
        with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept": MANIFEST}), context=trusted) as answer:
            return json.load(answer)


@contextmanager
def registry(folder):
    """A registry whose files are in a folder."""
    program = shutil.which("docker-registry")
    if program is None:
        raise RuntimeError("docker-registry is missing: apt-get install docker-registry")
    certificate, key = certified(folder)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    configuration = {
        "version": 0.1,
        "storage": {"filesystem": {"rootdirectory": str(folder / "blobs")}},
        "http": {"addr": f"127.0.0.1:{port}", "tls": {"certificate": str(certificate), "key": str(key)}},
    }
    # JSON is YAML.
    (folder / "registry.yaml").write_text(json.dumps(configuration))
    log = (folder / "registry.log").open("wb")
    server = subprocess.Popen([program, "serve", folder / "registry.yaml"], stdout=log, stderr=log)
    try:
        listens(server, port)
        yield Registry(f"localhost:{port}", str(certificate))
    finally:
        server.terminate()
        server.wait()
        log.close()


def listens(server, port):
    """Waits until the registry can be reached."""
    for _ in range(200):
        if server.poll() is not None:
            raise RuntimeError(f"docker-registry ended with {server.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("docker-registry does not listen")


def certified(folder):
    """A certificate for loopback that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "certificate.pem").write_bytes(certificate.public_bytes(pem))
    (folder / "key.pem").write_bytes(private)
    return folder / "certificate.pem", folder / "key.pem"
