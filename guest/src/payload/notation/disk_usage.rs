//! What `du` prints: a record for each file or folder and its size.

use lro_query::json::Object;

use super::Reading;
use super::columns::Column;
use super::output::Output;

/// Errors that may come before the first size.
const MOST_HEADINGS: usize = 3;

/// More bytes than this nobody has.
const MOST_SIZE_BYTES: usize = 15;

/// Reads a list of sizes.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    let mut first = text.lines().filter(|line| !line.trim().is_empty()).take(MOST_HEADINGS + 1);
    if !first.any(|line| sized(line).is_some()) {
        return None;
    }
    let mut sizes = Column::default();
    let (mut files, mut surely) = (0, 0);
    for (size, path) in text.lines().filter_map(sized) {
        sizes.see(size);
        files += 1;
        // A number and a name may be anything, but not a size with its unit, or a number and a path.
        surely += usize::from(path.contains('/') || size.ends_with(|unit: char| unit.is_ascii_uppercase()));
    }
    if surely * 2 < files {
        return None;
    }
    let kind = sizes.kind();
    let mut output = Output::of(text);
    for (number, line) in (1..).zip(text.lines()) {
        match sized(line) {
            // The sum is no file.
            Some((_, "total")) => output.plain(number, line)?,
            Some((size, path)) => {
                let mut record = Object::default();
                let mut json = String::new();
                kind.write(&mut json, size);
                record.json("size", json);
                record.text("path", path);
                output.record(1, record.finish())?;
            }
            None if line.starts_with("du: ") => output.plain(number, line)?,
            None => output.line(number, line)?,
        }
    }
    output.finish("disk-usage")
}

/// The size and the path of a line.
fn sized(line: &str) -> Option<(&str, &str)> {
    let (size, path) = line.split_once('\t')?;
    let number = size.strip_suffix(|unit: char| "KMGTPEZY".contains(unit));
    let (whole, fraction) = number.and_then(|number| number.split_once('.')).unwrap_or((number.unwrap_or(size), "0"));
    let are_digits = [whole, fraction].iter().all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    let is_size = are_digits && fraction.len() == 1 && size.len() <= MOST_SIZE_BYTES;
    (is_size && !path.is_empty() && !path.contains('\t')).then_some((size, path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::notation::tests::lines_of;

    #[test]
    fn sizes_become_records() {
        let rows = [
            (
                "4\t/usr/a b\ndu: cannot read directory '/usr/x': Permission denied\n0\t/usr/c\n12\t/usr\n",
                "disk-usage {\"size\":4,\"path\":\"/usr/a b\"}\n{\"line\":2,\"text\":\"du: cannot read directory '/usr/x': Permission denied\"}\n{\"size\":0,\"path\":\"/usr/c\"}\n{\"size\":12,\"path\":\"/usr\"}",
            ),
            (
                "8.0K\ta\n12M\tb\n4.2G\tc\n0\td\n4.3G\ttotal\n",
                "disk-usage {\"size\":\"8.0K\",\"path\":\"a\"}\n{\"size\":\"12M\",\"path\":\"b\"}\n{\"size\":\"4.2G\",\"path\":\"c\"}\n{\"size\":\"0\",\"path\":\"d\"}\n{\"line\":5,\"text\":\"4.3G\\ttotal\"}",
            ),
            ("1\tAlice\n2\tBob\n3\tCarl\n", ""),
            ("1700000000.12\t/a\n1700000000.13\t/b\n1700000000.14\t/c\n", ""),
            ("1\t/a\t2\n1\t/b\t2\n1\t/c\t2\n", ""),
            ("1.\t/a\n.5\t/b\n5K6\t/c\n", ""),
        ];
        for (text, expected) in rows {
            assert_eq!(lines_of(read(text)), expected, "{text}");
        }
    }
}
