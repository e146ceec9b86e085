//! A server over HTTP that wants a login, and the issuer of its tokens, on one port of this machine.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// A server with its issuer. Each token for renewal counts once.
pub(super) struct Issuer {
    address: String,
    state: Arc<Mutex<IssuerState>>,
}

#[derive(Default)]
struct IssuerState {
    /// The number of the tokens that were made last. No older ones count.
    issued: u32,
    is_access_over: bool,
    is_renewal_over: bool,
    renewed: u32,
    /// The page for logging in, if it is not the issuer's own.
    page: Option<&'static str>,
    challenge: String,
    /// Whether strangers may shake hands.
    is_open: bool,
}

impl Issuer {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::<Mutex<IssuerState>>::default();
        let issuer = Self { address: address.clone(), state: Arc::clone(&state) };
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (state, address) = (Arc::clone(&state), address.clone());
                std::thread::spawn(move || answer(&stream.unwrap(), &address, &state));
            }
        });
        issuer
    }

    /// Returns the address of the server.
    pub(super) fn url(&self) -> String {
        format!("{}/mcp", self.address)
    }

    /// Takes no more of the tokens for access that it has made.
    pub(super) fn end_access(&self) {
        self.state.lock().unwrap().is_access_over = true;
    }

    /// Takes none of the tokens that it has made.
    pub(super) fn end_all(&self) {
        let mut state = self.state.lock().unwrap();
        (state.is_access_over, state.is_renewal_over) = (true, true);
    }

    /// Sends people to this address.
    pub(super) fn send_people_to(&self, page: &'static str) {
        self.state.lock().unwrap().page = Some(page);
    }

    /// Wants a login for lists and calls only.
    pub(super) fn greet_strangers(&self) {
        self.state.lock().unwrap().is_open = true;
    }

    /// Returns how many tokens were made, and how many of them by renewal.
    pub(super) fn counts(&self) -> (u32, u32) {
        let state = self.state.lock().unwrap();
        (state.issued, state.renewed)
    }
}

/// Answers one request, and closes the connection.
fn answer(mut stream: &TcpStream, address: &str, state: &Mutex<IssuerState>) {
    let mut reader = BufReader::new(stream);
    let mut head = Vec::new();
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or_default() == 0 {
            return;
        }
        if line == "\r\n" {
            break;
        }
        head.push(line.trim_end().to_owned());
    }
    let header = |name: &str| {
        let lines = head.iter().skip(1).filter_map(|line| line.split_once(": "));
        lines.clone().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    };
    let length = header("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let body = String::from_utf8(body).unwrap();
    let (path, query) = {
        let target = head[0].split(' ').nth(1).unwrap();
        target.split_once('?').unwrap_or((target, ""))
    };
    let mut state = state.lock().unwrap();
    let (status, more, body) = match path {
        "/.well-known/oauth-protected-resource/mcp" => {
            let resource = format!("{address}/mcp");
            ok(&json!({"resource": resource, "authorization_servers": [address]}))
        }
        "/.well-known/oauth-authorization-server" => {
            let page = state.page.map_or_else(|| format!("{address}/authorize"), str::to_owned);
            ok(&json!({
                "issuer": address,
                "authorization_endpoint": page,
                "token_endpoint": format!("{address}/token"),
                "registration_endpoint": format!("{address}/register"),
                "response_types_supported": ["code"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"],
                "authorization_response_iss_parameter_supported": true,
            }))
        }
        "/register" => {
            let mut client: Value = serde_json::from_str(&body).unwrap();
            client["client_id"] = json!("client-1");
            ("201 Created", String::new(), client.to_string())
        }
        "/authorize" => {
            state.challenge = field(query, "code_challenge");
            let back = field(query, "redirect_uri");
            let to = format!("{back}?code=c1&state={}&iss={address}", field(query, "state"));
            ("302 Found", format!("location: {to}\r\n"), String::new())
        }
        "/token" => token(&mut state, &body),
        "/mcp" => {
            let token = format!("Bearer access-{:08}", state.issued);
            let is_greeting = state.is_open && !body.contains("\"tools/");
            let is_known = state.issued > 0 && !state.is_access_over;
            if !(is_greeting || is_known && header("authorization") == Some(&token)) {
                let metadata = format!("{address}/.well-known/oauth-protected-resource/mcp");
                let wanted =
                    format!("www-authenticate: Bearer resource_metadata=\"{metadata}\"\r\n");
                ("401 Unauthorized", wanted, String::new())
            } else {
                served(&serde_json::from_str(&body).unwrap_or_default(), &token)
            }
        }
        _ => ("404 Not Found", String::new(), String::new()),
    };
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
         {more}connection: close\r\n\r\n{body}"
    );
    // The client may have left.
    let _ = stream.write_all(text.as_bytes());
}

type Reply = (&'static str, String, String);

fn ok(body: &Value) -> Reply {
    ("200 OK", String::new(), body.to_string())
}

fn token(state: &mut IssuerState, body: &str) -> Reply {
    let is_fine = match &*field(body, "grant_type") {
        "refresh_token" => {
            let newest = format!("refresh-{:08}", state.issued);
            state.renewed += 1;
            !state.is_renewal_over && field(body, "refresh_token") == newest
        }
        "authorization_code" => {
            let is_known = field(body, "code") == "c1" && !state.challenge.is_empty();
            is_known && field(body, "code_verifier").len() >= 43
        }
        _ => false,
    };
    if !is_fine {
        let error = json!({"error": "invalid_grant"}).to_string();
        return ("400 Bad Request", String::new(), error);
    }
    state.issued += 1;
    (state.is_access_over, state.is_renewal_over) = (false, false);
    ok(&json!({
        "access_token": format!("access-{:08}", state.issued),
        "refresh_token": format!("refresh-{:08}", state.issued),
        "token_type": "Bearer",
        "expires_in": 3600,
    }))
}

/// Answers a message of the protocol. The tool `whoami` says which token came.
fn served(message: &Value, token: &str) -> Reply {
    if message["id"].is_null() {
        return ("202 Accepted", String::new(), String::new());
    }
    let result = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({"protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}}, "serverInfo": {"name": "guarded", "version": "1"}}),
        "tools/list" => {
            json!({"tools": [{"name": "whoami", "inputSchema": {"type": "object"}}]})
        }
        "tools/call" => json!({"content": [{"type": "text", "text": format!("hello, {token}")}]}),
        _ => {
            let error = json!({"code": -32601, "message": "there is no method of this name"});
            return ok(&json!({"jsonrpc": "2.0", "id": message["id"], "error": error}));
        }
    };
    ok(&json!({"jsonrpc": "2.0", "id": message["id"], "result": result}))
}

/// Returns a field of a form or of a query.
fn field(text: &str, name: &str) -> String {
    let pairs = url::form_urlencoded::parse(text.as_bytes());
    let mut found = pairs.filter(|(key, _)| key == name);
    found.next().map(|(_, value)| value.into_owned()).unwrap_or_default()
}
