//! Hosts and ports that a command is granted, and those that it is not.

use std::sync::Arc;

use serde_json::json;
use silcrow_egress::EgressProxy;
use silcrow_event::{Grant, Grants};
use silcrow_sandbox::{SandboxLayers, SandboxOptions};
use silcrow_shell::Shell;
use silcrow_tool::{CallAccess, CallContext, ToolOutput};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::outside::{TestInternet, TestPages};
use super::{Place, call, context, text};

/// A place whose commands have a simulated internet; `None` if no namespaces work here.
fn place(internet: &Arc<TestInternet>) -> Option<Place> {
    let Place { folder, shell } = Place::new();
    let has_namespaces = shell.sandbox().layers().namespaces;
    let proxy = EgressProxy::new().with_outside(Arc::clone(internet));
    has_namespaces.then(|| Place { folder, shell: shell.with_egress(proxy) })
}

fn granted(grants: &[&str]) -> CallContext {
    let grants: Grants = grants.iter().map(|grant| grant.parse::<Grant>().unwrap()).collect();
    context().with_grants(grants)
}

async fn run(place: &Place, grants: &[&str], command: &str) -> ToolOutput {
    call(&place.shell, &granted(grants), json!({ "command": command })).await.unwrap()
}

fn notices(output: &ToolOutput) -> String {
    output.notices.join("\n")
}

#[tokio::test]
async fn only_granted_hosts_are_reached() {
    let internet = TestInternet::new();
    internet.host("example.org", TestPages::default().with("/a", "text/plain", "PELICAN\n")).await;
    internet.host("other.example", TestPages::default().with("/a", "text/plain", "OTHER\n")).await;
    let Some(place) = place(&internet) else { return };
    let get = "curl -sS -m 20 http://example.org/a; curl -sSf -m 20 http://other.example/a";
    let output = run(&place, &["network:example.org"], get).await;
    assert!(text(&output).starts_with("PELICAN\n"), "{output:?}");
    assert!(output.has_failed && !text(&output).contains("OTHER"), "{output:?}");
    let words = notices(&output);
    assert!(words.contains("network:other.example is not granted: "), "{words}");
    assert!(words.contains(r#"`"needs": {"network": ["other.example"]}`"#), "{words}");
    let output = run(&place, &["network:*.example"], "curl -sS -m 20 http://other.example/a").await;
    assert_eq!(text(&output), "OTHER\n");
    // The grant was for one call.
    let output = run(&place, &[], get).await;
    assert!(!text(&output).contains("PELICAN"), "{output:?}");
    // A wall that does not matter to the command is one short line.
    let output = run(&place, &[], "curl -s -m 20 http://other.example/a; true").await;
    assert!(!output.has_failed);
    let words = notices(&output);
    assert!(words.contains("network:other.example") && !words.contains("needs"), "{words}");
}

#[tokio::test]
async fn programs_find_the_proxy() {
    let internet = TestInternet::new();
    let Some(place) = place(&internet) else { return };
    let command = "env | grep -iE '_proxy=|offline|^GIT_SSH|^NODE_USE' | sed -E 's/[0-9a-f]{32}/T/; \
                   s/:[0-9]+$/:P/' | sort -f";
    let shown = text(&run(&place, &[], command).await);
    let mut lines: Vec<_> = shown.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "ALL_PROXY=http://T:x@127.0.0.1:P",
            "CARGO_NET_OFFLINE=false",
            r#"GIT_SSH_COMMAND=ssh -o ProxyCommand='bash -c "$SILCROW_CONNECT" connect %h %p'"#,
            "HTTPS_PROXY=http://T:x@127.0.0.1:P",
            "HTTP_PROXY=http://T:x@127.0.0.1:P",
            "NODE_USE_ENV_PROXY=1",
            "NO_PROXY=localhost,127.0.0.1,::1,0.0.0.0",
            "all_proxy=http://T:x@127.0.0.1:P",
            "http_proxy=http://T:x@127.0.0.1:P",
            "https_proxy=http://T:x@127.0.0.1:P",
            "no_proxy=localhost,127.0.0.1,::1,0.0.0.0",
            "npm_config_offline=false",
        ]
    );
    let reads = context().with_access(CallAccess::ReadOnly);
    let output = call(&place.shell, &reads, json!({ "command": command })).await.unwrap();
    assert_eq!(
        text(&output),
        "CARGO_NET_OFFLINE=true\nGIT_SSH_COMMAND=/bin/false\nnpm_config_offline=true\n"
    );
}

#[tokio::test]
async fn call_credentials_expire_with_the_call() {
    let internet = TestInternet::new();
    internet.host("example.org", TestPages::default().with("/a", "text/plain", "PELICAN\n")).await;
    let Some(place) = place(&internet) else { return };
    let kept = "echo $http_proxy > kept; curl -sS -m 20 -x $(cat kept) http://example.org/a";
    let output = run(&place, &["network:*"], kept).await;
    assert_eq!(text(&output), "PELICAN\n");
    let again = "curl -s -m 20 -o /dev/null -w '%{http_code}' -x $(cat kept) http://example.org/a";
    let output = run(&place, &["network:*"], again).await;
    assert_eq!(text(&output), "407", "{output:?}");
    let bare = "curl -s -m 20 -o /dev/null -w '%{http_code}' \
                -x http://127.0.0.1:${http_proxy##*:} http://example.org/a";
    assert_eq!(text(&run(&place, &["network:*"], bare).await), "407");
}

#[tokio::test]
async fn background_command_keeps_its_access_until_end() {
    let internet = TestInternet::new();
    internet.host("example.org", TestPages::default().with("/a", "text/plain", "PELICAN\n")).await;
    internet.host("other.example", TestPages::default().with("/a", "text/plain", "OTHER\n")).await;
    let Some(place) = place(&internet) else { return };
    let command = "until [ -e go ]; do sleep 0.05; done; curl -sS -m 20 http://example.org/a; \
                   curl -sSf -m 20 http://other.example/a || exit 4";
    let args = json!({ "command": command, "background": true });
    let grants = granted(&["network:example.org"]);
    call(&place.shell, &grants, args).await.unwrap();
    drop(grants);
    std::fs::write(place.folder.path().join("go"), "").unwrap();
    let processes = place.shell.processes();
    let mut all = String::new();
    let output = loop {
        let args = json!({ "action": "output", "id": "p1", "wait": 20 });
        let output = call(&processes, &context(), args).await.unwrap();
        all.push_str(&text(&output));
        if !notices(&output).contains("it is running") {
            break output;
        }
    };
    assert!(all.starts_with("PELICAN\n") && !all.contains("OTHER"), "{all}");
    let words = notices(&output);
    assert!(words.contains("exit status 4"), "{words}");
    assert!(
        words.contains("network:other.example is not granted: the call that started"),
        "{words}"
    );
}

#[tokio::test]
async fn local_port_is_reached_only_with_grant() {
    let internet = TestInternet::new();
    let Some(place) = place(&internet) else { return };
    let server = TestPages::default().with("/a", "text/plain", "DATABASE\n").serve().await;
    let port = server.port();
    let get = format!("curl -sS -m 20 http://127.0.0.1:{port}/a");
    let output = run(&place, &[], &get).await;
    assert!(output.has_failed && !text(&output).contains("DATABASE"), "{output:?}");
    let words = notices(&output);
    assert!(words.contains(&format!(r#"`"needs": {{"local": [{port}]}}`"#)), "{words}");
    let local = format!("local:{port}");
    // Two at once share it.
    let other = format!("curl -sS -m 20 http://localhost:{port}/a");
    let grants = [&*local];
    let (one, two) = tokio::join!(run(&place, &grants, &get), run(&place, &grants, &other));
    assert_eq!((text(&one), text(&two)), ("DATABASE\n".to_owned(), "DATABASE\n".to_owned()));
    let output = run(&place, &[], &get).await;
    assert!(output.has_failed && !text(&output).contains("DATABASE"), "{output:?}");
    // The proxy does not lead around that.
    let around = format!("curl -s -m 20 --noproxy '' http://127.0.0.1:{port}/a");
    let output = run(&place, &["network:*"], &around).await;
    assert!(!text(&output).contains("DATABASE"), "{output:?}");
}

#[tokio::test]
async fn unused_port_is_free_for_run_servers() {
    let internet = TestInternet::new();
    let Some(place) = place(&internet) else { return };
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = unused.local_addr().unwrap().port();
    drop(unused);
    // The call that fetches is granted the port by its words, before the server has started.
    let bind = format!(
        "python3 -c \"import socket; socket.socket().bind(('127.0.0.1', {port})); print('bound')\""
    );
    assert_eq!(text(&run(&place, &[&format!("local:{port}")], &bind).await), "bound\n");
}

#[tokio::test]
async fn run_server_takes_precedence_over_local_one() {
    let internet = TestInternet::new();
    let Some(place) = place(&internet) else { return };
    let server = TestPages::default().with("/a", "text/plain", "OUTSIDE\n").serve().await;
    let port = server.port();
    std::fs::write(place.folder.path().join("a"), "INSIDE\n").unwrap();
    let serve = format!("python3 -m http.server {port} --bind 127.0.0.1");
    let args = json!({ "command": serve, "background": true });
    call(&place.shell, &context(), args).await.unwrap();
    let get = format!("until curl -s -m 20 http://127.0.0.1:{port}/a; do sleep 0.05; done");
    assert_eq!(text(&run(&place, &[], &get).await), "INSIDE\n");
    assert_eq!(text(&run(&place, &[&format!("local:{port}")], &get).await), "INSIDE\n");
}

#[tokio::test]
async fn granted_run_server_is_reachable_from_this_machine() {
    let internet = TestInternet::new();
    let Some(place) = place(&internet) else { return };
    std::fs::write(place.folder.path().join("a"), "SERVED\n").unwrap();
    let unused = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = unused.local_addr().unwrap().port();
    let grants = granted(&[&format!("listen:{port}")]);
    let args = json!({ "command": format!("python3 -m http.server {port}"), "background": true });
    let error = call(&place.shell, &grants, args.clone()).await.unwrap_err().to_string();
    assert!(error.contains("another program of this machine listens there"), "{error}");
    drop(unused);
    call(&place.shell, &grants, args).await.unwrap();
    let wait = format!("until curl -s http://127.0.0.1:{port}/a; do sleep 0.05; done");
    assert_eq!(text(&run(&place, &[], &wait).await), "SERVED\n");
    let mut client = tokio::net::TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    client.write_all(b"GET /a HTTP/1.0\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).await.unwrap();
    assert!(answer.ends_with("SERVED\n"), "{answer}");
    let stop = json!({ "action": "stop", "id": "p1" });
    call(&place.shell.processes(), &context(), stop).await.unwrap();
    assert!(tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_err());
}

#[tokio::test]
async fn git_over_ssh_goes_through_the_proxy() {
    let internet = TestInternet::new();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    internet.place("git.example", listener.local_addr().unwrap());
    let Some(place) = place(&internet) else { return };
    let server = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"SSH-2.0-Test\r\n").await.unwrap();
        let mut banner = [0; 8];
        stream.read_exact(&mut banner).await.unwrap();
        String::from_utf8(banner.to_vec()).unwrap()
    };
    let command = "git ls-remote ssh://git@git.example/a.git 2>&1";
    let grants = ["network:git.example:22"];
    let (output, banner) = tokio::join!(run(&place, &grants, command), async {
        tokio::time::timeout(std::time::Duration::from_secs(60), server).await
    });
    assert_eq!(banner.unwrap_or_default(), "SSH-2.0-", "{output:?}");
    let output = run(&place, &["network:git.example"], command).await;
    assert!(notices(&output).contains("network:git.example:22 is not granted"), "{output:?}");
    assert!(text(&output).contains("network:git.example:22 is not granted"), "{output:?}");
}

#[tokio::test]
async fn proxy_is_not_mentioned_without_namespaces() {
    let layers = SandboxLayers { namespaces: false, ..SandboxLayers::ALL };
    for layers in [layers, SandboxLayers::NONE] {
        let folder = tempfile::tempdir().unwrap();
        let helper = env!("CARGO_BIN_EXE_silcrow-shell-helper");
        let options = SandboxOptions::new(folder.path()).with_helper(helper).with_layers(layers);
        let shell = Shell::open(options).unwrap();
        if shell.failure().is_some() {
            continue;
        }
        let command = json!({ "command": "env | grep -ci _proxy" });
        let output = call(&shell, &granted(&["network:example.org"]), command).await.unwrap();
        assert_eq!(text(&output), "0\n", "{output:?}");
    }
}
