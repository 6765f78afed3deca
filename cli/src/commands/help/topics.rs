//! The overview, with the commands in groups.

use std::fmt::Write;

use clap::Command;

/// What people come for, and the commands for it.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Results", &["offload", "extract", "read", "search", "describe", "rebuild", "estimate"]),
    ("Files", &["list", "keep", "cleanup", "purge"]),
    ("Agents and servers", &["setup", "doctor", "audit", "stats", "hook", "mcp", "proxy"]),
    ("Trying and proving", &["demo", "component", "conformance"]),
    ("Help", &["help", "completions", "man"]),
];

/// The command with its overview in groups.
pub(crate) fn grouped(command: Command) -> Command {
    let styles = command.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let about = |name: &str| command.find_subcommand(name).and_then(Command::get_about).map(ToString::to_string);
    let longest = GROUPS.iter().flat_map(|(_, names)| *names).map(|name| name.len()).max().unwrap_or_default();
    let mut template = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (title, names) in GROUPS {
        let mut lines = String::new();
        // A build without a feature lacks its command.
        for (name, about) in names.iter().filter_map(|name| Some((name, about(name)?))) {
            // Writing to a text does not fail.
            _ = writeln!(lines, "  {literal}{name:<longest$}{literal:#}  {about}");
        }
        _ = write!(template, "\n{header}{title}:{header:#}\n{lines}");
    }
    _ = write!(template, "\n{header}Options:{header:#}\n{{options}}{{after-help}}");
    command.help_template(template)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::GROUPS;
    use crate::commands::CommandLine;

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        let command = CommandLine::command();
        let mut all: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }
}
