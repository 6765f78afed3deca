//! A store by OpenDAL. Its calls are asynchronous; each runs on a thread of ours while the caller waits.

use std::fs::File;
use std::future::Future;
use std::io::{self, ErrorKind, Read};
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError, mpsc};
use std::time::{Duration, Instant};

use futures::TryStreamExt;
use lro::{Listed, ObjectStatus, ObjectStore};
use opendal::layers::{RetryLayer, TimeoutLayer};
use opendal::{EntryMode, Error, Metadata, Operator, services};
use tokio::runtime::Runtime;

use crate::Problem;
use crate::address::Address;

/// For a question that moves no data. A model waits for the answer, and what a store does not say within seconds it does not say.
const QUESTION: Duration = Duration::from_secs(5);

/// For each part of an object that is read or written.
const TRANSFER: Duration = Duration::from_secs(10);

/// Once more after what may pass. With the times above, a store that is away is told after 11 s at most, and one that stops in
/// the middle of a part after 21.
const RETRIES: usize = 1;
const RETRIED_AFTER: Duration = Duration::from_millis(200);

/// Parts of an object on its way to S3, which takes none below 5 MiB but for the last.
const PART_BYTES: usize = 8 << 20;

/// Where a folder has files that are being written. Its name is none that a file of ours or a session has.
const UNFINISHED: &str = ".unfinished";

/// One call asks several questions. The others are not asked of a store that has just left one without an answer for about
/// the time that it may take: they fail with the first one's reason.
const SILENT: Duration = Duration::from_secs(4);
const AWAY: Duration = Duration::from_secs(3);

/// A store, opened.
#[derive(Debug)]
pub(crate) struct Store {
    operator: Operator,
    /// Its name for people.
    shown: String,
    /// When it was silent last, and what was told then.
    away: Mutex<Option<(Instant, String)>>,
}

impl Store {
    pub(crate) fn open(address: &Address) -> Result<Self, Problem> {
        let shown = address.shown();
        let built = match address {
            Address::Redis { endpoint, user, password, database, ttl } => {
                let mut redis = services::Redis::default().endpoint(endpoint).db(*database).default_ttl(*ttl);
                if let Some(user) = user {
                    redis = redis.username(user);
                }
                if let Some(password) = password {
                    redis = redis.password(password);
                }
                Operator::new(redis)
            }
            Address::S3 { bucket, prefix, region, endpoint } => {
                // Another one may have been chosen by the program.
                _ = rustls::crypto::ring::default_provider().install_default();
                opendal_http_transport_reqwest::install_default();
                let mut s3 = services::S3::default().bucket(bucket).root(prefix);
                if let Some(region) = region {
                    s3 = s3.region(region);
                }
                if let Some(endpoint) = endpoint {
                    s3 = s3.endpoint(endpoint);
                }
                Operator::new(s3)
            }
            Address::Folder(folder) => folder
                .to_str()
                .map(|folder| {
                    let unfinished = format!("{folder}/{UNFINISHED}");
                    Operator::new(services::Fs::default().root(folder).atomic_write_dir(&unfinished))
                })
                .unwrap_or_else(|| Err(Error::new(opendal::ErrorKind::ConfigInvalid, "its path is not Unicode"))),
        };
        let operator = built
            .map_err(|error| Problem(format!("cannot use `{shown}` as a store: {}", reason(&error))))?
            .layer(TimeoutLayer::new().with_timeout(QUESTION).with_io_timeout(TRANSFER))
            .layer(
                RetryLayer::new().with_max_times(RETRIES).with_min_delay(RETRIED_AFTER).with_max_delay(RETRIED_AFTER),
            );
        Ok(Self { operator, shown, away: Mutex::new(None) })
    }

    /// Waits for an answer of the store. The caller may be in a runtime of its own, where waiting is not allowed.
    fn wait<T: Send + 'static>(&self, ask: impl Future<Output = Result<T, Error>> + Send + 'static) -> io::Result<T> {
        let away = || self.away.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, reason)) = away().as_ref().filter(|(since, _)| since.elapsed() < AWAY) {
            return Err(io::Error::other(reason.clone()));
        }
        let begin = Instant::now();
        let (sender, answer) = mpsc::sync_channel(1);
        runtime()?.spawn(async move {
            // Somebody waits, unless the process ends.
            _ = sender.send(ask.await);
        });
        match answer.recv() {
            Ok(answer) => answer.map_err(|error| {
                let error = self.failed(&error);
                if begin.elapsed() >= SILENT {
                    *away() = Some((Instant::now(), error.to_string()));
                }
                error
            }),
            Err(_) => Err(io::Error::other(format!("`{}` was given up", self.shown))),
        }
    }

    fn failed(&self, error: &Error) -> io::Error {
        let kind = match error.kind() {
            opendal::ErrorKind::NotFound => return ErrorKind::NotFound.into(),
            opendal::ErrorKind::PermissionDenied => ErrorKind::PermissionDenied,
            opendal::ErrorKind::Unsupported => ErrorKind::Unsupported,
            _ => ErrorKind::Other,
        };
        io::Error::new(kind, format!("the store `{}` says: {}", self.shown, reason(error)))
    }
}

impl ObjectStore for Store {
    fn stat(&self, name: &str) -> io::Result<ObjectStatus> {
        let (operator, name) = (self.operator.clone(), name.to_owned());
        let metadata = self.wait(async move { operator.stat(&name).await })?;
        if metadata.is_dir() { Err(ErrorKind::NotFound.into()) } else { Ok(status(&metadata)) }
    }

    fn read(&self, name: &str, range: Range<u64>) -> io::Result<Vec<u8>> {
        let (operator, name) = (self.operator.clone(), name.to_owned());
        Ok(self.wait(async move { operator.read_with(&name).range(range).await })?.to_vec())
    }

    fn write(&self, name: &str, mut content: File, bytes: u64) -> io::Result<()> {
        let (operator, name) = (self.operator.clone(), name.to_owned());
        if operator.info().capability().write_can_multi {
            return self.wait(async move {
                let mut writer = operator.writer_with(&name).chunk(PART_BYTES).await?;
                match copied(&mut content, &mut writer).await {
                    Ok(()) => writer.close().await.map(drop),
                    Err(error) => {
                        // The first error is the one to tell.
                        _ = writer.abort().await;
                        Err(error)
                    }
                }
            });
        }
        let mut whole = Vec::with_capacity(usize::try_from(bytes).unwrap_or_default());
        content.read_to_end(&mut whole)?;
        self.wait(async move { operator.write(&name, whole).await.map(drop) })
    }

    fn delete(&self, name: &str) -> io::Result<()> {
        let (operator, name) = (self.operator.clone(), name.to_owned());
        self.wait(async move { operator.delete(&name).await })
    }

    fn can_list(&self) -> bool {
        self.operator.info().capability().list
    }

    fn list(&self, folder: &str) -> io::Result<Vec<Listed>> {
        if !self.can_list() {
            let reason = format!("the store `{}` cannot list its files; they expire by themselves", self.shown);
            return Err(io::Error::new(ErrorKind::Unsupported, reason));
        }
        let (operator, path) = (self.operator.clone(), if folder.is_empty() { "/" } else { folder }.to_owned());
        let own = path.clone();
        let entries = self.wait(async move {
            let mut entries = operator.lister(&path).await?;
            let mut listed = Vec::new();
            while let Some(entry) = entries.try_next().await? {
                listed.push(entry);
            }
            Ok(listed)
        });
        let entries = match entries {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let mut listed = Vec::new();
        for entry in entries.into_iter().filter(|entry| entry.path() != own && entry.path() != "/") {
            let name = entry.name().trim_end_matches('/').to_owned();
            match entry.metadata().mode() {
                EntryMode::DIR if name == UNFINISHED => {}
                EntryMode::DIR => listed.push(Listed::Folder(name)),
                // A listing of a folder does not say how large its files are.
                _ if entry.metadata().content_length() == 0 => match self.stat(entry.path()) {
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    status => listed.push(Listed::Object(name, status?)),
                },
                _ => listed.push(Listed::Object(name, status(entry.metadata()))),
            }
        }
        Ok(listed)
    }
}

async fn copied(content: &mut File, writer: &mut opendal::Writer) -> Result<(), Error> {
    loop {
        let mut part = Vec::with_capacity(PART_BYTES);
        let read = content.by_ref().take(PART_BYTES as u64).read_to_end(&mut part);
        let read = read.map_err(|error| {
            Error::new(opendal::ErrorKind::Unexpected, "the temporary file cannot be read").set_source(error)
        })?;
        if read == 0 {
            return Ok(());
        }
        writer.write(part).await?;
    }
}

fn status(metadata: &Metadata) -> ObjectStatus {
    ObjectStatus::new(metadata.content_length(), metadata.last_modified().map(Into::into))
}

/// What an error says, with its innermost cause, on one line.
fn reason(error: &Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    let (message, cause) = (error.message(), cause.to_string());
    let text = if cause.contains(message) || message.contains(&cause) {
        if error.message().len() > cause.len() || cause.starts_with(error.kind().into_static()) {
            message.to_owned()
        } else {
            cause
        }
    } else {
        format!("{message}: {cause}")
    };
    text.replace(['\n', '\r'], " ")
}

/// One thread for all stores of the process: it waits for networks and disks, and computes nothing.
fn runtime() -> io::Result<&'static Runtime> {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    if let Some(runtime) = RUNTIME.get() {
        return Ok(runtime);
    }
    let built = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(4)
        .thread_name("lro-store")
        .enable_all()
        .build()?;
    // Another thread may have been faster; this one's runtime ends without having done anything.
    Ok(RUNTIME.get_or_init(|| built))
}
