//! The doors that a call asks for, as its preview shows them.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::{Value, json};
use silcrow_tool::{BasicValidator, Preview, Tool as _, ToolArgs, ToolError, Validator as _};

use super::{Place, context};

async fn preview(place: &Place, needs: &Value) -> Result<Preview, ToolError> {
    let args = json!({ "command": "true", "folder": "sub", "needs": needs }).to_string();
    if let Err(errors) = BasicValidator.check(place.shell.schema(), &args) {
        return Err(ToolError::new(errors.to_string()));
    }
    place.shell.preview(ToolArgs::new(&args), &context()).await
}

fn place() -> Place {
    let place = Place::new();
    fs::create_dir_all(place.folder.path().join("sub/data")).unwrap();
    place
}

#[tokio::test]
async fn access_requests_are_normalized() {
    let place = place();
    let root = place.folder.path().canonicalize().unwrap();
    symlink("data", root.join("sub/link")).unwrap();
    let root = root.display();
    let home = std::env::var("HOME").unwrap();
    let home = fs::canonicalize(home).unwrap();
    let home = home.display();
    for (needs, expected) in [
        (json!({}), String::new()),
        (json!({"git": false}), String::new()),
        (json!({"git": true}), "git".to_owned()),
        (
            json!({"network": ["Example.ORG.", "*.example.org", "example.org:22", "*"]}),
            "network:*, network:*.example.org, network:example.org, network:example.org:22"
                .to_owned(),
        ),
        (json!({"network": ["2606:4700::1"]}), "network:[2606:4700::1]".to_owned()),
        (json!({"local": [5432], "listen": [3000]}), "local:5432, listen:3000".to_owned()),
        (json!({"read": ["data"]}), format!("read:{root}/sub/data")),
        (json!({"read": ["link/../../sub/./link"]}), format!("read:{root}/sub/data")),
        (json!({"write": ["..", "/usr/share"]}), format!("write:{root}, write:/usr/share")),
        (json!({"read": ["~", "~/."]}), format!("read:{home}")),
        (json!({"outside": "it opens a window"}), "outside".to_owned()),
    ] {
        let shown = preview(&place, &needs).await.unwrap();
        assert_eq!(shown.needs.to_string(), expected, "{needs}");
    }
}

#[tokio::test]
async fn sandbox_exit_reason_is_quoted_and_bounded() {
    let place = place();
    let shown =
        preview(&place, &json!({"outside": " it says \"yes\"\nallowed: all "})).await.unwrap();
    let effect = shown.effect.unwrap();
    let quoted = r#"the model's reason to leave the sandbox: "it says \"yes\"\nallowed: all""#;
    assert!(effect.contains(quoted), "{effect}");
    let shown = preview(&place, &json!({"outside": "x".repeat(10_000)})).await.unwrap();
    assert!(shown.effect.unwrap().len() < 500);
}

#[tokio::test]
async fn invalid_access_requests_are_explained() {
    let place = place();
    let many: Vec<u16> = (1..=17).collect();
    for (needs, words) in [
        (json!({"networks": ["a.example"]}), "networks"),
        (json!({"network": "a.example"}), "must be an array"),
        (json!({"network": [443]}), "must be a string"),
        (json!({"local": ["5432"]}), "must be an integer"),
        (json!({"git": "yes"}), "must be a boolean"),
        (json!({"outside": true}), "must be a string"),
        (json!(["git"]), "must be an object"),
        (json!({"network": ["https://a.example/"]}), "write a host alone, such as"),
        (json!({"network": ["a.example:99999"]}), "write a host alone, such as"),
        (json!({"network": ["user@a.example"]}), "write a host alone, such as"),
        (json!({"network": ["a.example, b.example"]}), "write a host alone, such as"),
        (json!({"network": ["127.0.0.1:5432"]}), "in `needs.local`"),
        (json!({"network": ["localhost"]}), "in `needs.local`"),
        (json!({"network": ["0x7f.1"]}), "in `needs.local`"),
        (json!({"network": ["169.254.169.254"]}), "in `needs.local`"),
        (json!({"local": [0]}), "port 0"),
        (json!({"local": [65536]}), "65536"),
        (json!({"listen": [-1]}), "-1"),
        (json!({"local": many}), "at most 16"),
        (json!({"read": ["missing"]}), "\"missing\", which does not exist; write an absolute path"),
        (json!({"write": [""]}), "is empty"),
        (json!({"write": ["/usr/share/missing"]}), "does not exist"),
        (json!({"read": ["~nobody/x"]}), "does not exist"),
        (json!({"read": ["a\u{0}b"]}), "cannot be opened"),
        (json!({"outside": " "}), "write why"),
    ] {
        let error = preview(&place, &needs).await.unwrap_err().to_string();
        assert!(error.contains(words), "{needs}: {error}");
    }
}

#[test]
fn asking_for_doors_takes_little_of_a_request() {
    let place = Place::new();
    let schema = place.shell.schema();
    let start = schema.find("\"needs\"").unwrap();
    let end = schema.find("\"required\"").unwrap();
    assert!(end - start < 500, "{}", end - start);
}
