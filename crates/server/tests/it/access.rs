//! Access control: tokens, cookies, hosts and origins, at every endpoint.

use axum::Router;
use serde_json::Value;
use silcrow_provider::ScriptedModel;
use silcrow_server::Options;

use crate::support::{TestServer, block_on};

async fn server() -> TestServer {
    TestServer::new(ScriptedModel::parse("§respond: Four.\n§end", 1)).await
}

/// Returns the method, the path and the description of every endpoint.
async fn endpoints(server: &TestServer) -> Vec<(String, String, Value)> {
    let described = server.send_raw("GET", "/openapi.json", "", "").await.json();
    let mut found = Vec::new();
    for (path, methods) in described["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let path =
                path.replace("{id}", "c1").replace("{file}", "app.js").replace("{hash}", "h");
            found.push((method.to_uppercase(), path, operation.clone()));
        }
    }
    assert_eq!(found.len(), 48, "{found:?}");
    found
}

#[test]
fn every_endpoint_is_described_and_wants_a_token() {
    block_on(async {
        let server = server().await;
        for (method, path, operation) in endpoints(&server).await {
            assert!(!operation["summary"].as_str().unwrap().is_empty(), "{path}");
            let is_public = operation["security"].as_array().unwrap().is_empty();
            let wrong = format!("authorization: Bearer {}\r\n", "0".repeat(64));
            for headers in ["", "authorization: Basic eDp5\r\n", &wrong, "cookie: silcrow=1\r\n"] {
                let reply = server.send_raw(&method, &path, headers, "{").await;
                let expected = if is_public { reply.status } else { 401 };
                assert_eq!(reply.status, expected, "{method} {path}: {reply:?}");
                let code =
                    if path.starts_with("/v1/") { "invalid_api_key" } else { "unauthorized" };
                assert!(is_public || reply.code() == code);
            }
        }
    });
}

#[test]
fn exactly_the_described_endpoints_exist() {
    block_on(async {
        let server = server().await;
        let endpoints = endpoints(&server).await;
        let known = |method: &str, path: &str| {
            endpoints.iter().any(|(one, other, _)| one == method && other == path)
        };
        for (_, path, _) in &endpoints {
            for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
                if (method, &**path) == ("GET", "/events") {
                    // It never ends.
                    continue;
                }
                let reply = server.send(method, path, "{").await;
                let is_missing = reply.body.contains("takes other methods");
                assert_eq!(is_missing, !known(method, path), "{method} {path}: {reply:?}");
            }
            if !known("GET", &format!("{path}/c1")) && path != "/" {
                let beyond = server.send("GET", &format!("{path}/beyond"), "").await;
                assert!(beyond.body.contains("there is nothing here"), "{path}: {beyond:?}");
            }
        }
    });
}

#[test]
fn a_body_without_a_described_member_is_refused() {
    block_on(async {
        let server = server().await;
        let whole = server.send_raw("GET", "/openapi.json", "", "").await.json();
        let mut count = 0;
        for (method, path, operation) in endpoints(&server).await {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"]["$ref"];
            let Some(schema) = schema.as_str() else { continue };
            let schema = whole.pointer(schema.strip_prefix('#').unwrap()).unwrap();
            for missing in schema["required"].as_array().unwrap() {
                let mut body = example(schema);
                body.as_object_mut().unwrap().remove(missing.as_str().unwrap());
                let reply = server.send(&method, &path, &body.to_string()).await;
                assert_eq!(reply.status, 400, "{path} without {missing}: {reply:?}");
                count += 1;
            }
            // With all of them, it is no longer the body that is wrong.
            let reply = server.send(&method, &path, &example(schema).to_string()).await;
            assert_ne!(reply.status, 400, "{path}: {reply:?}");
        }
        assert!(count > 8, "{count} members are required");
    });
}

/// Returns an object with the required members of a schema.
fn example(schema: &Value) -> Value {
    let user = serde_json::json!({ "id": "m1", "role": "user", "content": "Hi.", "parts": [] });
    let mut body = serde_json::json!({});
    for name in schema["required"].as_array().unwrap() {
        let name = name.as_str().unwrap();
        body[name] = match name {
            "messages" => serde_json::json!([user]),
            "answers" => serde_json::json!([]),
            "choices" => serde_json::json!({}),
            "decision" => "deny".into(),
            "action" => "decline".into(),
            "model" => "silcrow".into(),
            _ => "c1".into(),
        };
    }
    if let Some(name) = schema["anyOf"][0]["required"][0].as_str() {
        body[name] = 1.into();
    }
    if schema["properties"]["trigger"].is_object() {
        body["message"] = user;
        body["message"]["parts"] = serde_json::json!([{ "type": "text", "text": "Hi." }]);
    }
    body
}

#[test]
fn endpoints_reject_foreign_sites_and_host_names() {
    block_on(async {
        let server = server().await;
        let port = server.address.port();
        let bearer = format!("authorization: Bearer {}\r\n", server.token);
        for (method, path, _) in endpoints(&server).await {
            for headers in [
                "origin: https://evil.example\r\n".to_owned(),
                "origin: null\r\n".to_owned(),
                format!("origin: http://127.0.0.1:{}\r\n", port ^ 1),
                format!("host: evil.example:{port}\r\n"),
                "host: 127.0.0.1.evil.example\r\n".to_owned(),
                "host: \r\n".to_owned(),
            ] {
                let reply = server.send_raw(&method, &path, &(bearer.clone() + &headers), "").await;
                assert_eq!(reply.status, 403, "{method} {path} {headers}");
                assert!(!reply.head.contains("access-control-allow-origin"));
            }
        }
        for headers in [
            format!("origin: http://127.0.0.1:{port}\r\n"),
            format!("host: localhost:{port}\r\norigin: http://localhost:{port}\r\n"),
        ] {
            let headers = bearer.clone() + &headers;
            let reply = server.send_raw("GET", "/conversations", &headers, "").await;
            assert_eq!(reply.status, 200, "{headers}");
        }
    });
}

#[test]
fn a_listed_origin_may_use_the_server() {
    block_on(async {
        let mut options = Options::default();
        options.origins = vec!["https://app.example".to_owned()];
        options.hosts = vec!["agent.example".to_owned()];
        let model = ScriptedModel::parse("", 1);
        let server = TestServer::with(model, options, |agent| agent).await;
        let origin = "host: agent.example\r\norigin: https://app.example\r\n";
        let asked = server.send_raw("OPTIONS", "/conversations", origin, "").await;
        assert_eq!(asked.status, 204);
        assert!(asked.head.contains("access-control-allow-origin: https://app.example"));
        assert!(asked.head.contains("access-control-allow-headers: authorization"));
        assert_eq!(server.send_raw("GET", "/conversations", origin, "").await.status, 401);
        let headers = format!("{origin}authorization: Bearer {}\r\n", server.token);
        assert_eq!(server.send_raw("GET", "/conversations", &headers, "").await.status, 200);
    });
}

#[test]
fn a_page_exchanges_the_token_for_a_cookie() {
    block_on(async {
        let server = server().await;
        let body = format!(r#"{{"token":"{}"}}"#, server.token);
        let reply = server.send_raw("POST", "/login", "", &body).await;
        assert_eq!(reply.status, 204, "{reply:?}");
        let cookie = reply.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        let (cookie, attributes) = cookie.split_once(';').unwrap();
        assert_eq!(attributes, " httponly; samesite=strict; path=/");
        assert!(!cookie.contains(&server.token));
        let headers = format!("cookie: other=1; {cookie}\r\n");
        assert_eq!(server.send_raw("GET", "/conversations", &headers, "").await.status, 200);

        let body = format!(r#"{{"token":"{}"}}"#, "0".repeat(64));
        assert_eq!(server.send_raw("POST", "/login", "", &body).await.status, 401);
    });
}

/// Logs in with these headers, and returns the cookie and its attributes.
async fn log_in(server: &TestServer, headers: &str) -> (String, String) {
    let body = format!(r#"{{"token":"{}"}}"#, server.token);
    let reply = server.send_raw("POST", "/login", headers, &body).await;
    assert_eq!(reply.status, 204, "{reply:?}");
    let cookie = reply.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    let (cookie, attributes) = cookie.split_once(';').unwrap();
    (cookie.to_owned(), attributes.to_owned())
}

async fn status_with(server: &TestServer, cookie: &str) -> u16 {
    let headers = format!("cookie: {cookie}\r\n");
    server.send_raw("GET", "/conversations", &headers, "").await.status
}

#[test]
fn logout_ends_only_its_cookie() {
    block_on(async {
        let server = server().await;
        let ((one, _), (other, _)) = (log_in(&server, "").await, log_in(&server, "").await);
        assert_ne!(one, other);
        assert_eq!(
            [status_with(&server, &one).await, status_with(&server, &other).await],
            [200; 2]
        );
        let headers = format!("cookie: {one}\r\n");
        let reply = server.send_raw("POST", "/logout", &headers, "").await;
        assert_eq!(reply.status, 204, "{reply:?}");
        let ended = reply.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
        assert!(ended.ends_with("; httponly; samesite=strict; path=/; max-age=0"), "{ended}");
        assert_eq!(
            [status_with(&server, &one).await, status_with(&server, &other).await],
            [401, 200]
        );
        // Again, and for a stranger, it says nothing.
        for headers in [&*headers, "", "cookie: silcrow=1\r\n"] {
            assert_eq!(server.send_raw("POST", "/logout", headers, "").await.status, 204);
        }
        // Another server of the store with the same token accepts it, too.
        let token = silcrow_server::AccessToken::parse(&server.token).unwrap();
        let store = std::sync::Arc::clone(&server.store);
        let kept = std::sync::Arc::clone(&store);
        let source = move |_: &silcrow_server::RunPlace| {
            silcrow_agent::Agent::new(ScriptedModel::parse("", 1), std::sync::Arc::clone(&kept))
        };
        let next = silcrow_server::Server::new(std::sync::Arc::clone(&store), source)
            .with_token(token, silcrow_server::ServerUser::default());
        let next = TestServer::serve(next, store, server.token.clone()).await;
        let port = |cookie: &str| {
            cookie.replace(&server.address.port().to_string(), &next.address.port().to_string())
        };
        assert_eq!(status_with(&next, &port(&one)).await, 401);
        assert_eq!(status_with(&next, &port(&other)).await, 200);
    });
}

#[test]
fn cookie_over_tls_is_secure() {
    block_on(async {
        let plain = server().await;
        let origin = format!("origin: https://{}\r\n", plain.address);
        for headers in [&*origin, "x-forwarded-proto: https\r\n"] {
            let (_, attributes) = log_in(&plain, headers).await;
            assert_eq!(attributes, " httponly; samesite=strict; path=/; secure", "{headers}");
        }
        let (_, attributes) = log_in(&plain, "x-forwarded-proto: http\r\n").await;
        assert!(!attributes.contains("secure"), "{attributes}");
        let mut options = Options::default();
        options.behind_tls = true;
        let behind = TestServer::with(ScriptedModel::parse("", 1), options, |agent| agent).await;
        let (_, attributes) = log_in(&behind, "").await;
        assert!(attributes.ends_with("; secure"), "{attributes}");
    });
}

#[test]
fn a_request_with_two_hosts_is_malformed() {
    block_on(async {
        let server = server().await;
        let own = format!("host: {}\r\n", server.address);
        for other in ["host: evil.example\r\n", &own] {
            for headers in [format!("{own}{other}"), format!("{other}{own}")] {
                let reply = server.send_raw("GET", "/health", &headers, "").await;
                assert_eq!((reply.status, &*reply.code()), (400, "malformed"), "{headers}");
            }
        }
    });
}

#[test]
fn strangers_see_only_the_health_check() {
    block_on(async {
        let server = server().await;
        let wrong = format!("authorization: Bearer {}\r\n", "0".repeat(64));
        for headers in ["", &wrong, "cookie: silcrow=1\r\n"] {
            let reply = server.send_raw("GET", "/health", headers, "").await;
            assert_eq!(reply.body, r#"{"status":"ok"}"#, "{headers}");
            let ready = server.send_raw("GET", "/ready", headers, "").await;
            assert_eq!(ready.body, r#"{"status":"ok"}"#, "{headers}");
            for header in ["server:", "x-powered-by:"] {
                assert!(!reply.head.contains(header), "{reply:?}");
            }
        }
        let reply = server.send("GET", "/health", "").await;
        assert_eq!(reply.body, r#"{"status":"ok","runs":0}"#);
    });
}

#[test]
fn embedding_program_mounts_endpoints_and_authenticates_users() {
    block_on(async {
        let inner = server().await;
        let mounted = inner.server.clone().with_authenticator(|request| {
            let name = request.headers.get("x-user")?.to_str().ok()?.to_owned();
            Some(silcrow_server::ServerUser { name: Some(name) })
        });
        let app = Router::new().nest("/agent", mounted.router());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let mut outer = server().await;
        outer.address = listener.local_addr().unwrap();
        let stop = outer.stop.clone();
        tokio::spawn(async move { mounted.serve_router(app, listener, stop).await });
        let reply = outer.send_raw("GET", "/agent/conversations", "x-user: ann\r\n", "").await;
        assert_eq!(reply.body, r#"{"conversations":[]}"#);
        assert_eq!(outer.send("GET", "/agent/conversations", "").await.status, 401);
        assert_eq!(outer.send_raw("GET", "/agent/health", "", "").await.status, 200);
    });
}
