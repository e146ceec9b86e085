//! Calls that a person approves, and calls without a sandbox.

use std::time::Duration;

use serde_json::json;
use silcrow_sandbox::SandboxLayers;
use silcrow_shell::{SandboxLevel, SandboxOptions, Shell};
use silcrow_tool::{ApprovalNeed, CallAccess, Preview, Tool as _, ToolArgs};

use super::{Place, call, context, text};

async fn preview(place: &Place, args: &str) -> Preview {
    place.shell.preview(ToolArgs::new(args), &context()).await.unwrap()
}

#[tokio::test]
async fn preview_states_folder_and_confinement() {
    let place = Place::new();
    std::fs::create_dir(place.folder.path().join("sub")).unwrap();
    let shown = preview(&place, r#"{"command":"rm -r x","folder":"./sub/"}"#).await;
    assert_eq!(shown.target.as_deref(), Some("in sub, sandbox: files and network"));
    let scope = "rm -r x\nin sub, sandbox: files and network\nfor at most 120 s";
    assert_eq!(shown.scope, scope);
    assert!(shown.effect.unwrap().ends_with("what it does cannot be undone"));
    assert_eq!(shown.risk, None);
    assert_eq!(shown.time_limit, Some(Duration::from_secs(120)));
    let longer = preview(&place, r#"{"command":"make","timeout":90}"#).await;
    assert_eq!(longer.time_limit, Some(Duration::from_secs(90)));
    assert!(!longer.outlives_call);
    let background = preview(&place, r#"{"command":"make","background":true}"#).await;
    assert_eq!((background.time_limit, background.outlives_call), (None, true));
    assert!(background.scope.ends_with("\nin the background, until it is stopped"));
    let policy = place.shell.policy();
    assert_eq!((policy.approval, policy.sends_out), (ApprovalNeed::Always, false));
    assert!(!policy.is_repeatable() && !policy.may_start_early());
}

#[tokio::test]
async fn with_the_network_on_it_sends_out() {
    let layers = SandboxLayers { landlock: true, ..SandboxLayers::NONE };
    let place = Place::with(|options| options.with_layers(layers));
    assert!(place.shell.policy().sends_out);
    let shown = preview(&place, r#"{"command":"ls"}"#).await;
    assert_eq!(shown.target.as_deref(), Some("in ., sandbox: files only"));
}

#[tokio::test]
async fn missing_sandbox_requires_the_outside_grant() {
    let off = tempfile::tempdir().unwrap();
    let helper = env!("CARGO_BIN_EXE_silcrow-shell-helper");
    let options = SandboxOptions::new(off.path()).with_helper(helper);
    let off = Place { shell: Shell::off(options).unwrap(), folder: off };
    let none = Place::with(|options| options.with_layers(SandboxLayers::NONE));
    assert!(none.shell.failure().unwrap().to_string().contains("no sandbox works here"));
    assert!(off.shell.failure().is_none());
    for place in [none, off] {
        assert_eq!(place.shell.sandbox().level(), SandboxLevel::None);
        let shown = preview(&place, r#"{"command":"echo ran"}"#).await;
        assert_eq!(shown.target.as_deref(), Some("in ., without a sandbox"));
        assert_eq!((shown.risk.as_deref(), shown.needs.to_string()), (None, "outside".to_owned()));
        let args = json!({"command": "echo ran"});
        for grants in ["git", "write:/tmp"] {
            let context = context().with_grants([grants.parse().unwrap()].into_iter().collect());
            let error = call(&place.shell, &context, args.clone()).await.unwrap_err();
            assert!(error.to_string().contains("nobody has given it"), "{error}");
        }
        let outside = context().with_grants(shown.needs.clone());
        let reading = outside.clone().with_access(CallAccess::ReadOnly);
        let error = call(&place.shell, &reading, args.clone()).await.unwrap_err();
        assert!(error.to_string().contains("may only read"), "{error}");
        assert_eq!(text(&call(&place.shell, &outside, args).await.unwrap()), "ran\n");
    }
}
