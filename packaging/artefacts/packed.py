"""Archives with the same bytes whenever the same files go into them: sorted, of one time, owned by nobody in particular."""

import gzip
import hashlib
import io
import os
import shutil
import tarfile
import zipfile
from datetime import datetime, timezone
from pathlib import Path


def tar(folder: Path, epoch: int, prefix: str = "") -> bytes:
    """A tar of all that is below a folder."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in below(folder):
            entry = tarfile.TarInfo(prefix + path.relative_to(folder).as_posix())
            entry.mtime, entry.mode = epoch, mode_of(path)
            if path.is_dir():
                entry.type = tarfile.DIRTYPE
                archive.addfile(entry)
            else:
                entry.size = path.stat().st_size
                with path.open("rb") as content:
                    archive.addfile(entry, content)
    return packed.getvalue()


def tar_gz(out: Path, folder: Path, epoch: int, prefix: str = "") -> Path:
    """The same, compressed by gzip without a name or a time of its own."""
    out.write_bytes(gzip.compress(tar(folder, epoch, prefix), compresslevel=6, mtime=0))
    return out


def zip_file(out: Path, folder: Path, epoch: int) -> Path:
    """A zip of all files below a folder."""
    # A zip knows no time before 1980.
    time = max(datetime.fromtimestamp(epoch, timezone.utc), datetime(1980, 1, 1, tzinfo=timezone.utc)).timetuple()[:6]
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path in (path for path in below(folder) if path.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(folder).as_posix(), time)
            # As if it were made on Unix, so that programs stay programs.
            entry.create_system, entry.external_attr = 3, (0o100000 | mode_of(path)) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, path.read_bytes())
    return out


def below(folder: Path) -> list[Path]:
    """All files and folders below a folder, in one order everywhere."""
    return sorted(folder.rglob("*"), key=lambda path: path.relative_to(folder).as_posix())


def mode_of(path: Path) -> int:
    """Rights that do not depend on the umask of who builds."""
    return 0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644


def tidy(folder: Path, epoch: int) -> None:
    """Gives what is below a folder such rights and one time, for programs that pack by themselves."""
    for path in [*below(folder), folder]:
        path.chmod(mode_of(path))
        os.utime(path, (epoch, epoch))


def place(source: Path, to: Path) -> Path:
    """Copies a file, with the folders that it needs."""
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, to)
    if os.access(source, os.X_OK):
        to.chmod(0o755)
    return to


def sha256(file: Path) -> str:
    """The digest of a file."""
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
