//! Writes to standard error why the component ends: why memory was refused, or where it panicked. A trap alone
//! does not tell the two apart, and a host wants to.
//!
//! The standard library has no standard error on wasm32-unknown-unknown. On wasm32-wasip2 it writes the same.

use std::fmt::{self, Write};

use talc::cell::TalcSyncCell;
use talc::wasm::WasmBinning;
use wasip2::cli::stderr::get_stderr;

use crate::disk::allocator::Allocator;
use crate::disk::memory::{self, Memory};

/// The standard library's allocator for WebAssembly is small and slow: values come and go by the million here.
#[global_allocator]
static ALLOCATOR: Allocator<TalcSyncCell<Memory, WasmBinning>> = Allocator { inner: memory::allocator(), refused };

fn refused(bytes: usize) {
    say(format_args!("memory allocation of {bytes} bytes failed"));
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
