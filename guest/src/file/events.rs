//! Events for an observer. They are part of an answer, never a call to the host.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// Something that happened during a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Event {
    /// `OffloadWriteFailed`, `OffloadFileExpired`, or another name in upper camel case.
    pub name: &'static str,
    /// One line for a log.
    pub message: String,
    /// The facts as the text of a JSON object.
    #[serde(serialize_with = "as_json")]
    pub fields: String,
}

/// The object that a text is.
fn as_json<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::from_str::<&RawValue>(text).map_err(serde::ser::Error::custom)?.serialize(serializer)
}

impl Event {
    /// True if it tells of something that went wrong.
    pub fn is_failure(&self) -> bool {
        self.name.ends_with("Failed")
    }

    /// READ-21: the result is too large.
    pub fn detected(operation: &str, excess: &str, fields: &Value) -> Self {
        Self {
            name: "LargeResultDetected",
            message: format!("the result of `{operation}` is too large: {excess}"),
            fields: fields.to_string(),
        }
    }

    /// READ-21: the result is stored, in so many files. `bytes` are those of all of them.
    pub fn written(operation: &str, file_path: &str, files: usize, bytes: u64, tokens: u32) -> Self {
        let fields =
            json!({"operation": operation, "file_path": file_path, "files": files, "bytes": bytes, "tokens": tokens});
        Self {
            name: "OffloadWritten",
            message: format!("the result of `{operation}` is in `{file_path}`: {bytes} bytes, {tokens} tokens"),
            fields: fields.to_string(),
        }
    }

    /// LRO-40: the file could not be written.
    pub fn write_failed(operation: &str, file_path: &str, error: &str) -> Self {
        Self {
            name: "OffloadWriteFailed",
            message: format!("cannot offload the result of `{operation}`: {error}"),
            fields: json!({"operation": operation, "file_path": file_path, "error": error}).to_string(),
        }
    }

    /// The payload is passed on as it is although it is large.
    pub fn skipped(operation: &str, reason: &str) -> Self {
        Self {
            name: "OffloadSkipped",
            message: format!("the result of `{operation}` is passed on unchanged: {reason}"),
            fields: json!({"operation": operation, "reason": reason}).to_string(),
        }
    }

    /// The result could not be offloaded, and its ends are returned.
    pub fn failed(operation: &str, reason: &str) -> Self {
        Self {
            name: "OffloadFailed",
            message: format!("cannot offload the result of `{operation}`, which is truncated: {reason}"),
            fields: json!({"operation": operation, "reason": reason}).to_string(),
        }
    }

    /// The result is not one that is offloaded, and too large to be passed on.
    pub fn truncated(operation: &str, reason: &str) -> Self {
        Self {
            name: "ResultTruncated",
            message: format!("the result of `{operation}` is truncated: {reason}"),
            fields: json!({"operation": operation, "reason": reason}).to_string(),
        }
    }

    /// The records are not where the caller says they are; others were found.
    pub fn records_not_found(operation: &str, path: &str, found: &str) -> Self {
        Self {
            name: "RecordsNotFound",
            message: format!(
                "the result of `{operation}` has no list at `{path}`: its records are taken from `{found}`"
            ),
            fields: json!({"operation": operation, "path": path, "found": found}).to_string(),
        }
    }

    /// The caller says something of lists that are not there.
    pub fn sections_not_found(operation: &str, paths: &[String], found: &[String]) -> Self {
        Self {
            name: "SectionsNotFound",
            message: format!(
                "the result of `{operation}` has no list of its own at {}: what the request says of it is left out",
                paths.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
            ),
            fields: json!({"operation": operation, "paths": paths, "found": found}).to_string(),
        }
    }

    /// LRO-41: a file was deleted, or would have been.
    pub fn file_expired(file_path: &str, created_at: &str, reason: &str) -> Self {
        Self {
            name: "OffloadFileExpired",
            message: format!("`{file_path}`, created at {created_at}: {reason}"),
            fields: json!({"file_path": file_path, "created_at": created_at, "reason": reason}).to_string(),
        }
    }

    /// A file that should go could not be deleted.
    pub fn delete_failed(file_path: &str, error: &str) -> Self {
        Self {
            name: "OffloadDeleteFailed",
            message: format!("cannot delete `{file_path}`: {error}"),
            fields: json!({"file_path": file_path, "error": error}).to_string(),
        }
    }

    /// Caps by count or bytes were asked for where files of others live.
    pub fn caps_ignored(directory: &str) -> Self {
        Self {
            name: "CleanupCapsIgnored",
            message: format!("max_files and max_bytes are ignored in the shared directory `{directory}`"),
            fields: json!({"directory": directory}).to_string(),
        }
    }

    /// A cleanup has reached its limit of deleted files; the next one continues.
    pub fn cleanup_goes_on(deleted: u32) -> Self {
        Self {
            name: "CleanupGoesOn",
            message: format!("{deleted} files were deleted, and there may be more: clean up again"),
            fields: json!({"deleted": deleted}).to_string(),
        }
    }

    /// More files would be deleted than are named.
    pub fn not_named(files: u32) -> Self {
        Self {
            name: "CleanupFilesNotNamed",
            message: format!("{files} more files would be deleted, and are not named here"),
            fields: json!({"files": files}).to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_tells_whether_something_went_wrong() {
        let failures = [Event::write_failed("x", "f", "e"), Event::failed("x", "r"), Event::delete_failed("f", "e")];
        assert!(failures.iter().all(Event::is_failure));
        let others = [
            Event::written("x", "f", 1, 2, 3),
            Event::skipped("x", "r"),
            Event::file_expired("f", "t", "r"),
            Event::cleanup_goes_on(1),
        ];
        assert!(!others.iter().any(Event::is_failure));
    }
}
