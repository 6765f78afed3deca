//! Offloads what a test compares, and takes the recipes of the response apart.

use std::sync::OnceLock;

use lro::{Extraction, Lro, Options, Outcome, Source};
use lro_guest::recipes::shell_quote;
use serde_json::{Value, json};
use tempfile::TempDir;

/// What is offloaded, and how.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) payload: String,
    pub(crate) request: Value,
    pub(crate) settings: Value,
    /// The output directory's name below a temporary folder.
    pub(crate) directory: &'static str,
}

/// An offloaded result.
pub(crate) struct Offloaded {
    pub(crate) lro: Lro,
    pub(crate) folder: TempDir,
    pub(crate) response: String,
    pub(crate) path: String,
    pub(crate) header: String,
    pub(crate) lines: Vec<String>,
    pub(crate) recipes: Vec<Recipe>,
}

/// A printed recipe.
pub(crate) struct Recipe {
    pub(crate) number: usize,
    pub(crate) description: String,
    pub(crate) command: String,
    /// Options of jq in the command.
    pub(crate) options: String,
    /// The filter in the command.
    pub(crate) filter: String,
}

impl Case {
    pub(crate) fn new(name: &str, payload: &str, request: Value, settings: Value) -> Self {
        Self { name: name.into(), payload: payload.into(), request, settings, directory: "out" }
    }

    pub(crate) fn offload(&self) -> Offloaded {
        static LRO: OnceLock<Lro> = OnceLock::new();
        let folder = TempDir::new().unwrap();
        let directory = folder.path().join(self.directory);
        std::fs::create_dir(&directory).unwrap();
        let mut settings = self.settings.as_object().unwrap().clone();
        settings.insert("threshold_tokens".into(), 0.into());
        let options = Options::of(directory).settings(settings);
        let lro = LRO.get_or_init(|| Lro::open(&Options::default()).unwrap()).reopen(&options).unwrap();
        let offloading = lro.offload(&self.payload, &self.request.as_object().unwrap().clone().into()).unwrap();
        let Outcome::Offloaded(stored) = offloading.outcome else { panic!("{}: {offloading:?}", self.name) };
        let response: Value = serde_json::from_str(&stored.response).unwrap();
        let path = response["file_path"].as_str().unwrap().to_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines = text.split_terminator('\n').map(str::to_owned);
        Offloaded {
            lro,
            folder,
            response: stored.response,
            path: path.clone(),
            header: lines.next().unwrap(),
            lines: lines.collect(),
            recipes: response["jq_recipes"]
                .as_array()
                .unwrap()
                .iter()
                .enumerate()
                .map(|recipe| Recipe::new(recipe, &path))
                .collect(),
        }
    }
}

impl Offloaded {
    /// The results of a recipe on the file, one a line.
    pub(crate) fn ours(&self, recipe: usize, params: Value) -> Result<Vec<String>, String> {
        self.extract(&Source::File(self.path.clone()), recipe, params)
    }

    pub(crate) fn extract(&self, source: &Source, recipe: usize, params: Value) -> Result<Vec<String>, String> {
        let request = json!({"recipe": recipe, "params": params});
        let Extraction { results, count, truncated, failed, failures, .. } = self
            .lro
            .extract(source, &request.as_object().unwrap().clone().into())
            .map_err(|error| error.to_string())?;
        let lines: Vec<String> = results.split_terminator('\n').map(str::to_owned).collect();
        match lines.len() == count as usize && !truncated && failed == 0 {
            true => Ok(lines),
            false => Err(format!("{count} results on {} lines, truncated: {truncated}, {failures:?}", lines.len())),
        }
    }
}

impl Recipe {
    /// Where the path is too long for ten commands, they say what jq is to do, and the guidance has the rest once.
    pub(crate) fn new((index, recipe): (usize, &Value), path: &str) -> Self {
        let text = |key: &str| recipe[key].as_str().unwrap().to_owned();
        let command = match text("command") {
            invocation if invocation.starts_with("jq ") => format!("tail -n +2 {} | {invocation}", shell_quote(path)),
            command => command,
        };
        let (_, call) = command.rsplit_once(" | jq ").filter(|(_, call)| call.matches('\'').count() == 2).unwrap();
        let (options, filter) = call.split_once('\'').unwrap();
        Self {
            number: index + 1,
            description: text("description"),
            options: options.trim().to_owned(),
            filter: filter.strip_suffix('\'').unwrap().to_owned(),
            command,
        }
    }

    pub(crate) fn slurps(&self) -> bool {
        self.options == "-s"
    }

    pub(crate) fn is_raw(&self) -> bool {
        self.options == "-r"
    }
}
