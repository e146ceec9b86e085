//! The names of spaces.

use silcrow_store::spaces;

#[test]
fn space_belongs_to_its_named_conversation() {
    assert_eq!(spaces::conversation("started/c/1/a"), Some("c/1/a"));
    assert_eq!(spaces::conversation(&spaces::granted("c")), Some("c"));
    assert_eq!(spaces::conversation("started"), None);
    // A conversation may have the name of a relic.
    assert_eq!(spaces::conversation(&spaces::relic("c")), None);
}

#[test]
fn permissions_and_checkpoints_stay_in_their_store() {
    assert!(spaces::is_local(&spaces::granted("c")));
    assert!(spaces::is_local(&spaces::checkpoint("c")));
    assert!(spaces::is_derived(&spaces::checkpoint("c")));
    assert!(!spaces::is_derived(&spaces::granted("c")));
    for space in ["granted", "started/granted/c", "grantedly/c", &spaces::relic("granted")] {
        assert!(!spaces::is_local(space), "{space}");
        assert!(!spaces::is_derived(space), "{space}");
    }
}
