use wac_graph::{CompositionGraph, types::Package};
#[test]
fn imports() {
    let mut graph = CompositionGraph::new();
    let bytes = std::fs::read("/tmp/w/lro.wasm").unwrap();
    let package = Package::from_bytes("lro", None, bytes, graph.types_mut()).unwrap();
    let world = &graph.types()[package.ty()];
    for name in world.imports.keys() { println!("import {name}"); }
    for name in world.exports.keys() { println!("export {name}"); }
}
