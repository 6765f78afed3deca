//! The Spin application of `embed/spin`, composed with the component of the built command, over real HTTP requests. Spin
//! itself is not there: wasmtime's HTTP, and a key-value store as strict as Spin's, stand for it.

mod application;
mod client;
mod host;
mod store;

use host::{Setup, Spin};
use lro_tests::corpus;
use serde_json::json;

#[test]
fn a_small_result_comes_back_as_it_is() {
    let spin = Spin::up(Setup::default());
    let result = r#"[ {"id": 1},  {"id": 2} ]"#;
    let answer = spin.offload(&json!({"operation": "list_things"}), result);
    assert_eq!((answer.status, answer.body.as_str()), (200, result));
    assert_eq!(answer.header("lro-outcome"), "unchanged");
}

#[test]
fn a_large_result_is_stored_under_its_name() {
    let pairs = store::Pairs::default();
    let spin = Spin::up(Setup { pairs: pairs.clone(), ..Setup::default() });
    let answer = spin.offload(&json!({"operation": "recall"}), corpus::REAL);
    assert_eq!(answer.status, 201, "{answer:?}");
    println!("{}", answer.body);
    println!("{:?}", pairs.keys());
    println!("{}", application::imports(application::composed()));
}
