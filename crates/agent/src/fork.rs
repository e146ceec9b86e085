//! Forks of conversations, with the long outputs that their results name.
//!
//! The store copies the events. This module finds their outputs and the owner of the conversation.
//! It runs nothing.

use silcrow_event::KeptOutput;
use silcrow_store::{self as store, Fork, Store, validate};
use silcrow_tool::{CallContext, Scope, Spill, ToolError};

use crate::agent::Agent;
use crate::error::{Error, ErrorKind};

impl Agent {
    /// Begins a conversation with the history of another one up to the event at position `at`,
    /// which is included, or up to its end. Returns the id of the new conversation: the scope's, or
    /// a new one.
    ///
    /// The other conversation stays as it is, and either of them can be deleted. A call that has no
    /// result in the copied history gets one that says that its outcome is unknown, and is never
    /// run. Approvals for the other conversation do not count in the new one.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # use silcrow_agent::Agent;
    /// # use silcrow_provider::ScriptedModel;
    /// # use silcrow_store::MemoryStore;
    /// let script = "§respond: a haiku\n§end\n%%\n§respond: of ice\n§end\n%%\n§respond: of fire\n§end";
    /// let agent = Agent::new(ScriptedModel::parse(script, 1), MemoryStore::new());
    /// agent.ask_in("poems", "Write a haiku.").await.unwrap();
    /// agent.ask_in("poems", "Make it cold.").await.unwrap();
    ///
    /// // Events 1 and 2 are the first prompt and its answer.
    /// let hot = agent.fork("poems", 2, "hot").await.unwrap();
    /// let answer = agent.ask_in(&*hot, "Make it hot.").await.unwrap();
    /// assert_eq!(answer.text, "of fire");
    /// # });
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the conversation or the event does not exist or belongs to another user,
    /// if the id of the new conversation is taken, or if something cannot be read or stored.
    pub async fn fork(
        &self,
        conversation: &str,
        at: impl Into<Option<u64>>,
        to: impl Into<Scope>,
    ) -> Result<String, Error> {
        let scope = self.parts.complete(to.into());
        let to = scope.conversation_id().to_owned();
        let fork = Fork::read(&self.parts.store, conversation, at).await?;
        validate::access(conversation, fork.owner(), scope.user.as_deref())?;
        begin_fork(fork, &self.parts.store, self.parts.spill.as_deref(), &to).await?;
        Ok(to)
    }
}

/// Begins a conversation with the history of a fork, and keeps the long outputs named by its
/// results for the new conversation. [`Agent::fork`] does this for a user.
///
/// ```
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// use silcrow_agent::begin_fork;
/// use silcrow_event::Event;
/// use silcrow_store::{Fork, MemoryStore, Store as _};
///
/// let store = MemoryStore::new();
/// store.append("c1", 0, vec![Event::user("hi").into()]).await.unwrap();
/// let fork = Fork::read(&store, "c1", None).await.unwrap();
/// begin_fork(fork, &store, None, "c2").await.unwrap();
/// assert_eq!(store.head("c2").await.unwrap(), 1);
/// # });
/// ```
///
/// # Errors
///
/// Returns the errors of [`Fork::begin`], and one of the kind [`Io`](store::ErrorKind::Io) if an
/// output cannot be kept.
pub async fn begin_fork<S: Store + ?Sized>(
    mut fork: Fork,
    store: &S,
    spill: Option<&dyn Spill>,
    to: &str,
) -> Result<(), Error> {
    fork.check(store, to).await?;
    let from = fork.point().conversation.clone();
    for (turn, id, gap) in fork.spilled() {
        let context = CallContext::new(Scope::new(to).with_turn(turn), id);
        let name = gap.full_output.take();
        if let (Some(spill), Some(name)) = (spill, name) {
            let adopted = spill.adopt(&context, &from, &name).await;
            gap.full_output = adopted.map_err(|why| unkept(id, &why))?;
        }
    }
    if let Some(outputs) = fork.outputs() {
        for output in std::mem::take(outputs) {
            let KeptOutput { turn, id, name } = &output;
            let context = CallContext::new(Scope::new(to).with_turn(*turn), id);
            let Some(spill) = spill else { continue };
            let adopted = spill.adopt(&context, &from, name).await;
            if let Some(name) = adopted.map_err(|why| unkept(id, &why))? {
                outputs.push(KeptOutput { name, ..output });
            }
        }
    }
    fork.begin(store, to).await?;
    Ok(())
}

fn unkept(id: &str, why: &ToolError) -> Error {
    let message = format!("the long output of the call {id:?} cannot be kept for the fork: {why}");
    Error::new(ErrorKind::Store(store::ErrorKind::Io), message)
}
