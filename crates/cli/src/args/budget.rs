//! The arguments that limit a run, and the spending of a conversation and a user.

use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use silcrow_event::{Money, SpendingLimit};
use silcrow_exec::{BudgetLimits, SpendingLimits};

use super::values::{count, minutes, money, tokens};

/// The limits of the whole run: the agent with all agents, workflows and models that its calls run.
#[derive(Debug, clap::Args)]
#[command(
    next_help_heading = "Limits of the whole run, with all agents, workflows and models that it calls"
)]
pub(crate) struct BudgetArgs {
    /// Requests to models [default: 200, or --max-steps if that is more]
    #[arg(long, value_name = "N", value_parser = count)]
    pub(crate) max_requests: Option<NonZeroU32>,
    /// Agents and workflows that run at the same time
    #[arg(long, value_name = "N", default_value = "64", value_parser = count)]
    pub(crate) max_agents: NonZeroU32,
    /// Complete events
    #[arg(long, value_name = "N", default_value = "500000", value_parser = count)]
    pub(crate) max_events: NonZeroU32,
    /// Text and reasoning that models write, in MiB
    #[arg(long, value_name = "MIB", default_value = "256", value_parser = count)]
    pub(crate) max_wire: NonZeroU32,
    /// Maximum run time in minutes
    #[arg(long, value_name = "MINUTES", default_value = "360", value_parser = minutes)]
    pub(crate) max_time: Duration,
    /// Maximum tokens read and written
    #[arg(long, value_name = "N", value_parser = tokens)]
    pub(crate) budget_tokens: Option<u64>,
    /// Maximum cost, such as 0.50
    #[arg(long, value_name = "AMOUNT", value_parser = money)]
    pub(crate) budget_cost: Option<Money>,
    #[command(flatten)]
    pub(crate) spending: SpendingArgs,
}

/// The spending limits of a conversation and a user over all of their runs.
#[derive(Debug, clap::Args)]
#[command(
    next_help_heading = "Limits of all runs of a conversation or a user, which last for as long as the store"
)]
pub(crate) struct SpendingArgs {
    /// Tokens that all runs of the conversation may read and write
    #[arg(long, value_name = "N", value_parser = tokens)]
    pub(crate) budget_conversation_tokens: Option<u64>,
    /// Money that all runs of the conversation may cost
    #[arg(long, value_name = "AMOUNT", value_parser = money)]
    pub(crate) budget_conversation_cost: Option<Money>,
    /// Tokens that all runs of the user may read and write in this store; without --user, all runs
    /// that name no user
    #[arg(long, value_name = "N", value_parser = tokens)]
    pub(crate) budget_user_tokens: Option<u64>,
    /// Money that all runs of the user may cost in this store
    #[arg(long, value_name = "AMOUNT", value_parser = money)]
    pub(crate) budget_user_cost: Option<Money>,
    /// Tokens that are reserved for an answer before it is asked for; a longer one reserves as many
    /// again
    #[arg(long, value_name = "N", default_value = "2048", value_parser = count)]
    pub(crate) budget_answer: NonZeroU32,
    /// A file of prices; see silcrow help limits
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
}

impl BudgetArgs {
    pub(crate) fn limits(&self, max_steps: NonZeroU32) -> BudgetLimits {
        let usual = BudgetLimits::default();
        BudgetLimits {
            requests: self
                .max_requests
                .map_or_else(|| usual.requests.max(max_steps.get()), NonZeroU32::get),
            agents: self.max_agents.get(),
            events: self.max_events.get().into(),
            bytes: u64::from(self.max_wire.get()) << 20,
            time: self.max_time,
            spending: self.spending(),
        }
    }

    /// Returns the spending limits of the run, its conversation and its user.
    fn spending(&self) -> SpendingLimits {
        let SpendingArgs {
            budget_conversation_tokens,
            budget_conversation_cost,
            budget_user_tokens,
            budget_user_cost,
            budget_answer,
            ..
        } = self.spending;
        SpendingLimits {
            run: SpendingLimit { tokens: self.budget_tokens, cost: self.budget_cost },
            conversation: SpendingLimit {
                tokens: budget_conversation_tokens,
                cost: budget_conversation_cost,
            },
            user: SpendingLimit { tokens: budget_user_tokens, cost: budget_user_cost },
            answer_tokens: budget_answer.get().into(),
        }
    }
}
