//! `pack MODULE LRO OUTPUT`: makes `lro-tools.wasm`.
//!
//! The module of the tools becomes a component, `lro.wasm` is plugged into what it imports, and documentation and metadata
//! are put in front.
//!
//! `pack plug COMPONENT LRO OUTPUT` only plugs `lro.wasm` into what a component imports, as `wac plug` does.

use std::env;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use wac_graph::types::Package;
use wac_graph::{CompositionGraph, EncodeOptions};
use wasm_encoder::{Component, ComponentNameSection, CustomSection};
use wit_component::ComponentEncoder;
use wit_parser::{PackageMetadata, Resolve};

/// What the metadata of the file say, by the names that OCI annotations have.
const METADATA: [(&str, &str); 3] = [
    ("version", env!("CARGO_PKG_VERSION")),
    ("description", "Large Result Offloading: large tool results in files, and tools to read them"),
    ("licenses", env!("CARGO_PKG_LICENSE")),
];

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (made, output) = match &arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["plug", component, lro, output] => (plug(&read(lro)?, &read(component)?)?, output.to_string()),
        [module, lro, output] => (packed(&read(module)?, &read(lro)?)?, output.to_string()),
        _ => bail!("usage: pack MODULE LRO OUTPUT, or pack plug COMPONENT LRO OUTPUT"),
    };
    fs::write(&output, made).with_context(|| format!("cannot write `{output}`"))
}

/// The component of a module with ours plugged in, named and documented.
fn packed(module: &[u8], lro: &[u8]) -> Result<Vec<u8>> {
    let tools = ComponentEncoder::default()
        .validate(true)
        .module(module)
        .and_then(|encoder| encoder.encode())
        .context("cannot make a component of the tools")?;
    with_sections(&plug(lro, &tools)?)
}

fn read(file: &str) -> Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("cannot read `{file}`"))
}

/// A component with what it imports of ours. What ours imports itself, the host gives to both.
fn plug(lro: &[u8], component: &[u8]) -> Result<Vec<u8>> {
    let plugged = || {
        let mut graph = CompositionGraph::new();
        let lro = Package::from_bytes("lro:offload", None, lro, graph.types_mut())?;
        let lro = graph.register_package(lro)?;
        let component = Package::from_bytes("lro:plugged", None, component, graph.types_mut())?;
        let component = graph.register_package(component)?;
        wac_graph::plug(&mut graph, vec![lro], component)?;
        Ok(graph.encode(EncodeOptions::default())?)
    };
    plugged().map_err(|error: anyhow::Error| error.context("cannot plug lro.wasm into the component"))
}

/// Puts name, metadata and documentation in front of all other sections: a host takes the first of a name that it meets, and
/// there may be others in the components inside.
fn with_sections(component: &[u8]) -> Result<Vec<u8>> {
    let docs = documentation()?;
    let mut head = Component::new();
    let mut name = ComponentNameSection::new();
    name.component("lro-tools");
    head.section(&name);
    for (name, text) in METADATA {
        head.section(&CustomSection { name: name.into(), data: text.as_bytes().into() });
    }
    head.section(&CustomSection { name: PackageMetadata::SECTION_NAME.into(), data: docs.into() });
    let head = head.finish();
    // Both begin with the same preamble of eight bytes.
    let sections = component.strip_prefix(Component::HEADER.as_slice()).context("it is not a component")?;
    Ok([&head, sections].concat())
}

/// The documentation of `wit/tools.wit`, of a world that has no name any more: what reads a component calls it `root`.
fn documentation() -> Result<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut resolve = Resolve::default();
    resolve.push_dir(folder.join("../../wit"))?;
    let (package, _) = resolve.push_dir(folder.join("wit"))?;
    let worlds = &mut resolve.packages[package].worlds;
    let world = worlds.shift_remove("tools").context("there is no world `tools`")?;
    worlds.insert("root".to_owned(), world);
    PackageMetadata::extract(&resolve, package).encode()
}
