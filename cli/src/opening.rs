//! Opens the component beside other work. If it has to be compiled first, which takes seconds, a conversation begins
//! meanwhile.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, OnceLock};
use std::thread;

use lro::{OnCompile, Options};

use crate::failure::Failure;
use crate::output;

/// Compiling recurses: it gets what the main thread of a program has.
const STACK_BYTES: usize = 8 << 20;

/// A value that exists already, or will.
pub(super) struct Opening<T>(Arc<OnceLock<T>>);

impl<T> Clone for Opening<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Opening<T> {
    /// What has been opened, unless the component is still compiled.
    pub(super) fn get(&self) -> Option<&T> {
        self.0.get()
    }

    /// Waits for the value. If opening fails, this never returns: the caller that gets the failure ends the process.
    pub(super) fn wait(&self) -> &T {
        self.0.wait()
    }
}

impl<T: Send + Sync + 'static> Opening<T> {
    /// Opens something with these options, in a thread. Returns when it is open, or when the component turns out to need
    /// compiling; `late` is then called when it is open, or with the error.
    ///
    /// # Errors
    /// Those of `open`, if nothing had to be compiled.
    pub(super) fn begin(
        mut options: Options,
        open: impl FnOnce(Options) -> Result<T, Failure> + Send + 'static,
        late: impl FnOnce(Result<(), Failure>) + Send + 'static,
    ) -> Result<Self, Failure> {
        let cell = Arc::new(OnceLock::new());
        let is_compiling = Arc::new(AtomicBool::new(false));
        let (sender, first) = mpsc::channel();
        options.on_compile = {
            let (is_compiling, sender) = (Arc::clone(&is_compiling), sender.clone());
            OnCompile::call(move || {
                tell_compiling();
                is_compiling.store(true, Ordering::Relaxed);
                // The caller may no longer wait.
                let _ = sender.send(First::Compiling);
            })
        };
        let opened = Arc::clone(&cell);
        let work = move || {
            let result = open(options).map(|value| _ = opened.set(value));
            if is_compiling.load(Ordering::Relaxed) {
                late(result);
            } else {
                let _ = sender.send(First::Done(result));
            }
        };
        let builder = thread::Builder::new().name("lro-opening".to_owned()).stack_size(STACK_BYTES);
        builder.spawn(work).map_err(|error| Failure::file("start a thread", error))?;
        first_of(&first)?;
        Ok(Self(cell))
    }
}

/// What is known first.
enum First {
    Compiling,
    Done(Result<(), Failure>),
}

fn first_of(first: &Receiver<First>) -> Result<(), Failure> {
    match first.recv() {
        Ok(First::Compiling) => Ok(()),
        Ok(First::Done(result)) => result,
        Err(_) => Err(Failure::file("open the component", io::Error::other("its thread has ended"))),
    }
}

/// Tells the user why nothing else happens for a while.
pub(super) fn tell_compiling() {
    output::remark("compiling the component, which takes some seconds");
}
