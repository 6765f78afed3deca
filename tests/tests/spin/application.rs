//! The application of `embed/spin` as a component: built as Spin builds it, and composed with the component of the command
//! as `wac plug` does it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use lro_tests::{command, wasm};
use wac_graph::types::Package;
use wac_graph::{CompositionGraph, EncodeOptions};

const TARGET: &str = "wasm32-wasip2";

/// The folder of the application.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../embed/spin")
}

/// The application with our component plugged in.
pub(crate) fn composed() -> &'static [u8] {
    static COMPOSED: OnceLock<Vec<u8>> = OnceLock::new();
    COMPOSED.get_or_init(|| {
        let mut graph = CompositionGraph::new();
        let mut register = |name, bytes| {
            let package = Package::from_bytes(name, None, bytes, graph.types_mut()).expect("it is a component");
            graph.register_package(package).expect("the two have different names")
        };
        let ours = register("lro:offload", component());
        let application = register("lro:spin", built());
        wac_graph::plug(&mut graph, vec![ours], application).expect("the application imports an interface of ours");
        graph.encode(EncodeOptions::default()).expect("the two fit together")
    })
}

/// The component that the built command carries.
fn component() -> Vec<u8> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("spin-lro.wasm");
    let status = Command::new(command::lro()).args(["component", "-o"]).arg(&file).status();
    assert!(status.is_ok_and(|status| status.success()), "the command writes its component");
    fs::read(file).expect("the component has been written")
}

/// The application alone, in a target folder of its own: the folder of these tests is locked while they are built.
fn built() -> Vec<u8> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("spin");
    let mut build = wasm::cargo(&folder(), TARGET);
    build.args(["build", "--quiet", "--locked", "--release", "--target", TARGET, "--target-dir"]).arg(&target);
    assert!(build.status().is_ok_and(|status| status.success()), "the application can be built");
    fs::read(target.join(TARGET).join("release/lro_spin.wasm")).expect("the application has been built")
}
