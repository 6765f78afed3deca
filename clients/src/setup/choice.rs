//! Which configurations are meant, and what is done to each.

use std::path::{Path, PathBuf};

use super::clients::{self, ANY_SERVERS, CLIENTS, Client, File, Kind, Scope};
use super::document::Format;
use super::plan::Edit;
use super::templates::Lro;
use super::{Look, Problem, Request};

/// A file, and what is done to it.
pub(crate) struct Target {
    pub(crate) path: PathBuf,
    pub(crate) edit: Edit,
    /// The client that reads it, if it is known.
    pub(crate) client: Option<&'static Client>,
}

/// A configuration of a client.
type Row = (&'static Client, &'static File);

/// The paths that may be looked at.
///
/// # Errors
/// What is asked for makes no sense.
pub fn candidates(request: &Request) -> Result<Vec<PathBuf>, Problem> {
    if let Some(file) = &request.file {
        return Ok(vec![file.clone()]);
    }
    Ok(rows(request)?.iter().flat_map(|(_, file)| request.places.paths(file)).collect())
}

/// The files, and what is done to each.
pub(crate) fn targets(request: &Request, lro: &Lro, look: &Look<'_>) -> Result<Vec<Target>, Problem> {
    if let Some(file) = &request.file {
        if !look(file)?.exists {
            return Err(Problem::usage(format!(
                "cannot wrap the servers of `{}`: the file does not exist",
                file.display()
            )));
        }
        let is_toml = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"));
        let format = if is_toml { Format::Toml } else { Format::Jsonc };
        let edit = Edit::Wrap { format, places: ANY_SERVERS, proxy: lro.proxy() };
        return Ok(vec![Target { path: file.clone(), edit, client: None }]);
    }
    let choice = Choice { request, lro, look, rows: rows(request)? };
    let mut targets: Vec<Target> = Vec::new();
    for (client, file) in &choice.rows {
        let path = choice.path(file);
        let edit = if request.wrap { wrapping(file, lro) } else { choice.entries(client, file) };
        // In the home folder, some files of a project are those of the user.
        let is_new = targets.iter().all(|target| !choice.is_same(&target.path, &path));
        let is_wanted = is_new && (choice.is_there(&path) || !request.wrap && !file.only_if_there);
        let target = |edit| Target { path, edit, client: Some(*client) };
        targets.extend(edit.filter(|_| is_wanted).map(target));
    }
    if targets.is_empty() {
        let with_servers = choice.rows.iter().filter(|(_, file)| !file.servers.is_empty());
        let looked: Vec<String> = with_servers.map(|(_, file)| request.places.shown(&choice.path(file))).collect();
        let message = format!("no configuration with servers is there; looked at {}", looked.join(", "));
        return Err(Problem::usage(message));
    }
    Ok(targets)
}

struct Choice<'a> {
    request: &'a Request,
    lro: &'a Lro,
    look: &'a Look<'a>,
    rows: Vec<Row>,
}

impl Choice<'_> {
    /// What cannot be read is there too, which is told when it is to be changed.
    fn is_there(&self, path: &Path) -> bool {
        (self.look)(path).map_or(true, |seen| seen.exists)
    }

    fn path(&self, file: &File) -> PathBuf {
        self.request.places.path(file, |path| self.is_there(path))
    }

    /// True for two paths of one file.
    fn is_same(&self, one: &Path, other: &Path) -> bool {
        let canonical = |path| (self.look)(path).ok().and_then(|seen| seen.canonical);
        one == other || canonical(one).is_some_and(|one| canonical(other).is_some_and(|other| one == other))
    }

    fn entries(&self, client: &'static Client, file: &File) -> Option<Edit> {
        let Kind::Edited(format) = file.kind else { return Some(Edit::Plugin { source: self.lro.plugin() }) };
        // Codex warns if hooks are in two files.
        let has_hooks = |(_, other): &&Row| {
            let is_hook = other.parts.iter().any(|part| part.is_hook());
            other.only_if_there && is_hook && self.is_there(&self.path(other))
        };
        let goes_elsewhere = !self.request.undo && !file.only_if_there && self.rows.iter().any(|row| has_hooks(&row));
        let parts = file.parts.iter().filter(|part| !(part.is_hook() && goes_elsewhere));
        let entries = parts.flat_map(|part| self.lro.entries(client, part)).collect();
        Some(Edit::Entries { format, entries, system: self.lro.system })
    }
}

/// The configurations that are chosen.
fn rows(request: &Request) -> Result<Vec<Row>, Problem> {
    let chosen = if request.wrap { to_wrap(request)? } else { to_set_up(request)? };
    let rows = chosen.iter().flat_map(|client| client.files.iter().map(move |file| (*client, file)));
    Ok(rows.filter(|(_, file)| is_chosen(request, file.scope)).collect())
}

/// The client that is set up.
fn to_set_up(request: &Request) -> Result<Vec<&'static Client>, Problem> {
    let names =
        || CLIENTS.iter().filter(|client| client.has_hook()).map(|client| client.name).collect::<Vec<_>>().join(", ");
    let Some(name) = &request.client else {
        return Err(Problem::usage(format!("lro setup needs a client: {}; or --wrap", names())));
    };
    match clients::named(name) {
        Some(client) if client.has_hook() => Ok(vec![client]),
        Some(client) => Err(Problem::usage(format!(
            "{} has no hook that could replace results; use: lro setup --wrap {name}",
            client.title
        ))),
        None => {
            Err(Problem::usage(format!("`{name}` is not a known client: {}; for others see --wrap --file", names())))
        }
    }
}

/// The clients whose servers are wrapped: the one that is named, or all that have no hook.
fn to_wrap(request: &Request) -> Result<Vec<&'static Client>, Problem> {
    let Some(name) = &request.client else {
        return Ok(CLIENTS.iter().filter(|client| !client.has_hook()).collect());
    };
    clients::named(name).map(|client| vec![client]).ok_or_else(|| {
        let names: Vec<&str> = CLIENTS.iter().map(|client| client.name).collect();
        Problem::usage(format!("`{name}` is not a known client: {}; for others see --file", names.join(", ")))
    })
}

fn is_chosen(request: &Request, scope: Scope) -> bool {
    match (request.project, request.user, request.wrap) {
        (true, ..) => scope == Scope::Project,
        (false, false, true) => true,
        _ => scope == Scope::User,
    }
}

fn wrapping(file: &File, lro: &Lro) -> Option<Edit> {
    match file.kind {
        Kind::Edited(format) if !file.servers.is_empty() => {
            Some(Edit::Wrap { format, places: file.servers, proxy: lro.proxy() })
        }
        _ => None,
    }
}
