//! The clients that are known: their programs, their configurations, and what goes where. One row each.

use super::document::Format;

/// A client, and where it is configured.
pub struct Client {
    /// Its name on command lines.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The program that tells its version.
    pub program: Option<&'static str>,
    /// The version that the tests run.
    pub tested: Option<&'static str>,
    /// Its configurations.
    pub files: &'static [File],
    /// What remains to be done by the user, in a project or for all.
    pub(crate) next: [&'static str; 2],
}

/// A configuration of a client.
pub struct File {
    /// Whose it is.
    pub scope: Scope,
    pub(crate) folder: Folder,
    /// Names below the folder. The first that exists is used, otherwise the first.
    pub(crate) names: &'static [&'static str],
    /// How it is written.
    pub kind: Kind,
    /// What of ours goes into it.
    pub parts: &'static [Part],
    /// Where servers are; `*` stands for any key.
    pub servers: &'static [&'static [&'static str]],
    /// It is not created. If it is there, its parts go there and not into other files.
    pub(crate) only_if_there: bool,
}

/// Whose a configuration is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// That of a folder.
    Project,
    /// That of the user, for all folders.
    User,
}

/// How a configuration comes about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It is edited, and is written like this.
    Edited(Format),
    /// A file that is ours as a whole: the plugin of opencode.
    Plugin,
}

/// What goes into a configuration, and the keys that lead there.
pub struct Part {
    /// The keys.
    pub place: &'static [&'static str],
    pub(crate) what: Template,
}

/// What a client's entry looks like.
pub(crate) enum Template {
    /// A group `{"matcher", "hooks": [{"type": "command", …}]}`.
    HookGroup {
        matcher: &'static str,
        name: bool,
        timeout: u32,
    },
    /// A hook `{"command": …}`.
    Hook,
    /// A server `{"command", "args"}` with these members beside.
    Server(ServerShape),
    /// Our tools that read, with this before their names.
    Tools(&'static [&'static str]),
    Text(&'static str),
    Required(&'static str, i64),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerShape {
    Plain,
    /// With `"type": "stdio"`.
    Typed,
    /// With `"trust": true`: its tools are called without a question.
    Trusted,
    /// With a table for each tool that is called without a question.
    Approved,
    /// `"command"` is a list of words.
    Listed,
}

pub(crate) enum Folder {
    Project,
    Home,
    /// The folder in this variable, or this one in the home folder.
    Own(&'static str, &'static str),
    /// Claude Code has one file beside its folder, or in it if a variable names the folder.
    BesideClaude,
    /// Below the folder of configurations: `XDG_CONFIG_HOME` or `.config`.
    Config(&'static str),
    /// Below the folder that the desktop has for applications.
    Application(&'static str),
}

const JSON: Kind = Kind::Edited(Format::Json);
const JSONC: Kind = Kind::Edited(Format::Jsonc);
const TOML: Kind = Kind::Edited(Format::Toml);
const CLAUDE: Folder = Folder::Own("CLAUDE_CONFIG_DIR", ".claude");
const CODEX: Folder = Folder::Own("CODEX_HOME", ".codex");
const OPENCODE: Folder = Folder::Config("opencode");
const MCP_SERVERS: &[&[&str]] = &[&["mcpServers"]];
/// Seconds. Offloading 60 MB takes about two; an agent must not wait for ever.
const TIMEOUT: u32 = 60;

const CLAUDE_HOOK: Part = Part {
    place: &["hooks", "PostToolUse"],
    what: Template::HookGroup { matcher: "*", name: false, timeout: TIMEOUT },
};
const CLAUDE_TOOLS: Part = Part {
    place: &["permissions", "allow"],
    what: Template::Tools(&[
        "mcp__lro__lro_extract",
        "mcp__lro__lro_search",
        "mcp__lro__lro_read",
        "mcp__lro__lro_describe",
    ]),
};
const CODEX_HOOK: Part = Part {
    place: &["hooks", "PostToolUse"],
    what: Template::HookGroup { matcher: ".*", name: false, timeout: TIMEOUT },
};
const CODEX_CONFIG: &[Part] =
    &[Part { place: &["mcp_servers"], what: Template::Server(ServerShape::Approved) }, CODEX_HOOK];
const GEMINI: &[Part] = &[
    Part {
        place: &["hooks", "AfterTool"],
        // Milliseconds.
        what: Template::HookGroup { matcher: "*", name: true, timeout: 1000 * TIMEOUT },
    },
    Part { place: &["mcpServers"], what: Template::Server(ServerShape::Trusted) },
];
const OPENCODE_CONFIG: &[Part] = &[Part { place: &["mcp"], what: Template::Server(ServerShape::Listed) }];
const CURSOR_HOOKS: &[Part] = &[
    Part { place: &[], what: Template::Required("version", 1) },
    Part { place: &["hooks", "postToolUse"], what: Template::Hook },
];
const CURSOR_TOOLS: &[Part] = &[Part {
    place: &["permissions", "allow"],
    what: Template::Tools(&[
        "Mcp(lro:lro_extract)",
        "Mcp(lro:lro_search)",
        "Mcp(lro:lro_read)",
        "Mcp(lro:lro_describe)",
    ]),
}];
const PLAIN_SERVER: &[Part] = &[Part { place: &["mcpServers"], what: Template::Server(ServerShape::Plain) }];
const TYPED_SERVER: &[Part] = &[Part { place: &["mcpServers"], what: Template::Server(ServerShape::Typed) }];

const fn user(folder: Folder, names: &'static [&'static str], kind: Kind, parts: &'static [Part]) -> File {
    File { scope: Scope::User, folder, names, kind, parts, servers: &[], only_if_there: false }
}

const fn project(names: &'static [&'static str], kind: Kind, parts: &'static [Part]) -> File {
    File { scope: Scope::Project, folder: Folder::Project, names, kind, parts, servers: &[], only_if_there: false }
}

impl File {
    const fn with_servers(self, servers: &'static [&'static [&'static str]]) -> Self {
        Self { servers, ..self }
    }

    const fn only_if_there(self) -> Self {
        Self { only_if_there: true, ..self }
    }
}

/// All clients: those with a hook first, then those whose servers can be wrapped only.
pub static CLIENTS: &[Client] = &[
    Client {
        name: "claude",
        title: "Claude Code",
        program: Some("claude"),
        tested: Some("2.1.330"),
        files: &[
            user(CLAUDE, &["settings.json"], JSON, &[CLAUDE_HOOK, CLAUDE_TOOLS]),
            user(Folder::BesideClaude, &[".claude.json"], JSON, TYPED_SERVER)
                .with_servers(&[&["mcpServers"], &["projects", "*", "mcpServers"]]),
            project(
                &[".claude/settings.json"],
                JSON,
                &[CLAUDE_HOOK, CLAUDE_TOOLS, Part { place: &["enabledMcpjsonServers"], what: Template::Text("lro") }],
            ),
            project(&[".mcp.json"], JSON, TYPED_SERVER).with_servers(MCP_SERVERS),
        ],
        next: [
            "run `claude` here once and trust the folder, because Claude Code ignores settings of folders that are not trusted",
            "restart Claude Code",
        ],
    },
    Client {
        name: "codex",
        title: "Codex",
        program: Some("codex"),
        tested: Some("0.169.0"),
        files: &[
            user(CODEX, &["config.toml"], TOML, CODEX_CONFIG).with_servers(&[&["mcp_servers"]]),
            user(CODEX, &["hooks.json"], JSON, &[CODEX_HOOK]).only_if_there(),
            project(&[".codex/config.toml"], TOML, CODEX_CONFIG).with_servers(&[&["mcp_servers"]]),
            project(&[".codex/hooks.json"], JSON, &[CODEX_HOOK]).only_if_there(),
        ],
        next: [
            "start `codex` here, trust the folder, open /hooks and trust the hook of lro: until then Codex skips it",
            "start `codex`, open /hooks and trust the hook of lro: until then Codex skips it",
        ],
    },
    Client {
        name: "gemini",
        title: "Gemini CLI",
        program: Some("gemini"),
        tested: Some("0.61.0"),
        files: &[
            user(Folder::Own("GEMINI_CLI_HOME", ""), &[".gemini/settings.json"], JSONC, GEMINI)
                .with_servers(MCP_SERVERS),
            project(&[".gemini/settings.json"], JSONC, GEMINI).with_servers(MCP_SERVERS),
        ],
        next: [
            "run `gemini` here once and trust the folder: hooks and servers are off in folders that are not trusted",
            "restart Gemini CLI; hooks and servers are off in folders that are not trusted",
        ],
    },
    Client {
        name: "opencode",
        title: "opencode",
        program: Some("opencode"),
        tested: Some("1.18.33"),
        files: &[
            user(OPENCODE, &["opencode.json", "opencode.jsonc"], JSONC, OPENCODE_CONFIG).with_servers(&[&["mcp"]]),
            user(OPENCODE, &["plugins/lro.js", "plugin/lro.js"], Kind::Plugin, &[]),
            project(&["opencode.json", "opencode.jsonc"], JSONC, OPENCODE_CONFIG).with_servers(&[&["mcp"]]),
            project(&[".opencode/plugins/lro.js", ".opencode/plugin/lro.js"], Kind::Plugin, &[]),
        ],
        next: ["restart opencode", "restart opencode"],
    },
    Client {
        name: "cursor",
        title: "Cursor",
        program: Some("cursor-agent"),
        tested: None,
        files: &[
            user(Folder::Home, &[".cursor/mcp.json"], JSONC, PLAIN_SERVER).with_servers(MCP_SERVERS),
            user(Folder::Home, &[".cursor/hooks.json"], JSONC, CURSOR_HOOKS),
            user(Folder::Home, &[".cursor/cli-config.json"], JSONC, CURSOR_TOOLS).only_if_there(),
            project(&[".cursor/mcp.json"], JSONC, PLAIN_SERVER).with_servers(MCP_SERVERS),
            project(&[".cursor/hooks.json"], JSONC, CURSOR_HOOKS),
            project(&[".cursor/cli.json"], JSONC, CURSOR_TOOLS).only_if_there(),
        ],
        next: [
            "restart Cursor and switch the server lro on in its settings; its hook sees results of MCP tools only",
            "restart Cursor and switch the server lro on in its settings; its hook sees results of MCP tools only",
        ],
    },
    Client {
        name: "claude-desktop",
        title: "Claude Desktop",
        program: None,
        tested: None,
        files: &[user(Folder::Application("Claude"), &["claude_desktop_config.json"], JSON, &[])
            .with_servers(MCP_SERVERS)
            .only_if_there()],
        next: ["restart Claude Desktop", "restart Claude Desktop"],
    },
    Client {
        name: "vscode",
        title: "VS Code",
        program: None,
        tested: None,
        files: &[
            user(Folder::Application("Code/User"), &["mcp.json"], JSONC, &[])
                .with_servers(&[&["servers"]])
                .only_if_there(),
            project(&[".vscode/mcp.json"], JSONC, &[]).with_servers(&[&["servers"]]).only_if_there(),
        ],
        next: ["restart the servers in VS Code", "restart the servers in VS Code"],
    },
];

/// Everywhere that servers can be in a file that no row names.
pub(crate) const ANY_SERVERS: &[&[&str]] =
    &[&["mcpServers"], &["servers"], &["mcp_servers"], &["mcp", "servers"], &["mcp"]];

/// The client with this name.
pub(crate) fn named(name: &str) -> Option<&'static Client> {
    CLIENTS.iter().find(|client| client.name == name)
}

impl Client {
    /// True if results are replaced by a hook or a plugin.
    pub fn has_hook(&self) -> bool {
        self.files.iter().any(|file| file.kind == Kind::Plugin || file.parts.iter().any(Part::is_hook))
    }
}

impl Part {
    /// True for a hook.
    pub fn is_hook(&self) -> bool {
        matches!(self.what, Template::HookGroup { .. } | Template::Hook)
    }
}
