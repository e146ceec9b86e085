//! Files with a risk, touched after a person's own yes to this risk.

use serde_json::json;
use silcrow_tool::{CallContext, Tool as _, ToolArgs};
use silcrow_tools::FileRead;

use crate::protected::{PROTECTED, place};
use crate::{Place, call, call_approved, content, preview_of, why, writer_that_read};

#[tokio::test]
async fn protected_file_is_written_after_approval() {
    let (mut asked, mut private) = (0, 0);
    for &(path, expected) in PROTECTED {
        let place = place();
        let args = json!({"file": path, "content": "written"}).to_string();
        let tool = writer_that_read(&place.root, path).await;
        match preview_of(&tool, &args).await {
            Ok(preview) => {
                let context = CallContext::new("c", "a1");
                // A yes without a risk does not suffice, and neither does one to another risk.
                let mut harmless = preview.clone();
                harmless.risk = None;
                for other in [None, Some(harmless)] {
                    let context = context.clone().with_approved(other);
                    let why = why(tool.call(ToolArgs::new(&args), &context).await);
                    assert!(why.contains("needs a person's own approval"), "{path}: {why}");
                }
                let other = preview.clone().with_risk("it is the manifest of another run");
                let context = context.with_approved(Some(other));
                assert!(tool.call(ToolArgs::new(&args), &context).await.is_err(), "{path}");
                match call_approved(&tool, &args).await {
                    Ok(_) => assert_eq!(place.get(path), "written", "{path}"),
                    Err(why) => {
                        let why = why.to_string();
                        assert!(why.contains("is a folder") || why.contains("is a link"), "{why}");
                    }
                }
                asked += 1;
            }
            Err(why) => {
                let why = why.to_string();
                let never = ["is protected: it is", "is a folder", "is a link to"];
                assert!(never.iter().any(|never| why.contains(never)), "{path}: {why}");
                private += usize::from(why.contains("is protected: it is"));
                assert!(!why.contains("is protected") || expected.contains("store"), "{why}");
            }
        }
    }
    assert!(asked > 50 && private > 5, "{asked} {private}");
}

#[tokio::test]
async fn secret_is_read_after_approval() {
    let place = Place::new();
    place.put(".env", "KEY=1").put("tls/server.key", "PEM").put(".env.example", "KEY=");
    place.link(".env", "notes.txt").link("tls", "link");
    let tool = FileRead::new(&place.root);
    for (file, target) in [
        (".env", ".env"),
        ("notes.txt", ".env"),
        ("./tls/../.env", ".env"),
        ("link/server.key", "tls/server.key"),
    ] {
        let args = json!({"file": file}).to_string();
        let preview = preview_of(&tool, &args).await.unwrap();
        assert_eq!(preview.target.as_deref(), Some(target));
        assert_eq!(preview.risk.as_deref(), Some("it usually holds secrets"));
        assert_eq!(
            why(call(&tool, &args).await),
            format!(
                "`{file}` needs a person's own approval, which is missing: it usually holds secrets"
            )
        );
        call_approved(&tool, &args).await.unwrap();
    }
    let preview = preview_of(&tool, r#"{"file":".env.example"}"#).await.unwrap();
    assert_eq!(preview.risk, None);
    assert_eq!(content(place.read(".env.example").await), "KEY=");
}
