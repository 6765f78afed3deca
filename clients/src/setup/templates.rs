//! What is written for a client, with the path of this `lro` in it.

use serde_json::{Value, json};

use super::clients::{Client, Part, ServerShape, Template};
use super::entries::{Entry, SERVER, What};
use super::ours::quoted;
use super::places::System;

/// The plugin of opencode, as it is shipped.
const PLUGIN: &str = include_str!("../../../embed/clients/opencode/lro.js");

/// What the plugin says of the program, and the words of its two command lines.
const PROGRAM: &str = "const LRO = 'lro';";
const HOOK: &str = "['hook', 'opencode']";
const MCP: &str = "[LRO, 'mcp']";

/// Gemini CLI shows the message of a hook that cannot be started in place of the result. So once `lro` is gone, all tools
/// would be useless to the model.
const ENDS_WELL: &str = " 2>/dev/null || exit 0";

/// How clients start `lro`.
pub(crate) struct Lro {
    /// The absolute path, because the PATH of a client differs; or the words that start the npm package.
    pub(crate) command: Vec<String>,
    /// Written only if it was given.
    pub(crate) output_dir: Option<String>,
    /// Whose shell reads the command lines.
    pub(crate) system: System,
}

impl Lro {
    /// The words of a subcommand.
    fn words(&self, subcommand: &[&str]) -> Vec<String> {
        let flags = self.output_dir.iter().flat_map(|folder| ["--output-dir".to_owned(), folder.clone()]);
        self.command.iter().cloned().chain(subcommand.iter().map(|&word| word.to_owned())).chain(flags).collect()
    }

    /// What stands before the command line of a server.
    pub(crate) fn proxy(&self) -> Vec<String> {
        let mut words = self.words(&["proxy"]);
        words.push("--".to_owned());
        words
    }

    /// The source of the plugin of opencode.
    pub(crate) fn plugin(&self) -> String {
        let (program, others) = self.command.split_first().expect("a command has a program");
        let source = PLUGIN.replacen(PROGRAM, &format!("const LRO = {};", json!(program)), 1);
        if others.is_empty() && self.output_dir.is_none() {
            return source;
        }
        let folder = self.output_dir.iter().flat_map(|folder| ["'--output-dir'".to_owned(), json!(folder).to_string()]);
        let list = |first: &[&str], words: &[&str]| {
            let others = others.iter().map(|word| json!(word).to_string());
            let words = words.iter().map(|word| format!("'{word}'"));
            let first = first.iter().map(|&word| word.to_owned());
            let all: Vec<String> = first.chain(others).chain(words).chain(folder.clone()).collect();
            format!("[{}]", all.join(", "))
        };
        source.replacen(HOOK, &list(&[], &["hook", "opencode"]), 1).replacen(MCP, &list(&["LRO"], &["mcp"]), 1)
    }

    fn server(&self, shape: ServerShape) -> Value {
        let words = self.words(&["mcp"]);
        let (command, arguments) = words.split_first().expect("a command has a program");
        match shape {
            ServerShape::Plain => json!({ "command": command, "args": arguments }),
            ServerShape::Typed => json!({ "type": "stdio", "command": command, "args": arguments }),
            ServerShape::Trusted => json!({ "command": command, "args": arguments, "trust": true }),
            ServerShape::Listed => json!({ "type": "local", "command": words, "enabled": true }),
            ServerShape::Approved => {
                let tools = ["lro_extract", "lro_search", "lro_read", "lro_describe"];
                let approved = |tool: &str| (tool.to_owned(), json!({ "approval_mode": "approve" }));
                let tools: serde_json::Map<_, _> = tools.into_iter().map(approved).collect();
                json!({ "command": command, "args": arguments, "tools": tools })
            }
        }
    }

    fn hook(&self, client: &'static str, template: &Template) -> What {
        let words = self.words(&["hook", client]);
        let mut command = words.iter().map(|word| quoted(word, self.system)).collect::<Vec<_>>().join(" ");
        if client == "gemini" && self.system != System::Windows {
            command.push_str(ENDS_WELL);
        }
        let element = match template {
            Template::HookGroup { matcher, name, timeout } => {
                let mut hook = json!({ "type": "command", "command": command, "timeout": timeout });
                if *name {
                    hook = json!({ "name": SERVER, "type": "command", "command": command, "timeout": timeout });
                }
                json!({ "matcher": matcher, "hooks": [hook] })
            }
            _ => json!({ "command": command }),
        };
        What::Hook { client, command, element }
    }

    /// The entries of a part of a client's configuration.
    pub(crate) fn entries(&self, client: &Client, part: &Part) -> Vec<Entry> {
        let place = part.place.iter().map(|&key| key.into()).collect::<Vec<_>>();
        let whats = match &part.what {
            template @ (Template::HookGroup { .. } | Template::Hook) => vec![self.hook(client.name, template)],
            Template::Server(shape) => vec![What::Server(self.server(*shape))],
            Template::Tools(names) => names.iter().map(|name| What::Text(name)).collect(),
            Template::Text(text) => vec![What::Text(text)],
            Template::Required(key, value) => vec![What::Required { key, value: *value }],
        };
        whats.into_iter().map(|what| Entry { place: place.clone(), what }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugin_calls_what_it_is_told() {
        for text in [PROGRAM, HOOK, MCP] {
            assert_eq!(PLUGIN.matches(text).count(), 1, "the plugin has `{text}` once");
        }
        let plain = Lro { command: vec!["/a b/lro".to_owned()], output_dir: None, system: System::Linux };
        assert_eq!(plain.plugin(), PLUGIN.replace(PROGRAM, "const LRO = \"/a b/lro\";"));
        let elsewhere = Lro { output_dir: Some("/out \"x\"".to_owned()), ..plain };
        for words in
            [r#"['hook', 'opencode', '--output-dir', "/out \"x\""]"#, r#"[LRO, 'mcp', '--output-dir', "/out \"x\""]"#]
        {
            assert!(elsewhere.plugin().contains(words), "{words}");
        }
        let npx = Lro { command: ["npx", "-y", "lro-component@1"].map(str::to_owned).to_vec(), ..elsewhere };
        for words in [
            r#"const LRO = "npx";"#,
            r#"spawn(LRO, ["-y", "lro-component@1", 'hook', 'opencode', '--output-dir', "/out \"x\""],"#,
            r#"command: [LRO, "-y", "lro-component@1", 'mcp', '--output-dir', "/out \"x\""]"#,
        ] {
            assert!(npx.plugin().contains(words), "{words}: {}", npx.plugin());
        }
    }
}
