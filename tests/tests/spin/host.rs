//! What stands for Spin: a server on loopback that gives each request an instance of its own, with HTTP, the key-value
//! store, variables, and as much memory as a small deployment has.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::OnceLock;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use wasmtime::component::{Component, Linker, ResourceTable};
use wasmtime::{Engine, ResourceLimiter, Store};
use wasmtime_wasi::{FsPerms, WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::io::TokioIo;
use wasmtime_wasi_http::p2::add_only_http_to_linker_async;
use wasmtime_wasi_http::p2::bindings::ProxyPre;
use wasmtime_wasi_http::p2::bindings::http::types::Scheme;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpCtx, WasiHttpCtxView, WasiHttpHooks, WasiHttpView};

use crate::application;
use crate::store::{self, Pairs, View};

/// The memory of all instances of a request: the smallest known deployment of Spin gives 128 MiB.
const MOST_MEMORY_BYTES: usize = 128 * 1024 * 1024;

/// An application that is up.
pub(crate) struct Spin {
    pub(crate) address: SocketAddr,
    pub(crate) runtime: Runtime,
}

/// How it is set up, as `spin.toml` would do it.
#[derive(Clone, Default)]
pub(crate) struct Setup {
    pub(crate) pairs: Pairs,
    /// The variable `LRO_SETTINGS`.
    pub(crate) settings: Option<String>,
    /// A folder of the machine, mounted for writing under a name.
    pub(crate) files: Option<(PathBuf, &'static str)>,
}

impl Spin {
    pub(crate) fn up(setup: Setup) -> Self {
        let runtime = Runtime::new().expect("a runtime can be made");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("loopback has a free port");
        let address = listener.local_addr().expect("a listener has an address");
        runtime.spawn(serve(listener, setup));
        Self { address, runtime }
    }
}

async fn serve(listener: TcpListener, setup: Setup) {
    loop {
        let (connection, _) = listener.accept().await.expect("the listener is ours");
        let setup = setup.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request| handle(request, setup.clone()));
            // A client that goes away in the middle of an answer is not the server's failure.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(connection), service).await;
        });
    }
}

async fn handle(request: Request<Incoming>, setup: Setup) -> wasmtime::Result<Response<WasiBody>> {
    let application = application();
    let mut store = Store::new(application.engine(), State::new(setup)?);
    store.limiter(|state| &mut state.memory);
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let request = store.data_mut().http().new_incoming_request(Scheme::Http, request)?;
    let out = store.data_mut().http().new_response_outparam(sender)?;
    let running = tokio::spawn(async move {
        let instance = application.instantiate_async(&mut store).await?;
        instance.wasi_http_incoming_handler().call_handle(&mut store, request, out).await
    });
    match receiver.await {
        Ok(response) => Ok(response?),
        Err(_) => {
            let ended = running.await?;
            let error = ended.err().unwrap_or_else(|| wasmtime::Error::msg("it ended without an answer"));
            eprintln!("{error:?}");
            Err(error)
        }
    }
}

/// The composed component, compiled and linked once for all tests.
fn application() -> &'static ProxyPre<State> {
    static APPLICATION: OnceLock<ProxyPre<State>> = OnceLock::new();
    APPLICATION.get_or_init(|| {
        let engine = Engine::default();
        let component = Component::new(&engine, application::composed()).expect("wasmtime takes what wac has made");
        let mut linker = Linker::<State>::new(&engine);
        wasmtime_wasi::p2::add_to_linker_async(&mut linker).expect("WASI can be linked");
        add_only_http_to_linker_async(&mut linker).expect("HTTP can be linked");
        store::add_to_linker(&mut linker, |state| &mut state.store).expect("the store can be linked");
        let instance = linker.instantiate_pre(&component).expect("everything that it imports is there");
        ProxyPre::new(instance).expect("it exports a handler")
    })
}

/// What one request runs with.
struct State {
    wasi: WasiCtx,
    http: WasiHttpCtx,
    hooks: NoNetwork,
    table: ResourceTable,
    store: View,
    memory: Memory,
}

impl State {
    fn new(setup: Setup) -> wasmtime::Result<Self> {
        let mut wasi = WasiCtx::builder();
        wasi.inherit_stderr();
        if let Some(settings) = setup.settings {
            wasi.env("LRO_SETTINGS", settings);
        }
        if let Some((folder, name)) = setup.files {
            wasi.preopened_dir(folder, name, FsPerms::ReadWrite)?;
        }
        Ok(Self {
            wasi: wasi.build(),
            http: WasiHttpCtx::new(),
            hooks: NoNetwork,
            table: ResourceTable::new(),
            store: View::new(setup.pairs),
            memory: Memory(0),
        })
    }
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { ctx: &mut self.http, table: &mut self.table, hooks: &mut self.hooks }
    }
}

/// The application sends no requests.
struct NoNetwork;

type Exchange = (Response<WasiBody>, Box<dyn Future<Output = Result<(), Error>> + Send>);

impl WasiHttpHooks for NoNetwork {
    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        _: Option<RequestOptions>,
        _: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = Result<Exchange, Error>> + Send> {
        panic!("the application sends a request to {}", request.uri())
    }
}

/// Bytes of all linear memories of a request.
struct Memory(usize);

impl ResourceLimiter for Memory {
    fn memory_growing(&mut self, current: usize, desired: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        let after = self.0 + (desired - current);
        if after <= MOST_MEMORY_BYTES {
            self.0 = after;
        }
        Ok(after <= MOST_MEMORY_BYTES)
    }

    fn table_growing(&mut self, _: usize, _: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(true)
    }
}
