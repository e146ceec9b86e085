//! The parts of a program that its servers use, and the limits of tool texts for a model.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use silcrow_media::{DirectDecoder, MediaDecoder};
use silcrow_tool::Spill;

use crate::elicit::Elicitor;

/// The parts of the program around them that servers use.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// The longest time that [`McpServers::settle`](crate::McpServers::settle) waits after the
    /// beginning. A slower server joins later.
    pub patience: Duration,
    /// The keeper of images and other results that are not text; without it they are left out.
    pub spill: Option<Arc<dyn Spill>>,
    /// The decoder of pictures in results, which by default runs in this process.
    pub decoder: Arc<dyn MediaDecoder>,
    /// Asks a person the questions of servers; without it, servers get the answer that nobody can
    /// be asked.
    pub elicitor: Option<Arc<dyn Elicitor>>,
    /// The limits of the definitions that a model reads.
    pub budget: DefinitionBudget,
}

/// The limits of the definitions of tools that a model reads before it searches for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "a number and a size")]
pub struct DefinitionBudget {
    /// The maximum number of tools.
    pub tools: usize,
    /// The maximum number of bytes of names, descriptions and schemas.
    pub bytes: usize,
}

impl Default for Options {
    /// Returns 10 seconds of patience and the budget of [`DefinitionBudget`], without a spill and an
    /// elicitor.
    fn default() -> Self {
        let (patience, budget) = (Duration::from_secs(10), DefinitionBudget::default());
        Self { patience, spill: None, decoder: Arc::new(DirectDecoder), elicitor: None, budget }
    }
}

impl Default for DefinitionBudget {
    /// Returns 30 tools and 16 KiB, which are about 4,000 tokens.
    fn default() -> Self {
        Self { tools: 30, bytes: 16 << 10 }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("patience", &self.patience)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}
