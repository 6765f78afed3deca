//! `lro hook CLIENT`: a command that a coding agent runs after each call of a tool, and that offloads large results.
//!
//! What an event holds, and the client's answer, is known to `lro-clients`. Here is the edge: it reads, follows saved files,
//! calls the component, and writes.
//!
//! A hook must not fail: what goes wrong lets the result through, with exit status 0, no output, and a line in a log
//! (decision 245).

mod log;
pub(in crate::commands) mod replacing;
mod saved;

use std::io::{self, IsTerminal, Read, Write};
use std::process::{ExitCode, exit};

use clap::Args;
use lro::Lro;
use lro_clients::hook::event::Rewritten;
use lro_clients::hook::{Client, Event, Held, is_tool};

use self::replacing::{Replaced, replaced, whole};
use crate::cuts::{Cutter, Origin};
use crate::events::EventsFlag;
use crate::failure::Failure;
use crate::global::{Global, opened};
use crate::interrupted::Work;
use crate::ledger::{Ledger, LedgerFlag};
use crate::offloading::OffloadingFlags;
use crate::session::ContextFlag;
use crate::shortest::Shortest;
use crate::{interrupted, output, remarks};

const EXAMPLES: &str = "\
Examples:
  lro hook claude < event.json
  lro hook codex --tool Bash=4000 --tool mcp__github__list_issues=never
  lro hook gemini --no-tools

The command is for the configuration of a client, which runs it after each call of a tool: `PostToolUse` of Claude Code
and Codex, `AfterTool` of Gemini CLI, `postToolUse` of Cursor, a plugin of opencode. It reads the event and writes the
client's answer, or nothing where the result stays as it is. Register `lro mcp` beside it, so that the model can read the
files; without it, --no-tools makes responses point to jq. It never fails: errors go to ~/.local/state/lro/hook.log.";

/// Offload large results of a coding agent's tools, as a hook that the agent runs after each call
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Hook {
    /// The client whose event is on standard input
    client: Client,
    #[command(flatten)]
    offloading: OffloadingFlags,
    #[command(flatten)]
    context: ContextFlag,
    #[command(flatten)]
    events: EventsFlag,
    #[command(flatten)]
    ledger: LedgerFlag,
}

/// More is not read. JSON may have twice the bytes of what it holds, which the component takes up to 64 MiB.
const MOST_EVENT_BYTES: u64 = 256 << 20;

impl Hook {
    pub(crate) fn run(self, global: &Global) -> Result<(), Failure> {
        if io::stdin().is_terminal() {
            let message = "a client runs `lro hook` with an event on standard input; see `lro hook --help`";
            return Err(Failure::Usage(message.to_owned()));
        }
        keep_quiet(self.client.name());
        let answer = self.answer(global);
        interrupted::give_way();
        match answer {
            Ok(Some((work, answer))) => work.answer(|| {
                let mut out = io::stdout().lock();
                // Who has closed standard output wants no answer.
                _ = out.write_all(answer.as_bytes()).and_then(|()| out.flush());
            }),
            Ok(None) => {}
            Err(reason) => output::remark(&reason),
        }
        Ok(())
    }

    /// The client's answer to the event on standard input, if there is one.
    fn answer(&self, global: &Global) -> Result<Option<(Work, String)>, String> {
        let text = event()?;
        let event = Event::of(self.client, &text)?;
        let Some(held) = event.held()? else { return Ok(None) };
        if is_tool(&held.tool, self.offloading.tool_prefix()) {
            return Ok(None);
        }
        let Some((work, result)) = self.rewritten(&held, global)? else { return Ok(None) };
        Ok(Some((work, event.answer(&result)?)))
    }

    /// The CallToolResult in place of the one that an event holds, if there is one.
    fn rewritten(&self, held: &Held<'_>, global: &Global) -> Result<Option<(Work, String)>, String> {
        let result = whole(held)?;
        let mut options = self.offloading.options(global).map_err(|failure| failure.to_text())?;
        self.context.set(&mut options);
        let shortest = Shortest::before_settings(&options).for_tool(&held.tool);
        let is_small_file = held.is_too_small(result.len(), self.offloading.has_rule_for(&held.tool));
        let ledger = self.ledger.ledger();
        if result.len() <= shortest || is_small_file {
            ledger.inline(self.client.name(), &held.tool, result.len());
            return Ok(None);
        }
        let work = Work::begin();
        let lro = opened(&options).map_err(|failure| failure.to_text())?;
        let Some(replaced) = replaced(&lro, self.client, held, &result)? else { return Ok(None) };
        self.events.report(&replaced.events);
        self.note(&ledger, &lro, held, &result, &replaced);
        Ok(replaced.message.map(|message| (work, message)))
    }

    /// Notes in the ledger what became of a result.
    fn note(&self, ledger: &Ledger, lro: &Lro, held: &Held<'_>, result: &str, replaced: &Replaced) {
        let Some(message) = &replaced.message else {
            return ledger.inline(self.client.name(), &held.tool, result.len());
        };
        let texts = |result: &str| Rewritten::of(result).map(|result| result.text);
        let (Some(text), Some(response)) = (texts(result), texts(message)) else { return };
        let by = (self.client.name(), Cutter::of(self.client), Origin::of(&held.tool));
        ledger.replaced(lro, replaced.outcome(), by, &held.tool, (&text, &response));
    }
}

/// The event on standard input.
fn event() -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(MOST_EVENT_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("cannot read the event: {error}"))?;
    if bytes.len() as u64 > MOST_EVENT_BYTES {
        return Err(format!("the event has more than {MOST_EVENT_BYTES} bytes"));
    }
    String::from_utf8(bytes).map_err(|_| "the event is not valid UTF-8".to_owned())
}

/// From now on standard error stays empty, which some clients show to the model, and a panic lets the result through.
fn keep_quiet(client: &'static str) {
    remarks::send_to(move |line| log::append(client, line));
    std::panic::set_hook(Box::new(|panic| {
        output::remark(&format!("panicked: {panic}"));
        exit(0);
    }));
}

/// True for a wrong command line of a hook that a client runs: an exit status of 2 would mean something to it.
pub(crate) fn must_not_fail(error: &clap::Error) -> bool {
    let is_hook = std::env::args_os().nth(1).is_some_and(|argument| argument == "hook");
    is_hook && error.use_stderr() && !io::stdin().is_terminal()
}

/// Says in the log that a command line is wrong.
pub(crate) fn misused(error: &clap::Error) -> ExitCode {
    keep_quiet("hook");
    output::remark(&error.to_string());
    ExitCode::SUCCESS
}
