//! The settings that the arguments of commands give.

use clap::ValueEnum;
use silcrow_settings::GivenSettings;

use super::{AgentArgs, CallToolArgs, McpArgs, ProxyArgs, SandboxSwitch};

impl From<&AgentArgs> for GivenSettings {
    fn from(args: &AgentArgs) -> Self {
        let mut given = Self::from(&args.mcp);
        given.model.clone_from(&args.model);
        given.dialect = args.dialect;
        given.calls = args.calls;
        given.mode = args.mode;
        given.tools.clone_from(&args.tools);
        given.policy.clone_from(&args.policy.policy);
        given.sandbox = args.policy.sandbox.map(|switch| switch == SandboxSwitch::On);
        given.on_question = word(args.questions.on_question);
        given.leaves_out_instructions = args.no_instructions;
        given.learn_profile = match (args.learn.learn_profile, args.learn.no_learn_profile) {
            (true, _) => Some(true),
            (false, true) => Some(false),
            (false, false) => None,
        };
        given.store.clone_from(&args.store);
        given.search.clone_from(&args.web.search);
        given.proxy.clone_from(&args.proxy.proxy);
        given.proxy_plain_http = args.proxy.proxy_plain_http;
        given.prices.clone_from(&args.budget.spending.prices);
        given.sampling = args.sampling.to_sampling();
        given.theme = args.show.theme.map(|theme| theme.as_str().to_owned());
        given.thoughts = args.show.thoughts.map(|thoughts| thoughts.as_str().to_owned());
        given.diff = args.show.diff.map(|diff| diff.as_str().to_owned());
        given.window = args.window.window;
        given.compact_at = args.window.compact_at;
        given
    }
}

impl From<&McpArgs> for GivenSettings {
    fn from(args: &McpArgs) -> Self {
        let mut given = Self::default();
        given.servers.clone_from(&args.mcp);
        given.leaves_out_servers = args.no_mcp;
        given
    }
}

impl From<&CallToolArgs> for GivenSettings {
    fn from(args: &CallToolArgs) -> Self {
        let mut given = Self::from(&args.mcp);
        given.policy.clone_from(&args.policy.policy);
        given.sandbox = args.policy.sandbox.map(|switch| switch == SandboxSwitch::On);
        given.store.clone_from(&args.store);
        given.search.clone_from(&args.web.search);
        given
    }
}

impl From<&ProxyArgs> for GivenSettings {
    fn from(args: &ProxyArgs) -> Self {
        let mut given = Self::default();
        given.proxy.clone_from(&args.proxy);
        given.proxy_plain_http = args.proxy_plain_http;
        given
    }
}

/// Returns the word of a value, as a file of settings has it.
fn word<T: ValueEnum>(value: Option<T>) -> Option<String> {
    Some(value?.to_possible_value()?.get_name().to_owned())
}
