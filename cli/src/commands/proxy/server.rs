//! The server behind the proxy, as far as the conversation knows it.

/// Takes the lines of the client.
pub(super) trait Server: Send + Sync {
    /// Sends a line. False when the server has gone.
    fn send(&self, line: &[u8]) -> bool;

    /// The client says nothing any more.
    fn close(&self);
}
