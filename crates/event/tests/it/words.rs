//! The words of closed sets: what is printed is what is parsed.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use silcrow_event::{
    ApprovalState, CallKind, CallMode, ErrorOrigin, OnError, ParallelJoin, ResultStatus, Role,
    UnknownWord,
};

fn check<T, const N: usize>(all: [T; N], words: [&str; N], error: &str)
where
    T: Copy + Debug + Display + PartialEq + FromStr<Err = UnknownWord>,
{
    for (one, word) in all.into_iter().zip(words) {
        assert_eq!(one.to_string(), word);
        assert_eq!(format!("{one:>20}"), format!("{word:>20}"));
        assert_eq!(word.parse(), Ok(one));
    }
    for word in ["", " ", "Tool", "unknown"] {
        let unknown = word.parse::<T>().unwrap_err();
        assert_eq!(unknown.words(), words);
        assert_eq!(unknown.to_string(), error);
    }
}

#[test]
fn the_word_of_each_member_is_parsed() {
    check(
        CallKind::ALL,
        ["tool", "agent", "relic", "workflow", "llm"],
        "unknown call kind; use one of tool, agent, relic, workflow, llm",
    );
    check(
        CallMode::ALL,
        ["sync", "async", "fire_and_forget"],
        "unknown call mode; use one of sync, async, fire_and_forget",
    );
    check(
        OnError::ALL,
        ["skip", "fail", "retry"],
        "unknown failure policy; use one of skip, fail, retry",
    );
    check(
        ParallelJoin::ALL,
        ["all", "any", "race", "settled"],
        "unknown join; use one of all, any, race, settled",
    );
    check(
        Role::ALL,
        ["system", "user", "assistant"],
        "unknown role; use one of system, user, assistant",
    );
    check(
        ResultStatus::ALL,
        ["success", "failure"],
        "unknown result status; use one of success, failure",
    );
    check(
        ErrorOrigin::ALL,
        ["model", "tool", "provider", "caller"],
        "unknown error origin; use one of model, tool, provider, caller",
    );
    check(
        ApprovalState::ALL,
        ["asked", "allowed", "denied"],
        "unknown approval state; use one of asked, allowed, denied",
    );
}
