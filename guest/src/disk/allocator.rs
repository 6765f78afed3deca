//! An allocator around another one: it says when memory was refused, and hands every call on.
//!
//! The component's is in `last_words`. Natively the unit tests of this crate have one around the system's, so that Miri
//! runs what is unsafe here.

use std::alloc::{GlobalAlloc, Layout};

/// The allocator inside, and what is called with the bytes that it refused. That must not allocate.
pub(super) struct Allocator<A> {
    pub(super) inner: A,
    pub(super) refused: fn(usize),
}

impl<A> Allocator<A> {
    #[inline]
    fn given(&self, memory: *mut u8, bytes: usize) -> *mut u8 {
        if memory.is_null() {
            (self.refused)(bytes);
        }
        memory
    }
}

#[allow(unsafe_code, reason = "an allocator that hands every call on")]
unsafe impl<A: GlobalAlloc> GlobalAlloc for Allocator<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps to the contract of `alloc`, which is that of the allocator inside.
        self.given(unsafe { self.inner.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above; what is given back came from the allocator inside.
        unsafe { self.inner.dealloc(memory, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: as above.
        self.given(unsafe { self.inner.realloc(memory, layout, bytes) }, bytes)
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        self.given(unsafe { self.inner.alloc_zeroed(layout) }, layout.size())
    }
}

#[cfg(test)]
mod tests {
    use std::alloc::System;
    use std::cell::Cell;

    use super::Allocator;

    #[global_allocator]
    static ALLOCATOR: Allocator<System> = Allocator { inner: System, refused };

    thread_local! {
        static REFUSED: Cell<usize> = const { Cell::new(0) };
    }

    fn refused(bytes: usize) {
        REFUSED.set(bytes);
    }

    #[test]
    fn memory_is_given_grown_cleared_and_taken_back() {
        let mut texts: Vec<String> = Vec::new();
        for count in 0..100_u8 {
            texts.push(char::from(b'a' + count % 26).to_string().repeat(usize::from(count) * 7));
            texts.retain(|text| text.len() % 3 != 1);
        }
        assert!(texts.iter().all(|text| text.len() % 7 == 0 && text.len() % 3 != 1));
        let mut zeros = vec![0_u64; 1000];
        zeros.resize(5000, 1);
        zeros.shrink_to_fit();
        assert_eq!(zeros.iter().sum::<u64>(), 4000);
        assert_eq!(REFUSED.get(), 0);
    }

    #[test]
    fn what_is_refused_is_told() {
        // Miri has no machine whose memory ends.
        if cfg!(miri) {
            return;
        }
        let mut bytes = vec![1_u8; 10];
        bytes.try_reserve_exact(1 << 60).expect_err("no machine has so much memory");
        assert_eq!(REFUSED.get(), (1 << 60) + 10);
        assert_eq!(bytes, [1; 10]);
    }
}
