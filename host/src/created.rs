//! The files that running calls have created. They go with a call that is stopped, and with a process that is interrupted.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use wasmtime_wasi::filesystem::Dir;

/// A file, by the name that it has now.
pub(crate) struct Created {
    pub(crate) directory: Dir,
    pub(crate) name: String,
}

type Files = Mutex<Vec<Created>>;

/// The files of all calls that run.
static RUNNING: Mutex<Vec<Weak<Files>>> = Mutex::new(Vec::new());

/// The files of calls that have ended, while somebody holds them, with how many do.
static HELD: Mutex<(usize, Vec<Arc<Files>>)> = Mutex::new((0, Vec::new()));

/// While this lives, the files of calls that have ended count as unfinished ([`remove_unfinished_files`]): nobody has been
/// told their names yet.
#[must_use = "the files are finished when it is dropped"]
#[derive(Debug)]
pub struct UntoldFiles(());

impl UntoldFiles {
    /// Holds the files of calls that begin from now on.
    pub fn hold() -> Self {
        locked(&HELD).0 += 1;
        Self(())
    }
}

impl Drop for UntoldFiles {
    fn drop(&mut self) {
        let mut held = locked(&HELD);
        held.0 -= 1;
        if held.0 == 0 {
            held.1.clear();
        }
    }
}

/// The files of one call. They stay when it is dropped.
#[derive(Clone)]
pub(crate) struct CreatedFiles(Arc<Files>);

/// The files of one call, while nobody else can delete them: a file is created or renamed, and noted, in one step.
pub(crate) struct Noting<'a>(MutexGuard<'a, Vec<Created>>);

impl CreatedFiles {
    /// For a call that begins.
    pub(crate) fn of_call() -> Self {
        let files = Arc::new(Files::default());
        let mut running = locked(&RUNNING);
        running.retain(|call| call.strong_count() > 0);
        running.push(Arc::downgrade(&files));
        let mut held = locked(&HELD);
        if held.0 > 0 {
            held.1.push(Arc::clone(&files));
        }
        Self(files)
    }

    /// Keeps others from deleting the files until what is done to one is noted.
    pub(crate) fn noting(&self) -> Noting<'_> {
        Noting(locked(&self.0))
    }

    /// Forgets the files, and returns them.
    pub(crate) fn take(&self) -> Vec<Created> {
        std::mem::take(&mut locked(&self.0))
    }
}

impl Noting<'_> {
    pub(crate) fn add(&mut self, directory: Dir, name: String) {
        self.0.push(Created { directory, name });
    }

    /// Notes that a file has another name from now on.
    pub(crate) fn rename(&mut self, (directory, name): (&Dir, &str), to: Created) {
        let is_renamed =
            |created: &&mut Created| created.name == name && Arc::ptr_eq(&created.directory.dir, &directory.dir);
        if let Some(created) = self.0.iter_mut().find(is_renamed) {
            *created = to;
        }
    }
}

/// Deletes the files that calls of this process have created and not finished, and those that [`UntoldFiles`] holds. It is
/// for a process that a signal ends: a call that is still running cannot clean up after itself.
pub fn remove_unfinished_files() {
    let running = std::mem::take(&mut *locked(&RUNNING));
    for files in running.iter().filter_map(Weak::upgrade) {
        std::mem::take(&mut *locked(&files)).iter().for_each(remove);
    }
}

#[cfg(unix)]
fn remove(Created { directory, name }: &Created) {
    use std::path::{Component, Path};
    // Nothing is followed to anywhere else.
    if Path::new(name).components().all(|part| part == Component::Normal(name.as_ref())) {
        // What the component has deleted itself cannot be deleted again.
        _ = rustix::fs::unlinkat(&*directory.dir, name, rustix::fs::AtFlags::empty());
    }
}

/// Only Unix has signals.
#[cfg(not(unix))]
fn remove(_: &Created) {}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
