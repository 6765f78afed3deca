//! A home folder of its own for a command, and what is in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Once;

use tempfile::TempDir;

const LRO: &str = env!("CARGO_BIN_EXE_lro");

const CACHE: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/compiled");

/// What stands for the path of the command in expected files.
const PLACEHOLDER: &str = "@LRO@";

/// Paths below a folder, and texts.
pub(crate) type Tree = BTreeMap<String, String>;

pub(crate) struct Home {
    root: TempDir,
}

impl Home {
    /// A home folder with copies of these files, and a folder `project` to be in.
    pub(crate) fn with(files: &Path) -> Self {
        let home = Self { root: TempDir::new().unwrap() };
        write_tree(home.root.path(), &tree(files));
        fs::create_dir_all(home.path("project")).unwrap();
        home
    }

    pub(crate) fn empty() -> Self {
        Self::with(Path::new("/nowhere"))
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    /// The path that configurations get.
    pub(crate) fn lro_path(&self) -> String {
        fs::canonicalize(LRO).unwrap().to_str().unwrap().to_owned()
    }

    /// All texts, with the path of the command replaced.
    pub(crate) fn files(&self) -> Tree {
        tree(self.root.path())
    }

    /// All files with their bytes, and all folders.
    pub(crate) fn all(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut all = BTreeMap::new();
        collect(self.root.path(), &mut |path| {
            let bytes = path.is_file().then(|| fs::read(path).unwrap());
            all.insert(path.to_owned(), bytes);
        });
        all
    }

    pub(crate) fn run(&self, command: &str) -> Output {
        self.run_with(command, &[])
    }

    /// Runs a command line with nothing of our environment.
    pub(crate) fn run_with(&self, command: &str, environment: &[(&str, &Path)]) -> Output {
        self.run_in("project", command, environment)
    }

    pub(crate) fn run_in(&self, folder: &str, command: &str, environment: &[(&str, &Path)]) -> Output {
        let mut lro = Command::new(LRO);
        lro.args(command.split_whitespace()).current_dir(self.path(folder)).env_clear();
        lro.env("HOME", self.root.path()).env("PATH", self.path("bin")).env("TMPDIR", std::env::temp_dir());
        lro.env("LRO_CACHE_DIR", compiled());
        lro.envs(environment.iter().copied()).output().unwrap()
    }

    /// Runs a command that succeeds, and returns what it prints.
    pub(crate) fn lro(&self, command: &str) -> String {
        let output = self.run(command);
        assert!(output.status.success(), "{command}: {output:?}");
        assert!(output.stderr.is_empty(), "{command}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command, and returns what it prints on both streams.
    pub(crate) fn lro_any(&self, command: &str) -> String {
        let output = self.run(command);
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap()
    }
}

fn collect(folder: &Path, visit: &mut impl FnMut(&Path)) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        visit(&path);
        if path.is_dir() && !path.is_symlink() {
            collect(&path, visit);
        }
    }
}

/// The texts below a folder.
pub(crate) fn tree(folder: &Path) -> Tree {
    let mut tree = Tree::new();
    collect(folder, &mut |path| {
        if path.is_file() {
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            tree.insert(name, fs::read_to_string(path).unwrap());
        }
    });
    tree
}

pub(crate) fn write_tree(folder: &Path, tree: &Tree) {
    let lro = fs::canonicalize(LRO).unwrap();
    for (path, text) in tree {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text.replace(lro.to_str().unwrap(), PLACEHOLDER)).unwrap();
    }
}

/// A tree as one text, which is compared line by line.
pub(crate) fn shown(tree: &Tree) -> String {
    let lro = fs::canonicalize(LRO).unwrap();
    let shown: Vec<String> =
        tree.iter().map(|(path, text)| format!("=== {path}\n{text:?}\n").replace("\\n", "\n")).collect();
    shown.concat().replace(lro.to_str().unwrap(), PLACEHOLDER)
}

/// The cache folder in which the component is compiled once for all tests.
fn compiled() -> &'static str {
    static COMPILED: Once = Once::new();
    COMPILED.call_once(|| {
        let estimate = Command::new(LRO).arg("estimate").env("LRO_CACHE_DIR", CACHE).stdin(Stdio::null()).output();
        assert!(estimate.unwrap().status.success());
    });
    CACHE
}
