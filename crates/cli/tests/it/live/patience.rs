//! A request that waits to be repeated, and a terminal that is asked for its background.

use super::{TerminalWindow, script};
use crate::server::play;
use crate::support::Sandbox;

#[test]
fn rate_limit_shows_the_next_attempt() {
    let sandbox = Sandbox::new();
    let slow =
        "HTTP/1.1 429 Slow\r\nRetry-After: 3\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    let data =
        r#"{"choices":[{"delta":{"content":"§respond: At last.\n§end"},"finish_reason":"stop"}]}"#;
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    let answers = vec![slow.into(), format!("{head}data: {data}\n\n").into_bytes()];
    let (address, _played) = play(answers, usize::MAX);
    let model = format!("compatible:http://{address}/v1#m");
    let args = ["chat", "--model", &model, "--permissions", "workspace"];
    let mut window = TerminalWindow::open(&sandbox.command(&args), 100, 30);
    window.wait_for("›");
    window.press("go\r");
    window.wait_for("rate limit, again in 3 s (2 of 3)");
    window.wait_for("again in 1 s (2 of 3)");
    window.wait_for_both("At last.", "workspace (Shift-Tab)");
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
}

#[test]
fn terminal_reply_sets_colors_and_is_never_typed() {
    let sandbox = Sandbox::new();
    let model = script(&sandbox, "§respond: # A heading\n§end");
    let mut command = sandbox.command(&["chat", "--model", &model]);
    command.env_remove("COLORFGBG").env_remove("NO_COLOR").env("TERM", "xterm-256color");
    // A slow network gives the terminal more time to answer.
    command.env("SSH_CONNECTION", "1");
    let mut window = TerminalWindow::open(&command, 80, 30);
    // The question comes before the first row, and the answer with words that were typed.
    window.press("wa\x1b]11;rgb:ffff/ffff/ffff\x1b\\it\x1b[?62;22c");
    window.wait_for("› wait");
    // One that comes too late is left out, too.
    window.press(" for\x1b]11;rgb:0000/0000/0000\x1b\\ it");
    window.wait_for("› wait for it");
    window.press("\r");
    window.wait_for("A heading");
    window.wait_for("(Shift-Tab)");
    let bytes = String::from_utf8_lossy(&window.bytes()).into_owned();
    assert!(bytes.contains("\x1b]11;?"), "it was not asked");
    assert!(
        bytes.contains("\x1b[1;34mA heading"),
        "the colours are not those for a light background"
    );
    window.press("\x04");
    assert_eq!(window.end().0, Some(0));
}
