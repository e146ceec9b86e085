//! Proxies of the environment: a process with them is this program, started once more.

use std::env;
use std::process::Command;

use silcrow_http_client::{ClientOptions, HttpClient, Url};

use crate::server::TestServer;

#[test]
fn environment_proxies_are_used_only_if_allowed() {
    for (test, expected) in [
        ("environment::asks_nobody_else", "direct"),
        ("environment::asks_the_environment", "by proxy"),
    ] {
        let server = TestServer::saying("direct");
        let proxy = TestServer::saying("by proxy");
        let mut program = Command::new(env::current_exe().unwrap());
        program.args([test, "--exact", "--ignored"]);
        program.env("SILCROW_TEST_URL", server.url().as_str());
        program.env("SILCROW_TEST_EXPECTED", expected);
        for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
            program.env(name, proxy.url().as_str());
        }
        program.env_remove("REQUEST_METHOD").env_remove("NO_PROXY").env_remove("no_proxy");
        let output = program.output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
        let is_direct = expected == "direct";
        assert_eq!(server.requests().len(), usize::from(is_direct));
        assert_eq!(proxy.requests().len(), usize::from(!is_direct));
    }
}

async fn asked(options: ClientOptions) {
    let url = Url::parse(&env::var("SILCROW_TEST_URL").unwrap()).unwrap();
    let client = HttpClient::new(options).for_url(&url).unwrap();
    let body = client.get(url).send().await.unwrap().text().await.unwrap();
    assert_eq!(body, env::var("SILCROW_TEST_EXPECTED").unwrap());
}

#[tokio::test]
#[ignore = "run by the test above, in a process of its own"]
async fn asks_nobody_else() {
    asked(ClientOptions::new()).await;
}

#[tokio::test]
#[ignore = "run by the test above, in a process of its own"]
async fn asks_the_environment() {
    asked(ClientOptions::new().with_environment_proxies()).await;
}
