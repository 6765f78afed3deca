//! The application of `embed/spin` as a component: built as Spin builds it, and composed with the component of the command
//! by `embed/tools/pack`, as `wac plug` does it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use lro_tests::{command, wasm};

const TARGET: &str = "wasm32-wasip2";

/// Where these tests build.
const FOLDER: &str = env!("CARGO_TARGET_TMPDIR");

/// The folder of the application.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../embed/spin")
}

/// The application with our component plugged in.
pub(crate) fn composed() -> &'static [u8] {
    static COMPOSED: OnceLock<Vec<u8>> = OnceLock::new();
    COMPOSED.get_or_init(|| {
        let composed = Path::new(FOLDER).join("spin-composed.wasm");
        let mut plug = wasm::cargo(&folder().join("../tools"), TARGET);
        // The folder of the other tests that need it: tests/tests/hosts.rs.
        plug.args(["run", "--quiet", "--locked", "--package", "pack", "--target-dir"])
            .arg(Path::new(FOLDER).join("lro-tools"));
        plug.args(["--", "plug"]).args([built(), component(), composed.clone()]);
        assert!(plug.status().is_ok_and(|status| status.success()), "the two fit together");
        fs::read(composed).expect("the two have been composed")
    })
}

/// The component that the built command carries.
fn component() -> PathBuf {
    let file = Path::new(FOLDER).join("spin-lro.wasm");
    let status = Command::new(command::lro()).args(["component", "-o"]).arg(&file).status();
    assert!(status.is_ok_and(|status| status.success()), "the command writes its component");
    file
}

/// The application alone, in a target folder of its own: the folder of these tests is locked while they are built.
fn built() -> PathBuf {
    let target = Path::new(FOLDER).join("spin");
    let mut build = wasm::cargo(&folder(), TARGET);
    build.args(["build", "--quiet", "--locked", "--release", "--target", TARGET, "--target-dir"]).arg(&target);
    assert!(build.status().is_ok_and(|status| status.success()), "the application can be built");
    target.join(TARGET).join("release/lro_spin.wasm")
}
