//! Laws of every run.

use proptest::prelude::*;
use silcrow_front::ag_ui_messages;

use super::verifier::verify;
use crate::random_run;
use crate::scenario::Scenario;

#[test]
fn every_scenario_is_accepted() {
    for scenario in Scenario::all() {
        for has_version in [true, false] {
            let written = scenario.encode(&mut super::encoder(has_version));
            verify(&written).unwrap_or_else(|why| panic!("{}: {why}", scenario.name));
        }
    }
}

proptest! {
    #[test]
    fn every_run_is_accepted(scenario in random_run::scenario(), has_version in any::<bool>()) {
        let written = scenario.encode(&mut super::encoder(has_version));
        prop_assert_eq!(verify(&written), Ok(()), "{}", written);
    }

    #[test]
    fn run_after_server_loss_is_accepted(
        scenario in random_run::scenario(),
        at in any::<prop::sample::Index>(),
    ) {
        let at = at.index(scenario.events.len() + 1);
        let written = scenario.encode_cut(&mut super::encoder(true), at);
        prop_assert_eq!(verify(&written), Ok(()), "{}", written);
    }

    #[test]
    fn snapshot_has_one_message_per_id(scenario in random_run::scenario()) {
        let log = scenario.known.iter().map(|entry| (entry, None));
        let messages = ag_ui_messages("talk", log);
        let mut out = String::new();
        super::encoder(true).snapshot(&messages, &mut out);
        let event = out.strip_prefix("data: ").unwrap().trim_end();
        let event: serde_json::Value = serde_json::from_str(event).unwrap();
        let messages = event["messages"].as_array().unwrap();
        let ids: std::collections::BTreeSet<_> =
            messages.iter().map(|message| message["id"].as_str().unwrap()).collect();
        prop_assert_eq!(ids.len(), messages.len());
    }
}
