//! The server behind the proxy, as far as the conversation knows it.

/// Takes the lines of the client.
pub(super) trait Server: Send + Sync {
    /// Sends a line. False when the server has gone.
    fn send(&self, line: &[u8]) -> bool;

    /// Notes that the client has ended its input.
    fn close(&self);
}
