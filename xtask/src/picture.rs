//! `cargo xtask picture`, which draws the picture of a terminal in the README.
//!
//! It runs the real command in a pseudo terminal, which `script` of util-linux creates, and draws
//! what the terminal shows. This module knows the scenes of the picture. `screen` reads escape
//! sequences, and `svg` writes SVG.
//!
//! The picture is the same each time: the rehearsal model and the stubs always do the same, and the
//! lines of usage, whose times differ, are left out.

mod screen;
mod svg;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use screen::{TerminalLine, TerminalScreen};

/// The file of the picture, from the root of the workspace.
const FILE: &str = "docs/terminal.svg";

/// The width of the terminal in characters.
const COLUMNS: usize = 92;

/// A command that is typed, and the part of its output that is drawn.
struct PictureScene {
    typed: &'static str,
    args: &'static [&'static str],
    /// The folder of the command, or `None` for a folder with two small files.
    folder: Option<&'static str>,
    /// The most lines that are drawn. One line with `…` stands in for the rest.
    lines: usize,
}

const SCENES: [PictureScene; 2] = [
    PictureScene {
        typed: "silcrow run \"What is in this directory?\"",
        args: &["run", "--store", "memory", "What is in this directory?"],
        folder: None,
        lines: 20,
    },
    PictureScene {
        typed: "silcrow rehearse --dialect action --rate 60 --stubs research.json research.txt",
        args: &[
            "rehearse",
            "--dialect",
            "action",
            "--rate",
            "60",
            "--stubs",
            "research.json",
            "research.txt",
        ],
        folder: Some("crates/cli/tests/wire"),
        lines: 7,
    },
];

/// Draws the picture again.
pub(crate) fn run() -> Result<(), String> {
    fs::write(crate::root().join(FILE), draw()?)
        .map_err(|why| format!("cannot write {FILE}: {why}"))?;
    println!("drawn: {FILE}");
    Ok(())
}

/// Returns an error if the picture is not what the commands print now.
pub(crate) fn check() -> Result<(), String> {
    let drawn = draw()?;
    let kept = fs::read_to_string(crate::root().join(FILE)).unwrap_or_default();
    if drawn == kept {
        return Ok(());
    }
    Err(format!("{FILE} is stale; draw it again with `cargo xtask picture` and look at it"))
}

fn draw() -> Result<String, String> {
    let program = build()?;
    let mut lines = Vec::new();
    for (index, scene) in SCENES.iter().enumerate() {
        if index > 0 {
            lines.push(TerminalLine::default());
        }
        lines.push(TerminalLine::typed(scene.typed));
        lines.extend(play(&program, scene)?);
    }
    Ok(svg::draw(&lines, COLUMNS))
}

/// Builds the command and returns its path.
fn build() -> Result<PathBuf, String> {
    let mut cargo = crate::cargo();
    cargo.args([
        "build",
        "--quiet",
        "--locked",
        "--package",
        "silcrow-cli",
        "--message-format=json",
    ]);
    let output = cargo.stderr(Stdio::inherit()).output().map_err(|why| format!("cargo: {why}"))?;
    if !output.status.success() {
        return Err("`silcrow` does not build".to_owned());
    }
    let messages = String::from_utf8_lossy(&output.stdout).into_owned();
    let messages = messages.lines().filter_map(|line| serde_json::from_str(line).ok());
    let mut program = messages
        .filter_map(|message: serde_json::Value| message["executable"].as_str().map(PathBuf::from));
    program.next_back().ok_or_else(|| "cargo names no program".to_owned())
}

/// Runs a scene's command in a terminal and returns the lines that are drawn.
fn play(program: &Path, scene: &PictureScene) -> Result<Vec<TerminalLine>, String> {
    let folder = match scene.folder {
        Some(folder) => crate::root().join(folder),
        None => example_folder()?,
    };
    let quoted = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
    let args: Vec<_> = scene.args.iter().map(|arg| quoted(arg)).collect();
    let program = quoted(&program.to_string_lossy());
    let command = format!("stty cols {COLUMNS} rows 50; exec {program} {}", args.join(" "));
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &command, "/dev/null"]);
    script.current_dir(folder).stdin(Stdio::null()).env("TERM", "xterm-256color");
    script.env_remove("NO_COLOR").env_remove("SILCROW_MODEL").env_remove("SILCROW_USER");
    let output =
        script.output().map_err(|why| format!("`script` of util-linux does not start: {why}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stdout);
        return Err(format!("`{}` failed: {said}", scene.typed));
    }
    let mut screen = TerminalScreen::default();
    screen.push(&String::from_utf8_lossy(&output.stdout));
    let mut lines = screen.finish();
    lines.retain(|line| !DEPENDS.iter().any(|start| line.text().starts_with(start)));
    if lines.len() > scene.lines {
        lines.truncate(scene.lines);
        lines.push(TerminalLine::dim("…"));
    }
    Ok(lines)
}

/// The starts of the lines that depend on the machine, on the time or on the person's settings.
const DEPENDS: [&str; 3] = ["· ", "permissions ", "sandbox: "];

/// Creates a folder with two files in the build folder.
fn example_folder() -> Result<PathBuf, String> {
    let folder = crate::root().join("target/picture");
    let written = fs::create_dir_all(&folder)
        .and_then(|()| fs::write(folder.join("notes.md"), "# Notes\n\nBuy bread.\n"))
        .and_then(|()| fs::write(folder.join("plan.txt"), "Meeting at ten.\n"));
    written.map_err(|why| format!("cannot write `{}`: {why}", folder.display()))?;
    Ok(folder)
}

#[cfg(test)]
mod tests;
