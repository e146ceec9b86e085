//! The headings and the order of the flags in `silcrow run --help`, and of the flags in topics.
//!
//! This module lists flags by name only. A flag without a row is listed with the options that have
//! no heading.

use clap::{Arg, Command};

/// The flags of one heading, by the names of their fields.
struct FlagGroup {
    heading: &'static str,
    flags: &'static [&'static str],
}

/// The flags that only a topic shows.
pub(super) struct TopicFlags {
    pub(super) topic: &'static str,
    pub(super) flags: &'static [&'static str],
}

/// Returns the command with the flags of an agent under their headings, without the flags of
/// topics.
pub(super) fn grouped(mut command: Command) -> Command {
    command = under_headings(command);
    for flag in TOPICS.iter().flat_map(|topic| topic.flags) {
        if has(&command, flag) {
            command = command.mut_arg(flag, |arg| arg.hide(true));
        }
    }
    command
}

/// Returns the command with the flags of an agent under their headings, and the flags of each topic
/// under its heading.
pub(super) fn grouped_with_topics(mut command: Command) -> Command {
    command = under_headings(command);
    for (at, TopicFlags { topic, flags }) in TOPICS.iter().enumerate() {
        for (place, flag) in flags.iter().enumerate() {
            if has(&command, flag) {
                let heading = format!("More about {topic}");
                let order = (GROUPS.len() + at) * 100 + place;
                command =
                    command.mut_arg(flag, |arg| arg.help_heading(heading).display_order(order));
            }
        }
    }
    command
}

fn under_headings(mut command: Command) -> Command {
    for (at, group) in GROUPS.iter().enumerate() {
        for (place, flag) in group.flags.iter().enumerate() {
            if has(&command, flag) {
                let order = at * 100 + place;
                let laid_out = |arg: Arg| {
                    let has_value = arg.get_action().takes_values();
                    let arg = arg.help_heading(group.heading).display_order(order);
                    // The text names the values where they matter.
                    if has_value { arg.hide_possible_values(true) } else { arg }
                };
                command = command.mut_arg(flag, laid_out);
            }
        }
    }
    command
}

fn has(command: &Command, flag: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_id() == flag)
}

/// Returns `silcrow run` with the flags of a topic alone, or `None` if the topic has none.
pub(super) fn flags_of(topic: &str, run: &Command) -> Option<Command> {
    let TopicFlags { flags, .. } = TOPICS.iter().find(|flags| flags.topic == topic)?;
    let shown =
        run.clone().mut_args(|arg| match flags.iter().position(|flag| arg.get_id() == flag) {
            Some(order) => {
                arg.hide(false).help_heading("Flags of silcrow run").display_order(order)
            }
            None => arg.hide(true),
        });
    Some(shown.disable_help_flag(true).help_template("{all-args}"))
}

const GROUPS: [FlagGroup; 4] = [
    FlagGroup {
        heading: "The model",
        flags: &["model", "effort", "temperature", "max_tokens", "instructions", "dialect"],
    },
    FlagGroup {
        heading: "The tools",
        flags: &[
            "root",
            "tools",
            "permissions",
            "allow",
            "policy",
            "sandbox",
            "on_question",
            "strict",
            "manifest",
        ],
    },
    FlagGroup {
        heading: "What you see",
        flags: &["thoughts", "theme", "quiet", "verbose", "stream", "json"],
    },
    FlagGroup {
        heading: "The store and the limits",
        flags: &["store", "user", "wait", "max_steps", "max_time", "budget_tokens", "budget_cost"],
    },
];

/// The flags that the topics show.
pub(super) const TOPICS: [TopicFlags; 8] = [
    TopicFlags {
        topic: "models",
        flags: &[
            "thinking_budget",
            "thinking_display",
            "seed",
            "stop",
            "mode",
            "proxy",
            "proxy_plain_http",
            "rate",
        ],
    },
    TopicFlags {
        topic: "dialects",
        flags: &[
            "calls",
            "inline",
            "examples",
            "vars",
            "guide",
            "grammar",
            "eager",
            "max_parallel",
            "call_text",
            "batch_results",
            "no_data_marks",
        ],
    },
    TopicFlags {
        topic: "limits",
        flags: &[
            "window",
            "compact_at",
            "prices",
            "max_requests",
            "max_agents",
            "max_events",
            "max_wire",
            "budget_conversation_tokens",
            "budget_conversation_cost",
            "budget_user_tokens",
            "budget_user_cost",
            "budget_answer",
            "changes_size",
            "changes_days",
        ],
    },
    TopicFlags {
        topic: "conversations",
        flags: &[
            "output",
            "output_schema",
            "worktree",
            "learn_profile",
            "no_learn_profile",
            "diff",
        ],
    },
    TopicFlags { topic: "skills", flags: &["named"] },
    TopicFlags { topic: "hooks", flags: &["no_hooks"] },
    TopicFlags { topic: "mcp", flags: &["mcp", "no_mcp"] },
    TopicFlags { topic: "web", flags: &["search", "allow_host", "web_proxy"] },
];
