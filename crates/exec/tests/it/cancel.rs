use futures_util::FutureExt as _;
use futures_util::future::join3;
use silcrow_exec::Cancel;

#[test]
fn clones_share_one_sign() {
    let cancel = Cancel::new();
    let clone = cancel.clone();
    assert!(!clone.is_triggered());
    cancel.trigger();
    assert!(clone.is_triggered());
    cancel.trigger();
    assert!(clone.is_triggered());
}

#[test]
fn a_child_is_triggered_with_its_parent_and_not_the_other_way_round() {
    let grandparent = Cancel::new();
    let parent = grandparent.child();
    let child = parent.child();
    let sibling = grandparent.child();

    parent.trigger();
    assert!(child.is_triggered());
    assert!(parent.is_triggered());
    assert!(!grandparent.is_triggered());
    assert!(!sibling.is_triggered());

    grandparent.trigger();
    assert!(sibling.is_triggered());
    assert!(grandparent.child().is_triggered(), "also one that is born late");
}

#[tokio::test]
async fn waiting_ends_for_everybody_who_waits() {
    let cancel = Cancel::new();
    let child = cancel.child().child();
    let trigger = async {
        tokio::task::yield_now().await;
        cancel.trigger();
    };
    join3(cancel.triggered(), child.triggered(), trigger).await;
    // Again, and at once.
    assert!(child.triggered().now_or_never().is_some());
}

#[tokio::test]
async fn a_wait_that_was_given_up_changes_nothing() {
    let cancel = Cancel::new();
    for _ in 0..3 {
        assert!(cancel.child().triggered().now_or_never().is_none());
    }
    cancel.child().trigger();
    assert!(cancel.triggered().now_or_never().is_none());
    cancel.trigger();
    assert!(cancel.triggered().now_or_never().is_some());
}

#[tokio::test]
async fn a_child_outlives_the_handle_of_its_parent() {
    let child = {
        let parent = Cancel::new();
        parent.child()
    };
    assert!(child.triggered().now_or_never().is_none());
    child.trigger();
    assert!(child.triggered().now_or_never().is_some());
}
