//! The access of an allowed call.

use super::*;
use silcrow_tool::{
    CallAccess, Permission, PermissionRequest, Permissions, Preview, Tool, WithPermissions,
};

/// Permissions that let calls only read.
struct OnlyReads(Permission);

impl Permissions for OnlyReads {
    fn decide(&self, _: &PermissionRequest<'_>) -> Permission {
        self.0.clone()
    }

    fn access(&self, _: &PermissionRequest<'_>) -> CallAccess {
        CallAccess::ReadOnly
    }
}

/// Returns a tool that reports its access.
fn teller(enforces: bool) -> impl Tool + 'static {
    let tool = tool("write", |_, context| {
        let access = context.access();
        async move { Ok(ToolOutput::new("said", format!("{access:?}"))) }.boxed()
    });
    tool.asking().previewed(move |_, _| {
        let preview = Preview::new("all");
        let preview = if enforces { preview.enforceably_read_only() } else { preview };
        async move { Ok(preview) }.boxed()
    })
}

#[tokio::test]
async fn read_only_call_sees_its_access() {
    for permission in [Permission::Allow, Permission::Ask("a reason".to_owned())] {
        for (enforces, expected) in [(true, "ReadOnly"), (false, "its tool cannot enforce that")] {
            let permissions = Arc::new(OnlyReads(permission.clone()));
            let approver = FunctionApprover(|_: ApprovalRequest<'_>| async { ONCE }.boxed());
            let approver = WithPermissions::new(permissions, approver);
            let mut runner = Runner::new(Arc::new(toolbox(teller(enforces))), Arc::new(approver));
            runner.start(ready("a1", "write", "{}"));
            let mut words = String::new();
            while let Some(news) = runner.next().await {
                if let CallUpdate::Ended(ended) = news {
                    words = ended.outcome.content.into_text();
                }
            }
            assert!(words.contains(expected), "{permission:?}: {words}");
        }
    }
}

#[tokio::test]
async fn without_permissions_a_call_has_its_usual_access() {
    let mut runner = by(toolbox(teller(false)), |_| async { ONCE }.boxed());
    runner.start(ready("a1", "write", "{}"));
    let mut words = String::new();
    while let Some(news) = runner.next().await {
        if let CallUpdate::Ended(ended) = news {
            words = ended.outcome.content.into_text();
        }
    }
    assert_eq!(words, "Usual");
}
