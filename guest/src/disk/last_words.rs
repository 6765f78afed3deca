//! Writes to standard error why the component ends: why memory was refused, or where it panicked. A trap alone
//! does not tell the two apart, and a host wants to.
//!
//! The standard library has no standard error on wasm32-unknown-unknown. On wasm32-wasip2 it writes the same.

use std::alloc::{GlobalAlloc, Layout};
use std::fmt::{self, Write};

use talc::wasm::{WasmDynamicTalc, new_wasm_dynamic_allocator};
use wasip2::cli::stderr::get_stderr;

/// The standard library's allocator for WebAssembly is small and slow: values come and go by the million here.
#[global_allocator]
static ALLOCATOR: Allocator = Allocator(new_wasm_dynamic_allocator());

struct Allocator(WasmDynamicTalc);

#[allow(unsafe_code, reason = "an allocator that hands every call on")]
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps to the contract of `alloc`, which is that of the allocator inside.
        given(unsafe { self.0.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above; what is given back came from the allocator inside.
        unsafe { self.0.dealloc(memory, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as above.
        given(unsafe { self.0.realloc(memory, layout, bytes) }, bytes)
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        given(unsafe { self.0.alloc_zeroed(layout) }, layout.size())
    }
}

#[inline]
fn given(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        say(format_args!("memory allocation of {bytes} bytes failed"));
    }
    memory
}

/// A host calls it once, before all else.
#[cfg(not(target_os = "wasi"))]
#[allow(unsafe_code, reason = "the name that WebAssembly has for it")]
#[unsafe(no_mangle)]
extern "C" fn _initialize() {
    std::panic::set_hook(Box::new(|panic| say(format_args!("{panic}"))));
}

/// Writes a message without allocating: there may be no memory.
fn say(words: fmt::Arguments<'_>) {
    let mut line = Line { bytes: [0; MOST_BYTES], length: 0 };
    _ = line.write_fmt(words);
    _ = line.write_char('\n');
    _ = get_stderr().blocking_write_and_flush(&line.bytes[..line.length]);
}

/// A reason is one or two lines.
const MOST_BYTES: usize = 512;

/// The beginning of a text.
struct Line {
    bytes: [u8; MOST_BYTES],
    length: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let bytes = text.len().min(MOST_BYTES - self.length);
        self.bytes[self.length..self.length + bytes].copy_from_slice(&text.as_bytes()[..bytes]);
        self.length += bytes;
        Ok(())
    }
}
