//! `lro proxy`: any MCP server, with its large results offloaded.
//!
//! Lines go through as the bytes that they are. Looked at are the answers to `tools/list`, which get our tools, and the
//! results of tools, which are offloaded where they are too large; what becomes of them is decided in the component.

mod child;
mod conversation;
mod envelope;
#[cfg(feature = "http")]
mod http;
mod lines;
mod ours;
mod pending;
mod router;
mod server;
mod workers;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use clap::{ArgGroup, Args};
use lro::{CleanupRequest, Lro, Options};
use serde_json::{Map, Value, json};

use self::conversation::Conversation;
use self::ours::Ours;
use self::server::Server;
use self::workers::Workers;
use super::events::EventsFlag;
use super::{Failure, Global, output, set};

const EXAMPLES: &str = "\
Examples:
  lro proxy -- npx -y @modelcontextprotocol/server-filesystem ~/projects
  lro proxy --url https://example.com/mcp --bearer-env EXAMPLE_TOKEN
  lro proxy --output-dir ./results --tool read_file=never --tool list_issues=500 -- my-server --stdio

Results above the threshold are put into files, and the client gets a short response instead, with the tool
lro_extract to read them. Everything else passes through byte for byte.";

/// Wrap any MCP server: its large results are offloaded, all else passes through
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[cfg_attr(feature = "http", command(group = ArgGroup::new("server").args(["command", "url"]).required(true)))]
#[cfg_attr(not(feature = "http"), command(group = ArgGroup::new("server").args(["command"]).required(true)))]
pub(super) struct Proxy {
    /// The command that starts the server
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// The server is this one, over streamable HTTP
    #[cfg(feature = "http")]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Send this header to URL
    #[cfg(feature = "http")]
    #[arg(long = "header", value_name = "NAME: VALUE", requires = "url")]
    headers: Vec<String>,
    /// Send the value of this variable to URL as bearer token
    #[cfg(feature = "http")]
    #[arg(long, value_name = "VARIABLE", requires = "url")]
    bearer_env: Option<String>,
    /// Offload what has more tokens than this [default: 1600]
    #[arg(long, value_name = "N")]
    threshold: Option<u32>,
    /// Put files here [default: lro-UID in the temporary directory]
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Seconds after which a file may be deleted [default: 3600]
    #[arg(long, value_name = "SECONDS")]
    ttl: Option<u32>,
    /// Treat results of one tool otherwise: never, always, or a threshold of its own
    #[arg(long = "tool", value_name = "NAME=never|always|N", value_parser = tool)]
    tools: Vec<(String, Value)>,
    /// Do not offer lro_extract; responses then point to jq in a shell
    #[arg(long)]
    no_tools: bool,
    /// What the names of our tools begin with [default: lro_]
    #[arg(long, value_name = "PREFIX")]
    tool_prefix: Option<String>,
    /// Tell the server that there is a proxy: clientInfo gets `proxy: true`
    #[arg(long)]
    announce: bool,
    #[command(flatten)]
    events: EventsFlag,
}

impl Proxy {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let ours = Ours::open(self.options(global)?)?;
        clean_up_now_and_then(&ours.lro, self.events.clone());
        #[cfg(feature = "http")]
        if let Some(url) = &self.url {
            let (server, said) = http::connect(url, &self.headers, self.bearer()?.as_deref())?;
            return self
                .converse(ours, Box::new(server), |take| http::each(&said, take))
                .map_err(|error| Failure::file("read from the server", error));
        }
        let (mut process, input, output) = child::start(&self.command)?;
        let read = self.converse(ours, Box::new(input), |take| lines::each(output, take));
        let status = child::end(&mut process).map_err(|error| Failure::file("wait for the server", error))?;
        read.map_err(|error| Failure::file("read from the server", error))?;
        match child::exit_code(status) {
            0 => Ok(()),
            code => Err(Failure::Status(code)),
        }
    }

    /// Lets client and server talk until the server has ended, or the client does not listen any more. `each` hands out
    /// the lines of the server.
    fn converse(
        &self,
        ours: Ours,
        server: Box<dyn Server>,
        each: impl FnOnce(&mut dyn FnMut(&[u8]) -> bool) -> io::Result<()>,
    ) -> io::Result<()> {
        let conversation = Arc::new(Conversation::new(ours, self.announce, server, self.events.clone()));
        let workers = Arc::new(Workers::start(&conversation));
        listen_to_client(&conversation, &workers);
        let read = each(&mut |line| conversation.server_says(line, &workers));
        workers.finish();
        conversation.client_has_ended();
        read
    }

    /// The token that the environment holds: on a command line others could read it.
    #[cfg(feature = "http")]
    fn bearer(&self) -> Result<Option<String>, Failure> {
        let Some(variable) = &self.bearer_env else { return Ok(None) };
        match std::env::var(variable) {
            Ok(token) => Ok(Some(token)),
            Err(error) => Err(Failure::Usage(format!("cannot read the variable `{variable}`: {error}"))),
        }
    }

    fn options(&self, global: &Global) -> Result<Options, Failure> {
        let mut options = Options { output_dir: self.output_dir.clone(), ..global.options()? };
        set(&mut options, "threshold_tokens", &self.threshold);
        set(&mut options, "ttl_seconds", &self.ttl);
        set(&mut options, "tool_prefix", &self.tool_prefix);
        set(&mut options, "offer_tools", &self.no_tools.then_some(false));
        if !self.tools.is_empty() {
            let tools: Map<String, Value> = self.tools.iter().cloned().collect();
            options.settings.insert("tools".to_owned(), tools.into());
        }
        Ok(options)
    }
}

/// `NAME=never|always|N` as the settings have it.
fn tool(text: &str) -> Result<(String, Value), String> {
    let (name, how) = text.rsplit_once('=').ok_or("it must be NAME=never, NAME=always or NAME=N")?;
    let settings = match how.parse::<u32>() {
        Ok(threshold) => json!({ "threshold_tokens": threshold }),
        Err(_) => json!({ "offload": how }),
    };
    Ok((name.to_owned(), settings))
}

/// Forwards what the client says, in a thread that ends with the process: nobody can be stopped from reading.
fn listen_to_client(conversation: &Arc<Conversation>, workers: &Arc<Workers>) {
    let (conversation, workers) = (Arc::clone(conversation), Arc::clone(workers));
    thread::spawn(move || {
        // What cannot be read has ended.
        let _ = lines::each(io::stdin().lock(), |line| conversation.client_says(line, &workers));
        conversation.client_has_ended();
    });
}

/// The specification's interval (LRO-34).
const CLEANUP_INTERVAL: Duration = Duration::from_secs(3600);

/// PROXY-08: deletes expired files at the start and every hour, in a thread that ends with the process.
fn clean_up_now_and_then(lro: &Lro, events: EventsFlag) {
    let lro = lro.clone();
    thread::spawn(move || {
        loop {
            match lro.cleanup(&CleanupRequest::default()) {
                Ok(cleaning) => events.report(&cleaning.events),
                // A directory that is not there yet has nothing to clean.
                Err(lro::Error::NotFound(_)) => {}
                Err(error) => output::remark(error.message()),
            }
            thread::sleep(CLEANUP_INTERVAL);
        }
    });
}
