//! A client over real connections, one for each request.

use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
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
        self.send(Method::GET, path, "", "")
    }

    pub(crate) fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, "", "")
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Answer {
        self.send(Method::POST, path, "", body)
    }

    /// Offers a tool's result.
    pub(crate) fn offload(&self, request: &Value, result: &str) -> Answer {
        self.send(Method::POST, "/offload", &request.to_string(), result)
    }

    /// The results of an extraction that succeeds.
    pub(crate) fn extract(&self, file_path: &str, request: &Value) -> Value {
        let answer = self.post(file_path, &request.to_string());
        assert_eq!(answer.status, 200, "{request}: {}", answer.body);
        answer.json()
    }

    fn send(&self, method: Method, path: &str, lro_request: &str, body: &str) -> Answer {
        let request = Request::builder().method(method).uri(path).header("host", self.address.to_string());
        let request = match lro_request {
            "" => request,
            _ => request.header("lro-request", lro_request).header("content-type", "application/json"),
        };
        let request = request.body(Full::new(body.as_bytes().to_vec().into())).expect("the request is HTTP");
        self.runtime.block_on(self.exchange(request)).expect("the server answers")
    }

    async fn exchange(&self, request: Request<Full<hyper::body::Bytes>>) -> wasmtime::Result<Answer> {
        let stream = TcpStream::connect(self.address).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        // It ends with the exchange; what goes wrong on it, the exchange tells.
        tokio::spawn(connection);
        let (parts, body) = sender.send_request(request).await?.into_parts();
        let body = String::from_utf8(body.collect().await?.to_bytes().to_vec())?;
        Ok(Answer { status: parts.status.as_u16(), headers: parts.headers, body })
    }
}
