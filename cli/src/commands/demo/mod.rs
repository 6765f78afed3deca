//! `lro demo`: offloads a real corpus and shows each step with the command that repeats it, or serves a page that does.

mod abridged;
mod web;

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use lro::{Case, Detail, Lro, OffloadRequest, Offloading, Options, Outcome, Source, Stored};
use serde_json::{Value, json};

use self::abridged::clipped;
use crate::continuation::quoted;
use crate::failure::Failure;
use crate::figures::grouped;
use crate::global::open;
use crate::output;

/// 362 memories of the MIF project, as a memory tool would return them.
static CORPUS: &str = include_str!("../../../../tests/fixtures/mif-memories.json");

/// How many results of each extraction are shown.
const SHOWN: usize = 4;

/// Offload 362 real memories and show each step
#[derive(Args)]
#[command(
    after_help = "Examples:\n  lro demo | less\n  lro demo --web\n\nThe files stay in a folder of their own, whose name is printed. The page keeps its files in the browser."
)]
pub(super) struct Demo {
    /// Serve a page on a loopback address, where your browser does it with your own results
    #[arg(long)]
    web: bool,
    /// The port of the page [default: one that is free]
    #[arg(long, value_name = "PORT", requires = "web")]
    port: Option<u16>,
}

impl Demo {
    /// The demo shows the defaults, so it reads no settings.
    pub(super) fn run(self) -> Result<(), Failure> {
        if self.web {
            return web::serve(self.port.unwrap_or_default());
        }
        let folder = folder()?;
        let corpus = folder.join("memories.json");
        std::fs::write(&corpus, CORPUS)
            .map_err(|error| Failure::file(format!("write `{}`", corpus.display()), error))?;
        Walk { lro: open(Options::of(folder))? }.run()
    }
}

/// A fresh folder that stays, mode 0700.
fn folder() -> Result<PathBuf, Failure> {
    tempfile::Builder::new()
        .prefix("lro-demo-")
        .tempdir()
        .map(tempfile::TempDir::keep)
        .map_err(|error| Failure::file("create a folder for the demo", error))
}

/// The steps, in order.
struct Walk {
    lro: &'static Lro,
}

impl Walk {
    fn run(&self) -> Result<(), Failure> {
        let request = OffloadRequest::of("recall").detail(Detail::Full);
        let start = Instant::now();
        let answer = self.lro.offload(CORPUS, &request)?;
        let milliseconds = start.elapsed().as_millis();
        let Offloading { outcome: Outcome::Offloaded(stored), estimated_tokens, .. } = &answer else {
            let reason = answer.events.first().map_or("the corpus was not offloaded", |event| &event.message);
            return Err(Failure::Lro(Case::Other(format!("cannot go on with the demo: {reason}")).into()));
        };
        self.tell_size(*estimated_tokens)?;
        self.tell_response(stored, *estimated_tokens, milliseconds)?;
        self.tell_extractions(stored)?;
        self.tell_next()
    }

    fn tell_size(&self, tokens: u32) -> Result<(), Failure> {
        output::line(&format!(
            "\
Large Result Offloading, with {memories} real memories.
Everything below really happens, in a folder of its own. You can type each line after $ there.

1. A memory tool returns {bytes} bytes, about {tokens} tokens. A model should not have to read that, so the
   result passes through LRO, which offloads results above 1,600 tokens:

   $ cd {folder}{alias}
   $ lro offload memories.json --operation recall --detail full --output-dir .
",
            memories = 362,
            bytes = grouped(CORPUS.len() as u64),
            tokens = grouped(u64::from(tokens)),
            folder = quoted(&self.lro.output_dir().to_string_lossy()),
            alias = alias().map(|alias| format!("\n   $ {alias}")).unwrap_or_default(),
        ))
    }

    fn tell_response(&self, stored: &Stored, tokens: u32, milliseconds: u128) -> Result<(), Failure> {
        let response_tokens = self.lro.estimate(&format!("[{}]", stored.response), &OffloadRequest::of("demo"))?;
        let path = self.lro.output_dir().join(&stored.file_name);
        // The path stands in each recipe, and would leave no room for what differs.
        let shortened = stored.response.replace(&quoted(&path.to_string_lossy()), "FILE");
        let mut response: Value = serde_json::from_str(&shortened).unwrap_or(Value::Null);
        response["file_path"] = path.to_string_lossy().into();
        output::line(&format!(
            "\
2. The records went to a file ({milliseconds} ms). The model gets this response instead: {} tokens, 1/{} of them.
   (Lines are cut here, and FILE stands for the file's path.)

{}
   Its guidance reads:

{}",
            grouped(u64::from(response_tokens)),
            tokens / response_tokens.max(1),
            abridged::response(&response),
            abridged::paragraph(response["guidance"].as_str().unwrap_or_default()),
        ))
    }

    fn tell_extractions(&self, stored: &Stored) -> Result<(), Failure> {
        output::line(&format!(
            "\
3. Now the model asks for what it needs. The printed recipes run in any shell with jq. The same recipes, and any
   other filter, run in the sandbox, without shell or jq:

   $ FILE={}
",
            quoted(&stored.file_name)
        ))?;
        let sure = "select(.provenance.confidence >= 0.98) | {title, confidence: .provenance.confidence}";
        let requests = [
            json!({ "recipe": 6 }),
            json!({ "recipe": 3, "params": { "keyword": "decision" } }),
            json!({ "query": sure }),
        ];
        requests.iter().try_for_each(|request| self.tell_extraction(stored, request))
    }

    fn tell_extraction(&self, stored: &Stored, request: &Value) -> Result<(), Failure> {
        let start = Instant::now();
        let asked = request.as_object().cloned().unwrap_or_default();
        let page = self.lro.extract(&Source::File(stored.file_name.clone()), &asked.into())?;
        let milliseconds = start.elapsed().as_millis();
        let mut text = format!("   $ lro extract $FILE {}\n", flags(request));
        for line in page.results.lines().take(SHOWN) {
            text.push_str(&format!("   {}\n", clipped(line)));
        }
        let rest = match (page.count as usize).saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!("and {more} more, "),
        };
        output::line(&format!("{text}   ({rest}{milliseconds} ms)\n"))
    }

    fn tell_next(&self) -> Result<(), Failure> {
        output::line(&format!(
            "\
4. Try next:

   $ lro extract $FILE --query 'select(.tags | index(\"architecture\")) | .title' --raw
   $ lro extract $FILE --query 'def f: f; f'        # ends by its time limit, after two seconds
   $ tail -n +2 $FILE | head -1 | jq .              # the file is plain JSON Lines
   $ lro cleanup --output-dir . --ttl-seconds 0     # deletes this file, and only offloaded files
   $ lro --help

The folder stays until you remove it: rm -r {}",
            quoted(&self.lro.output_dir().to_string_lossy()),
        ))
    }
}

/// Returns the flags of `lro extract` for this request.
fn flags(request: &Value) -> String {
    let mut words = Vec::new();
    if let Some(recipe) = request["recipe"].as_u64() {
        words.push(format!("--recipe {recipe}"));
    }
    for (name, value) in request["params"].as_object().into_iter().flatten() {
        words.push(format!("--param {name}={}", quoted(value.as_str().unwrap_or_default())));
    }
    if let Some(query) = request["query"].as_str() {
        words.push(format!("--query {}", quoted(query)));
    }
    words.join(" ")
}

/// Returns an alias of `lro` for this program, if the shell would not find it.
fn alias() -> Option<String> {
    let found = std::env::split_paths(&std::env::var_os("PATH")?).any(|folder| program_in(&folder).is_file());
    let program = std::env::current_exe().ok()?;
    (!found).then(|| format!("alias lro={}", quoted(&program.to_string_lossy())))
}

fn program_in(folder: &Path) -> PathBuf {
    folder.join(format!("lro{}", std::env::consts::EXE_SUFFIX))
}
