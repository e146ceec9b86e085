//! Tokens by a rule of thumb.

use proptest::prelude::*;
use silcrow_event::{GrowingMessages, Message, Role};
use silcrow_provider::{Estimate, MessageEstimates};

fn tokens(text: &str) -> u64 {
    let mut estimate = Estimate::default();
    estimate.push(text);
    estimate.tokens()
}

/// Each is followed by the count of o200k.
#[test]
fn scripts_are_estimated_at_their_average_cost() {
    for (text, expected, o200k) in [
        ("", 0, 0),
        ("The folder src has 2 files: lib.rs and util.rs.", 12, 14),
        ("{\"name\": \"file_list\", \"args\": {\"path\": \"src\"}}", 20, 16),
        ("Während er auf die Ergebnisse der Werkzeuge wartet", 11, 9),
        ("Агент сначала читает файл, а затем пишет краткое содержание", 14, 14),
        ("代理首先读取文件，然后为提问的人写一个简短的摘要。", 18, 16),
        ("에이전트는 먼저 파일을 읽고", 8, 10),
    ] {
        assert_eq!(tokens(text), expected, "{text}: {o200k}");
    }
}

#[test]
fn messages_have_a_frame_each() {
    let messages = [(Role::System, "a b"), (Role::User, "c")]
        .map(|(role, content)| Message::new(role, content));
    assert_eq!(Estimate::of_messages(&messages), 9);
    assert_eq!(Estimate::of_messages(&[]), 0);
}

#[test]
fn repeated_messages_are_not_estimated_again() {
    let mut estimates = MessageEstimates::new();
    let mut messages = vec![Message::user("the first words")];
    for step in 0..1_000 {
        assert_eq!(estimates.estimate(&messages.clone().into()), Estimate::of_messages(&messages));
        messages.push(Message::assistant(format!("step {step}")));
    }
    assert_eq!(estimates.messages_read(), 1_000);
}

proptest! {
    /// A request keeps a part of the one before, and reports how much of that is settled.
    #[test]
    fn growing_list_estimate_equals_its_messages(
        growths in prop::collection::vec(any::<(u8, u8, u8)>(), 1..20),
    ) {
        let (mut growing, mut estimates) = (GrowingMessages::new(), MessageEstimates::new());
        for (kept, new, settled) in growths {
            let kept = usize::from(kept) % (growing.list().len() + 1);
            let new = (0..new % 4).map(|at| Message::user("word ".repeat(usize::from(at + new % 9))));
            let list = growing.renew(kept, new, settled.into());
            prop_assert_eq!(estimates.estimate(&list), Estimate::of_messages(&list));
        }
    }
}

proptest! {
    /// A request may share nothing with the one before, be shorter, or change any message.
    #[test]
    fn request_estimates_are_independent(
        requests in prop::collection::vec(prop::collection::vec("[a-c ]{0,3}", 0..6), 0..8),
    ) {
        let mut estimates = MessageEstimates::new();
        for texts in requests {
            let messages: Vec<_> = texts.into_iter().map(Message::user).collect();
            let messages = messages.into();
            prop_assert_eq!(estimates.estimate(&messages), Estimate::of_messages(&messages));
        }
    }

    #[test]
    fn estimate_is_independent_of_chunking(pieces in prop::collection::vec(any::<String>(), 0..8)) {
        let mut estimate = Estimate::default();
        for piece in &pieces {
            estimate.push(piece);
        }
        prop_assert_eq!(estimate.tokens(), tokens(&pieces.concat()));
    }
}
