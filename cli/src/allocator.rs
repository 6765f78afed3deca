//! Where memory comes from, and what becomes of it when it is free again.

/// The one of musl maps and unmaps each block of a file that is read: an extraction takes half as long again.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// As in the defaults of the GNU C library, which raises this bound up to 32 MiB when such a block has been freed.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE_BYTES: libc::c_int = 128 * 1024;

/// Returns every large block to the system as soon as it is free, and lets one that grows keep its place.
///
/// Otherwise the GNU C library keeps blocks of up to 32 MiB once one has been freed, in one heap for each of many threads:
/// 32 replies of 8 MiB, of which no more than four were ever there at once, took 307 MiB.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code, reason = "no safe function sets a parameter of the allocator of the C library")]
pub(crate) fn return_large_blocks() {
    // SAFETY: `mallopt` takes two numbers, locks what it changes, and reports an unknown parameter by its result, which
    // would leave everything as it is.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE_BYTES) };
}

/// Other allocators have no such bound that grows.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn return_large_blocks() {}
