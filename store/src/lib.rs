//! Offloaded files in S3, Redis, or a folder that machines share, by [OpenDAL](https://opendal.apache.org): any of several
//! machines reads what another one has offloaded.
//!
//! ```no_run
//! let store = lro_store::open("s3://results/team-a?region=eu-central-1").unwrap();
//! let lro = lro::Lro::open(&lro::Options::default().object_store(store)).unwrap();
//! ```

mod address;
mod operator;

use std::fmt;
use std::sync::Arc;

use lro::ObjectStore;

use address::Address;
use operator::Store;

/// Why a store cannot be used: one line that names the URL without its password, the reason, and what would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem(String);

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for Problem {}

/// Opens the store that a URL names. It is not asked anything yet: whether it is there shows with the first call.
///
/// | URL | store |
/// |---|---|
/// | `redis://[USER:PASSWORD@]HOST[:PORT][/DB][?ttl=SECONDS]`, `rediss://` with TLS | Redis, Valkey; a file goes after 259,200 s |
/// | `s3://BUCKET[/PREFIX][?region=REGION&endpoint=URL]` | S3 and what speaks like it; credentials and what is missing from the variables `AWS_…` and the files of the AWS tools |
/// | `file:///FOLDER`, or a path | a folder, for example of a volume that machines share |
///
/// # Errors
/// The URL is none of these.
pub fn open(url: &str) -> Result<Arc<dyn ObjectStore>, Problem> {
    Ok(Arc::new(Store::open(&Address::parse(url)?)?))
}
