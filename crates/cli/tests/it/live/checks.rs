//! `silcrow doctor` at a terminal, with a server that answers when the test wants it to.

use super::TerminalWindow;
use crate::doctor::HeldServer;
use crate::support::Sandbox;

#[test]
fn check_is_shown_while_waiting_for_its_server() {
    let sandbox = Sandbox::new();
    let server = HeldServer::new();
    let mut command = sandbox.command(&["doctor"]);
    command.env("SILCROW_MODEL", server.model());
    let window = TerminalWindow::open(&command, 80, 40);
    window.wait_for("… model asking its server");
    assert!(window.shown().contains("✓ settings"), "{}", window.shown());
    assert!(!window.shown().contains("store"), "{}", window.shown());
    server.answer();
    window.wait_for("✓ model m: its server answers");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(!shown.contains('…') && shown.contains("proxies"), "{shown}");
}
