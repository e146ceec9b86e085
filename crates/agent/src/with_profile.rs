//! The setting that gives an agent the profile of its user.

use silcrow_profile::LearnOptions;

use crate::agent::Agent;

impl Agent {
    /// Gives the model the notes about the user, and lets it learn more.
    ///
    /// A run reads the facts in its system prompt, and after an answer the agent's model is asked
    /// what new messages of the user say about them, if there are enough. The run ends after that,
    /// and waits for at most 30 seconds. The facts are in the agent's store, and each user has
    /// their own. If this fails, it is left out, with an event of [`tracing`]; agents that calls
    /// run have no profile. A budget does not count the request.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// use silcrow_agent::Agent;
    /// use silcrow_profile::LearnOptions;
    /// use silcrow_provider::ScriptedModel;
    /// use silcrow_store::MemoryStore;
    ///
    /// let script = "§respond: Hello, Ann.\n§end\n%%\n{\"add\": [\"The person is called Ann.\"]}\n%%\n§respond: Yes.\n§end";
    /// let agent = Agent::new(ScriptedModel::parse(script, 1), MemoryStore::new())
    ///     .with_profile(LearnOptions::new().with_every(1));
    /// agent.ask("I am Ann.").await.unwrap();
    /// // Another conversation knows it.
    /// agent.ask("Do you know me?").await.unwrap();
    /// # });
    /// ```
    #[must_use]
    pub fn with_profile(mut self, options: LearnOptions) -> Self {
        self.parts_mut().profile = Some(options);
        self
    }
}
