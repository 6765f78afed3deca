//! A disk that is full, for the conformance suite: files can be created, and nothing can be written to them.
//!
//! It makes the failure of a write repeatable on any machine and for any component, without a small file system and
//! without privileges.

use wasmtime::component::{ComponentType, Lift, Linker, Lower, Resource};
use wasmtime_wasi::p2::bindings::sync::filesystem::types::{Descriptor, ErrorCode};
use wasmtime_wasi::p2::bindings::sync::io::streams::OutputStream;

use lro::faults::{FILES, Fault};

/// Lets every write of the linked component end with `insufficient-space`.
pub(crate) struct FullDisk;

impl Fault for FullDisk {
    fn inject<T: 'static>(&self, linker: &mut Linker<T>) -> wasmtime::Result<()> {
        linker.allow_shadowing(true);
        let mut interface = linker.instance(FILES)?;
        interface.func_wrap(
            "[method]descriptor.write",
            |_, (_, _, _): (Resource<Descriptor>, Vec<u8>, u64)| -> wasmtime::Result<(Result<u64, ErrorCode>,)> {
                full()
            },
        )?;
        interface.func_wrap(
            "[method]descriptor.write-via-stream",
            |_,
             (_, _): (Resource<Descriptor>, u64)|
             -> wasmtime::Result<(Result<Resource<OutputStream>, ErrorCode>,)> { full() },
        )?;
        interface.func_wrap(
            "[method]descriptor.append-via-stream",
            |_, (_,): (Resource<Descriptor>,)| -> wasmtime::Result<(Result<Resource<OutputStream>, ErrorCode>,)> {
                full()
            },
        )
    }
}

fn full<T: ComponentType + Lift + Lower>() -> wasmtime::Result<(Result<T, ErrorCode>,)> {
    Ok((Err(ErrorCode::InsufficientSpace),))
}
