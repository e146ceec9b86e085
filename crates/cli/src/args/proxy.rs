//! The arguments about proxies on the way to models, as clap reads them.

/// The proxies through which models are reached.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ProxyArgs {
    /// The proxy for models behind https, which sees neither key nor conversation
    /// [default: HTTPS_PROXY or ALL_PROXY, except for the hosts in NO_PROXY]
    #[arg(long, value_name = "URL")]
    pub(crate) proxy: Option<String>,
    /// Use the proxy for models behind plain http, too, although it reads key and conversation
    /// [default without --proxy: HTTP_PROXY or ALL_PROXY; never for servers of this machine]
    #[arg(long)]
    pub(crate) proxy_plain_http: bool,
}
