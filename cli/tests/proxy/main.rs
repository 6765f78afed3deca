//! `lro proxy` and `lro mcp` as a client sees them: processes that talk over pipes, byte by byte.
//!
//! The server is this very program, started with `--server`: it says what a request asks it to say.

mod bounds;
mod client;
mod code_mode;
mod cold;
#[cfg(unix)]
mod ending;
mod families;
mod handover;
#[cfg(feature = "listen")]
mod hostile;
#[cfg(feature = "listen")]
mod listen;
#[cfg(feature = "listen")]
mod listening;
mod listing;
#[cfg(feature = "http")]
mod remote;
#[cfg(feature = "http")]
mod replies;
#[cfg(feature = "http")]
mod resuming;
mod server;
mod sessions;
mod several;
#[cfg(all(feature = "http", unix))]
mod sign_in;
#[cfg(feature = "http")]
mod stalling;
mod stdio;
#[cfg(feature = "http")]
mod streamable;
#[cfg(feature = "mcp")]
mod tools;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(server::FLAG) {
        return server::run();
    }
    client::compile_once();
    let mut trials = stdio::trials();
    trials.extend(bounds::trials());
    trials.extend(code_mode::trials());
    trials.extend(cold::trials());
    trials.extend(families::trials());
    trials.extend(handover::trials());
    trials.extend(listing::trials());
    trials.extend(sessions::trials());
    trials.extend(several::trials());
    #[cfg(unix)]
    trials.extend(ending::trials());
    #[cfg(feature = "http")]
    trials.extend(streamable::trials());
    #[cfg(feature = "http")]
    trials.extend(replies::trials());
    #[cfg(feature = "http")]
    trials.extend(stalling::trials());
    #[cfg(feature = "http")]
    trials.extend(resuming::trials());
    #[cfg(all(feature = "http", unix))]
    trials.extend(sign_in::trials());
    #[cfg(feature = "listen")]
    trials.extend(listen::trials());
    #[cfg(feature = "listen")]
    trials.extend(hostile::trials());
    #[cfg(feature = "mcp")]
    trials.extend(tools::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A test by its name.
fn trial(name: &str, test: fn()) -> Trial {
    Trial::test(name.to_owned(), move || {
        test();
        Ok(())
    })
}

/// Trials of functions, by their names.
macro_rules! trials {
    ($($test:ident),* $(,)?) => {
        pub(crate) fn trials() -> Vec<libtest_mimic::Trial> {
            vec![$(crate::trial(concat!(module_path!(), "::", stringify!($test)), $test)),*]
        }
    };
}
pub(crate) use trials;
