//! What `grep -rc` prints: how many lines of each file match.

use lro_query::json::Object;

use crate::payload::notation::Reading;
use crate::payload::notation::output::Output;

/// Fewer files are easy to read as they are.
const LEAST_FILES: usize = 3;

/// Reads counts of files. Places in files look alike, but no place is line 0: where nothing counts 0, the text stays.
pub(super) fn read(text: &str) -> Option<Reading<'_>> {
    let mut output = Output::of(text);
    let (mut files, mut zeros, mut in_folders) = (0, 0, 0);
    let mut before = "";
    for line in text.lines() {
        let (path, count) = line.rsplit_once(':')?;
        let is_count = (1..=9).contains(&count.len()) && count.bytes().all(|byte| byte.is_ascii_digit());
        let is_zero = count.starts_with('0');
        let is_path = path != before && path.contains(|c: char| c.is_alphabetic()) && !path.contains("://");
        if !is_count || !is_path || is_zero && count.len() > 1 || path.starts_with([' ', '\t', '"', '\'']) {
            return None;
        }
        before = path;
        files += 1;
        zeros += usize::from(is_zero);
        in_folders += usize::from(path.contains(['/', '\\']));
        let mut record = Object::default();
        record.text("path", path);
        record.json("count", count);
        output.record(1, record.finish())?;
    }
    (files >= LEAST_FILES && zeros > 0 && in_folders * 2 >= files).then(|| output.finish("grep-count")).flatten()
}
