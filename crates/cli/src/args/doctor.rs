//! The arguments of `silcrow doctor`, as clap reads them.

/// The arguments of `silcrow doctor`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The exit code is 1 if something is wrong (✗). A `!` marks what you may want to change. No key is shown.")]
pub(crate) struct DoctorArgs {
    /// Do not use the network
    #[arg(long)]
    pub(crate) offline: bool,
    /// Print JSON, one object a line
    #[arg(long)]
    pub(crate) json: bool,
}
