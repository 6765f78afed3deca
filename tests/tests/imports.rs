//! The component asks its host for little: the list is in `embed/imports`.

use std::process::Command;

use lro_tests::{command, imports};

#[test]
fn of_the_component() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("lro.wasm");
    let written = Command::new(command::lro()).args(["component", "--output"]).arg(&file).status();
    assert!(written.is_ok_and(|status| status.success()), "the command writes its component");
    imports::check("lro", &std::fs::read(file).expect("it has been written"));
}
