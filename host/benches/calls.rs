//! What calls cost.
fn main() {
    divan::main();
}
