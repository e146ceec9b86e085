//! The questions of MCP servers in the middle of a call, on the page of a server.

use std::thread::sleep;
use std::time::Duration;

use super::Serving;
use crate::support::Sandbox;

#[test]
fn mcp_question_becomes_a_form_for_the_user() {
    for way in ["", "modern"] {
        let sandbox = Sandbox::new();
        crate::mcp::declare(&sandbox, &[way], "");
        let model = crate::mcp::script(&sandbox, &[("test.ask", "{}")]);
        let server = Serving::start_with(&sandbox, &["--model", &model, "--permissions", "full"]);
        // A page reads the events.
        let _page = server.read("/events");
        assert_eq!(server.send("POST", "/conversations/c/runs", r#"{"prompt":"go"}"#).0, 201);
        let form = (0..3_000).find_map(|_| {
            let (_, listed) = server.send("GET", "/conversations/c/forms", "");
            let form = listed["forms"].get(0).cloned();
            if form.is_none() {
                sleep(Duration::from_millis(10));
            }
            form
        });
        let form = form.unwrap_or_else(|| panic!("{way}: nothing is asked"));
        assert_eq!(form["message"], "The server test asks: Which colour?");
        assert_eq!(form["schema"]["properties"]["colour"]["type"], "string");
        let id = form["id"].as_str().unwrap();
        let answer = format!(r#"{{"form":"{id}","action":"accept","values":{{"colour":"blue"}}}}"#);
        assert_eq!(server.send("POST", "/conversations/c/forms", &answer).0, 204);
        let text = server.follow("c", r#""outcome":"answered""#);
        assert!(
            text.contains(r#"{\"action\":\"accept\",\"content\":{\"colour\":\"blue\"}}"#),
            "{text}"
        );
    }
}
