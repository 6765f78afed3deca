//! `lro proxy`: any MCP server, with its large results offloaded.
//!
//! Lines pass through with their bytes unchanged. The proxy looks at answers to `tools/list`, which get our tools, and at
//! results of tools, which the component offloads if they are too large.

mod child;
mod conversation;
mod ending;
mod envelope;
#[cfg(feature = "http")]
mod http;
mod inbox;
mod known;
mod lines;
#[cfg(feature = "listen")]
mod listen;
mod memory;
mod noted;
mod notes;
#[cfg(feature = "http")]
mod oauth;
mod ours;
mod parts;
mod pending;
mod resolving;
mod router;
mod server;
mod several;
mod shown;
mod unhandled;
mod workers;

use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use clap::{ArgGroup, Args, value_parser};
use lro::{Case, CleanupRequest, Lro, Options};

use self::child::Process;
use self::conversation::Conversation;
use self::ending::Ending;
use self::lines::Said;
use self::noted::Told;
use self::notes::{Note, Notes};
use self::ours::Ours;
use self::router::Router;
use self::server::Server;
use self::workers::Workers;
#[cfg(target_os = "linux")]
use crate::addresses;
use crate::events::EventsFlag;
use crate::failure::Failure;
use crate::global::{Global, set};
use crate::ledger::LedgerFlag;
use crate::offloading::OffloadingFlags;
use crate::opening::Opening;
use crate::patient::Patient;
use crate::session::{Session, SessionFlags};
use crate::{allocator, output, remarks};

const EXAMPLES: &str = "\
Examples:
  lro proxy -- npx -y @modelcontextprotocol/server-filesystem ~/projects
  lro proxy --url https://example.com/mcp --bearer-env EXAMPLE_TOKEN
  lro proxy --url https://example.com/mcp --sign-in
  lro proxy --url https://example.com/mcp --header-env X-Api-Key=EXAMPLE_KEY
  lro proxy --listen 127.0.0.1:8080 -- npx -y @modelcontextprotocol/server-filesystem ~/projects
  lro proxy --server 'web=npx -y server-web --safe' --server git=mcp-server-git
  lro proxy --servers ~/.cursor/mcp.json
  lro proxy --output-dir ./results --tool read_file=never --tool list_issues=500 -- my-server --stdio

Results above the threshold are stored in files, and the client gets a short response instead, and the tools
lro_extract, lro_search, lro_read and lro_describe to read them. Everything else passes through byte for byte.";

/// Wrap any MCP server: offload its large results, and pass everything else through
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[cfg_attr(feature = "http", command(group = ArgGroup::new("server").args(["command", "url", "url_env", "server_flags", "servers"]).required(true)))]
#[cfg_attr(feature = "http", command(group = ArgGroup::new("remote").args(["url", "url_env"])))]
#[cfg_attr(not(feature = "http"), command(group = ArgGroup::new("server").args(["command", "server_flags", "servers"]).required(true)))]
pub(super) struct Proxy {
    /// The command that starts the server, with its arguments; flags of lro come before it
    #[arg(trailing_var_arg = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// Use the server at this URL, over streamable HTTP
    #[cfg(feature = "http")]
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Use the server whose URL is in this variable (other users can see a command line)
    #[cfg(feature = "http")]
    #[arg(long, value_name = "VARIABLE")]
    url_env: Option<String>,
    /// Send this header to URL
    #[cfg(feature = "http")]
    #[arg(long = "header", value_name = "NAME: VALUE", requires = "remote")]
    headers: Vec<String>,
    /// Send a header to URL with the value of this variable
    #[cfg(feature = "http")]
    #[arg(long, value_name = "NAME=VARIABLE", requires = "remote")]
    header_env: Vec<String>,
    /// Send the value of this variable to URL as bearer token
    #[cfg(feature = "http")]
    #[arg(long, value_name = "VARIABLE", requires = "remote")]
    bearer_env: Option<String>,
    /// Let the model hand results to other tools: lro://FILE in the arguments of a call is replaced by the data
    #[arg(long)]
    resolve_arguments: bool,
    /// Leave all results alone: code calls the tools and expects rows. The extraction tools stay
    #[arg(long)]
    code_mode: bool,
    /// Leave results for this caller alone, by its name in clientInfo or by lro/caller in _meta; may be repeated
    #[arg(long = "code-caller", value_name = "NAME", conflicts_with = "code_mode")]
    code_callers: Vec<String>,
    /// Tell the server about the proxy, with `proxy: true` in clientInfo. A remote server is always told
    #[arg(long)]
    announce: bool,
    /// Answer messages that are longer than this with an error
    #[arg(long, value_name = "BYTES", default_value_t = MOST_MESSAGE_BYTES, value_parser = value_parser!(u32).range(1024..))]
    max_message: u32,
    #[cfg(feature = "http")]
    #[command(flatten, next_help_heading = "Signing in to URL")]
    oauth: oauth::Flags,
    #[command(flatten, next_help_heading = "What is offloaded")]
    offloading: OffloadingFlags,
    #[command(flatten, next_help_heading = "The conversation")]
    session: SessionFlags,
    #[command(flatten)]
    events: EventsFlag,
    #[command(flatten)]
    ledger: LedgerFlag,
    #[command(flatten, next_help_heading = "Several servers")]
    several: several::SeveralFlags,
    #[cfg(feature = "listen")]
    #[command(flatten, next_help_heading = "Serving over HTTP")]
    listen: listen::ListenFlags,
}

/// A longer line is dropped. Clients read a message as a whole too, and few results have more than ten megabytes. Memory
/// grows with it (docs/RELIABILITY.md): the component may take six times its length.
const MOST_MESSAGE_BYTES: u32 = 64 << 20;

/// How many of the longest messages are held for workers at once: one in work, and one that waits.
const MESSAGES_HELD: usize = 2;

impl Proxy {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        #[cfg(feature = "http")]
        if let (Some(now), Some(url)) = (self.oauth.now(), self.remote_url()?) {
            return http::perform(&url, &self.given(), &self.oauth, now);
        }
        #[cfg(target_os = "linux")]
        addresses::suffice_for_a_proxy()?;
        allocator::return_large_blocks();
        #[cfg(feature = "listen")]
        if self.listen.listen.is_some() {
            return self.serve(global);
        }
        let notes = Notes::listen().map_err(|error| Failure::file("listen to signals", error))?;
        let options = self.options(global)?;
        let session = Session::of(&self.session, global.has_store());
        let router = Router::new(self.announces(), &options, &session.name);
        let ours = (self.open(options, global.json_errors)?, router, session);
        remarks::never_wait();
        if let Some(servers) = self.several.start(self.most_bytes())? {
            return self.converse(ours, notes, None, Box::new(servers.clone()), |take| {
                servers.each(&mut |mut line| take(Said::Line(&mut line)));
                Ok(())
            });
        }
        #[cfg(feature = "http")]
        if let Some(server) = self.remote()? {
            return self.converse(ours, notes, None, Box::new(server.clone()), |take| {
                server.each(&mut |mut line| take(Said::Line(&mut line)))
            });
        }
        let (process, input, output) = child::start(&self.command)?;
        let most = self.most_bytes();
        self.converse(ours, notes, Some(process), Box::new(input), |take| lines::each(output, most, take))
    }

    /// Serves over HTTP. What is wrong with the flags shows now and not in a session, and the component is compiled once.
    #[cfg(feature = "listen")]
    fn serve(&self, global: &Global) -> Result<(), Failure> {
        #[cfg(feature = "http")]
        self.remote()?;
        self.several.check()?;
        let json_errors = global.json_errors;
        let open = |options| Ours::open(options).map(drop);
        let opening = Opening::begin(self.options(global)?, open, move |opened| {
            if let Err(failure) = opened {
                failure.report(json_errors);
                remarks::flush();
                std::process::exit(1);
            }
        })?;
        opening.wait();
        remarks::never_wait();
        let notes = Notes::listen().map_err(|error| Failure::file("listen to signals", error))?;
        let session = self.session.session.is_none().then(|| Session::of(&self.session, global.has_store()).name);
        listen::serve(
            &self.listen,
            notes,
            listen::Serving { count: self.command.len(), most_bytes: self.most_bytes(), session },
        )
    }

    /// Opens the component. If it has to be compiled, client and server begin to talk meanwhile.
    fn open(&self, options: Options, json_errors: bool) -> Result<Opening<Mutex<Ours>>, Failure> {
        let events = self.events.clone();
        let open = move |options| {
            let ours = Ours::open(options)?;
            // A store lets files expire: each of many replicas would list all of it.
            if ours.lro.object_store().is_none() {
                clean_up_now_and_then(&ours.lro, events);
            }
            Ok(Mutex::new(ours))
        };
        Opening::begin(options, open, move |opened| {
            notes::tell(match opened {
                Ok(()) => Note::Opened,
                Err(failure) => {
                    failure.report(json_errors);
                    Note::Unusable
                }
            });
        })
    }

    /// Lets client and server talk until the server has ended or the client has gone. `each` returns what the server says.
    fn converse(
        &self,
        (ours, router, session): (Opening<Mutex<Ours>>, Router, Session),
        notes: Notes,
        process: Option<Process>,
        server: Box<dyn Server>,
        each: impl FnOnce(&mut dyn FnMut(Said<'_>) -> bool) -> io::Result<()>,
    ) -> Result<(), Failure> {
        let (input, output) = standard_streams()?;
        let events = self.events.clone();
        let told = Told { events, ledger: self.ledger.ledger() };
        let conversation = Conversation::new(ours, router, session, output, server, told, self.most_bytes());
        let conversation = Arc::new(conversation);
        let workers = Arc::new(Workers::start(&conversation, MESSAGES_HELD * self.most_bytes()));
        let ending = Ending::watch(notes, process, &conversation, &workers).map_err(no_thread)?;
        let listening = self.listen_to_client(input, &conversation, &workers).map_err(no_thread);
        let talked = listening.and_then(|()| {
            each(&mut |said| conversation.server_says(said, &workers))
                .map_err(|error| Failure::file("read from the server", error))
        });
        if talked.is_err() {
            notes::tell(Note::ClientHasGone);
        }
        conversation.client_has_ended();
        notes::tell(Note::ServerIsSilent);
        workers.finish();
        conversation.send_half_line();
        conversation.end_session();
        let code = ending.code();
        talked?;
        if code == 0 { Ok(()) } else { Err(Failure::Status(code)) }
    }

    /// Forwards what the client says, in a thread that ends with the process, because a blocking read cannot be stopped.
    fn listen_to_client(
        &self,
        input: Box<dyn Read + Send>,
        conversation: &Arc<Conversation>,
        workers: &Arc<Workers>,
    ) -> io::Result<()> {
        let (conversation, workers, most) = (Arc::clone(conversation), Arc::clone(workers), self.most_bytes());
        let listener = thread::Builder::new().name("lro-client".to_owned());
        let listening = listener.spawn(move || {
            // What cannot be read has ended.
            let _ = lines::each(input, most, |said| conversation.client_says(said, &workers));
            conversation.send_calls();
            conversation.client_has_ended();
            notes::tell(Note::ClientIsSilent);
        });
        listening.map(drop)
    }

    fn most_bytes(&self) -> usize {
        usize::try_from(self.max_message).unwrap_or(usize::MAX)
    }

    /// The server behind a URL, if there is one.
    #[cfg(feature = "http")]
    fn remote(&self) -> Result<Option<http::Http>, Failure> {
        let Some(url) = self.remote_url()? else { return Ok(None) };
        http::connect(&url, &self.given(), &self.oauth, self.most_bytes()).map(Some)
    }

    #[cfg(feature = "http")]
    fn remote_url(&self) -> Result<Option<String>, Failure> {
        match (&self.url, &self.url_env) {
            (Some(url), _) => Ok(Some(url.clone())),
            (None, variable) => variable.as_deref().map(http::variable).transpose(),
        }
    }

    #[cfg(feature = "http")]
    fn given(&self) -> http::Given<'_> {
        http::Given { plain: &self.headers, from_variables: &self.header_env, bearer: self.bearer_env.as_deref() }
    }

    /// PROXY-03: a remote server is always told that there is a proxy. A local one gets its client's bytes, unless
    /// `--announce` is given.
    fn announces(&self) -> bool {
        #[cfg(feature = "http")]
        let is_remote = self.url.is_some() || self.url_env.is_some();
        #[cfg(not(feature = "http"))]
        let is_remote = false;
        self.announce || is_remote
    }

    fn options(&self, global: &Global) -> Result<Options, Failure> {
        let mut options = self.offloading.options(global)?;
        self.session.set(&mut options);
        set(&mut options, "resolve_arguments", &self.resolve_arguments.then_some(true));
        let everyone = || vec!["*".to_owned()];
        let callers = if self.code_mode { everyone() } else { self.code_callers.clone() };
        set(&mut options, "code_callers", &(!callers.is_empty()).then_some(callers));
        Ok(options)
    }
}

/// Standard input and output, in whichever way this platform reads and writes them.
type FromClient = Box<dyn Read + Send>;
type ToClient = Box<dyn Write + Send>;

/// Standard input and output without the buffers of the standard library, which are flushed when the process ends and
/// would wait for a reader then.
#[cfg(unix)]
fn standard_streams() -> Result<(FromClient, ToClient), Failure> {
    use std::fs::File;
    use std::os::fd::AsFd;
    let failure = |error| Failure::file("use standard input and output", error);
    let input = io::stdin().as_fd().try_clone_to_owned().map_err(failure)?;
    let output = io::stdout().as_fd().try_clone_to_owned().map_err(failure)?;
    Ok((Box::new(Patient::new(File::from(input))), Box::new(Patient::new(File::from(output)))))
}

#[cfg(not(unix))]
fn standard_streams() -> Result<(FromClient, ToClient), Failure> {
    Ok((Box::new(Patient::new(io::stdin())), Box::new(Patient::new(io::stdout()))))
}

fn no_thread(error: io::Error) -> Failure {
    Failure::file("start a thread", error)
}

/// The specification's interval (LRO-34).
const CLEANUP_INTERVAL: Duration = Duration::from_secs(3600);

/// PROXY-08: deletes expired files at the start and every hour, in a thread that ends with the process.
fn clean_up_now_and_then(lro: &Lro, events: EventsFlag) {
    let lro = lro.clone();
    let cleaner = thread::Builder::new().name("lro-cleanup".to_owned()).spawn(move || {
        loop {
            match lro.cleanup(&CleanupRequest::default()) {
                Ok(cleaning) => events.report(&cleaning.events),
                // A directory that does not exist yet has nothing to clean.
                Err(lro::Error::Case(Case::NotFound(_))) => {}
                Err(error) => output::remark(error.message()),
            }
            thread::sleep(CLEANUP_INTERVAL);
        }
    });
    if let Err(error) = cleaner {
        output::remark(&format!("expired files are not deleted, because no thread can be started: {error}"));
    }
}
