//! The parts of a proxy that its connections share: the open passes, the way out, and the limits.

use std::sync::Arc;

use crate::admission::Passes;
use crate::limits::ProxyLimits;
use crate::outside::Outside;

/// The parts of a proxy. A copy has the same passes.
#[derive(Clone)]
pub(crate) struct ProxyParts {
    pub(crate) passes: Arc<Passes>,
    pub(crate) outside: Arc<dyn Outside>,
    pub(crate) limits: ProxyLimits,
}
