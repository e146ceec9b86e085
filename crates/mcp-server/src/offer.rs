//! The offer of an endpoint: a server, tools and limits.

use std::sync::Arc;

use silcrow_server::Server;

use crate::declared::OfferedTool;
use crate::options::Options;

/// The offer of an endpoint. Clones are the same offer.
#[derive(Clone)]
pub(crate) struct McpOffer {
    pub(crate) server: Server,
    pub(crate) tools: Arc<[OfferedTool]>,
    pub(crate) options: Options,
}
