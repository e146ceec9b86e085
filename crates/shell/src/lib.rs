//! The tool `shell`, which runs commands in a sandbox.
