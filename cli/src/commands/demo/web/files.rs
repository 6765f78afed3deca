//! What the page consists of. A path is looked up in this table and never on a disk.

/// A file as it is served.
pub(super) struct File {
    path: &'static str,
    /// Its media type.
    pub(super) kind: &'static str,
    /// All of it. A table that held the component itself would put it into the program once more.
    pub(super) bytes: fn() -> &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

const INDEX: &str = include_str!("../../../../../embed/browser/page/index.html");

/// In front of the page's policy.
const POLICY: &str = "http-equiv=\"Content-Security-Policy\" content=\"";

const FILES: [File; 9] = [
    File { path: "/", kind: HTML, bytes: || INDEX.as_bytes() },
    File { path: "/styles.css", kind: CSS, bytes: || include_bytes!("../../../../../embed/browser/page/styles.css") },
    File { path: "/table.css", kind: CSS, bytes: || include_bytes!("../../../../../embed/browser/page/table.css") },
    File {
        path: "/icon.svg",
        kind: "image/svg+xml",
        bytes: || include_bytes!("../../../../../embed/browser/page/icon.svg"),
    },
    File {
        path: "/offline.js",
        kind: SCRIPT,
        bytes: || include_bytes!("../../../../../embed/browser/page/offline.js"),
    },
    File { path: "/page.js", kind: SCRIPT, bytes: || include_bytes!("../../../../../embed/browser/built/page.js") },
    File { path: "/worker.js", kind: SCRIPT, bytes: || include_bytes!("../../../../../embed/browser/built/worker.js") },
    File { path: "/lro.wasm", kind: "application/wasm", bytes: || lro::COMPONENT },
    File { path: "/sample.json", kind: "application/json", bytes: || super::super::CORPUS.as_bytes() },
];

/// The file of a path, without the query that may follow it.
pub(super) fn named(path: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.path == path)
}

/// The policy of the page (CSP), as the page itself has it.
pub(super) fn policy() -> &'static str {
    let (_, rest) = INDEX.split_once(POLICY).unwrap_or_default();
    rest.split('"').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{named, policy};

    #[test]
    fn the_policy_is_that_of_the_page() {
        assert!(policy().starts_with("default-src 'none'; script-src 'self'"), "{}", policy());
    }

    #[test]
    fn only_names_of_the_table_are_found() {
        let cases =
            [("/", true), ("/page.js", true), ("/index.html", false), ("/../Cargo.toml", false), ("//page.js", false)];
        for (path, expected) in cases {
            assert_eq!(named(path).is_some(), expected, "{path}");
        }
    }
}
