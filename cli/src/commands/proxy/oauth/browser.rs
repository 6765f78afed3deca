//! The browser: a person signs in there.

use std::env;
use std::process::{Command, Stdio};
use std::thread;

use url::Url;

/// Opens a URL in the user's browser. False where there is none.
pub(super) fn open(url: &Url) -> bool {
    commands().into_iter().any(|words| start(&words, url))
}

/// The commands that may open a URL, as words; `%s` is the URL, which otherwise comes last.
fn commands() -> Vec<Vec<String>> {
    if let Some(given) = env::var("BROWSER").ok().filter(|given| !given.trim().is_empty()) {
        return parsed(&given);
    }
    let own: &[&str] = if cfg!(target_os = "macos") {
        &["open"]
    } else if cfg!(windows) {
        &["rundll32", "url.dll,FileProtocolHandler"]
    } else if env::var_os("DISPLAY").is_some() || env::var_os("WAYLAND_DISPLAY").is_some() {
        &["xdg-open"]
    } else {
        return Vec::new();
    };
    vec![own.iter().map(|word| (*word).to_owned()).collect()]
}

/// `BROWSER`: commands with colons between them. A path on Windows has a colon too, so there it is one command.
fn parsed(given: &str) -> Vec<Vec<String>> {
    let commands: Vec<&str> = if cfg!(windows) { vec![given] } else { given.split(':').collect() };
    let words = |command: &str| command.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    commands.into_iter().map(words).filter(|words| !words.is_empty()).collect()
}

/// Standard streams are those of the conversation, so the browser gets none of them.
fn start(words: &[String], url: &Url) -> bool {
    let mut arguments: Vec<String> = words[1..].iter().map(|word| word.replace("%s", url.as_str())).collect();
    if !words.iter().any(|word| word.contains("%s")) {
        arguments.push(url.to_string());
    }
    let mut command = Command::new(&words[0]);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    // Whoever is not waited for stays in the list of processes. A browser may run longer than we do.
    let _ = thread::Builder::new().name("browser".to_owned()).spawn(move || child.wait());
    true
}

#[cfg(test)]
mod tests {
    use super::parsed;

    #[test]
    fn commands_are_words() {
        let rows: [(&str, &[&[&str]]); 4] = [
            ("firefox", &[&["firefox"]]),
            ("firefox -P  work %s", &[&["firefox", "-P", "work", "%s"]]),
            ("one:two %s:", &[&["one"], &["two", "%s"]]),
            (" ", &[]),
        ];
        for (given, expected) in rows {
            if cfg!(unix) {
                assert_eq!(parsed(given), expected, "{given}");
            }
        }
    }
}
