//! Builds the guest's module once, for wasm32-unknown-unknown, at the very beginning of a build.
//!
//! `LRO_COMPONENT=file.wasm` takes that component instead and builds nothing.

use std::env;
use std::path::{Path, PathBuf};
use std::process::exit;

use lro_toolchain::clean_command;

#[path = "src/cut.rs"]
mod cut;

const TARGET: &str = "wasm32-unknown-unknown";

fn main() {
    println!("cargo:rerun-if-env-changed=LRO_COMPONENT");
    let (exact, guest) = match env::var_os("LRO_COMPONENT").filter(|file| !file.is_empty()) {
        Some(file) => {
            let given = read(&given_component(Path::new(&file)));
            (given.clone(), given)
        }
        None => {
            let exact = read(&build_guest());
            let guest = cut::without_vocabularies(&exact);
            let guest =
                guest.unwrap_or_else(|reason| fail(&format!("cannot cut the vocabularies out of the guest: {reason}")));
            (exact, guest)
        }
    };
    write("guest.wasm", &guest);
    write("guest-exact.wasm", &exact);
}

fn read(file: &Path) -> Vec<u8> {
    std::fs::read(file).unwrap_or_else(|error| fail(&format!("cannot read `{}`: {error}", file.display())))
}

fn write(name: &str, wasm: &[u8]) {
    let file = Path::new(&variable("OUT_DIR")).join(name);
    if let Err(error) = std::fs::write(&file, wasm) {
        fail(&format!("cannot write `{}`: {error}", file.display()));
    }
}

/// The component that the environment names, instead of our own.
fn given_component(file: &Path) -> PathBuf {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    println!("cargo:rerun-if-changed={}", file.display());
    file
}

/// Builds the guest's module in a target folder of its own, beside the profiles of the outer build: in the same folder it
/// would wait for ever on the lock that the outer cargo holds.
fn build_guest() -> PathBuf {
    let workspace = workspace();
    for source in [
        "guest/src",
        "guest/Cargo.toml",
        "query/src",
        "query/Cargo.toml",
        "tokens/build.rs",
        "tokens/data",
        "tokens/src",
        "tokens/Cargo.toml",
        "wit",
        "Cargo.lock",
        "Cargo.toml",
    ] {
        // Relative to this package: another clone with the same target folder means its own files.
        println!("cargo:rerun-if-changed=../{source}");
    }
    let added = lro_toolchain::require(TARGET, &workspace, |message| println!("cargo:warning={message}"));
    added.unwrap_or_else(|reason| fail(&format!("{reason}\nOr set LRO_COMPONENT to the file of a built component.")));
    let target_folder = target_folder();
    let built = clean_command(variable("CARGO"), &workspace)
        .args([
            "build",
            "--package",
            "lro-guest",
            "--lib",
            "--features",
            "exact-tokens",
            "--target",
            TARGET,
            "--profile",
            "guest",
            "--target-dir",
        ])
        .arg(&target_folder)
        .env("CARGO_ENCODED_RUSTFLAGS", flags().join("\x1f"))
        .status();
    match built {
        Ok(status) if status.success() => target_folder.join(TARGET).join("guest/lro_guest.wasm"),
        Ok(_) => fail("cannot build the guest: the reason stands above"),
        Err(error) => fail(&format!("cannot start cargo for the guest: {error}")),
    }
}

/// Counting characters is four times as fast with simd128; every host that we name has it. The sources of packages go by
/// one name on all machines, so that the module has the same bytes.
fn flags() -> Vec<String> {
    let registries = cargo_home().join("registry/src");
    let folders = std::fs::read_dir(&registries).into_iter().flatten().flatten();
    let renamed = folders.map(|folder| format!("--remap-path-prefix={}=registry", folder.path().display()));
    ["-Ctarget-feature=+simd128".to_owned()].into_iter().chain(renamed).collect()
}

/// Where cargo keeps the sources of packages.
fn cargo_home() -> PathBuf {
    let by_default = || env::home_dir().unwrap_or_default().join(".cargo");
    env::var_os("CARGO_HOME").filter(|folder| !folder.is_empty()).map_or_else(by_default, PathBuf::from)
}

/// `<target>/lro-guest`: the same for every profile of the outer build, so that the guest is built once.
fn target_folder() -> PathBuf {
    let out = PathBuf::from(variable("OUT_DIR"));
    // OUT_DIR is <target>/<profile>/build/<package>/out.
    out.ancestors().nth(4).unwrap_or(&out).join("lro-guest")
}

fn workspace() -> PathBuf {
    Path::new(&variable("CARGO_MANIFEST_DIR")).parent().expect("component/ is in a workspace").to_owned()
}

/// A variable that cargo sets for build scripts.
fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| fail(&format!("cargo did not set {name}")))
}

/// Ends the build with the reason.
fn fail(message: &str) -> ! {
    eprintln!("lro: {message}");
    exit(1)
}
