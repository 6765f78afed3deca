//! `pack MODULE LRO OUTPUT`: makes `lro-tools.wasm`.
//!
//! The module of the tools becomes a component, `lro.wasm` is plugged into what it imports, and documentation and metadata
//! are put in front.

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
    let [module, component, output] = &arguments[..] else { bail!("usage: pack MODULE LRO OUTPUT") };
    let tools = ComponentEncoder::default()
        .validate(true)
        .module(&read(module)?)
        .and_then(|encoder| encoder.encode())
        .context("cannot make a component of the tools")?;
    let composed = plug(&read(component)?, &tools).context("cannot plug the component into the tools")?;
    let packed = with_sections(&composed)?;
    fs::write(output, packed).with_context(|| format!("cannot write `{output}`"))
}

fn read(file: &str) -> Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("cannot read `{file}`"))
}

/// The tools with what they import of the component. What it imports itself, the host gives to both.
fn plug(component: &[u8], tools: &[u8]) -> Result<Vec<u8>> {
    let mut graph = CompositionGraph::new();
    let component = Package::from_bytes("lro:offload", None, component, graph.types_mut())?;
    let component = graph.register_package(component)?;
    let tools = Package::from_bytes("lro:tools", None, tools, graph.types_mut())?;
    let tools = graph.register_package(tools)?;
    wac_graph::plug(&mut graph, vec![component], tools)?;
    Ok(graph.encode(EncodeOptions::default())?)
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
