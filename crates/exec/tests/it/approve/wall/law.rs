//! The law of doors, with any calls and answers.

use proptest::prelude::*;

use super::*;
use crate::next;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    /// A door opens for a call only if a person opened this one for this call, or for all calls of
    /// its tool.
    #[test]
    fn doors_open_for_whom_they_were_opened(
        calls in prop::collection::vec((0..2_usize, prop::collection::vec(0..4_u16, 1..5)), 1..5),
        answers in prop::collection::vec(0..3_u8, 20),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let given = Arc::new(AtomicUsize::new(0));
            let (count, all_answers) = (Arc::clone(&given), answers.clone());
            let answer = move |number: u8| match number {
                0 => ONCE,
                1 => ALWAYS,
                _ => ApprovalDecision::Deny("no".to_owned()),
            };
            let tools = with(toolbox(knocker("shell")), knocker("other"));
            let mut runner = by(tools, move |_| {
                let decision = answer(all_answers[count.fetch_add(1, Ordering::SeqCst)]);
                async { decision }.boxed()
            });
            let mut always = BTreeSet::new();
            let mut used = 0;
            for (index, (tool, ports)) in calls.iter().enumerate() {
                let name = ["shell", "other"][*tool];
                let at: Vec<_> = ports.iter().map(|port| format!("local:{}", port + 1)).collect();
                let args = format!(r#"{{"at":"{}"}}"#, at.join(", "));
                runner.start(ready(&format!("a{index}"), name, &args));
                let (_, _, words) = next(&mut runner).await;
                let mut own = std::collections::BTreeMap::new();
                let expected: Vec<_> = ports.iter().map(|port| {
                    if always.contains(&(*tool, *port)) {
                        return "open";
                    }
                    *own.entry(*port).or_insert_with(|| {
                        used += 1;
                        match answers[used - 1] {
                            0 => "open",
                            1 => {
                                always.insert((*tool, *port));
                                "open"
                            }
                            _ => "no",
                        }
                    })
                }).collect();
                assert_eq!(words, expected.join("; "));
            }
            assert_eq!(given.load(Ordering::SeqCst), used);
        });
    }
}
