//! Adds the values that only arguments have to the options from the settings.

use silcrow_console::options::ShownParts;
use silcrow_interactive::AskOptions;
use silcrow_session::{PolicyOptions, WebOptions};

use super::{AgentArgs, CallToolArgs, PolicyArgs, Stream, WebArgs};

impl AgentArgs {
    /// Sets the options of a run that these arguments give.
    pub(crate) fn onto(&self, options: &mut AskOptions) {
        let session = &mut options.session;
        session.inline = self.inline;
        session.vars.clone_from(&self.vars);
        session.max_parallel = self.max_parallel;
        session.streams = self.stream != Some(Stream::None);
        session.user.clone_from(&self.user);
        session.allow.clone_from(&self.allow);
        self.policy.onto(&mut session.policy);
        session.eager = self.eager;
        session.manifest.clone_from(&self.manifest);
        session.grammar = self.grammar.map(Into::into);
        session.instructions.given.clone_from(&self.instructions);
        session.has_hooks = !self.no_hooks;
        session.tells_title_failures = self.show.verbose;
        session.guide = self.guide;
        session.has_data_marks = !self.no_data_marks;
        session.examples.clone_from(&self.examples);
        session.max_steps = self.max_steps;
        session.rate = self.rate;
        self.web.onto(&mut session.web);
        session.changes = self.changes.limits();
        session.budget = self.budget.limits(self.max_steps);
        options.stream = self.stream.map(Into::into);
        options.json = self.json;
        options.call_text = self.call_text;
        options.batch_results = self.batch_results;
        options.strict = self.questions.strict;
        options.wait = self.wait;
        let (quiet, verbose) = (self.show.quiet, self.show.verbose);
        options.show = ShownParts { quiet, verbose, ..options.show };
    }
}

impl CallToolArgs {
    /// Sets the options of a call that these arguments give.
    pub(crate) fn onto(&self, policy: &mut PolicyOptions, web: &mut WebOptions) {
        self.policy.onto(policy);
        self.web.onto(web);
    }
}

impl PolicyArgs {
    fn onto(&self, policy: &mut PolicyOptions) {
        policy.permissions = self.permissions;
    }
}

impl WebArgs {
    fn onto(&self, web: &mut WebOptions) {
        web.allow_host.clone_from(&self.allow_host);
        web.web_proxy.clone_from(&self.web_proxy);
    }
}
