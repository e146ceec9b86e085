//! Which models can be asked: keys, servers that answer and servers that do not.

use std::net::{SocketAddr, TcpListener};

use serde_json::{Value, json};

use crate::server::play;
use crate::support::{CommandOutput, Sandbox};

fn list(body: &str) -> Vec<u8> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n";
    format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn refused(status: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n").into_bytes()
}

/// A port where nobody listens.
fn silent() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port().to_string()
}

fn asked(sandbox: &Sandbox, port: &str, set: &[(&str, &str)]) -> CommandOutput {
    let mut command = sandbox.command(&["models", "--port", port]);
    command.envs(set.iter().copied());
    crate::support::command_output(command.output().unwrap())
}

#[track_caller]
fn place(said: &CommandOutput, name: &str) -> Value {
    let place = said.events().into_iter().find(|place| place["name"] == name);
    place.unwrap_or_else(|| panic!("no `{name}` in {}", said.out))
}

#[test]
fn listing_uses_first_working_key() {
    let apis = [
        (
            "anthropic",
            "ANTHROPIC",
            "GET /v1/models?limit=1000 ",
            r#"{"data":[{"id":"m1"},{"id":"m2","max_input_tokens":9000}]}"#,
        ),
        (
            "gemini",
            "GEMINI",
            "GET /v1/models?pageSize=1000 ",
            r#"{"models":[{"name":"models/m1"},{"name":"models/m2","inputTokenLimit":9000}]}"#,
        ),
        (
            "openai",
            "OPENAI",
            "GET /v1/models ",
            r#"{"object":"list","data":[{"id":"m1"},{"id":"m2","context_window":9000}]}"#,
        ),
    ];
    for (name, prefix, path, body) in apis {
        let sandbox = Sandbox::new();
        let (address, played) = play(vec![refused("401 Unauthorized"), list(body)], usize::MAX);
        let said = asked(
            &sandbox,
            &silent(),
            &[
                (&format!("{prefix}_API_KEY"), "sk-one,sk-two"),
                (&format!("{prefix}_BASE_URL"), &format!("http://{address}")),
            ],
        );
        said.ends(0);
        let place = place(&said, name);
        assert_eq!(place["models"], json!(["m1", "m2"]));
        assert_eq!(place["window"], json!({"m2": 9000}));
        assert_eq!((&place["keys"], &place["reachable"]), (&json!(2), &json!(true)));
        assert_eq!(place["errors"].as_array().unwrap().len(), 1, "{place}");
        assert!(!said.out.contains("sk-") && !said.err.contains("sk-"), "{}{}", said.out, said.err);
        let requests = played.join().unwrap();
        assert!(requests.iter().all(|request| request.starts_with(path)), "{requests:?}");
        let keys: Vec<_> = requests.iter().map(|request| request.contains("sk-one")).collect();
        assert!(keys.contains(&true) && keys.contains(&false), "each key once: {requests:?}");
    }
}

#[test]
fn local_server_is_found_without_sending_keys() {
    let sandbox = Sandbox::new();
    let (address, played) = play(vec![list(r#"{"data":[{"id":"small"}]}"#)], 5);
    let said = asked(&sandbox, &address.port().to_string(), &[("SILCROW_COMPATIBLE_KEY", "sk-x")]);
    let place = place(said.ends(0), &address.to_string());
    assert_eq!(place["ways"], json!([format!("compatible:http://{address}/v1#")]));
    assert_eq!(place["models"], json!(["small"]));
    let request = played.join().unwrap().remove(0);
    assert!(request.starts_with("GET /v1/models "), "{request}");
    assert!(!request.to_lowercase().contains("authorization"), "{request}");
}

#[test]
fn chosen_compatible_server_gets_its_key() {
    let sandbox = Sandbox::new();
    let (address, played) = play(vec![list(r#"{"data":[{"id":"big"}]}"#)], 5);
    let model = format!("compatible:http://{address}/v1#big");
    let set = [("SILCROW_COMPATIBLE_KEY", "sk-x"), ("SILCROW_MODEL", &*model)];
    let said = asked(&sandbox, &silent(), &set);
    assert_eq!(place(said.ends(0), "SILCROW_MODEL")["models"], json!(["big"]));
    assert!(played.join().unwrap()[0].contains("Bearer sk-x"));
}

#[test]
fn invalid_model_list_is_reported_without_failure() {
    let bodies = [
        ("<html>proxy</html>", "HTML"),
        ("{}", "no list of models"),
        (r#"{"data":7}"#, "no list of models"),
    ];
    for (body, why) in bodies {
        let sandbox = Sandbox::new();
        let (address, _played) = play(vec![list(body)], usize::MAX);
        let said = asked(&sandbox, &address.port().to_string(), &[]);
        let place = place(said.ends(0), &address.to_string());
        assert_eq!(place["reachable"], json!(false));
        assert!(place["errors"][0].as_str().unwrap().contains(why), "{place}");
    }
}

#[test]
fn missing_servers_are_reported_and_ports_validated() {
    let sandbox = Sandbox::new();
    let port = silent();
    let said = asked(&sandbox, &port, &[]);
    let places = said.ends(0).events();
    let names: Vec<_> = places.iter().map(|place| place["name"].as_str().unwrap()).collect();
    let here = SocketAddr::from(([127, 0, 0, 1], port.parse().unwrap())).to_string();
    assert_eq!(names, ["anthropic", "gemini", "openai", &here]);
    assert!(places.iter().all(|place| place["keys"] == 0 && place["reachable"] == false));
    sandbox.silcrow(&["models", "--port", "many"]).ends(2);
}
