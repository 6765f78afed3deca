//! Builds the guest once as a component, and gathers the conformance suite, so that the library can embed both.
//!
//! The guest is a module for wasm32-unknown-unknown, and `wit-component` makes a component of it: its imports are those of
//! its own calls of WASI. The standard library for wasm32-wasip2 would import ten more interfaces when it starts.
//!
//! `LRO_COMPONENT=file.wasm` takes that component instead and builds nothing.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::process::{Command, exit};

use wit_component::ComponentEncoder;

const TARGET: &str = "wasm32-unknown-unknown";

/// What a nested cargo must not inherit: it describes the outer build, or would apply the outer target's flags to the
/// guest.
const OUTER_BUILD: [&str; 13] = [
    "CARGO",
    "RUSTC",
    "RUSTDOC",
    "RUSTFLAGS",
    "__CARGO",
    "DEP_",
    "TARGET",
    "HOST",
    "OPT_LEVEL",
    "PROFILE",
    "DEBUG",
    "OUT_DIR",
    "NUM_JOBS",
];

/// What it keeps all the same: where cargo's files are, and how it reaches the network.
const KEPT: [&str; 6] =
    ["CARGO_HOME", "CARGO_NET_", "CARGO_HTTP_", "CARGO_REGISTRY_", "CARGO_REGISTRIES_", "CARGO_SOURCE_"];

fn main() {
    println!("cargo:rerun-if-env-changed=LRO_COMPONENT");
    let component = match env::var_os("LRO_COMPONENT").filter(|file| !file.is_empty()) {
        Some(file) => given_component(Path::new(&file)),
        None => component_of(&read(&build_guest())),
    };
    embed(&component);
    gather_suite(&workspace().join("tests"));
}

/// The component that the environment names, instead of our own.
fn given_component(file: &Path) -> Vec<u8> {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    println!("cargo:rerun-if-changed={}", file.display());
    read(&file)
}

/// The component that a module describes in its custom sections.
fn component_of(module: &[u8]) -> Vec<u8> {
    let component = ComponentEncoder::default().validate(true).module(module).and_then(|mut encoder| encoder.encode());
    component.unwrap_or_else(|error| fail(&format!("cannot make a component of the guest: {error:#}")))
}

/// Builds the guest's module in a target folder of its own, beside the profiles of the outer build: in the same folder it would
/// wait for ever on the lock that the outer cargo holds.
fn build_guest() -> PathBuf {
    let workspace = workspace();
    for source in ["guest/src", "guest/Cargo.toml", "wit", "Cargo.lock", "Cargo.toml"] {
        // Relative to this package: another clone with the same target folder means its own files.
        println!("cargo:rerun-if-changed=../{source}");
    }
    require_target(&workspace);
    let target_folder = target_folder();
    let built = clean_command(variable("CARGO"), &workspace)
        .args(["build", "--package", "lro-guest", "--lib", "--target", TARGET, "--profile", "guest", "--target-dir"])
        .arg(&target_folder)
        // Counting characters is four times as fast with simd128; every host that we name has it.
        .env("RUSTFLAGS", "-C target-feature=+simd128")
        .status();
    match built {
        Ok(status) if status.success() => target_folder.join(TARGET).join("guest/lro_guest.wasm"),
        Ok(_) => fail("cannot build the guest: the reason stands above"),
        Err(error) => fail(&format!("cannot start cargo for the guest: {error}")),
    }
}

/// Ends the build with one clear line when the guest's target is not installed.
fn require_target(workspace: &Path) {
    let libraries = clean_command("rustc".to_owned(), workspace)
        .args(["--print", "target-libdir", "--target", TARGET])
        .output()
        .ok()
        .and_then(|output| String::from_utf8(output.stdout).ok());
    if libraries.is_some_and(|folder| !Path::new(folder.trim()).is_dir()) {
        fail(&format!("the Rust target {TARGET} is missing; run: rustup target add {TARGET}"));
    }
}

/// A command in the workspace's folder without the outer build's environment.
fn clean_command(program: String, workspace: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(workspace);
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let begins_with = |prefixes: &[&str]| prefixes.iter().any(|prefix| text.starts_with(prefix));
        if begins_with(&OUTER_BUILD) && !begins_with(&KEPT) {
            command.env_remove(&name);
        }
    }
    command
}

/// `<target>/lro-guest`: the same for every profile of the outer build, so that the guest is built once.
fn target_folder() -> PathBuf {
    let out = PathBuf::from(variable("OUT_DIR"));
    // OUT_DIR is <target>/<profile>/build/<package>/out.
    out.ancestors().nth(4).unwrap_or(&out).join("lro-guest")
}

/// Puts the component where the library includes it from, and names its hash: the key of its compiled form.
fn embed(component: &[u8]) {
    let copy = Path::new(&variable("OUT_DIR")).join("lro.wasm");
    if let Err(error) = std::fs::write(&copy, component) {
        fail(&format!("cannot write `{}`: {error}", copy.display()));
    }
    let mut hasher = DefaultHasher::new();
    hasher.write(component);
    println!("cargo:rustc-env=LRO_COMPONENT_FILE={}", copy.display());
    println!("cargo:rustc-env=LRO_COMPONENT_HASH={:016x}", hasher.finish());
}

/// Writes `cases.rs`: every case, the clauses, the known gaps and the fixtures, each with its text.
fn gather_suite(tests: &Path) {
    let mut cases = Vec::new();
    collect_cases(&tests.join("cases"), "", &mut cases);
    cases.sort();
    let entries: String = cases
        .iter()
        .map(|(name, file)| format!("    ({name:?}, include_str!({:?})),\n", file.display().to_string()))
        .collect();
    let text = |name: &str| {
        let file = tests.join(name);
        println!("cargo:rerun-if-changed={}", file.display());
        format!("include_str!({:?})", file.display().to_string())
    };
    let source = format!(
        "static CASES: [(&str, &str); {}] = [\n{entries}];\n\
         static CLAUSES: &str = {};\n\
         static GAPS: &str = {};\n\
         static FIXTURES: [(&str, &str); 1] = [(\"mif-memories.json\", {})];\n",
        cases.len(),
        text("clauses.json"),
        text("known-gaps.json"),
        text("fixtures/mif-memories.json"),
    );
    let file = Path::new(&variable("OUT_DIR")).join("cases.rs");
    if let Err(error) = std::fs::write(&file, source) {
        fail(&format!("cannot write `{}`: {error}", file.display()));
    }
}

/// The case files below a folder with their names; those of the first level are schemas.
fn collect_cases(folder: &Path, prefix: &str, cases: &mut Vec<(String, PathBuf)>) {
    println!("cargo:rerun-if-changed={}", folder.display());
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        if path.is_dir() {
            collect_cases(&path, &format!("{prefix}{name}/"), cases);
        } else if let Some(name) = name.strip_suffix(".json").filter(|_| !prefix.is_empty()) {
            cases.push((format!("{prefix}{name}"), path));
        }
    }
}

fn workspace() -> PathBuf {
    Path::new(&variable("CARGO_MANIFEST_DIR")).parent().expect("host/ is in a workspace").to_owned()
}

fn read(file: &Path) -> Vec<u8> {
    std::fs::read(file).unwrap_or_else(|error| fail(&format!("cannot read `{}`: {error}", file.display())))
}

/// A variable that cargo sets for build scripts.
fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| fail(&format!("cargo did not set {name}")))
}

/// Ends the build with one line.
fn fail(message: &str) -> ! {
    eprintln!("lro: {message}");
    exit(1)
}
