//! No code: the manifest turns on features of shared dependencies, so that every command of cargo builds them alike.
