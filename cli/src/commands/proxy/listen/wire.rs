//! Connections: accepts them, bounds them, and lets hyper speak HTTP on them.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use hyper::rt::{self, ReadBufCursor};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Sleep, sleep};

use super::service::Service;

/// The most connections at once. A client has two or three.
const MOST_CONNECTIONS: usize = 256;

/// How long the headers of a request may take, and how long a connection may wait for the next one.
const HEADERS: Duration = Duration::from_secs(15);

/// The most bytes of headers.
const MOST_HEADER_BYTES: usize = 64 * 1024;

/// The most headers.
const MOST_HEADERS: usize = 100;

/// How long a client may read nothing that is sent to it.
const STALLED: Duration = Duration::from_secs(30);

/// How long to wait after a connection could not be accepted: files may be free again then.
const AFTER_FAILURE: Duration = Duration::from_millis(100);

/// What a connection too many gets.
const TOO_MANY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 5\r\nContent-Length: 0\r\n\r\n";

/// Serves connections. This never ends.
pub(super) async fn serve(listener: &TcpListener, service: &Arc<Service>) {
    let open = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(AFTER_FAILURE).await;
            continue;
        };
        let Ok(permit) = Arc::clone(&open).try_acquire_owned() else {
            // Whether it is read or not, the connection ends here.
            let _ = stream.try_write(TOO_MANY);
            continue;
        };
        // Messages are short and wait for each other.
        let _ = stream.set_nodelay(true);
        let service = Arc::clone(service);
        tokio::spawn(async move {
            let _permit = permit;
            let answers = service_fn(move |request| {
                let service = Arc::clone(&service);
                async move { Ok::<_, std::convert::Infallible>(service.answer(request).await) }
            });
            let mut connection = http1::Builder::new();
            connection
                .timer(Timer)
                .header_read_timeout(HEADERS)
                .max_headers(MOST_HEADERS)
                .max_buf_size(MOST_HEADER_BYTES);
            // A connection that fails has failed for its client too.
            let _ = connection.serve_connection(Connection::of(stream), answers).await;
        });
    }
}

/// A connection as hyper wants it, which fails if its client reads nothing for too long.
struct Connection {
    stream: TcpStream,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Connection {
    fn of(stream: TcpStream) -> Self {
        Self { stream, stalled: None }
    }

    /// Lets a write that waits fail when it has waited for too long.
    fn bounded<T>(&mut self, written: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(STALLED)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

/// A connection is read in pieces of this size.
const READ_BYTES: usize = 16 * 1024;

impl rt::Read for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        mut into: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let mut bytes = [0; READ_BYTES];
        let room = into.remaining().min(READ_BYTES);
        let mut read = ReadBuf::new(&mut bytes[..room]);
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut read))?;
        into.put_slice(read.filled());
        Poll::Ready(Ok(()))
    }
}

impl rt::Write for Connection {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.bounded(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.bounded(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Time for hyper.
#[derive(Clone, Copy)]
struct Timer;

/// A moment that hyper waits for.
struct Moment(Pin<Box<Sleep>>);

impl Future for Moment {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.0.as_mut().poll(context)
    }
}

impl rt::Sleep for Moment {}

impl rt::Timer for Timer {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn rt::Sleep>> {
        Box::pin(Moment(Box::pin(sleep(duration))))
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn rt::Sleep>> {
        Box::pin(Moment(Box::pin(tokio::time::sleep_until(deadline.into()))))
    }
}
