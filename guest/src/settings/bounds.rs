//! Bounds of single settings.

use super::{Settings, request};
use crate::error::Error;

/// A parser that recurses once a bracket overflows a WebAssembly stack of 512 KiB near 1,600 of them.
pub(super) const MOST_FILTER_NESTING: u32 = 200;

/// Reading a record of 1,000 levels overflows the same stack; 128 is also what serde_json allows.
pub(super) const MOST_RECORD_NESTING: u32 = 128;

/// A step takes 50 to 100 ns in a component, so these take about a second: less than the two seconds that our hosts wait.
pub(super) const LEAST_STEPS: u64 = 4_000_000;

/// A record of 200 bytes may take 800 steps; heavy filters of people take a hundred.
pub(super) const STEPS_A_BYTE: u64 = 4;

/// Five times what our hosts wait, which is for hosts that do not: 10 s, and a second for each 4 MB.
pub(super) const LEAST_MILLISECONDS: u64 = 10_000;
pub(super) const BYTES_A_MILLISECOND: u64 = 4000;

/// Our hosts give a component up to 1024 MiB. What comes after a look at the memory needs the rest.
pub(super) const MEMORY_MIB: u64 = 896;

/// Stack for the calls of a filter, as addresses tell it. With 500 KiB no shape of recursion overflows a WebAssembly stack
/// of 512 KiB, with 560 some do; half of that leaves room for printing and comparing, and for hosts whose frames are larger.
const STACK_BYTES: usize = if cfg!(target_family = "wasm") { 256 << 10 } else { 1 << 20 };

/// As long as the longest message that hosts take by default.
const MOST_ARGUMENT_BYTES: u32 = 64 << 20;

/// An answer needs room for its frame and for one small result at least.
const LEAST_ANSWER_BYTES: u32 = 2048;

impl Settings {
    /// What a call may use that reads so many bytes; `gauge` measures it.
    pub fn budget(&self, bytes: u64, gauge: fn() -> lro_query::Gauge) -> lro_query::Budget {
        let most = |set: Option<u32>, default: u64| set.map_or(default, u64::from);
        lro_query::Budget {
            steps: most(self.max_steps, LEAST_STEPS.saturating_add(bytes.saturating_mul(STEPS_A_BYTE))),
            milliseconds: most(self.max_milliseconds, LEAST_MILLISECONDS.saturating_add(bytes / BYTES_A_MILLISECOND)),
            memory_bytes: most(self.max_memory_mib, MEMORY_MIB) << 20,
            stack_bytes: STACK_BYTES,
            gauge,
        }
    }

    /// What offloading a result of so many bytes may use. A caller can raise it, and cannot lower it below the default: of
    /// a result that is not offloaded, only the ends are left.
    pub fn offload_budget(&self, bytes: u64, gauge: fn() -> lro_query::Gauge) -> lro_query::Budget {
        let (own, default) = (self.budget(bytes, gauge), Self::default().budget(bytes, gauge));
        lro_query::Budget {
            steps: u64::MAX,
            milliseconds: own.milliseconds.max(default.milliseconds),
            memory_bytes: own.memory_bytes.max(default.memory_bytes),
            ..own
        }
    }
}

/// Checks what types cannot say.
pub(super) fn check(place: &str, settings: &Settings) -> Result<(), Error> {
    let out_of = |key: &str, wanted: &str| {
        Err(Error::invalid_argument(
            format!("cannot read {place}: the value of `{key}` is out of bounds"),
            format!("give {wanted}"),
        ))
    };
    let lower = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if !(1..=32).contains(&settings.prefix.len()) || !settings.prefix.chars().all(lower) {
        return out_of("prefix", "1 to 32 characters of a-z, 0-9 and _");
    }
    if !(1..=65_536).contains(&settings.max_filter_bytes) {
        return out_of("max_filter_bytes", "1 to 65536");
    }
    if !(1..=MOST_FILTER_NESTING).contains(&settings.max_filter_nesting) {
        return out_of("max_filter_nesting", "1 to 200");
    }
    if !(1..=MOST_RECORD_NESTING).contains(&settings.max_record_nesting) {
        return out_of("max_record_nesting", "1 to 128");
    }
    if settings.max_page_results == 0 {
        return out_of("max_page_results", "at least 1");
    }
    if settings.max_page_bytes == 0 {
        return out_of("max_page_bytes", "at least 1");
    }
    for (key, value) in [
        ("max_steps", settings.max_steps),
        ("max_milliseconds", settings.max_milliseconds),
        ("max_memory_mib", settings.max_memory_mib),
    ] {
        if value == Some(0) {
            return out_of(key, "at least 1, or null");
        }
    }
    if settings.max_memory_mib.is_some_and(|mebibytes| mebibytes >= 4096) {
        return out_of("max_memory_mib", "1 to 4095, or null");
    }
    if settings.max_document_bytes == 0 {
        return out_of("max_document_bytes", "at least 1");
    }
    if settings.min_saving.is_some_and(|part| !(0.0..=1.0).contains(&part)) {
        return out_of("min_saving", "a fraction from 0 to 1, or null");
    }
    for (key, part) in
        [("context_percentage", settings.context_percentage), ("headroom_percentage", settings.headroom_percentage)]
    {
        if !(part > 0.0 && part <= 1.0) {
            return out_of(key, "a fraction above 0 and up to 1");
        }
    }
    if settings.context_tokens == Some(0) {
        return out_of("context_tokens", "at least 1, or null");
    }
    if !(1..=MOST_ARGUMENT_BYTES).contains(&settings.max_argument_bytes) {
        return out_of("max_argument_bytes", "1 to 67108864");
    }
    if settings.call.session.as_deref().is_some_and(|name| !request::is_session(name)) {
        return out_of(
            "call.session",
            "1 to 64 characters of A-Z, a-z, 0-9, _ and -, but not the name of a device such as CON, or null",
        );
    }
    let name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if !(1..=64).contains(&settings.environment_prefix.len()) || !settings.environment_prefix.chars().all(name) {
        return out_of("environment_prefix", "1 to 64 characters of A-Z, a-z, 0-9 and _");
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !(1..=64).contains(&settings.header_type.len()) || !settings.header_type.chars().all(plain) {
        return out_of("header_type", "1 to 64 characters of A-Z, a-z, 0-9, _ and -");
    }
    if !(1..=32).contains(&settings.tool_prefix.len()) || !settings.tool_prefix.chars().all(plain) {
        return out_of("tool_prefix", "1 to 32 characters of A-Z, a-z, 0-9, _ and -");
    }
    if !(LEAST_ANSWER_BYTES..=1 << 20).contains(&settings.max_answer_bytes) {
        return out_of("max_answer_bytes", "2048 to 1048576");
    }
    Ok(())
}

/// Checks what no value alone can say, once all sources are laid over each other.
pub(super) fn check_together(settings: &Settings) -> Result<(), Error> {
    let (floor, ceiling) = (settings.min_threshold_bytes, settings.max_threshold_bytes);
    if floor > ceiling {
        return Err(Error::invalid_argument(
            format!("cannot read settings: `min_threshold_bytes` is {floor}, above `max_threshold_bytes`, {ceiling}"),
            "give a floor up to the ceiling",
        ));
    }
    Ok(())
}
