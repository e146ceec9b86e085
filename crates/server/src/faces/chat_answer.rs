//! The answer to a question of a chat, in the words of the person.
//!
//! Only words of a short list are a yes, alone. Everything else is a no with these words, so that a
//! condition or another wish is never taken for permission.

use silcrow_agent::ParkedQuestion;
use silcrow_tool::{ApprovalDecision, ApprovalScope};

use super::denial;

/// Returns the answers that a message gives to open questions: to the first one, or to all of them if it
/// says so or is a wish of another kind.
pub(super) fn chat_answers(
    open: &[&ParkedQuestion],
    said: &str,
) -> Vec<(String, ApprovalDecision)> {
    let words = said.trim().trim_end_matches(['.', '!']).to_lowercase().replace(',', "");
    let (words, is_all) = match ALL.iter().find_map(|all| words.strip_suffix(all)) {
        Some(rest) => (rest.trim_end(), true),
        None => (&*words, false),
    };
    let always = words.strip_suffix(" always").or_else(|| (words == "always").then_some("yes"));
    let is_yes = YES.contains(&always.unwrap_or(words));
    let is_no = NO.contains(&words);
    let answered = if is_all || !(is_yes || is_no) { open } else { &open[..open.len().min(1)] };
    let decide = |asked: &&ParkedQuestion| {
        let decision = match (is_yes, is_no) {
            // A yes to this very call covers no other.
            (true, _) if always.is_some() && asked.question.risk.is_none() => {
                ApprovalDecision::Allow(ApprovalScope::Conversation)
            }
            (true, _) => ApprovalDecision::Allow(ApprovalScope::Once),
            (false, true) => denial(None),
            (false, false) => denial(Some(said)),
        };
        (asked.id().to_owned(), decision)
    };
    answered.iter().map(decide).collect()
}

const YES: [&str; 8] = ["yes", "y", "ok", "okay", "allow", "approve", "yes please", "go ahead"];

const NO: [&str; 5] = ["no", "n", "deny", "no thanks", "don't"];

const ALL: [&str; 3] = [" to all", " all", " both"];
