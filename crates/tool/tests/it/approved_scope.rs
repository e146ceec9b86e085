//! The calls that the text of an approval covers.

use std::time::Duration;

use proptest::prelude::*;
use silcrow_event::Grants;
use silcrow_tool::{ApprovedScope, Preview};

fn preview(seconds: Option<u64>) -> Preview {
    let preview = Preview::new("make");
    match seconds {
        Some(seconds) => preview.with_time_limit(Duration::from_secs(seconds)),
        None => preview,
    }
}

fn doors() -> impl Strategy<Value = Grants> {
    let door = prop::sample::select(vec!["git", "outside", "local:5432", "network:example.org"]);
    prop::collection::vec(door, 0..3)
        .prop_map(|doors| doors.into_iter().map(|door| door.parse().unwrap()).collect())
}

fn time() -> impl Strategy<Value = Option<u64>> {
    prop::option::of(1_u64..100)
}

proptest! {
    /// An approval covers the same scope with the same doors and the same time or a shorter one, and
    /// nothing else.
    #[test]
    fn text_covers_the_same_and_a_shorter_time(
        (granted_doors, wanted_doors) in (doors(), doors()),
        (granted_time, wanted_time) in (time(), time()),
        is_same in any::<bool>(),
    ) {
        let text = preview(granted_time).timed("make");
        let text = ApprovedScope::text_with_doors(&text, &granted_doors);
        let approved = ApprovedScope { tool: "shell", scope: &text };
        let now = preview(wanted_time);
        let wanted = now.timed(if is_same { "make" } else { "make all" });
        let fits = match (granted_time, wanted_time) {
            (Some(granted), Some(wanted)) => wanted <= granted,
            (None, None) => true,
            _ => false,
        };
        let expected = is_same && fits && granted_doors == wanted_doors;
        prop_assert_eq!(approved.covers(&wanted, &now, &wanted_doors), expected, "{:?}", text);
    }

    /// An approval at the wall names its doors, and gets no second row.
    #[test]
    fn text_of_doors_round_trips(doors in doors()) {
        let text = ApprovedScope::text_of_doors(&doors);
        let read = ApprovedScope { tool: "shell", scope: &text }.doors();
        prop_assert_eq!(read, Some(doors.clone()).filter(|doors| !doors.is_empty()));
        if !doors.is_empty() {
            prop_assert_eq!(ApprovedScope::text_with_doors(&text, &doors), text);
        }
    }
}
