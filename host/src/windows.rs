//! What paths of Windows mean, by their text: it is the same on every system, so that it is tested on every system.

/// Marks a path that is taken as it reads, without the usual rules.
const VERBATIM: &str = r"\\?\";

/// The same for a path of another machine.
const VERBATIM_SHARE: &str = r"\\?\UNC\";

/// Returns a verbatim path of a drive or of another machine as people write it, if it then means the same.
pub(crate) fn without_prefix(path: &str) -> Option<String> {
    let (begin, rest) = match path.strip_prefix(VERBATIM_SHARE) {
        Some(rest) => (r"\\", rest),
        None => ("", path.strip_prefix(VERBATIM)?),
    };
    let drive = rest.as_bytes().get(..3).is_some_and(|drive| drive[0].is_ascii_alphabetic() && &drive[1..] == br":\");
    let mut names = if begin.is_empty() { rest.get(3..).filter(|_| drive)? } else { rest }.split('\\');
    // An empty one stands at the end of a path.
    names.all(|name| name.is_empty() || is_ordinary(name)).then(|| format!("{begin}{rest}"))
}

/// True for a path that names another machine, or a device, unless the directory's does so too in the same words.
pub(crate) fn leads_away(path: &str, directory: &str) -> bool {
    let slashes = |path: &str| path.replace('/', r"\");
    let plain = |path: &str| without_prefix(&slashes(path)).unwrap_or_else(|| slashes(path));
    let (path, directory) = (plain(path), plain(directory));
    path.starts_with(r"\\") && !(directory.starts_with(r"\\") && share(&path).eq_ignore_ascii_case(&share(&directory)))
}

/// The machine and its share at the beginning of a path.
fn share(path: &str) -> String {
    path.split('\\').skip(2).take(2).collect::<Vec<_>>().join(r"\")
}

/// True for a name that means the same with and without the prefix: no device, and no end that is dropped.
fn is_ordinary(name: &str) -> bool {
    let stem = name.split(['.', ':']).next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let is_device = ["aux", "con", "conin$", "conout$", "nul", "prn"].contains(&stem.as_str())
        || port.is_some_and(|number| {
            number.chars().count() == 1 && number.chars().all(|c| c.is_ascii_digit() || "¹²³".contains(c))
        });
    !is_device && !name.ends_with(['.', ' ']) && !name.contains('/')
}

#[cfg(test)]
mod tests {
    use super::{leads_away, without_prefix};

    #[test]
    fn a_prefix_is_dropped_where_the_path_then_means_the_same() {
        let rows = [
            (r"\\?\C:\Users\me\lro", Some(r"C:\Users\me\lro")),
            (r"\\?\c:\", Some(r"c:\")),
            (r"\\?\UNC\server\share\lro", Some(r"\\server\share\lro")),
            (r"\\?\C:\ends with a dot.\lro", None),
            (r"\\?\C:\ends with a space \lro", None),
            (r"\\?\C:\con\lro", None),
            (r"\\?\C:\NUL.txt", None),
            (r"\\?\C:\com1", None),
            (r"\\?\C:\com¹", None),
            (r"\\?\C:\com10\console", Some(r"C:\com10\console")),
            (r"\\?\Volume{b75e2c83-0000-0000-0000-602f00000000}\lro", None),
            (r"\\?\GLOBALROOT\Device\x", None),
            (r"C:\Users", None),
            ("/tmp/lro", None),
        ];
        for (path, expected) in rows {
            assert_eq!(without_prefix(path).as_deref(), expected, "{path}");
        }
        let long = format!(r"C:\{}", r"a\".repeat(400));
        assert_eq!(without_prefix(&format!(r"\\?\{long}")), Some(long));
    }

    #[test]
    fn a_path_of_another_machine_leads_away() {
        let rows = [
            (r"\\evil\share\a.jsonl", r"C:\lro", true),
            ("//evil/share/a.jsonl", r"C:\lro", true),
            (r"/\evil/share\a.jsonl", r"C:\lro", true),
            (r"\\?\UNC\evil\share\a.jsonl", r"C:\lro", true),
            (r"\\.\pipe\a.jsonl", r"C:\lro", true),
            (r"\\?\C:\lro\a.jsonl", r"C:\lro", false),
            (r"C:\lro\a.jsonl", r"C:\lro", false),
            ("a.jsonl", r"C:\lro", false),
            (r"\lro\a.jsonl", r"C:\lro", false),
            (r"\\server\share\lro\a.jsonl", r"\\server\share\lro", false),
            (r"\\?\UNC\SERVER\share\lro\a.jsonl", r"\\server\share\lro", false),
            (r"\\server\other\a.jsonl", r"\\server\share\lro", true),
            (r"\\evil\share\a.jsonl", r"\\server\share\lro", true),
            (r"\\?\UNC\evil\share \a.jsonl", r"\\server\share\lro", true),
        ];
        for (path, directory, expected) in rows {
            assert_eq!(leads_away(path, directory), expected, "{path} from {directory}");
        }
    }
}
