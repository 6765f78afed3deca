//! Makes the component of the guest and embeds it, so that the library has it.
//!
//! The guest is a module for wasm32-unknown-unknown, and `wit-component` makes a component of it: its imports are those of
//! its own calls of WASI. The standard library for wasm32-wasip2 would import ten more interfaces when it starts.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::hash::Hasher;
use std::path::Path;
use std::process::exit;

use wit_component::ComponentEncoder;

/// The version and layer of a component, after the `\0asm` that modules have too.
const COMPONENT_LAYER: [u8; 4] = [0x0d, 0, 1, 0];

fn main() {
    // Else any file of this package counts.
    println!("cargo:rerun-if-changed=build.rs");
    let hash = embed("LRO_COMPONENT", "lro.wasm", &component_of(lro_component::GUEST));
    embed_compiled(&hash);
    println!("cargo:rustc-env=LRO_TARGET={}", variable("TARGET"));
    #[cfg(feature = "exact-tokens")]
    embed("LRO_EXACT_COMPONENT", "lro-exact.wasm", &component_of(lro_component::EXACT_GUEST));
}

/// The component that a module describes in its custom sections. A component stays as it is.
fn component_of(guest: &[u8]) -> Vec<u8> {
    if guest.get(4..8) == Some(&COMPONENT_LAYER) {
        return guest.to_vec();
    }
    let component = ComponentEncoder::default().validate(true).module(guest).and_then(|mut encoder| encoder.encode());
    component.unwrap_or_else(|error| fail(&format!("cannot make a component of the guest: {error:#}")))
}

/// Puts the component where the library includes it from, and names its hash: the key of its compiled form. Returns the hash.
fn embed(variable_prefix: &str, name: &str, component: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    hasher.write(component);
    let hash = format!("{:016x}", hasher.finish());
    put(&format!("{variable_prefix}_FILE"), name, component);
    println!("cargo:rustc-env={variable_prefix}_HASH={hash}");
    hash
}

/// Puts the compiled form beside it that the variable `LRO_COMPILED` names, or nothing.
fn embed_compiled(hash: &str) {
    println!("cargo:rerun-if-env-changed=LRO_COMPILED");
    let given = env::var_os("LRO_COMPILED").filter(|file| !file.is_empty());
    let compiled = given.map_or_else(Vec::new, |file| {
        let file = Path::new(&file);
        println!("cargo:rerun-if-changed={}", file.display());
        let compiled = std::fs::read(file)
            .unwrap_or_else(|error| fail(&format!("cannot read `{}` (LRO_COMPILED): {error}", file.display())));
        if !compiled.starts_with(hash.as_bytes()) {
            fail(&format!(
                "`{}` (LRO_COMPILED) was compiled from another component; write it with the `lro` of these sources: lro \
                 component --compiled -o FILE",
                file.display()
            ));
        }
        compiled
    });
    put("LRO_COMPILED_FILE", "lro.cwasm", &compiled);
}

/// Writes a file for the library to include, which finds it by a variable.
fn put(variable_name: &str, name: &str, bytes: &[u8]) {
    let file = Path::new(&variable("OUT_DIR")).join(name);
    if let Err(error) = std::fs::write(&file, bytes) {
        fail(&format!("cannot write `{}`: {error}", file.display()));
    }
    println!("cargo:rustc-env={variable_name}={}", file.display());
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
