//! Spin's key-value store as the tests have it: in memory, and as strict as Spin states it to be.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};

use wasmtime::component::{HasData, Linker, Resource};

use bindings::fermyon::spin::key_value::{self, Error, Host, HostStore, Store};

mod bindings {
    wasmtime::component::bindgen!({
        inline: "package test:host; world host { import fermyon:spin/key-value@2.0.0; }",
        path: "../embed/spin/wit/deps/spin",
    });
}

/// The store that `spin.toml` grants.
const LABEL: &str = "default";

/// What Spin states: keys of 256 bytes, values of a megabyte, 1024 pairs.
const MOST_KEY_BYTES: usize = 256;
const MOST_VALUE_BYTES: usize = 1_000_000;
const MOST_PAIRS: usize = 1024;

/// All pairs of one application, shared by its requests.
#[derive(Clone, Default)]
pub(crate) struct Pairs(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    pairs: BTreeMap<String, Vec<u8>>,
    most_bytes: Option<usize>,
}

impl Pairs {
    /// A store that is full with so many bytes.
    pub(crate) fn of_at_most(bytes: usize) -> Self {
        Self(Arc::new(Mutex::new(Inner { most_bytes: Some(bytes), ..Inner::default() })))
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().expect("no test fails while it holds the store")
    }

    pub(crate) fn keys(&self) -> Vec<String> {
        self.lock().pairs.keys().cloned().collect()
    }

    pub(crate) fn get(&self, key: &str) -> Option<Vec<u8>> {
        self.lock().pairs.get(key).cloned()
    }

    pub(crate) fn set(&self, key: &str, value: &[u8]) {
        self.lock().pairs.insert(key.to_owned(), value.to_owned());
    }

    pub(crate) fn delete(&self, key: &str) {
        self.lock().pairs.remove(key).expect("there is such a key");
    }
}

/// One request's view of the store.
pub(crate) struct View {
    pairs: Pairs,
    open: HashSet<u32>,
}

impl View {
    pub(crate) fn new(pairs: Pairs) -> Self {
        Self { pairs, open: HashSet::new() }
    }

    fn pairs(&self, store: &Resource<Store>) -> wasmtime::Result<MutexGuard<'_, Inner>> {
        wasmtime::ensure!(self.open.contains(&store.rep()), "a store is used that is not open");
        Ok(self.pairs.lock())
    }
}

impl Host for View {}

impl HostStore for View {
    fn open(&mut self, label: String) -> Result<Resource<Store>, Error> {
        if label != LABEL {
            return Err(Error::AccessDenied);
        }
        let handle = u32::try_from(self.open.len()).expect("a request opens few stores");
        self.open.insert(handle);
        Ok(Resource::new_own(handle))
    }

    fn get(&mut self, store: Resource<Store>, key: String) -> Result<Option<Vec<u8>>, Error> {
        Ok(opened(self.pairs(&store))?.pairs.get(&key).cloned())
    }

    fn set(&mut self, store: Resource<Store>, key: String, value: Vec<u8>) -> Result<(), Error> {
        let mut inner = opened(self.pairs(&store))?;
        let used: usize = inner.pairs.values().map(Vec::len).sum();
        let refused = [
            (key.len() > MOST_KEY_BYTES, "the key is too long"),
            (value.len() > MOST_VALUE_BYTES, "the value is too large"),
            (inner.pairs.len() >= MOST_PAIRS, "there are too many pairs"),
            (inner.most_bytes.is_some_and(|most| used + value.len() > most), "the store is full"),
        ];
        if let Some((_, reason)) = refused.iter().find(|(is_refused, _)| *is_refused) {
            return Err(Error::Other((*reason).to_owned()));
        }
        inner.pairs.insert(key, value);
        Ok(())
    }

    fn delete(&mut self, store: Resource<Store>, key: String) -> Result<(), Error> {
        opened(self.pairs(&store))?.pairs.remove(&key);
        Ok(())
    }

    fn exists(&mut self, store: Resource<Store>, key: String) -> Result<bool, Error> {
        Ok(opened(self.pairs(&store))?.pairs.contains_key(&key))
    }

    fn get_keys(&mut self, store: Resource<Store>) -> Result<Vec<String>, Error> {
        Ok(opened(self.pairs(&store))?.pairs.keys().cloned().collect())
    }

    fn drop(&mut self, store: Resource<Store>) -> wasmtime::Result<()> {
        self.open.remove(&store.rep());
        Ok(())
    }
}

fn opened(inner: wasmtime::Result<MutexGuard<'_, Inner>>) -> Result<MutexGuard<'_, Inner>, Error> {
    inner.map_err(|error| Error::Other(error.to_string()))
}

/// Gives components the store of the state that they run with.
pub(crate) fn add_to_linker<T: 'static>(linker: &mut Linker<T>, view: fn(&mut T) -> &mut View) -> wasmtime::Result<()> {
    key_value::add_to_linker::<T, HasView>(linker, view)
}

struct HasView;

impl HasData for HasView {
    type Data<'a> = &'a mut View;
}
