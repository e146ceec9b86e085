//! Random answers of a model, and the decisions of the person about its calls.
//!
//! Every content is unique, so that an event tells where it comes from.

use std::fmt::Write as _;

use silcrow_event::Role;
use silcrow_parser::Dialect;
use silcrow_provider::{Delta, Request};
use silcrow_testkit::seed;
use silcrow_tool::{ApprovalDecision, ApprovalScope};

use crate::support::Random;

/// The answers of a model to the requests of one run.
#[derive(Clone)]
pub(super) struct Script {
    pub(super) seed: u64,
    pub(super) dialect: Dialect,
    /// Whether the model says everything before its calls, and its last answer is an end alone.
    pub(super) ends_alone: bool,
    answers: Vec<String>,
    /// The answers before which the model reasons beside its text.
    reasoned: Vec<bool>,
}

impl Script {
    pub(super) fn new(seed: u64) -> Self {
        let mut random = Random(seed);
        let dialects = [Dialect::Sigil, Dialect::Phase, Dialect::Action, Dialect::Action];
        let dialect = dialects[random.below(4) as usize];
        let turns = 1 + random.below(4);
        let ends_alone = dialect != Dialect::Action && random.one_in(3);
        let mut answer = |turn| match dialect {
            Dialect::Sigil => sigil(&mut random, turn, ends_alone),
            Dialect::Phase => phase(&mut random, turn, ends_alone),
            _ => action(&mut random, turn),
        };
        let mut answers: Vec<_> = (0..turns).map(&mut answer).collect();
        let last = match (dialect, ends_alone) {
            (Dialect::Sigil, true) => "§end",
            (Dialect::Sigil, false) => "§respond: All is done.\n§end",
            (Dialect::Phase, true) => "<end>",
            (Dialect::Phase, false) => "All is done.<end>",
            _ => "<response>All is done.</response>",
        };
        answers.push(last.to_owned());
        let reasoned = answers.iter().map(|_| random.one_in(4)).collect();
        Self { seed, dialect, ends_alone, answers, reasoned }
    }

    /// Returns the answer to a request, which depends on nothing but the number of answers in it.
    pub(super) fn answer(&self, request: &Request) -> Vec<Delta> {
        let of_model = |message: &&_| is_of_model(message);
        let given = request.messages.iter().filter(of_model).count();
        let at = given.min(self.answers.len() - 1);
        let thought = self.reasoned[at].then(|| Delta::Reasoning(format!("Thought {at}.")));
        thought.into_iter().chain([Delta::Text(self.answers[at].clone())]).collect()
    }

    /// Returns the person's decision about a call, which depends on nothing but the call. All calls
    /// of a scope that is allowed for the conversation are allowed.
    pub(super) fn decide(&self, scope: &str, args: &str) -> ApprovalDecision {
        let chance = Random(self.seed ^ seed(args.as_bytes())).below(3);
        match (scope, chance) {
            (SHARED, 0) => ApprovalDecision::Allow(ApprovalScope::Conversation),
            (SHARED, _) | (_, 1 | 2) => ApprovalDecision::Allow(ApprovalScope::Once),
            _ => ApprovalDecision::Deny(format!("no to {args}")),
        }
    }
}

impl std::fmt::Display for Script {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "seed {}: {:?}\n{}", self.seed, self.dialect, self.answers.join("\n%%\n"))
    }
}

fn is_of_model(message: &silcrow_event::Message) -> bool {
    message.role == Role::Assistant
}

/// The scope of calls that one approval may cover.
pub(super) const SHARED: &str = "all";

/// The tools: `write` and `break` need approval, `fail` and `break` fail, and `read` is read-only.
const TOOLS: [&str; 7] = ["write", "write", "write", "look", "read", "fail", "break"];

fn tool(random: &mut Random) -> &'static str {
    TOOLS[random.below(TOOLS.len() as u64) as usize]
}

/// Returns the arguments of a call.
fn args(random: &mut Random, turn: u64, call: u64, value: &str) -> String {
    let scope = match random.one_in(3) {
        true => SHARED.to_owned(),
        false => format!("{turn}-{call}"),
    };
    format!("{{\"n\":\"{turn}-{call}\",\"scope\":\"{scope}\",\"value\":\"{value}\"}}")
}

fn calls(random: &mut Random, turn: u64) -> Vec<String> {
    let count = 1 + random.below(6);
    let call = |call| {
        let (name, args) = (tool(random), args(random, turn, call, ""));
        format!("{{\"name\":\"{name}\",\"args\":{args}}}")
    };
    (0..count).map(call).collect()
}

fn sigil(random: &mut Random, turn: u64, has_text: bool) -> String {
    let mut text = String::new();
    if !has_text && random.one_in(3) {
        let _ = writeln!(text, "§think: Idea {turn}.");
    }
    if has_text || random.one_in(3) {
        let _ = writeln!(text, "§respond: Step {turn} is under way.");
    }
    for call in calls(random, turn) {
        let _ = writeln!(text, "§call: {call}");
    }
    text + "§execute\n"
}

fn phase(random: &mut Random, turn: u64, has_text: bool) -> String {
    let before = match has_text || random.one_in(3) {
        true => format!("Step {turn} is under way."),
        false => String::new(),
    };
    format!("{before}<execute>[{}]</execute>", calls(random, turn).join(","))
}

/// Returns an answer of actions. An action with `on_error: fail` waits for all others, because
/// otherwise the calls that it cancels would depend on which end first.
fn action(random: &mut Random, turn: u64) -> String {
    let mut text = String::new();
    if random.one_in(3) {
        let _ = writeln!(text, "<thought>Idea {turn}.</thought>");
    }
    let count = 1 + random.below(6);
    let failing = random.one_in(3).then(|| random.below(count));
    // The calls whose outputs have names.
    let mut named: Vec<u64> = Vec::new();
    for call in 0..count {
        let fails = failing == Some(call);
        let mode = match random.below(5) {
            0 if failing.is_none() => "fire_and_forget",
            1 => "sync",
            _ if fails => "sync",
            _ => "async",
        };
        let mut after: Vec<_> =
            named.iter().filter(|_| fails || random.one_in(4)).map(|of| format!("c{of}")).collect();
        if mode == "async" && failing.is_none() && call + 1 < count && random.one_in(12) {
            after.push(format!("c{}", call + 1));
        }
        let value = name(random, &named).map_or(String::new(), |name| match random.one_in(2) {
            true => name,
            false => format!("with {name}, and more"),
        });
        let on_error = if fails { "fail" } else { "skip" };
        let (tool, args) = (tool(random), args(random, turn, call, &value));
        let after = after.join(",");
        let _ = writeln!(
            text,
            "<action type=\"tool\" mode=\"{mode}\" id=\"c{call}\" depends_on=\"{after}\">\
             {{\"name\":\"{tool}\",\"parameters\":{args},\"on_error\":\"{on_error}\"}}</action>"
        );
        if mode != "fire_and_forget" {
            named.push(call);
        }
        if random.one_in(4) {
            let said = name(random, &named).unwrap_or_default();
            let _ = writeln!(
                text,
                "<response final=\"false\">Step {turn}-{call} is under way: {said}.</response>"
            );
        }
    }
    // Three answers in a row that name failed calls would end the run with an error (P-35).
    if turn.is_multiple_of(2) && random.one_in(3) {
        let said = name(random, &named).unwrap_or_default();
        let _ = writeln!(text, "<response>Step {turn} is the last one: {said}.</response>");
    }
    text
}

/// Returns the name of an output, or nothing.
fn name(random: &mut Random, named: &[u64]) -> Option<String> {
    if named.is_empty() || random.one_in(2) {
        return None;
    }
    Some(format!("$c{}", named[random.below(named.len() as u64) as usize]))
}
