//! Lists of the models that a server offers.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering};

use silcrow_vendors::{ApiKey, Chat, Gemini, ListedModel, Messages};

use crate::server::{Server, answer};
use crate::wire::SECRET;

/// Starts a server with an answer for each of the paths, and none for others. Returns its URL.
fn serve(answers: Vec<(&'static str, &'static str)>) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let (mut socket, mut bytes) = (socket.unwrap(), [0; 1024]);
            let count = socket.read(&mut bytes).unwrap();
            let head = String::from_utf8_lossy(&bytes[..count]).into_owned();
            let asked = |path: &str| head.starts_with(&format!("GET {path} HTTP/1.1\r\n"));
            let answer = match answers.iter().find(|(path, _)| asked(path)) {
                Some((_, body)) => answer("200 OK", "application/json", body),
                None => answer("404 Not Found", "text/plain", "404 page not found"),
            };
            let _ = socket.write_all(answer.as_bytes());
        }
    });
    url
}

fn limits(models: Vec<ListedModel>) -> Vec<(String, Option<u64>, Option<u64>)> {
    models.into_iter().map(|model| (model.name, model.window, model.output)).collect()
}

#[tokio::test]
async fn ollama_list_is_read_as_a_fallback() {
    let tags = r#"{"models":[{"name":"llama3:latest","size":1},{"name":"qwen3:4b"}]}"#;
    let url = serve(vec![("/api/tags", tags)]);
    let models = Chat::compatible(&url, "", None).unwrap().models().await.unwrap();
    assert_eq!(models, ["llama3:latest", "qwen3:4b"]);
    // A vendor's own server is not asked for Ollama's list.
    let openai = Chat::new("", ApiKey::new(SECRET, "THE_KEY")).unwrap().with_base(&url).unwrap();
    assert!(openai.models().await.unwrap_err().to_string().contains("404"));
}

#[tokio::test]
async fn windows_of_compatible_servers_are_found() {
    let lists = [
        (
            "vLLM",
            r#"{"object":"list","data":[{"id":"m","object":"model","owned_by":"vllm",
            "root":"m","parent":null,"max_model_len":32768}]}"#,
            (Some(32_768), None),
        ),
        (
            "OpenRouter",
            r#"{"data":[{"id":"m","context_length":163840,"top_provider":
            {"context_length":131072,"max_completion_tokens":null,"is_moderated":false}}]}"#,
            (Some(131_072), None),
        ),
        (
            "OpenRouter without a usual host",
            r#"{"data":[{"id":"m","context_length":163840,"top_provider":
            {"context_length":null,"max_completion_tokens":8192}}]}"#,
            (Some(163_840), Some(8192)),
        ),
        (
            "Groq",
            r#"{"object":"list","data":[{"id":"m","owned_by":"Meta","active":true,
            "context_window":131072,"max_completion_tokens":32768}]}"#,
            (Some(131_072), Some(32_768)),
        ),
        (
            "Mistral",
            r#"{"object":"list","data":[{"id":"m","owned_by":"mistralai",
            "max_context_length":262144}]}"#,
            (Some(262_144), None),
        ),
        ("OpenAI", r#"{"data":[{"id":"m","owned_by":"system"}]}"#, (None, None)),
    ];
    for (server, list, (window, output)) in lists {
        let url = serve(vec![("/v1/models", list)]);
        let chat = Chat::compatible(&url, "", None).unwrap();
        let models = limits(chat.listed_models().await.unwrap());
        assert_eq!(models, [("m".to_owned(), window, output)], "{server}");
        assert_eq!(chat.models().await.unwrap(), ["m"], "{server}");
    }
}

#[tokio::test]
async fn implausible_limits_are_ignored() {
    for number in ["0", "-1", "100000001", "1.5", "\"4096\"", "null", "{}"] {
        let list = format!(r#"{{"data":[{{"id":"m","context_length":{number}}}]}}"#);
        let url = serve(vec![("/v1/models", list.leak())]);
        let models = Chat::compatible(&url, "", None).unwrap().listed_models().await.unwrap();
        assert_eq!(limits(models), [("m".to_owned(), None, None)], "{number}");
    }
}

#[tokio::test]
async fn local_server_window_is_the_loaded_one() {
    let llama = r#"{"models":[{"name":"m.gguf","model":"m.gguf"}],"object":"list","data":[{"id":
        "m.gguf","object":"model","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]}"#;
    let props = r#"{"default_generation_settings":{"n_ctx":4096,"params":{}},"total_slots":2}"#;
    let studio = r#"{"data":[{"id":"a","object":"model","owned_by":"organization_owner"},
        {"id":"b","object":"model","owned_by":"organization_owner"}]}"#;
    let loaded = r#"{"object":"list","data":[{"id":"b","state":"loaded","max_context_length":32768,
        "loaded_context_length":8192},{"id":"a","state":"not-loaded","max_context_length":131072}]}"#;
    let ollama = r#"{"object":"list","data":[{"id":"a:1b","object":"model","owned_by":"library"},
        {"id":"b:1b","object":"model","owned_by":"library"}]}"#;
    let running = r#"{"models":[{"name":"b:1b","model":"b:1b","size":1,"context_length":4096}]}"#;
    let servers: [(&[_], &[_]); 4] = [
        (&[("/v1/models", llama), ("/props", props)], &[("m.gguf", Some(4096))]),
        (&[("/v1/models", llama)], &[("m.gguf", None)]),
        (
            &[("/v1/models", studio), ("/api/v0/models", loaded)],
            &[("a", Some(131_072)), ("b", Some(8192))],
        ),
        (&[("/v1/models", ollama), ("/api/ps", running)], &[("a:1b", None), ("b:1b", Some(4096))]),
    ];
    for (answers, expected) in servers {
        let chat = Chat::compatible(&serve(answers.to_vec()), "", None).unwrap();
        let models = limits(chat.listed_models().await.unwrap());
        let windows: Vec<_> =
            models.iter().map(|(name, window, _)| (name.as_str(), *window)).collect();
        assert_eq!(windows, expected);
    }
}

#[tokio::test]
async fn anthropic_and_gemini_list_input_and_output_limits() {
    let list = r#"{"data":[{"type":"model","id":"claude-x","display_name":"X",
        "max_input_tokens":200000,"max_tokens":64000},{"type":"model","id":"claude-y"}],
        "has_more":false}"#;
    let url = serve(vec![("/v1/models?limit=1000", list)]);
    let key = || ApiKey::new(SECRET, "THE_KEY");
    let messages = Messages::new("", key()).unwrap().with_base(&url).unwrap();
    let expected = [("claude-x".to_owned(), Some(200_000), Some(64_000))];
    let unknown = ("claude-y".to_owned(), None, None);
    let models = limits(messages.listed_models().await.unwrap());
    assert_eq!(models, [expected.as_slice(), &[unknown]].concat());

    let list = r#"{"models":[{"name":"models/gemini-x","inputTokenLimit":1048576,
        "outputTokenLimit":65536,"supportedGenerationMethods":["generateContent"]}]}"#;
    let url = serve(vec![("/v1/models?pageSize=1000", list)]);
    let gemini = Gemini::new("", key()).unwrap().with_base(&url).unwrap();
    let models = limits(gemini.listed_models().await.unwrap());
    assert_eq!(models, [("gemini-x".to_owned(), Some(1_048_576), Some(65_536))]);
    assert_eq!(gemini.models().await.unwrap(), ["gemini-x"]);
}

#[tokio::test]
async fn list_is_retried_once_after_an_empty_close() {
    let list = answer("200 OK", "application/json", r#"{"object":"list","data":[{"id":"m"}]}"#);
    for (lost, is_there) in [(1, true), (2, false)] {
        let (list, count) = (list.clone(), AtomicUsize::new(0));
        let server = Server::start(move |mut socket| {
            if count.fetch_add(1, Ordering::Relaxed) >= lost {
                let _ = socket.write_all(list.as_bytes());
            }
        });
        match server.chat().models().await {
            Ok(models) => assert!(is_there, "{models:?}"),
            Err(error) => {
                assert!(!is_there && error.to_string().contains("without an answer"), "{error}");
            }
        }
        assert_eq!(server.requests.try_iter().count(), 2);
    }
}
