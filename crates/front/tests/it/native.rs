//! The native stream.

use proptest::prelude::*;
use silcrow_front::NativeEncoder;

use crate::random_run;
use crate::scenario::Scenario;

#[test]
fn every_message_of_a_run_has_an_id_of_its_own() {
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

proptest! {
    #[test]
    fn each_message_is_one_id_and_one_line_of_json(scenario in random_run::scenario()) {
        let written = scenario.encode(&mut NativeEncoder::new());
        for message in written.split_terminator("\n\n") {
            let (id, data) = message.split_once('\n').unwrap();
            prop_assert!(id.starts_with("id: "));
            let data = data.strip_prefix("data: ").unwrap();
            prop_assert!(serde_json::from_str::<serde_json::Value>(data).is_ok());
        }
    }
}
