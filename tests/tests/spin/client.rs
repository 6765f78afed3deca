//! A client over real connections, one for each request.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes, Frame};
use hyper::client::conn::http1;
use hyper::http::request;
use hyper::{Method, Request};
use serde_json::Value;
use tokio::net::TcpStream;
use wasmtime_wasi_http::io::TokioIo;

use crate::host::Spin;

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: hyper::HeaderMap,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().expect("our headers are ASCII"))
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

impl Spin {
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send(request(Method::GET, path), whole(b""))
    }

    pub(crate) fn delete(&self, path: &str) -> Answer {
        self.send(request(Method::DELETE, path), whole(b""))
    }

    pub(crate) fn put(&self, path: &str) -> Answer {
        self.send(request(Method::PUT, path), whole(b""))
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Answer {
        self.post_bytes(path, body.as_bytes())
    }

    pub(crate) fn post_bytes(&self, path: &str, body: &[u8]) -> Answer {
        self.send(request(Method::POST, path), whole(body))
    }

    /// Offers a tool's result.
    pub(crate) fn offload(&self, asked: &Value, result: &str) -> Answer {
        self.send(offload(asked), whole(result.as_bytes()))
    }

    /// The same without saying in advance how long it is.
    pub(crate) fn offload_in_pieces(&self, asked: &Value, result: &str) -> Answer {
        let pieces = result.as_bytes().chunks(100_000).map(|piece| piece.to_vec().into());
        self.send(offload(asked), Pieces(pieces.collect()))
    }

    /// The page of an extraction that succeeds.
    pub(crate) fn extract(&self, file_path: &str, asked: &Value) -> Value {
        let answer = self.post(file_path, &asked.to_string());
        assert_eq!(answer.status, 200, "{asked}: {}", answer.body);
        answer.json()
    }

    fn send<B>(&self, request: request::Builder, body: B) -> Answer
    where
        B: Body<Data = Bytes, Error = Infallible> + Send + 'static,
    {
        let request = request.header("host", self.address.to_string()).body(body).expect("the request is HTTP");
        self.runtime.block_on(self.exchange(request)).expect("the server answers")
    }

    async fn exchange<B>(&self, request: Request<B>) -> wasmtime::Result<Answer>
    where
        B: Body<Data = Bytes, Error = Infallible> + Send + 'static,
    {
        let stream = TcpStream::connect(self.address).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // It ends with the exchange; what goes wrong on it, the exchange tells.
        tokio::spawn(connection);
        let (parts, body) = sender.send_request(request).await?.into_parts();
        let body = String::from_utf8(body.collect().await?.to_bytes().to_vec())?;
        Ok(Answer { status: parts.status.as_u16(), headers: parts.headers, body })
    }
}

fn request(method: Method, path: &str) -> request::Builder {
    Request::builder().method(method).uri(path)
}

fn offload(asked: &Value) -> request::Builder {
    let request = request(Method::POST, "/offload").header("lro-request", asked.to_string());
    request.header("content-type", "application/json")
}

fn whole(body: &[u8]) -> Full<Bytes> {
    Full::new(body.to_vec().into())
}

/// A body of unknown length.
struct Pieces(VecDeque<Bytes>);

impl Body for Pieces {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.pop_front().map(|piece| Ok(Frame::data(piece))))
    }
}
