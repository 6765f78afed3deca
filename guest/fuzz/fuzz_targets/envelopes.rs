//! One program for libFuzzer: what it does is in the library.
#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| lro_fuzz::envelopes::run(data));
