//! The calls that a person allowed for a whole conversation.
//!
//! The log has the grants, and a value beside it confirms that they were given in this store: an
//! imported log could claim any approval.

use silcrow_event::{Approval, ApprovalState, BlockMark, CallKind, Event};
use silcrow_store::{Error, ErrorKind, spaces};

use super::Log;
use crate::names::fitting;

/// A person's approval of all calls with this kind, name and scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredApproval {
    pub(crate) kind: CallKind,
    pub(crate) name: String,
    pub(crate) scope: String,
}

impl Log<'_> {
    /// Returns the calls that a person allowed for the whole conversation.
    pub(crate) fn grants(&self) -> &[StoredApproval] {
        &self.grants
    }

    /// Stores a person's approval of a call for the whole conversation.
    ///
    /// The mark is a value beside the log, because an imported log could claim any approval.
    pub(crate) async fn grant(&mut self, turn: u32, id: &str, scope: &str) -> Result<(), Error> {
        let Some(grant) = self.granted(self.entries.len(), turn, id, scope) else { return Ok(()) };
        match self
            .store
            .put(&spaces::granted(self.conversation), &self.key(&grant), 0, Vec::new())
            .await
        {
            Ok(_) => {}
            // The approval is already stored.
            Err(error) if error.kind() == ErrorKind::Conflict => {}
            Err(error) => return Err(error),
        }
        self.allowed.push(grant.clone());
        self.grants.push(grant);
        Ok(())
    }

    /// Finds the grants in the log, and which of them hold in this store and at this root.
    pub(super) async fn load_grants(&mut self) -> Result<(), Error> {
        let grants = self.entries.iter().enumerate().filter_map(|(index, entry)| {
            let Event::Approval(Approval { id, state: ApprovalState::Allowed, scope, .. }) =
                &entry.event
            else {
                return None;
            };
            self.granted(index, entry.turn?, id, scope.as_deref()?)
        });
        for grant in Vec::from_iter(grants) {
            if !self.allowed.contains(&grant) {
                self.allowed.push(grant);
            }
        }
        for grant in &self.allowed {
            if self
                .store
                .get(&spaces::granted(self.conversation), &self.key(grant))
                .await?
                .is_some()
            {
                self.grants.push(grant.clone());
            }
        }
        Ok(())
    }

    /// Returns the approval of the call with this turn and id before the entry at this index.
    fn granted(&self, index: usize, turn: u32, id: &str, scope: &str) -> Option<StoredApproval> {
        let call = self.entries[..index].iter().rev().find_map(|entry| match &entry.event {
            Event::Call(call) if entry.turn == Some(turn) && call.id() == id => Some(call),
            // A loop may not have come to the item yet.
            Event::Block(BlockMark::Template(call))
                if entry.turn == Some(turn) && is_item(id, call.id()) =>
            {
                Some(call)
            }
            _ => None,
        })?;
        let kind = call.action().map(|action| action.kind).unwrap_or_default();
        Some(StoredApproval { kind, name: call.name().to_owned(), scope: scope.to_owned() })
    }

    /// Returns the key of an approval. It contains the root, because the same scope covers other things
    /// at another root.
    fn key(&self, StoredApproval { kind, name, scope }: &StoredApproval) -> String {
        fitting(format!("{}/{name}/{scope}/{}", kind.as_str(), self.root))
    }
}

/// Returns whether an id belongs to a call for an item of a loop that has the call `template`.
fn is_item(id: &str, template: &str) -> bool {
    id.strip_suffix(template).is_some_and(|around| around.ends_with("]."))
}
