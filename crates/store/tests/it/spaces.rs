//! The names of spaces.

use silcrow_store::spaces;

#[test]
fn a_space_belongs_to_the_conversation_in_its_name() {
    assert_eq!(spaces::conversation("started/c/1/a"), Some("c/1/a"));
    assert_eq!(spaces::conversation(&spaces::granted("c")), Some("c"));
    assert_eq!(spaces::conversation("started"), None);
    // A conversation may have the name of a relic.
    assert_eq!(spaces::conversation(&spaces::relic("c")), None);
}

#[test]
fn only_granted_permissions_are_in_a_granted_space() {
    assert!(spaces::is_granted(&spaces::granted("c")));
    for space in ["granted", "started/granted/c", "grantedly/c", &spaces::relic("granted")] {
        assert!(!spaces::is_granted(space), "{space}");
    }
}
