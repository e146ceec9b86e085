//! Servers in a session at a terminal: prompts as commands, completions of Tab, and questions.

use super::{declare, program, script};
use crate::live::TerminalWindow;
use crate::support::Sandbox;

#[test]
fn server_prompts_are_commands_completed_by_tab() {
    let sandbox = Sandbox::new();
    declare(&sandbox, &[], "");
    let model = script(&sandbox, &[]);
    let mut window = TerminalWindow::open(&sandbox.command(&["chat", "--model", &model]), 100, 40);
    window.wait_for("MCP servers: test");
    window.wait_for("›");
    window.press("/test:\t");
    window.wait_for("› /test:greet");
    window.press("who=Ann\r");
    window.wait_for("with /test:greet: ");
    window.wait_for_both("It is done.", "›");
    window.press("/test:\t\r");
    window.wait_for("the argument who is missing; write /test:greet who=…");
    window.press("/test:nothing\r");
    window.wait_for("unknown prompt /test:nothing; there are /test:greet");
    window.press("Read @te\t");
    window.wait_for("› Read @test:");
    window.press("note\t");
    window.wait_for("› Read @test:note://1");
    window.press("\x15\x04");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
}

#[test]
fn server_question_is_answered_during_a_call() {
    for way in ["", "modern"] {
        let sandbox = Sandbox::new();
        declare(&sandbox, &[way], "");
        let model = script(&sandbox, &[("test.ask", "{}")]);
        let args = ["run", "go", "--model", &model, "--allow", "test.ask", "--verbose"];
        let mut window = TerminalWindow::open(&sandbox.command(&args), 100, 40);
        window.wait_for("An MCP server asks you");
        window.wait_for("Which colour?");
        window.wait_for("Your answer (Enter gives it, Esc gives none):");
        window.press("blue\r");
        window.wait_for("\"colour\":\"blue\"");
        window.wait_for("It is done.");
        let (code, shown) = window.end();
        assert_eq!(code, Some(0), "{shown}");
    }
}

#[test]
fn project_server_approval_shows_their_commands() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("root/.silcrow")).unwrap();
    let table = format!("[mcp.test]\ncommand = [{:?}]\n", program());
    std::fs::write(sandbox.path("root/.silcrow/config.toml"), table).unwrap();
    let model = script(&sandbox, &[("test.echo", r#"{"text":"hello"}"#)]);
    let args = ["run", "go", "--model", &model, "--allow", "test.echo"];
    // The name is of no declared server before the answer.
    let mut window = TerminalWindow::open(&sandbox.command(&args), 120, 40);
    window.wait_for("are not trusted yet");
    window.wait_for("mcp.test");
    window.wait_for("mcp_server");
    window.wait_for("and which programs run as you.");
    window.press("y\r");
    window.wait_for("It is done.");
    let (code, shown) = window.end();
    assert_eq!(code, Some(0), "{shown}");
}
