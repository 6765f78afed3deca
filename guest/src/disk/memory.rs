//! Where the component's allocator gets memory: first what every instance begins with, then more, a good deal at a time.
//!
//! A host changes the protection of pages each time memory grows, and again when the instance ends. A small call spares it
//! both, and a large one grows a few times instead of once for every 64 KiB.

use std::alloc::Layout;
use std::arch::wasm32::memory_grow;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

use talc::base::binning::Binning;
use talc::base::{CHUNK_UNIT, Talc};
use talc::cell::TalcSyncCell;
use talc::source::Source;
use talc::wasm::WasmBinning;

use crate::disk::PAGE_BYTES;

/// What an instance begins with, in bytes: a call on a result that stays inline needs less. It is zeros at the end of the
/// module's data, so no file has it and no page of it is there before it is used.
const FIRST: usize = 8 * PAGE_BYTES;

/// Pages by which memory grows at least, where the host has as many.
const STEP: usize = 16;

static mut BEGINNING: MaybeUninit<[u8; FIRST]> = MaybeUninit::uninit();

/// The memory of an instance, of which the allocator has got a part.
#[derive(Debug)]
pub(super) struct Memory {
    begun: bool,
    /// The end of what it got last.
    end: Option<NonNull<u8>>,
}

/// An allocator that has got nothing yet.
pub(super) const fn allocator() -> TalcSyncCell<Memory, WasmBinning> {
    TalcSyncCell::new_wasm(Memory { begun: false, end: None })
}

#[allow(unsafe_code, reason = "memory that the allocator is given")]
// SAFETY: nothing here allocates.
unsafe impl Source for Memory {
    #[cold]
    #[inline(never)]
    fn acquire<B: Binning>(talc: &mut Talc<Self, B>, layout: Layout) -> Result<(), ()> {
        if !talc.source.begun {
            talc.source.begun = true;
            // SAFETY: nothing else uses these bytes, and the allocator gets them once.
            unsafe { talc.claim((&raw mut BEGINNING).cast(), FIRST) };
            return Ok(());
        }
        // The allocator notes its own things beside what it hands out, and rounds up.
        let needed = layout.size().saturating_add(layout.align()).saturating_add(4 * CHUNK_UNIT).div_ceil(PAGE_BYTES);
        let (pages, more) = [needed.max(STEP), needed]
            .into_iter()
            .find_map(|more| match memory_grow::<0>(more) {
                usize::MAX => None,
                pages => Some((pages, more)),
            })
            .ok_or(())?;
        let start = (pages * PAGE_BYTES) as *mut u8;
        // Where the addresses end, that is the last one.
        let end = (pages * PAGE_BYTES).saturating_add(more * PAGE_BYTES) as *mut u8;
        talc.source.end = match talc.source.end {
            // SAFETY: the memory between them has just been added, behind what the allocator has already.
            Some(known) if known.as_ptr() == start => Some(unsafe { talc.extend(known, end) }),
            // SAFETY: the memory has just been added.
            _ => unsafe { talc.claim(start, more * PAGE_BYTES) },
        };
        Ok(())
    }
}
