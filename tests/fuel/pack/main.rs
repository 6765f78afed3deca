//! Writes the component of the guest to standard output.

use std::io::Write;

use wit_component::ComponentEncoder;

fn main() {
    let component = ComponentEncoder::default().module(lro_component::GUEST).and_then(|mut encoder| encoder.encode());
    std::io::stdout().write_all(&component.expect("the guest is a component")).expect("standard output takes it");
}
