//! Lists of the models that a server offers.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};

use silcrow_vendors::{ApiKey, Chat};

use crate::server::answer;
use crate::wire::SECRET;

#[tokio::test]
async fn ollamas_own_list_is_read_where_there_is_no_other() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let (mut socket, mut bytes) = (socket.unwrap(), [0; 1024]);
            let count = socket.read(&mut bytes).unwrap();
            let is_tags = bytes[..count].starts_with(b"GET /api/tags HTTP/1.1\r\n");
            let tags = r#"{"models":[{"name":"llama3:latest","size":1},{"name":"qwen3:4b"}]}"#;
            let answer = match is_tags {
                true => answer("200 OK", "application/json", tags),
                false => answer("404 Not Found", "text/plain", "404 page not found"),
            };
            let _ = socket.write_all(answer.as_bytes());
        }
    });
    let models = Chat::compatible(&url, "", None).unwrap().models().await.unwrap();
    assert_eq!(models, ["llama3:latest", "qwen3:4b"]);
    // A vendor's own server is not asked for Ollama's list.
    let openai = Chat::new("", ApiKey::new(SECRET, "THE_KEY")).unwrap().with_base(&url).unwrap();
    assert!(openai.models().await.unwrap_err().to_string().contains("404"));
}
