//! The files of the page: their headers, and the sources that they may load.

use silcrow_provider::ScriptedModel;
use silcrow_server::Options;

use crate::support::{TestServer, block_on};

async fn server(page: bool) -> TestServer {
    let mut options = Options::default();
    options.page = page;
    TestServer::with(ScriptedModel::parse("", 1), options, |agent| agent).await
}

/// Returns the addresses of the files that a file names, relative to the root.
fn named(text: &str) -> Vec<String> {
    let quoted: Vec<_> = text.split('"').skip(1).step_by(2).collect();
    let from_page =
        quoted.iter().filter_map(|name| Some(format!("/page/{}", name.strip_prefix("./")?)));
    let from_root = quoted.iter().filter(|name| name.starts_with("page/"));
    from_root.map(|name| format!("/{name}")).chain(from_page).collect()
}

#[test]
fn page_files_have_a_strict_policy() {
    block_on(async {
        let server = server(true).await;
        let (mut open, mut seen) = (vec!["/".to_owned()], Vec::new());
        while let Some(path) = open.pop() {
            if seen.contains(&path) {
                continue;
            }
            let reply = server.send_raw("GET", &path, "", "").await;
            assert_eq!(reply.status, 200, "{path}: {reply:?}");
            let expected = match path.rsplit_once('.') {
                None => "text/html",
                Some((_, "css")) => "text/css",
                Some((_, "svg")) => "image/svg+xml",
                Some(_) => "text/javascript",
            };
            for header in [
                &*format!("content-type: {expected}"),
                "content-security-policy: default-src 'self'; ",
                "require-trusted-types-for 'script'",
                "frame-ancestors 'none'",
                "x-content-type-options: nosniff",
                "referrer-policy: no-referrer",
                "cache-control: no-cache",
                "etag: \"",
            ] {
                assert!(reply.head.contains(header), "{path} {header}: {}", reply.head);
            }
            assert!(!reply.head.contains("unsafe"), "{path}: {}", reply.head);
            open.extend(named(&reply.body));
            seen.push(path);
        }
        assert!(seen.len() >= 12, "{seen:?}");
    });
}

#[test]
fn cached_files_are_not_sent_again() {
    block_on(async {
        let server = server(true).await;
        let reply = server.send_raw("GET", "/page/app.js", "", "").await;
        let etag = reply.head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
        for known in [etag.to_owned(), format!("\"other\", W/{etag}"), "*".to_owned()] {
            let headers = format!("if-none-match: {known}\r\n");
            let again = server.send_raw("GET", "/page/app.js", &headers, "").await;
            assert_eq!((again.status, &*again.body), (304, ""));
            assert!(again.head.contains(etag), "{}", again.head);
        }
        let other = server.send_raw("GET", "/", &format!("if-none-match: {etag}\r\n"), "").await;
        assert_eq!(other.status, 200);
    });
}

#[test]
fn page_serves_only_its_files_and_methods() {
    block_on(async {
        let server = server(true).await;
        for path in ["/page/none.js", "/page/", "/page/..%2fCargo.toml", "/page/page.rs"] {
            assert_eq!(server.send_raw("GET", path, "", "").await.code(), "not_found", "{path}");
        }
        assert_eq!(server.send_raw("POST", "/", "", "").await.code(), "method");
        let other = server.send_raw("GET", "/", "host: evil.example\r\n", "").await;
        assert_eq!(other.code(), "forbidden");
    });
}

#[test]
fn a_server_can_be_without_a_page() {
    block_on(async {
        let server = server(false).await;
        for path in ["/", "/page/app.js"] {
            assert_eq!(server.send_raw("GET", path, "", "").await.code(), "not_found", "{path}");
        }
        assert_eq!(server.send_raw("GET", "/health", "", "").await.status, 200);
    });
}

#[test]
fn page_uses_the_public_client() {
    let own = include_str!("../../page/client.js");
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // A crate outside the repository has no such folder.
    let Ok(package) = std::fs::read_to_string(crates.join("clients/js/client.js")) else { return };
    assert!(own == package, "copy clients/js/client.js to crates/server/page/client.js");
}
