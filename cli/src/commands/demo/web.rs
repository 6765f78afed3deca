//! `lro demo --web`: the page of `embed/browser` on a loopback address. A visitor's browser runs the component; this server
//! only hands out files that are in the command.

mod files;
mod request;

use std::io::{self, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::time::Duration;

use self::files::File;
use self::request::{Asked, Refused};
use crate::failure::Failure;
use crate::output;

/// Connections that are answered at the same time. A browser opens some that it never uses.
const AT_ONCE: usize = 16;

/// How long a client may take to ask, and to take an answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Serves the page until the process is ended; port 0 is any that is free.
pub(super) fn serve(port: u16) -> Result<(), Failure> {
    let cannot = |error| Failure::file(format!("listen on 127.0.0.1:{port}"), error);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(cannot)?;
    let port = listener.local_addr().map_err(cannot)?.port();
    output::line(&format!(
        "The page is at http://127.0.0.1:{port}/\nEverything happens in your browser. Ctrl-C ends this server."
    ))?;
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                for stream in listener.incoming() {
                    // A client may disconnect early, which is not an error here.
                    let _ = stream.and_then(|stream| converse(stream, port));
                }
            });
        }
    });
    Ok(())
}

/// Handles the only request of a connection.
fn converse(mut stream: TcpStream, port: u16) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    match request::read(&mut stream, port) {
        Ok(Asked { path, has_body }) => match files::named(&path) {
            Some(file) => found(&mut stream, file, has_body)?,
            None => refused(&mut stream, Refused::NotFound)?,
        },
        Err(Some(reason)) => refused(&mut stream, reason)?,
        Err(None) => {}
    }
    stream.shutdown(Shutdown::Write)
}

fn found(stream: &mut TcpStream, file: &File, has_body: bool) -> io::Result<()> {
    stream.write_all(head("200 OK", file.kind, (file.bytes)().len()).as_bytes())?;
    if has_body { stream.write_all((file.bytes)()) } else { Ok(()) }
}

fn refused(stream: &mut TcpStream, reason: Refused) -> io::Result<()> {
    let (status, text) = reason.told();
    let body = format!("{text}\n");
    stream.write_all(head(status, "text/plain; charset=utf-8", body.len()).as_bytes())?;
    stream.write_all(body.as_bytes())
}

/// The policy stands in the page, which may be served by others; a worker only heeds that of its own answer.
fn head(status: &str, kind: &str, length: usize) -> String {
    let policy = files::policy();
    let allow = if status.starts_with("405") { "Allow: GET, HEAD\r\n" } else { "" };
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{allow}\
         Content-Security-Policy: {policy}; frame-ancestors 'none'\r\nX-Content-Type-Options: nosniff\r\n\
         Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n\
         Referrer-Policy: no-referrer\r\nCache-Control: no-cache\r\nConnection: close\r\n\r\n"
    )
}
