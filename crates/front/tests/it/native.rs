//! The native stream.

use proptest::prelude::*;
use silcrow_front::NativeEncoder;

use crate::random_run;
use crate::scenario::Scenario;

#[test]
fn every_message_of_run_has_unique_id() {
    for scenario in Scenario::all() {
        let (name, written) = (scenario.name, scenario.encode(&mut NativeEncoder::new()));
        let mut ids: Vec<_> =
            written.lines().filter_map(|line| line.strip_prefix("id: ")).collect();
        let count = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), count, "{name}");
        assert!(written.contains("\"type\":\"idle\""), "{name}");
    }
}

#[test]
fn discontinued_pieces_are_forgotten() {
    let scenario = &Scenario::all()[0];
    let mut resets = 0;
    for at in 0..scenario.events.len() {
        let written = scenario.encode_cut(&mut NativeEncoder::new(), at);
        for message in written.split_terminator("\n\n").filter(|one| one.contains("event: reset")) {
            resets += 1;
            let id = message.lines().next().unwrap().strip_prefix("id: ").unwrap();
            let seq = id.strip_suffix(".0").unwrap();
            assert!(
                message.ends_with(&format!("{{\"type\":\"reset\",\"seq\":{seq}}}")),
                "{message}"
            );
        }
    }
    assert!(resets > 0);
}

proptest! {
    #[test]
    fn each_message_is_one_id_and_json_line(scenario in random_run::scenario()) {
        let written = scenario.encode(&mut NativeEncoder::new());
        for message in written.split_terminator("\n\n") {
            let (id, data) = message.split_once('\n').unwrap();
            prop_assert!(id.starts_with("id: "));
            let data = data.strip_prefix("data: ").unwrap();
            prop_assert!(serde_json::from_str::<serde_json::Value>(data).is_ok());
        }
    }
}
