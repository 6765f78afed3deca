//! The text of a payload. It is converted to UTF-8 from whatever encoding it is in, and a line says so. Anything that is
//! not text is rejected with a hint. Nothing is guessed silently.

use std::borrow::Cow;
use std::io::{self, Read};
use std::path::Path;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use lro::{Case, Error, Problem};

use crate::continuation::{piped, quoted, typed};
use crate::kinds::Kind;

/// How many bytes are searched for the pattern of UTF-16. Decoding shows whether the rest fits.
const LOOK_BYTES: usize = 64 * 1024;

/// In text of Western languages up to a tenth of the letters have accents. Where a larger share of a hundred bytes is not
/// ASCII, the text is in another script, and windows-1252 would make nonsense of it.
const MOST_ACCENTS: usize = 30;

/// HTML says its encoding in so many bytes (<https://html.spec.whatwg.org/#charset>), and XML in its first line.
const DECLARED_WITHIN: usize = 1024;

/// A log may hold a stray control character in a thousand bytes; a binary file has one in ten.
const BYTES_A_CONTROL: usize = 1000;

/// A payload that can be offloaded.
#[derive(Debug, PartialEq)]
pub(super) struct Text<'a> {
    /// Bytes in UTF-8, except for single broken ones.
    pub(super) bytes: Cow<'a, [u8]>,
    /// For people: how the bytes were decoded, if they were.
    pub(super) remark: Option<String>,
}

/// Returns the text in some bytes, which are in `encoding` when one is given. `file` names them in messages; `-` is
/// standard input.
///
/// # Errors
/// `invalid-argument`, for bytes that are not text, or not in this encoding.
pub(super) fn decode<'a>(bytes: &'a [u8], file: &Path, encoding: Option<&'static Encoding>) -> Result<Text<'a>, Error> {
    decode_for(bytes, file, encoding, typed)
}

/// The same for a command with these words, which a hint repeats.
fn decode_for<'a>(
    bytes: &'a [u8],
    file: &Path,
    encoding: Option<&'static Encoding>,
    typed: fn() -> Vec<String>,
) -> Result<Text<'a>, Error> {
    let source = Source { path: file, typed };
    match encoding {
        Some(encoding) if encoding == UTF_8 && std::str::from_utf8(bytes).is_ok() => Ok(as_it_is(bytes)),
        Some(encoding) => source.decoded(bytes, with_mark(bytes, encoding), ""),
        None => source.recognised(bytes),
    }
}

/// True for text that [`decode`] would leave as it is, and say nothing of. It is read block by block.
pub(super) fn is_plain(mut text: impl Read, encoding: Option<&'static Encoding>) -> io::Result<bool> {
    if encoding.is_some_and(|encoding| encoding != UTF_8) {
        return Ok(false);
    }
    let mut block = vec![0; LOOK_BYTES];
    // The beginning of a character whose rest comes next.
    let mut carried = 0;
    loop {
        let read = match text.read(&mut block[carried..]) {
            Ok(0) => return Ok(carried == 0),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let filled = &block[..carried + read];
        let end = match std::str::from_utf8(filled) {
            _ if encoding.is_none() && filled.contains(&0) => return Ok(false),
            Ok(_) => filled.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => return Ok(false),
        };
        let filled = filled.len();
        block.copy_within(end..filled, 0);
        carried = filled - end;
    }
}

/// The encoding of a name: `latin-1`, `utf-16le`, `shift_jis`, or any other of the WHATWG standard.
pub(super) fn encoding(name: &str) -> Result<&'static Encoding, String> {
    let label = name.to_ascii_lowercase().replace("latin-", "latin");
    let known = Encoding::for_label_no_replacement(label.as_bytes());
    known.ok_or_else(|| "it must be utf-8, utf-16, utf-16le, utf-16be, latin-1, windows-1252, shift_jis, …".to_owned())
}

/// In UTF-16 a byte order mark decides the order.
fn with_mark(bytes: &[u8], encoding: &'static Encoding) -> &'static Encoding {
    Encoding::for_bom(bytes)
        .map(|(marked, _)| marked)
        .filter(|marked| is_utf_16(encoding) && is_utf_16(marked))
        .unwrap_or(encoding)
}

fn is_utf_16(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

fn as_it_is(bytes: &[u8]) -> Text<'_> {
    Text { bytes: bytes.into(), remark: None }
}

/// Where bytes come from, for messages.
struct Source<'a> {
    path: &'a Path,
    /// The words of the command.
    typed: fn() -> Vec<String>,
}

impl Source<'_> {
    /// The text in bytes of an unnamed encoding.
    fn recognised<'a>(&self, bytes: &'a [u8]) -> Result<Text<'a>, Error> {
        let is_utf_8 = std::str::from_utf8(bytes).is_ok();
        if is_utf_8 && !bytes.contains(&0) {
            return Ok(as_it_is(bytes));
        }
        if let Some(kind) = Kind::of(bytes) {
            return Err(self.refused(kind.is, kind.hint(self.file().as_deref(), &self.piped())));
        }
        let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding).filter(|encoding| is_utf_16(encoding));
        if let Some(encoding) = marked.or_else(|| utf_16_without_mark(bytes)) {
            return self.decoded(bytes, encoding, "");
        }
        if is_binary(bytes) {
            let hint = "only text can be offloaded; if this is text, name its encoding: --encoding NAME";
            return Err(self.refused("is a binary file", hint.to_owned()));
        }
        if let Some(encoding) = declared(bytes) {
            return self.decoded(bytes, encoding, " (as it says itself)");
        }
        if is_mostly_utf_8(bytes) {
            return Ok(as_it_is(bytes));
        }
        if !looks_western(bytes) {
            let file = self.file().unwrap_or_else(|| "FILE".to_owned());
            let hint = format!(
                "name it: --encoding shift_jis (or gb18030, koi8-r, …), or convert the text: iconv -f NAME -t UTF-8 {} | {}",
                quoted(&file),
                self.piped()
            );
            return Err(self.refused("is not UTF-8, and its encoding is not known", hint));
        }
        self.decoded(bytes, WINDOWS_1252, " (a guess; --encoding NAME names another)")
    }

    /// The text in bytes of this encoding. `note` says how sure that is.
    fn decoded<'a>(&self, bytes: &'a [u8], encoding: &'static Encoding, note: &str) -> Result<Text<'a>, Error> {
        let name = encoding.name();
        let (text, is_broken) = encoding.decode_with_bom_removal(bytes);
        if is_broken {
            let hint = "name the encoding that it is in: --encoding NAME".to_owned();
            return Err(self.refused(&format!("has bytes that are not valid {name}"), hint));
        }
        let remark =
            format!("{self} is decoded from {name}{note}; what is stored, and what `lro rebuild` prints, is UTF-8");
        let bytes = match text {
            Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
            Cow::Owned(text) => Cow::Owned(text.into_bytes()),
        };
        Ok(Text { bytes, remark: Some(remark) })
    }

    /// The file's name; `None` for standard input.
    fn file(&self) -> Option<String> {
        (self.path != Path::new("-")).then(|| self.path.display().to_string())
    }

    /// The command for the text on standard input.
    fn piped(&self) -> String {
        piped(&(self.typed)(), self.file().as_deref())
    }

    fn refused(&self, what_it_is: &str, hint: String) -> Error {
        Case::InvalidArgument(Problem { message: format!("cannot read {self} as text: it {what_it_is}"), hint }).into()
    }
}

impl std::fmt::Display for Source<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.file() {
            Some(file) => write!(formatter, "`{file}`"),
            None => formatter.write_str("standard input"),
        }
    }
}

/// UTF-16 whose characters are mostly ASCII has a zero in every other byte, always on the same side.
fn utf_16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    let (pairs, rest) = bytes[..bytes.len().min(LOOK_BYTES)].as_chunks::<2>();
    let zeros = |side: usize| pairs.iter().filter(|pair| pair[side] == 0).count();
    let encoding = match (zeros(0), zeros(1)) {
        (0, high) if high * 2 > pairs.len() => UTF_16LE,
        (low, 0) if low * 2 > pairs.len() => UTF_16BE,
        _ => return None,
    };
    // Other files have such zeros too, but not those alone.
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    let is_text = rest.is_empty() && !text.bytes().any(is_control);
    is_text.then_some(encoding)
}

/// The encoding of single bytes that a document says it is in: XML in its first line, HTML in an element `meta`.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let front = String::from_utf8_lossy(&bytes[..bytes.len().min(DECLARED_WITHIN)]).to_ascii_lowercase();
    let (_, rest) = match front.trim_start().starts_with("<?xml") {
        true => front.split_once("?>")?.0.split_once("encoding")?,
        false => front.split_once("<meta")?.1.split_once("charset")?,
    };
    let value = rest.trim_start().strip_prefix('=')?.trim_start_matches([' ', '"', '\'']);
    let name = value.split(|sign: char| !sign.is_ascii_alphanumeric() && !"-_:.".contains(sign)).next()?;
    Encoding::for_label_no_replacement(name.as_bytes()).filter(|encoding| *encoding != UTF_8 && !is_utf_16(encoding))
}

/// True for a control character that is not used in text.
fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r' | b'\x08' | b'\x0b' | b'\x0c' | b'\x1b')
}

fn is_binary(bytes: &[u8]) -> bool {
    let controls = bytes.iter().filter(|byte| is_control(**byte)).count();
    bytes.contains(&0) || controls * BYTES_A_CONTROL > bytes.len()
}

/// True for UTF-8 with some broken bytes: a text that was cut in a character, a log with a line of garbage.
fn is_mostly_utf_8(bytes: &[u8]) -> bool {
    let (mut whole, mut broken) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        whole += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    whole > 0 && whole >= broken
}

/// True for what may be text of single bytes in a Western language.
fn looks_western(bytes: &[u8]) -> bool {
    // Windows-1252 has no characters for these. In East Asian encodings they begin many.
    let is_undefined = |byte: &u8| matches!(byte, 0x81 | 0x8d | 0x8f | 0x90 | 0x9d);
    let accents = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    !bytes.iter().any(is_undefined) && accents * 100 <= bytes.len() * MOST_ACCENTS
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::path::Path;

    use encoding_rs::{Encoding, GB18030, KOI8_R, SHIFT_JIS, UTF_8};

    use super::{LOOK_BYTES, decode, decode_for, encoding, is_plain};

    const TABLE: &str = "id,name\r\n1,Café Müller\r\n2,\"naïve\"\r\n";

    fn utf_16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(order).collect()
    }

    fn decoded(bytes: &[u8], encoding: Option<&'static Encoding>) -> Result<(String, String), String> {
        let typed = || ["offload", "f", "--operation", "f g"].map(str::to_owned).to_vec();
        match decode_for(bytes, Path::new("f"), encoding, typed) {
            Ok(text) => Ok((String::from_utf8_lossy(&text.bytes).into_owned(), text.remark.unwrap_or_default())),
            Err(error) => Err(format!("{error} ({})", error.hint())),
        }
    }

    #[test]
    fn plain_text_is_what_is_left_as_it_is() {
        let block = LOOK_BYTES;
        for length in [0, 1, block - 2, block - 1, block, block + 1] {
            let text = "x".repeat(length) + "a€😀é";
            let bytes = text.as_bytes();
            assert!(is_plain(bytes, None).unwrap(), "{length}");
            assert!(is_plain(bytes.chain(bytes), Some(UTF_8)).unwrap(), "{length}");
            assert!(!is_plain(&bytes[..bytes.len() - 1], None).unwrap(), "{length}");
            assert!(!is_plain(bytes.chain(&b"\xff"[..]).chain(bytes), None).unwrap(), "{length}");
            let with_zero = [bytes, b"\0", bytes].concat();
            assert!(!is_plain(&with_zero[..], None).unwrap() && is_plain(&with_zero[..], Some(UTF_8)).unwrap());
            assert!(!is_plain(bytes, Some(SHIFT_JIS)).unwrap());
        }
    }

    #[test]
    fn text_in_other_encodings_is_decoded_and_told() {
        let western = encoding_rs::WINDOWS_1252.encode(TABLE).0.into_owned();
        let rows = [
            (utf_16(&format!("\u{feff}{TABLE}"), u16::to_le_bytes), "decoded from UTF-16LE"),
            (utf_16(&format!("\u{feff}{TABLE}"), u16::to_be_bytes), "decoded from UTF-16BE"),
            (utf_16(TABLE, u16::to_le_bytes), "decoded from UTF-16LE"),
            (utf_16(TABLE, u16::to_be_bytes), "decoded from UTF-16BE"),
            (western, "decoded from windows-1252 (a guess; "),
        ];
        for (bytes, told) in rows {
            let (text, remark) = decoded(&bytes, None).unwrap();
            assert_eq!(text, TABLE);
            assert!(remark.contains(told), "{remark}");
        }
    }

    #[test]
    fn a_document_says_its_encoding() {
        let rows = [
            ("<?xml version=\"1.0\" encoding=\"windows-1251\"?><a>Москва</a>", encoding_rs::WINDOWS_1251),
            ("<?xml version='1.0' encoding = 'KOI8-R' ?>\n<a>Первая строка</a>", KOI8_R),
            ("<html><head><META charset=Shift_JIS><p>日本語の表", SHIFT_JIS),
            ("<meta http-equiv=\"x\" content=\"text/html; charset=gb18030\"><p>日本語の表", GB18030),
        ];
        for (text, encoding) in rows {
            let (found, remark) = decoded(&encoding.encode(text).0, None).unwrap();
            assert_eq!(found, text);
            assert!(remark.contains(&format!("decoded from {} (as it says itself)", encoding.name())), "{remark}");
        }
        // What it says is wrong, or says nothing.
        for text in
            ["<?xml encoding=\"klingon\"?>Café", "<?xml encoding=\"utf-8\"?>Café", "<?xml?>encoding=\"koi8-r\" Café"]
        {
            let (found, remark) = decoded(&encoding_rs::WINDOWS_1252.encode(text).0, None).unwrap();
            assert!(found == text && remark.contains("windows-1252 (a guess"), "{remark}");
        }
    }

    #[test]
    fn utf_8_stays_as_it_is_even_when_some_of_it_is_broken() {
        for bytes in [&b""[..], b"plain", "\u{feff}é".as_bytes(), "PK\u{3}\u{4}".as_bytes(), &"été".as_bytes()[..4]]
        {
            let text = decode(bytes, Path::new("f"), None).unwrap();
            assert_eq!((&*text.bytes, text.remark), (bytes, None));
        }
    }

    #[test]
    fn what_is_not_text_is_refused() {
        let rows: [(&[u8], &str); 7] = [
            (
                b"\x1f\x8b\x08\0\0",
                "it is compressed with gzip (use its text: zcat < f | lro offload - --operation 'f g')",
            ),
            (b"a\0b\0\0c", "it is a binary file"),
            (b"\xff\xfea\0\0\xd8", "bytes that are not valid UTF-16LE"),
            (b"\xff\xfe\0\0a\0\0\0", "it is UTF-32"),
            (b"\xe9\x01\x02\x03", "it is a binary file"),
            (&SHIFT_JIS.encode("日本語の表、テスト。").0, "its encoding is not known"),
            (&KOI8_R.encode("Первая строка").0, "its encoding is not known"),
        ];
        for (bytes, expected) in rows {
            let error = decoded(bytes, None).unwrap_err();
            assert!(error.starts_with("cannot read `f` as text: it ") && error.contains(expected), "{error}");
        }
    }

    #[test]
    fn an_encoding_can_be_named() {
        let text = "日本語の表";
        for (name, bytes) in [
            ("Shift_JIS", SHIFT_JIS.encode(text).0.into_owned()),
            ("gb18030", GB18030.encode(text).0.into_owned()),
            ("utf-16", utf_16(&format!("\u{feff}{text}"), u16::to_be_bytes)),
            ("utf-16be", utf_16(text, u16::to_be_bytes)),
            ("utf-8", text.as_bytes().to_vec()),
        ] {
            assert_eq!(decoded(&bytes, Some(encoding(name).unwrap())).unwrap().0, text, "{name}");
        }
        assert_eq!(encoding("Latin-1"), encoding("windows-1252"));
        assert_eq!(decoded(b"a\0b", encoding("utf-8").ok()).unwrap().0, "a\0b");
        assert!(decoded(b"\xff", encoding("utf-8").ok()).unwrap_err().contains("not valid UTF-8"));
        assert!(encoding("klingon").unwrap_err().contains("utf-16le"));
    }
}
