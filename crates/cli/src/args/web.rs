//! The arguments about the web, of the commands that have tools.

/// How the web tools reach pages, and which engine searches for them.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "The web")]
pub(crate) struct WebArgs {
    /// The engine of web_search: duckduckgo, brave (the key is in BRAVE_API_KEY), or searxng:URL
    /// [default: SILCROW_SEARCH, otherwise duckduckgo]
    #[arg(long, value_name = "ENGINE")]
    pub(crate) search: Option<String>,
    /// A host that the web tools may reach although it is not public, such as localhost:8888; may be
    /// repeated
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) allow_host: Vec<String>,
    /// The proxy for the web tools, which then looks up the names of hosts itself [default: none,
    /// whatever the environment says]
    #[arg(long, value_name = "URL")]
    pub(crate) web_proxy: Option<String>,
}
