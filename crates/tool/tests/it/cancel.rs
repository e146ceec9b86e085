use futures_util::FutureExt as _;
use futures_util::future::join3;
use silcrow_tool::CancellationToken;

#[test]
fn clones_share_one_sign() {
    let cancel = CancellationToken::new();
    let clone = cancel.clone();
    assert!(!clone.is_cancelled());
    cancel.cancel();
    assert!(clone.is_cancelled());
    cancel.cancel();
    assert!(clone.is_cancelled());
}

#[test]
fn child_token_is_cancelled_with_its_parent() {
    let grandparent = CancellationToken::new();
    let parent = grandparent.child_token();
    let child = parent.child_token();
    let sibling = grandparent.child_token();

    parent.cancel();
    assert!(child.is_cancelled());
    assert!(parent.is_cancelled());
    assert!(!grandparent.is_cancelled());
    assert!(!sibling.is_cancelled());

    grandparent.cancel();
    assert!(sibling.is_cancelled());
    assert!(grandparent.child_token().is_cancelled(), "also one that is born late");
}

#[tokio::test]
async fn cancellation_wakes_all_waiters() {
    let cancel = CancellationToken::new();
    let child = cancel.child_token().child_token();
    let trigger = async {
        tokio::task::yield_now().await;
        cancel.cancel();
    };
    join3(cancel.cancelled(), child.cancelled(), trigger).await;
    // Again, and at once.
    assert!(child.cancelled().now_or_never().is_some());
}

#[tokio::test]
async fn abandoned_wait_changes_nothing() {
    let cancel = CancellationToken::new();
    for _ in 0..3 {
        assert!(cancel.child_token().cancelled().now_or_never().is_none());
    }
    cancel.child_token().cancel();
    assert!(cancel.cancelled().now_or_never().is_none());
    cancel.cancel();
    assert!(cancel.cancelled().now_or_never().is_some());
}

#[tokio::test]
async fn a_child_outlives_the_handle_of_its_parent() {
    let child = {
        let parent = CancellationToken::new();
        parent.child_token()
    };
    assert!(child.cancelled().now_or_never().is_none());
    child.cancel();
    assert!(child.cancelled().now_or_never().is_some());
}
