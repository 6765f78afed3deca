//! What is made for other programs works in them: completions in bash, manual pages in groff.

use std::fs;
use std::process::{Command, Output};

const LRO: &str = env!("CARGO_BIN_EXE_lro");

fn run(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {output:?}");
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("it is text")
}

#[test]
fn bash_completes_commands_flags_and_values() {
    // As bash asks for it: the words so far, and the number of the one that is being typed.
    let asks = r#"
        source <("$LRO" completions bash)
        read -r -a COMP_WORDS <<<"$1"
        [ "${1: -1}" != " " ] || COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _lro lro "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    for (typed, expected) in [
        ("lro off", "offload"),
        ("lro ", "completions"),
        ("lro extract --rec", "--recipe"),
        ("lro hook cl", "claude"),
        ("lro completions fi", "fish"),
    ] {
        let output = run(Command::new("bash").args(["-c", asks, "bash", typed]).env("LRO", LRO));
        let found = text(&output.stdout);
        assert!(found.lines().any(|line| line == expected), "{typed}: {found}");
    }
}

#[test]
fn each_shell_gets_a_script_of_its_own_with_all_commands() {
    let mut scripts = Vec::new();
    for (shell, begins) in
        [("bash", "_lro()"), ("zsh", "#compdef lro"), ("fish", "# Print an optspec"), ("powershell", "\nusing")]
    {
        let script = text(&run(Command::new(LRO).args(["completions", shell])).stdout);
        assert!(script.starts_with(begins), "{shell}: {}", script.chars().take(80).collect::<String>());
        for command in ["offload", "extract", "proxy", "completions"] {
            assert!(script.contains(command), "{shell} lacks {command}");
        }
        scripts.push(script);
    }
    scripts.dedup();
    assert_eq!(scripts.len(), 4);
}

#[test]
fn manual_pages_are_rendered_without_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    run(Command::new(LRO).arg("man").arg("--output-dir").arg(folder.path()));
    let mut names: Vec<String> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let commands = text(&run(Command::new(LRO).arg("help")).stdout);
    assert!(names.len() > 20 && names.contains(&"lro.1".to_owned()), "{names:?}");
    for name in names {
        let groff =
            run(Command::new("groff").args(["-man", "-Tutf8", "-ww", "-P-cbuo"]).arg(folder.path().join(&name)));
        assert_eq!(text(&groff.stderr), "", "{name}");
        let page = text(&groff.stdout);
        for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"] {
            assert!(page.contains(section), "{name} lacks {section}:\n{page}");
        }
        if let Some(command) = name.strip_prefix("lro-").and_then(|rest| rest.strip_suffix(".1")) {
            assert!(page.contains(&format!("lro {command}")), "{name}:\n{page}");
            assert!(commands.contains(&format!("  {command} ")), "{command} is in no group");
        }
    }
    let overview = text(&run(Command::new(LRO).arg("man")).stdout);
    assert_eq!(overview, fs::read_to_string(folder.path().join("lro.1")).unwrap());
    assert!(overview.contains("Exit status"), "{overview}");
}
