//! The flags that every subcommand has, and opening the component with them.

use std::path::PathBuf;

use clap::Args;
use lro::{Lro, OnCompile, Options};
use serde_json::Value;

use crate::failure::Failure;
use crate::progress::Progress;
use crate::{opening, output, settings_file};

/// The flags that every subcommand has.
#[derive(Args)]
pub(crate) struct Global {
    /// Read settings from the table [prompt.offload] of this TOML file
    #[arg(long, global = true, value_name = "FILE", alias = "config")]
    settings_file: Option<PathBuf>,
    /// Read settings from variables with this prefix instead of ATLATL_PROMPT__OFFLOAD__
    #[arg(long, global = true, value_name = "PREFIX", alias = "env-prefix")]
    environment_prefix: Option<String>,
    /// Keep files in this store instead of a directory, so that other machines read them: redis://HOST[:PORT],
    /// s3://BUCKET[/PREFIX], or a folder; their paths are then lro://NAME
    #[cfg(feature = "store")]
    #[arg(long, global = true, value_name = "URL", env = "LRO_STORE", hide_env_values = true)]
    store: Option<String>,
    /// Print an error as one JSON object
    #[arg(long, global = true)]
    pub(crate) json_errors: bool,
}

impl Global {
    /// Options with the sources of settings that all subcommands share: the file and the environment.
    pub(crate) fn options(&self) -> Result<Options, Failure> {
        let environment = lro::environment(self.environment_prefix.as_deref().unwrap_or(lro::ENVIRONMENT_PREFIX))?;
        self.settings_file.as_deref().map_or(Ok(()), settings_file::check)?;
        let mut options = Options::default().settings_file(self.settings_file.clone()).environment(environment);
        set(&mut options, "environment_prefix", &self.environment_prefix);
        #[cfg(feature = "store")]
        if let Some(url) = &self.store {
            options.object_store = Some(lro_store::open(url).map_err(|problem| Failure::Usage(problem.to_string()))?);
        }
        Ok(options)
    }

    /// True if files are in a store, and not in folders of this machine.
    #[cfg(feature = "store")]
    pub(crate) fn has_store(&self) -> bool {
        self.store.is_some()
    }

    /// Without the feature there is none.
    #[cfg(not(feature = "store"))]
    pub(crate) fn has_store(&self) -> bool {
        false
    }
}

/// Opens the component for the rest of the process, and reports what happens meanwhile. The end of the process gives back at
/// once what a drop would give back part by part.
pub(crate) fn open(options: Options) -> Result<&'static Lro, Failure> {
    // Nothing else of it takes that long.
    let _progress = Progress::begin("compiling the component");
    let lro = opened(&options.on_compile(OnCompile::call(opening::tell_compiling)))?;
    Ok(Box::leak(Box::new(lro)))
}

/// Opens the component for a caller that reports by itself that it is compiled.
pub(crate) fn opened(options: &Options) -> Result<Lro, Failure> {
    if options.object_store.is_some() && options.output_dir.is_some() {
        return Err(Failure::Usage(
            "files are in a store or in a directory: leave out `--store` or `--output-dir`".to_owned(),
        ));
    }
    let lro = Lro::open(options)?;
    for event in lro.opening_events() {
        output::remark(&format!("{}: {}", event.name, event.message));
    }
    Ok(lro)
}

/// Sets a key of the explicit settings, if its flag was given. Only the component knows its meaning.
pub(crate) fn set(options: &mut Options, key: &str, value: &Option<impl Into<Value> + Clone>) {
    if let Some(value) = value {
        options.settings = std::mem::take(&mut options.settings).with(key, value.clone());
    }
}
