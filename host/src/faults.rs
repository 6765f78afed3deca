//! Faults of a host, for tests of what a component makes of them. Only with the feature `faults`.

use wasmtime::component::Linker;

/// The interface of files as the component finds it here.
pub const FILES: &str = crate::files::INTERFACE;

/// Something that goes wrong around a component: [`Lro::with_fault`](crate::Lro::with_fault).
pub trait Fault {
    /// Puts imports that fail in the place of those that work.
    ///
    /// # Errors
    /// Those of the linker.
    fn inject<T: 'static>(&self, linker: &mut Linker<T>) -> wasmtime::Result<()>;
}
