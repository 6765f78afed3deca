//! `lro mcp`: an MCP server with the extraction tools for a directory, and estimate and offload for texts and files.

mod calls;
mod given;
mod shown;
mod streams;
mod threads;
mod transport;
mod unanswered;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use lro::{CallSettings, Case, Lro, Options};
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, DiscoverResult, Implementation, InitializeRequestParams,
    InitializeResult, ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer, ServiceExt};
use serde_json::Value;

use self::calls::Calls;
use self::given::{Given, failed};
use self::transport::Lines;
use crate::events::EventsFlag;
use crate::failure::Failure;
use crate::global::{Global, opened, set};
use crate::input_tokens::InputTokens;
use crate::interrupted;
use crate::ledger::{Ledger, LedgerFlag};
use crate::opening::Opening;
use crate::remarks;
use crate::session::{Session, SessionFlags};

const EXAMPLE: &str = "\
Example:
  lro mcp --output-dir ./results --root ./logs

Offers lro_extract, lro_search, lro_read and lro_describe for the files in the output directory, and lro_estimate and
lro_offload for texts, and for files below the folders that --root names. To offload the results of another server,
see: lro proxy --help";

/// Serve the extraction tools, estimate and offload over MCP on standard input and output
#[derive(Args)]
#[command(after_help = EXAMPLE)]
pub(super) struct Mcp {
    /// The directory with the files, created if missing [default: lro-UID in the temporary directory]
    #[arg(long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Let lro_estimate and lro_offload read files below this folder
    #[arg(long = "root", value_name = "DIR")]
    roots: Vec<PathBuf>,
    /// Offload results with more tokens than this [default: 1600]
    #[arg(long, value_name = "N", alias = "threshold")]
    threshold_tokens: Option<u32>,
    /// The names and arguments that the extraction tools have [default: lro, or large_output in the profile mcpagent]
    #[arg(long, value_name = "lro|artifact|large_output|unified")]
    tool_names: Option<String>,
    /// The thresholds, file names and tools of another system
    #[arg(long, value_name = "current|early|mcpagent")]
    profile: Option<String>,
    /// Answer messages of the client that are longer than this with an error
    #[arg(long, value_name = "BYTES", default_value_t = MAX_MESSAGE_BYTES)]
    max_message: u64,
    #[command(flatten)]
    session: SessionFlags,
    #[command(flatten)]
    events: EventsFlag,
    #[command(flatten)]
    ledger: LedgerFlag,
}

/// What the ledger calls the client of this server: whose hook has offloaded a result is in the result's own line.
const CLIENT: &str = "mcp";

/// Room for a text of 60 MB. Longer ones are better given as files.
const MAX_MESSAGE_BYTES: u64 = 64 << 20;

impl Mcp {
    pub(super) fn run(self, global: &Global) -> Result<(), Failure> {
        let mut options = global.options()?.output_dir(self.output_dir.clone());
        set(&mut options, "threshold_tokens", &self.threshold_tokens);
        set(&mut options, "tool_names", &self.tool_names);
        set(&mut options, "profile", &self.profile);
        set(&mut options, "guidance", &Some("tool"));
        set(&mut options, "defaults", &Some("agent"));
        // Who calls `lro_offload` wants a file.
        set(&mut options, "min_saving", &Some(Value::Null));
        self.session.set(&mut options);
        interrupted::clean_up_when_interrupted();
        let longest = usize::try_from(self.max_message).unwrap_or(usize::MAX);
        // It serves a directory: a session of its own is asked for.
        let session = self.session.is_asked_for().then(|| Session::of(&self.session, global.has_store()));
        let (events, json_errors) = (self.events.clone(), global.json_errors);
        remarks::never_wait();
        let server = Server::open(
            options,
            self.roots,
            Told { events, ledger: self.ledger.ledger() },
            session.clone(),
            longest,
            json_errors,
        )?;
        let end = Ending { session, tools: server.tools.clone(), events: self.events };
        interrupted::when_interrupted({
            let end = end.clone();
            move || {
                end.end_session();
                remarks::flush();
            }
        });
        threads::can_start().map_err(|error| Failure::file("start a thread", error))?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::file("start the server", error))?;
        let served = runtime.block_on(serve(server, longest));
        end.end_session();
        served
    }
}

/// What ends with the conversation.
#[derive(Clone)]
struct Ending {
    session: Option<Session>,
    tools: Opening<Tools>,
    events: EventsFlag,
}

impl Ending {
    /// Nothing is there to be deleted before the component is open.
    fn end_session(&self) {
        if let (Some(session), Some(tools)) = (&self.session, self.tools.get()) {
            session.end(&tools.lro, &self.events);
        }
    }
}

/// Serves until the client ends.
async fn serve(server: Server, longest: usize) -> Result<(), Failure> {
    let failure = |error: String| Failure::file("serve on standard input and output", std::io::Error::other(error));
    let tools = server.tools.clone();
    let lines = Lines::new(longest, Arc::clone(&server.calls), move || _ = tools.wait())
        .map_err(|error| Failure::file("start a thread", error))?;
    let service = server.serve(lines).await.map_err(|error| failure(error.to_string()))?;
    service.waiting().await.map(|_| ()).map_err(|error| failure(error.to_string()))
}

/// The tools, which may have to wait for the component, and the calls of them.
#[derive(Clone)]
struct Server {
    tools: Opening<Tools>,
    calls: Arc<Calls>,
}

impl Server {
    fn open(
        options: Options,
        roots: Vec<PathBuf>,
        told: Told,
        session: Option<Session>,
        longest: usize,
        json_errors: bool,
    ) -> Result<Self, Failure> {
        let open = move |options| Tools::new(opened(&options)?, &roots, told, session);
        let tools = Opening::begin(options, open, move |opened| {
            if let Err(failure) = opened {
                failure.report(json_errors);
                remarks::flush();
                std::process::exit(1);
            }
        })?;
        Ok(Self { tools, calls: Arc::new(Calls::new(longest)) })
    }
}

/// The tools, and what they work on.
struct Tools {
    lro: Lro,
    definitions: Vec<Tool>,
    given: Given,
    session: Option<Session>,
    ledger: Ledger,
    input_tokens: Mutex<InputTokens>,
}

/// Who is told what happens.
struct Told {
    events: EventsFlag,
    ledger: Ledger,
}

impl Tools {
    fn new(lro: Lro, roots: &[PathBuf], told: Told, session: Option<Session>) -> Result<Self, Failure> {
        let given = Given::new(&lro, roots, told.events)?;
        let mut definitions: Vec<Value> = serde_json::from_str(&lro.mcp_tools()?).unwrap_or_default();
        definitions.extend(given.definitions());
        let definitions = serde_json::from_value(definitions.into())
            .map_err(|error| Failure::file("read the definitions of the tools", error.into()))?;
        let mut input_tokens = InputTokens::default();
        input_tokens.learn(lro.settings().context_tokens);
        Ok(Self { lro, definitions, given, session, ledger: told.ledger, input_tokens: Mutex::new(input_tokens) })
    }

    /// Executes a call, and counts what the model reads. `meta` is that of the request, as its text.
    fn counted_answer(&self, request: &CallToolRequestParams, meta: &str) -> Result<CallToolResult, ErrorData> {
        let count = || self.input_tokens.lock().unwrap_or_else(PoisonError::into_inner);
        count().said(meta);
        let session = self.session.as_ref().map(|session| session.name.as_str());
        let known = CallSettings::default().session(session).input_tokens(count().get());
        let answer = self.answer(request, &known)?;
        if known.input_tokens.is_some() {
            count().add(&serde_json::to_string(&answer).unwrap_or_default());
        }
        Ok(answer)
    }

    /// Executes a call; it may take as long as an extraction.
    fn answer(&self, request: &CallToolRequestParams, known: &CallSettings) -> Result<CallToolResult, ErrorData> {
        let arguments = request.arguments.clone().unwrap_or_default();
        let lro = self.lro.for_call(known);
        if let Some(result) = self.given.call(&lro, &request.name, &arguments) {
            return Ok(result);
        }
        let arguments = Value::Object(arguments).to_string();
        match lro.mcp_call(&request.name, &arguments) {
            Ok(result) => {
                self.ledger.extraction(&self.lro, CLIENT, &arguments, &result);
                serde_json::from_str(&result).map_err(|error| ErrorData::internal_error(error.to_string(), None))
            }
            // The name of the tool is not ours.
            Err(error @ lro::Error::Case(Case::InvalidArgument(_))) => {
                Err(ErrorData::invalid_params(error.to_string(), None))
            }
            // A model should see what went wrong: some clients keep errors of the protocol to themselves.
            Err(error) => Ok(failed(&error)),
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("lro", env!("CARGO_PKG_VERSION")))
            .with_instructions("Results that are too large to show are put into files; lro_extract reads them.")
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        let mut info = self.negotiate_initialize(&request)?;
        shown::declare(&mut info.capabilities, &request.capabilities);
        Ok(info)
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut info = self.get_info();
        shown::declare(&mut info.capabilities, &context.client_capabilities().unwrap_or_default());
        Ok(DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), info))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        shown::read(&request.uri, &context).map(Into::into)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools.clone();
        let listed = threads::run(move || tools.wait().definitions.clone());
        let listed = listed.await.map(|tools| if shown::is_shown(&context) { shown::with_page(tools) } else { tools });
        listed.map(ListToolsResult::with_all_items).map_err(|error| ErrorData::internal_error(error, None))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let internal = |error: String| ErrorData::internal_error(error, None);
        let held = request.arguments.as_ref().map(|arguments| self.calls.hold(arguments));
        let turn = self.calls.turn().await.map_err(|error| internal(error.to_string()))?;
        let tools = self.tools.clone();
        let meta = serde_json::to_string(request.meta.as_ref().unwrap_or(&context.meta)).unwrap_or_default();
        let answer = threads::run(move || {
            // A call that the client no longer waits for still runs.
            let _running = (held, turn);
            tools.wait().counted_answer(&request, &meta)
        });
        answer.await.map_err(internal)?.map(Into::into)
    }
}
