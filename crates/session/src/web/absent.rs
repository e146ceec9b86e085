//! The error about web options in a program that was built without the tools for the web.

use std::sync::Arc;

use silcrow_media::MediaDecoder;
use silcrow_tool::Toolbox;

use crate::error::Error;
use crate::options::WebOptions;

/// Adds nothing.
pub(crate) fn add_tools(
    _: &mut Toolbox,
    args: &WebOptions,
    _: Arc<dyn MediaDecoder>,
) -> Result<(), Error> {
    let option = match args {
        WebOptions { search: Some(_), .. } => "search",
        WebOptions { web_proxy: Some(_), .. } => "web-proxy",
        WebOptions { allow_host, .. } if !allow_host.is_empty() => "allow-host",
        _ => return Ok(()),
    };
    Err(Error::given(format!(
        "`{option}` is about the web, and this program was built without tools for it; leave it out, or \
         build the program with the feature `web`"
    )))
}
