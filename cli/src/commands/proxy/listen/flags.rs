//! The flags of `lro proxy --listen`.

use std::net::{SocketAddr, ToSocketAddrs};

use clap::{Args, value_parser};

use super::guard::Guard;
use crate::failure::Failure;

/// The flags of a proxy that listens.
#[derive(Args)]
pub(in super::super) struct ListenFlags {
    /// Serve MCP over streamable HTTP at http://ADDRESS:PORT/mcp, with a server for each session; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(in super::super) listen: Option<String>,
    /// Only serve clients that send the value of this variable as bearer token
    #[arg(long, value_name = "VARIABLE", requires = "listen")]
    pub(super) listen_bearer_env: Option<String>,
    /// Let pages of this origin ask, besides those of this machine: scheme, host and port
    #[arg(long = "allow-origin", value_name = "ORIGIN", requires = "listen")]
    pub(super) origins: Vec<String>,
    /// Let clients call this server by this name, besides localhost and addresses
    #[arg(long = "allow-host", value_name = "NAME", requires = "listen")]
    pub(super) hosts: Vec<String>,
    /// Listen on an address that other machines reach without a token
    #[arg(long, requires = "listen")]
    pub(super) listen_unprotected: bool,
    /// The most sessions at once; each has a server process
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = value_parser!(u32).range(1..), requires = "listen")]
    pub(super) listen_sessions: u32,
    /// End sessions whose clients have been silent for so long
    #[arg(long, value_name = "SECONDS", default_value_t = 1800, value_parser = value_parser!(u32).range(1..), requires = "listen")]
    pub(super) listen_idle: u32,
}

/// The flags, and whether each has a value: the processes behind do not get them.
pub(super) const FLAGS: [(&str, bool); 7] = [
    ("--listen", true),
    ("--listen-bearer-env", true),
    ("--allow-origin", true),
    ("--allow-host", true),
    ("--listen-unprotected", false),
    ("--listen-sessions", true),
    ("--listen-idle", true),
];

impl ListenFlags {
    /// Where to listen.
    pub(super) fn address(&self) -> Result<SocketAddr, Failure> {
        let given = self.listen.as_deref().unwrap_or_default();
        let found = given.to_socket_addrs().ok().and_then(|mut addresses| addresses.next());
        let address = found.ok_or_else(|| {
            Failure::Usage(format!("cannot listen on `{given}`: write an address and a port, as in 127.0.0.1:8080"))
        })?;
        if address.ip().is_loopback() || self.listen_bearer_env.is_some() || self.listen_unprotected {
            return Ok(address);
        }
        Err(Failure::Usage(format!(
            "cannot listen on `{given}`: other machines reach it; give --listen-bearer-env VARIABLE, or \
             --listen-unprotected if something else keeps strangers out"
        )))
    }

    /// Who may ask. The error does not repeat the token.
    pub(super) fn guard(&self) -> Result<Guard, Failure> {
        let token = self.listen_bearer_env.as_deref().map(token).transpose()?;
        let origins = self.origins.iter().map(|origin| origin.trim_end_matches('/').to_owned()).collect();
        Ok(Guard { origins, hosts: self.hosts.clone(), token })
    }
}

fn token(variable: &str) -> Result<String, Failure> {
    let usage = |reason: &str| Failure::Usage(format!("cannot use the variable `{variable}` as token: {reason}"));
    let token = std::env::var(variable).map_err(|error| usage(&error.to_string()))?;
    match token.trim() {
        "" => Err(usage("it is empty")),
        token if token.bytes().all(|byte| byte.is_ascii_graphic()) => Ok(token.to_owned()),
        _ => Err(usage("a token has visible ASCII characters only, and no spaces")),
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command};

    use super::{FLAGS, ListenFlags};

    #[test]
    fn every_flag_is_left_out_of_the_command_line_of_processes() {
        let command = ListenFlags::augment_args(Command::new("proxy"));
        let flags: Vec<(String, bool)> = command
            .get_arguments()
            .map(|flag| (format!("--{}", flag.get_long().unwrap()), flag.get_action().takes_values()))
            .collect();
        for (flag, has_value) in &flags {
            assert!(FLAGS.contains(&(flag.as_str(), *has_value)), "{flag}");
        }
        assert_eq!(flags.len(), FLAGS.len());
    }
}
