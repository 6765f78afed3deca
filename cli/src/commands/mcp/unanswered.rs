//! Requests that have no answer yet. The end of the input is told to the SDK when there are none: after it the SDK waits for
//! some seconds, and calls of a busy machine may take longer.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ClientNotification, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use tokio::sync::Notify;

/// The ids of such requests.
#[derive(Clone, Default)]
pub(super) struct Unanswered(Arc<Inner>);

#[derive(Default)]
struct Inner {
    ids: Mutex<HashSet<RequestId>>,
    fewer: Notify,
}

impl Unanswered {
    /// Notes what the client says. A request that it cancels gets no answer.
    ///
    /// # Errors
    /// The id of a request that another one without an answer has: the SDK would answer one of them alone.
    pub(super) fn read<'m>(&self, message: &'m RxJsonRpcMessage<RoleServer>) -> Result<(), &'m RequestId> {
        match message {
            JsonRpcMessage::Request(request) if !self.ids().insert(request.id.clone()) => return Err(&request.id),
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification {
                    self.forget(cancelled.params.request_id.as_ref());
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Waits until every request has its answer.
    pub(super) async fn none(&self) {
        while !self.ids().is_empty() {
            self.0.fewer.notified().await;
        }
    }

    /// Notes that this request needs no answer any more.
    pub(super) fn forget(&self, id: Option<&RequestId>) {
        if id.is_some_and(|id| self.ids().remove(id)) {
            // One waits at most; a notice that comes before it waits is kept.
            self.0.fewer.notify_one();
        }
    }

    fn ids(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.0.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The request that a message answers.
pub(super) fn answered(message: &TxJsonRpcMessage<RoleServer>) -> Option<RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(response.id.clone()),
        JsonRpcMessage::Error(error) => error.id.clone(),
        _ => None,
    }
}
