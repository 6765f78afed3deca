//! The component in a sandbox that counts instructions instead of time, so that a figure is the same on every machine.

use std::cell::Cell;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use wasmtime::component::{Component, Linker, ResourceTable, Val};
use wasmtime::{Config, Engine, OptLevel, ResourceLimiter, Store};
use wasmtime_wasi::random::Deterministic;
use wasmtime_wasi::{FsPerms, HostWallClock, WasiCtx, WasiCtxView, WasiView};

/// More than any call of these tests needs: what reaches it has stopped being linear long before.
const FUEL: u64 = 1 << 40;

/// What the host grants to an offload beside its input.
const MEMORY_BYTES: usize = 64 << 20;

/// As the host has it.
const STACK_BYTES: usize = 512 * 1024;

/// When the first call begins, in seconds since 1970.
const BEGINNING: u64 = 1_800_000_000;

/// The component, compiled with a counter.
pub struct Metered {
    engine: Engine,
    component: Component,
    linker: Linker<State>,
    output: TempDir,
    /// Calls that may have written files, since the last were taken. Clock and randomness come of it: a figure is the same
    /// at all times, and no two files have one name.
    writes: Cell<u32>,
}

/// What a call cost.
pub struct Call {
    /// Instructions.
    pub fuel: u64,
    /// How often its memory grew.
    pub growths: u32,
    /// Why it failed, if it did.
    pub error: Option<String>,
}

struct State {
    wasi: WasiCtx,
    table: ResourceTable,
    memory: Memory,
}

/// The memory of a call.
struct Memory {
    most_bytes: usize,
    growths: u32,
}

impl ResourceLimiter for Memory {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let is_granted = desired <= self.most_bytes;
        // It begins with none.
        self.growths += u32::from(is_granted && current > 0);
        Ok(is_granted)
    }

    fn table_growing(&mut self, _: usize, _: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(true)
    }
}

/// The time of a call. It stands still.
struct Clock(Duration);

impl HostWallClock for Clock {
    fn resolution(&self) -> Duration {
        Duration::from_millis(1)
    }

    fn now(&self) -> Duration {
        self.0
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl Metered {
    /// Compiles a component.
    ///
    /// # Panics
    /// If that is not one.
    pub fn new(component: &[u8]) -> Self {
        let mut config = Config::new();
        // Optimising takes longer than these calls, and changes no count.
        config.consume_fuel(true).max_wasm_stack(STACK_BYTES).cranelift_opt_level(OptLevel::None);
        let engine = Engine::new(&config).unwrap();
        let component = Component::new(&engine, component).unwrap();
        let mut linker = Linker::new(&engine);
        wasmtime_wasi::p2::add_to_linker_sync(&mut linker).unwrap();
        Self { engine, component, linker, output: TempDir::new().unwrap(), writes: Cell::new(0) }
    }

    /// Estimates a payload of an operation.
    pub fn estimate(&self, operation: &str, payload: &str) -> Call {
        self.offloader("estimate", operation, payload)
    }

    /// Offloads a payload of an operation, as a host does.
    pub fn offload(&self, operation: &str, payload: &str) -> Call {
        self.offloader("offload", operation, payload)
    }

    fn offloader(&self, function: &str, operation: &str, payload: &str) -> Call {
        let request = json!({ "operation": operation, "memories": operation == "recall" }).to_string();
        self.call("offloader", function, payload.len(), &[payload.into(), request, self.settings()])
    }

    /// Offloads a text that stands in an MCP message.
    pub fn offload_result(&self, text: &str) -> Call {
        let message = json!({ "content": [{ "type": "text", "text": text }] }).to_string();
        // The message, its text without escapes, and the answer.
        let bytes = message.len() * 3;
        self.call("mcp", "offload-result", bytes, &["fetch".into(), "{}".into(), message, self.settings()])
    }

    /// Asks for the ends of the same message, as a host does whose offload has come to a limit.
    pub fn truncate_result(&self, text: &str) -> Call {
        let message = json!({ "content": [{ "type": "text", "text": text }] }).to_string();
        let mut settings: Value = serde_json::from_str(&self.settings()).unwrap();
        settings["truncate_reason"] = "it ran longer than 10 s".into();
        let bytes = message.len() * 2;
        self.call("mcp", "offload-result", bytes, &["fetch".into(), "{}".into(), message, settings.to_string()])
    }

    /// Returns the largest of the files that were written since the last call of this, if any was. All of them are
    /// kept until files of the same names are.
    ///
    /// # Panics
    /// If the files cannot be moved.
    pub fn take_file(&self) -> Option<String> {
        self.writes.set(0);
        let kept = self.output.path().join("kept");
        std::fs::create_dir_all(&kept).unwrap();
        let files = std::fs::read_dir(self.output.path()).unwrap().map(|file| file.unwrap().path());
        let mut files: Vec<_> = files.filter(|file| file.is_file()).collect();
        // Records, where there are some: the text that they were made of may be larger.
        let is_text = |file: &std::path::Path| file.extension().is_some_and(|extension| extension == "txt");
        files.sort_by_key(|file| (!is_text(file), file.metadata().unwrap().len()));
        let name_of = |file: &std::path::Path| file.file_name().unwrap().to_str().unwrap().to_owned();
        let name = name_of(files.last()?);
        files.iter().for_each(|file| std::fs::rename(file, kept.join(name_of(file))).unwrap());
        Some(format!("kept/{name}"))
    }

    /// Describes a file.
    pub fn describe(&self, file: &str) -> Call {
        self.of_file("documents", "describe", file, None)
    }

    /// Puts a file's document together again.
    pub fn rebuild(&self, file: &str) -> Call {
        self.of_file("documents", "rebuild", file, None)
    }

    /// Runs a filter on a file, with these options: `query` and others of a request.
    pub fn extract(&self, file: &str, request: &Value) -> Call {
        self.of_file("offloader", "extract", file, Some(request.to_string()))
    }

    /// Searches a file for an expression.
    pub fn search(&self, file: &str, pattern: &str) -> Call {
        self.of_file("reader", "search", file, Some(json!({ "pattern": pattern }).to_string()))
    }

    /// Runs a recipe on a file, for ten results.
    pub fn recipe(&self, file: &str, number: usize) -> Call {
        let mut request = json!({ "recipe": number, "limit": 10 });
        // The literal of a file may end a page early in one size and not in the other: nothing has these words.
        match number {
            3 => request["params"] = json!({ "keyword": "keyword" }),
            10 if !file.contains("-recall-") => request["params"] = json!({ "pattern": "pattern" }),
            _ => {}
        }
        self.extract(file, &request)
    }

    fn of_file(&self, interface: &str, function: &str, file: &str, request: Option<String>) -> Call {
        let source = Val::Variant("file".into(), Some(Box::new(Val::String(format!("/output/{file}")))));
        let bytes = std::fs::metadata(self.output.path().join(file)).map_or(0, |file| file.len());
        let others = request.into_iter().chain([self.settings()]).map(Val::String);
        let arguments: Vec<Val> = std::iter::once(source).chain(others).collect();
        self.run(interface, function, 256 << 20, usize::try_from(bytes).unwrap() * 10, &arguments)
    }

    fn call(&self, interface: &str, function: &str, bytes: usize, arguments: &[String]) -> Call {
        let arguments: Vec<Val> = arguments.iter().cloned().map(Val::String).collect();
        self.writes.set(self.writes.get() + 1);
        self.run(interface, function, MEMORY_BYTES, bytes + bytes / 5, &arguments)
    }

    fn run(&self, interface: &str, function: &str, least: usize, more: usize, arguments: &[Val]) -> Call {
        let mut store = self.store(self.output.path(), least + more);
        let instance = self.linker.instantiate(&mut store, &self.component).unwrap();
        let interface = format!("lro:offload/{interface}@0.1.0");
        let interface = instance.get_export_index(&mut store, None, &interface).unwrap();
        let function = instance.get_export_index(&mut store, Some(&interface), function).unwrap();
        let function = instance.get_func(&mut store, function).unwrap();
        let before = store.get_fuel().unwrap();
        let mut answer = vec![Val::Bool(false)];
        let ended = function.call(&mut store, arguments, &mut answer);
        let fuel = before - store.get_fuel().unwrap();
        Call { fuel, growths: store.data().memory.growths, error: failure(ended, &answer) }
    }

    fn store(&self, output: &Path, most_bytes: usize) -> Store<State> {
        let mut builder = WasiCtx::builder();
        let number = self.writes.get();
        let clock = Clock(Duration::from_secs(BEGINNING + u64::from(number)));
        let random = Deterministic::new(number.to_le_bytes().to_vec());
        builder.allow_blocking_current_thread(true).wall_clock(clock).secure_random(random);
        builder.preopened_dir(output, "/output", FsPerms::ReadWrite).unwrap();
        let memory = Memory { most_bytes, growths: 0 };
        let state = State { wasi: builder.build(), table: ResourceTable::new(), memory };
        let mut store = Store::new(&self.engine, state);
        store.limiter(|state| &mut state.memory);
        store.set_hostcall_fuel(most_bytes);
        store.set_fuel(FUEL).unwrap();
        store
    }

    fn settings(&self) -> String {
        json!({ "output_dir": "/output", "threshold_tokens": 100 }).to_string()
    }
}

/// A trap, or the error that was answered.
fn failure(ended: wasmtime::Result<()>, answer: &[Val]) -> Option<String> {
    match (ended, answer) {
        (Err(error), _) => Some(error.root_cause().to_string()),
        (Ok(()), [Val::Result(Err(error))]) => Some(format!("{error:?}")),
        (Ok(()), _) => None,
    }
}
