//! The profile of the user in the runs of an agent: the facts that the model reads, and learning
//! new ones.
//!
//! `silcrow-profile` keeps the facts and asks for new ones. A profile never fails a run.

use std::time::{Duration, SystemTime};

use silcrow_event::error_chain;
use silcrow_profile::{LearnOptions, StoredProfile, learn};
use silcrow_tool::Scope;
use tokio::time::timeout;

use crate::outcome::RunOutcome;
use crate::parts::AgentParts;

/// Returns the parts of a run whose model reads the profile of the user, if there is one.
pub(crate) async fn with_facts(parts: &AgentParts, scope: &Scope) -> Option<Box<AgentParts>> {
    options(parts, scope)?;
    let stored = StoredProfile::new(&*parts.store, scope.user.as_deref());
    let facts = match timeout(LOADING, stored.load()).await {
        Ok(Ok(profile)) => profile.to_text(),
        Ok(Err(error)) => {
            tracing::warn!(error = error_chain(&error), "the profile cannot be read");
            None
        }
        Err(_) => None,
    };
    let facts = facts?;
    let mut parts = Box::new(parts.clone());
    let text = &mut parts.options.run_text;
    *text = Some(match text.take() {
        Some(text) => format!("{text}\n\n{facts}"),
        None => facts,
    });
    Some(parts)
}

/// Learns from the user's messages, after an answer.
pub(crate) async fn learn_after(parts: &AgentParts, scope: &Scope, outcome: &RunOutcome) {
    let Some(options) = options(parts, scope).filter(|_| *outcome == RunOutcome::Answered) else {
        return;
    };
    let (user, now) = (scope.user.as_deref(), SystemTime::now().into());
    let learned = timeout(LEARNING, learn(&*parts.store, &*parts.provider, user, now, options));
    if let Ok(Err(error)) = learned.await {
        tracing::warn!(error = error_chain(&error), "the profile was not learned");
    }
}

/// Returns how a run learns; only the outermost agent does.
fn options<'p>(parts: &'p AgentParts, scope: &Scope) -> Option<&'p LearnOptions> {
    parts.profile.as_ref().filter(|_| scope.agent_path.is_empty())
}

/// The time for reading the profile.
const LOADING: Duration = Duration::from_secs(5);

/// The time for a request for facts, which is shorter than a claim to the messages is valid.
const LEARNING: Duration = Duration::from_secs(30);
