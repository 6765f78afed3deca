//! What an artefact imports, against the list of it in `embed/imports`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use wasmparser::{Parser, Payload};

/// Fails unless `embed/imports/<name>.txt` is what a component or a core module imports, one a line. `BLESS=1` writes it anew.
///
/// # Panics
/// If the list differs, with both.
pub fn check(name: &str, wasm: &[u8]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../embed/imports").join(format!("{name}.txt"));
    let found: String = of(wasm).into_iter().map(|import| import + "\n").collect();
    if std::env::var_os("BLESS").is_some() {
        fs::write(&file, &found).expect("the list can be written");
    }
    let listed = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == listed,
        "embed/imports/{name}.txt lists:\n{listed}found:\n{found}BLESS=1 renews it, if this is right."
    );
}

/// The imports in alphabetical order: of a component its interfaces, of a core module `module name`.
///
/// # Panics
/// If it is no WebAssembly.
pub fn of(wasm: &[u8]) -> BTreeSet<String> {
    let mut imports = BTreeSet::new();
    let mut parsers = 0_u32;
    for payload in Parser::new(0).parse_all(wasm) {
        match payload.expect("the artefact is WebAssembly") {
            Payload::Version { .. } => parsers += 1,
            Payload::End(_) => parsers -= 1,
            // Modules and components inside import from the one around them.
            Payload::ComponentImportSection(section) if parsers == 1 => {
                let names =
                    section.into_iter().map(|import| import.expect("an import can be read").name.name.to_owned());
                imports.extend(names);
            }
            Payload::ImportSection(section) if parsers == 1 => {
                let names = section.into_imports().map(|import| {
                    let import = import.expect("an import can be read");
                    format!("{} {}", import.module, import.name)
                });
                imports.extend(names);
            }
            _ => {}
        }
    }
    imports
}
