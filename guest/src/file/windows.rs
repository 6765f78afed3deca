//! Paths as Windows understands them. The component is not told where it runs: the directory's name shows it.

/// What marks a path that is taken as it reads, without the usual rules.
const VERBATIM: &str = r"\\?\";

/// What follows a directory in a path, by the rules of Windows: both slashes and both cases mean the same, and the path may be
/// a verbatim one. `None` if the directory is not one of Windows.
pub fn strip_directory<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    let is_theirs = directory.contains('\\') && !directory.contains('/');
    let plain = |path: &str| if path.starts_with(VERBATIM) { VERBATIM.len() } else { 0 };
    let (path, directory) = (&path[plain(path)..], &directory[plain(directory)..]);
    let same = |a: u8, b: u8| a.eq_ignore_ascii_case(&b) || (a == b'/' && b == b'\\');
    let begins = path.len() > directory.len() && path.bytes().zip(directory.bytes()).all(|(a, b)| same(a, b));
    // A path with other letters than ASCII may differ in the middle of one.
    (is_theirs && begins).then(|| path.get(directory.len()..))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_found_in_any_spelling() {
        let rows = [
            (r"C:\out\a", r"C:\out", Some(r"\a")),
            (r"c:/OUT/a", r"C:\out", Some("/a")),
            (r"\\?\C:\out\a", r"C:\out", Some(r"\a")),
            (r"C:\out\a", r"\\?\C:\out", Some(r"\a")),
            (r"\\Server\Share\a", r"\\server\share", Some(r"\a")),
            (r"C:\out", r"C:\out", None),
            (r"D:\out\a", r"C:\out", None),
            (r"C:\ou\u{e9}", r"C:\out", None),
            ("/OUT/a", "/out", None),
            (r"C:\OUT\a", "C:/out", None),
            ("OUT/a", "out", None),
            (r"C:xout\a", r"C:\out", None),
        ];
        for (path, directory, expected) in rows {
            assert_eq!(strip_directory(path, directory), expected, "{path} in {directory}");
        }
        assert_eq!(strip_directory("c:\\o\u{e9}x", "C:\\ox"), None);
    }
}
