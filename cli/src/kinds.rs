//! Files that are not text, recognised by their first bytes, and how to get a text out of them.

use crate::continuation::quoted;

/// A kind of file.
pub(super) struct Kind {
    /// Its first bytes.
    magic: &'static [u8],
    /// What a file of this kind is, as it follows `the file`.
    pub(super) is: &'static str,
    /// What to do instead.
    way: Way,
}

/// How to get a text.
enum Way {
    /// This program writes the text of the file that it reads on its standard input.
    Filter(&'static str),
    /// This command, with FILE in it.
    Command(&'static str),
    /// There is none.
    None,
}

const fn kind(magic: &'static [u8], is: &'static str, way: Way) -> Kind {
    Kind { magic, is, way }
}

/// Kinds that a tool or a shell is likely to pass by mistake. Others contain NUL bytes, and are rejected for these.
const KINDS: [Kind; 20] = [
    kind(b"\x1f\x8b", "is compressed with gzip", Way::Filter("zcat")),
    kind(b"\x28\xb5\x2f\xfd", "is compressed with zstd", Way::Filter("zstdcat")),
    kind(b"\xfd7zXZ\0", "is compressed with xz", Way::Filter("xzcat")),
    kind(b"BZh", "is compressed with bzip2", Way::Filter("bzcat")),
    kind(b"\x04\x22\x4d\x18", "is compressed with lz4", Way::Filter("lz4cat")),
    kind(b"PK\x03\x04", "is a zip archive, as office documents are", Way::Command("unzip -p FILE NAME_INSIDE")),
    kind(b"7z\xbc\xaf\x27\x1c", "is a 7z archive", Way::Command("7z x -so FILE")),
    kind(b"PAR1", "is in Parquet format", Way::Command("duckdb -json -c \"from 'FILE'\"")),
    kind(b"ARROW1", "is in Arrow format", Way::Command("duckdb -json -c \"from 'FILE'\"")),
    kind(b"Obj\x01", "is in Avro format", Way::Command("avro cat FILE")),
    kind(b"SQLite format 3\0", "is an SQLite database", Way::Command("sqlite3 -json FILE 'select …'")),
    kind(b"%PDF-", "is a PDF document", Way::Command("pdftotext FILE -")),
    kind(b"\x89PNG", "is an image (PNG)", Way::None),
    kind(b"\xff\xd8\xff", "is an image (JPEG)", Way::None),
    kind(b"GIF8", "is an image (GIF)", Way::None),
    kind(b"RIFF", "is an image, a sound or a film (RIFF)", Way::None),
    kind(b"\x7fELF", "is a program (ELF)", Way::None),
    kind(b"\0asm", "is a WebAssembly module", Way::None),
    // Before the mark of UTF-16, which is a part of it.
    kind(b"\xff\xfe\0\0", "is UTF-32", Way::Filter("iconv -f UTF-32 -t UTF-8")),
    kind(b"\0\0\xfe\xff", "is UTF-32", Way::Filter("iconv -f UTF-32 -t UTF-8")),
];

impl Kind {
    /// The kind of a file with these bytes, if it is known.
    pub(super) fn of(bytes: &[u8]) -> Option<&'static Self> {
        KINDS.iter().find(|kind| bytes.starts_with(kind.magic))
    }

    /// What to do, for a file of this name and the command for its text; `None` is standard input.
    pub(super) fn hint(&self, file: Option<&str>, piped: &str) -> String {
        let name = quoted(file.unwrap_or("FILE"));
        match (&self.way, file) {
            (Way::Filter(program), Some(_)) => format!("use its text: {program} < {name} | {piped}"),
            (Way::Filter(program), None) => format!("put `{program}` before it: … | {program} | {piped}"),
            (Way::Command(command), _) => {
                format!("use its text: {} | {piped}", command.replace("FILE", &name))
            }
            (Way::None, _) => "only text can be offloaded: describe the file, or pass it on as it is".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn a_hint_names_the_file() {
        let hint = |bytes: &[u8], file| Kind::of(bytes).expect("the kind is known").hint(file, "lro estimate -");
        assert_eq!(hint(b"\x1f\x8b\x08", Some("a b.gz")), "use its text: zcat < 'a b.gz' | lro estimate -");
        assert_eq!(hint(b"\x1f\x8b\x08", None), "put `zcat` before it: … | zcat | lro estimate -");
        assert_eq!(hint(b"%PDF-1.7", Some("a.pdf")), "use its text: pdftotext a.pdf - | lro estimate -");
        assert!(hint(b"\x89PNG\r\n", Some("a.png")).starts_with("only text can be offloaded"));
        assert!(Kind::of(b"[1]").is_none());
    }
}
