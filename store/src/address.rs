//! What a URL says about a store.

use std::path::{Path, PathBuf};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use url::Url;

use crate::Problem;

/// How long Redis keeps a file unless the URL says otherwise: as long as files live between an agent and its tools, which is
/// where `lro proxy` and `lro mcp` are (`ttl_seconds` of `defaults: agent`). Without an end its memory would fill.
const REDIS_TTL: Duration = Duration::from_secs(259_200);

/// A store, and how it is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Address {
    Redis {
        /// `redis://HOST:PORT`
        endpoint: String,
        user: Option<String>,
        password: Option<String>,
        database: i64,
        ttl: Duration,
    },
    S3 {
        bucket: String,
        prefix: String,
        region: Option<String>,
        endpoint: Option<String>,
    },
    Folder(PathBuf),
}

impl Address {
    pub(crate) fn parse(text: &str) -> Result<Self, Problem> {
        let url = match Url::parse(text) {
            // On Windows the drive of a path reads as a scheme.
            Ok(url) if url.scheme().len() > 1 => url,
            _ if text.contains("://") => return Err(refused(text, "it is not a URL")),
            _ if text.is_empty() => return Err(refused(text, "it is empty")),
            _ => return Ok(Self::Folder(absolute(Path::new(text)))),
        };
        match url.scheme() {
            "redis" | "rediss" => Self::redis(&url),
            "s3" => Self::s3(&url),
            "file" => match url.to_file_path() {
                Ok(folder) => Ok(Self::Folder(folder)),
                Err(()) => Err(refused_url(&url, "it names no folder of this machine")),
            },
            scheme => Err(refused_url(&url, &format!("`{scheme}` is no store that is known here"))),
        }
    }

    fn redis(url: &Url) -> Result<Self, Problem> {
        let host = url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| refused_url(url, "it has no host"))?;
        let database = match url.path().trim_matches('/') {
            "" => 0,
            number => number.parse().map_err(|_| refused_url(url, "its path is not the number of a database"))?,
        };
        let mut ttl = REDIS_TTL;
        for (key, value) in url.query_pairs() {
            match (&*key, value.parse()) {
                ("ttl", Ok(seconds @ 1..)) => ttl = Duration::from_secs(seconds),
                ("ttl", _) => return Err(refused_url(url, "`ttl` is not a number of seconds")),
                _ => return Err(refused_url(url, &format!("`{key}` is unknown; `ttl` is what can be said"))),
            }
        }
        Ok(Self::Redis {
            endpoint: format!("{}://{host}:{}", url.scheme(), url.port().unwrap_or(6379)),
            user: Some(decoded(url.username())).filter(|user| !user.is_empty()),
            password: url.password().map(decoded),
            database,
            ttl,
        })
    }

    fn s3(url: &Url) -> Result<Self, Problem> {
        let bucket =
            url.host_str().filter(|host| !host.is_empty()).ok_or_else(|| refused_url(url, "it has no bucket"))?;
        if url.password().is_some() || !url.username().is_empty() {
            return Err(refused_url(
                url,
                "credentials belong to the variables `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`",
            ));
        }
        let (mut region, mut endpoint) = (None, None);
        for (key, value) in url.query_pairs() {
            match &*key {
                "region" => region = Some(value.into_owned()),
                "endpoint" => endpoint = Some(value.into_owned()),
                _ => return Err(refused_url(url, &format!("`{key}` is unknown; `region` and `endpoint` can be said"))),
            }
        }
        Ok(Self::S3 { bucket: bucket.to_owned(), prefix: decoded(url.path()), region, endpoint })
    }

    /// The store for people: without a password.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Redis { endpoint, .. } => endpoint.clone(),
            Self::S3 { bucket, prefix, .. } => format!("s3://{bucket}{}", prefix.trim_end_matches('/')),
            Self::Folder(folder) => folder.display().to_string(),
        }
    }
}

fn absolute(folder: &Path) -> PathBuf {
    std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned())
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn refused_url(url: &Url, reason: &str) -> Problem {
    let mut shown = url.clone();
    // Neither can fail for a URL that has a host; one without has no password.
    if shown.password().is_some() {
        _ = shown.set_password(Some("…"));
    }
    refused(shown.as_str(), reason)
}

fn refused(text: &str, reason: &str) -> Problem {
    Problem(format!(
        "cannot use `{text}` as a store: {reason}; give `redis://HOST[:PORT]`, `s3://BUCKET[/PREFIX]` or a folder"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_stores() {
        let redis = |endpoint: &str, user: Option<&str>, password: Option<&str>, database, seconds| Address::Redis {
            endpoint: endpoint.into(),
            user: user.map(Into::into),
            password: password.map(Into::into),
            database,
            ttl: Duration::from_secs(seconds),
        };
        let s3 = |bucket: &str, prefix: &str, region: Option<&str>, endpoint: Option<&str>| Address::S3 {
            bucket: bucket.into(),
            prefix: prefix.into(),
            region: region.map(Into::into),
            endpoint: endpoint.map(Into::into),
        };
        let rows = [
            ("redis://cache", redis("redis://cache:6379", None, None, 0, 259_200)),
            ("rediss://me:p%40ss@[::1]:7000/3?ttl=60", redis("rediss://[::1]:7000", Some("me"), Some("p@ss"), 3, 60)),
            ("redis://:secret@h/", redis("redis://h:6379", None, Some("secret"), 0, 259_200)),
            ("s3://results", s3("results", "", None, None)),
            (
                "s3://results/team%20a/?region=eu-1&endpoint=http://127.0.0.1:5000",
                s3("results", "/team a/", Some("eu-1"), Some("http://127.0.0.1:5000")),
            ),
            ("file:///var/results", Address::Folder("/var/results".into())),
            ("/var/results", Address::Folder("/var/results".into())),
        ];
        for (url, expected) in rows {
            assert_eq!(Address::parse(url), Ok(expected), "{url}");
        }
        assert_eq!(Address::parse("results"), Ok(Address::Folder(absolute(Path::new("results")))));
    }

    #[test]
    fn what_names_none_is_told_without_its_password() {
        let rows = [
            ("", "it is empty"),
            ("gs://bucket", "`gs` is no store"),
            ("redis://", "no host"),
            ("redis://h/first", "number of a database"),
            ("redis://h?ttl=0", "`ttl` is not a number of seconds"),
            ("redis://me:secret@h?db=1", "`db` is unknown"),
            ("s3:///x", "no bucket"),
            ("s3://key:secret@bucket", "`AWS_ACCESS_KEY_ID`"),
            ("s3://bucket?acl=public", "`acl` is unknown"),
            ("://", "not a URL"),
        ];
        for (url, reason) in rows {
            let problem = Address::parse(url).unwrap_err().to_string();
            assert!(problem.contains(reason) && problem.ends_with("or a folder"), "{url}: {problem}");
            assert!(!problem.contains("secret"), "{problem}");
        }
    }
}
