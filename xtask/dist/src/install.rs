//! The installation of each packed form in an empty environment, as a person does it.
//!
//! Nothing is downloaded. The installed program prints its version and answers the first question
//! of the README.

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::{disk, process};

/// Installs the archive, the wheel and the packages for npm of a folder, and runs the program of each.
///
/// # Errors
///
/// Returns an error for a form that differs from its checksum, does not install, or does not
/// answer.
pub(crate) fn check(folder: &Path) -> Result<(), String> {
    let sums = file(folder, "SHA256SUMS-")?;
    process::output(
        Command::new("sha256sum").args(["--check", "--strict"]).arg(sums).current_dir(folder),
    )?;
    let forms: [(&str, Installer); 3] =
        [("archive", unpack), ("wheel", install_wheel), ("npm", install_npm)];
    for (name, install) in forms {
        let place = empty_place(name)?;
        disk::make_folder(&place.join("home"))?;
        answer(&install(folder, &place)?, &place.join("home"))?;
        println!("{name}: installs and answers");
    }
    Ok(())
}

/// Returns an empty folder to install something in.
pub(crate) fn empty_place(name: &str) -> Result<PathBuf, String> {
    disk::make_empty(xtask::target().join("installed").join(name))
}

/// Installs a form of a folder in a place, and returns the program.
type Installer = fn(&Path, &Path) -> Result<PathBuf, String>;

fn unpack(folder: &Path, place: &Path) -> Result<PathBuf, String> {
    let archive = file(folder, ".tar.gz")?;
    process::output(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(place))?;
    let unpacked = file(place, "silcrow-")?;
    for wanted in ["man/silcrow.1", "completions/_silcrow", "LICENSE-MIT", "silcrow.cdx.json"] {
        if !unpacked.join(wanted).is_file() {
            return Err(format!("the archive has no {wanted}"));
        }
    }
    Ok(unpacked.join("silcrow"))
}

fn install_wheel(folder: &Path, place: &Path) -> Result<PathBuf, String> {
    process::output(Command::new("python3").args(["-m", "venv", "venv"]).current_dir(place))?;
    let mut pip = Command::new(place.join("venv/bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "--no-index"]);
    let wheel = file(folder, ".whl")?;
    process::output(pip.arg(&wheel))?;
    if wheel.to_string_lossy().contains("-abi3-") {
        import(&place.join("venv/bin/python3"), &place.join("home"))?;
    }
    Ok(place.join("venv/bin/silcrow"))
}

/// Has the package of Python answer a prompt, and find the program that came with it.
fn import(python: &Path, home: &Path) -> Result<(), String> {
    let mut python = Command::new(python);
    python.arg("-c").arg(PROGRAM).current_dir(home).env_clear().env("HOME", home);
    process::output(&mut python).map(drop)
}

const PROGRAM: &str = "
import asyncio, silcrow
assert silcrow._agent.program(), 'the program is missing'
def add(a: int, b: int) -> int:
    'Adds two numbers.'
    return a + b
answer = asyncio.run(silcrow.Agent('rehearsal', tools=[add], store='memory').ask('Hello?'))
assert answer, 'it answers nothing'
";

fn install_npm(folder: &Path, place: &Path) -> Result<PathBuf, String> {
    // The packages for other systems are not there, which npm forgives.
    let mut npm = npm(place);
    npm.args(disk::entries(folder)?.iter().filter(|path| disk::name(path).ends_with(".tgz")));
    process::output(&mut npm)?;
    Ok(place.join("node_modules/.bin/silcrow"))
}

/// Returns the command that installs packages in a place, without a network.
pub(crate) fn npm(place: &Path) -> Command {
    let mut npm = Command::new("npm");
    npm.args(["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts"]);
    npm.arg("--loglevel=error").arg("--cache").arg(place.join("cache")).arg("--prefix").arg(place);
    npm
}

/// Has an installed program say its version and answer a question, without a setting of the person.
fn answer(program: &Path, home: &Path) -> Result<(), String> {
    let run = |args: &[&str]| {
        let mut command = Command::new(program);
        command.args(args).current_dir(home).env_clear().env("HOME", home);
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        process::output(&mut command)
    };
    let said = run(&["--version"])?;
    if !said.starts_with(&format!("silcrow {}", env!("CARGO_PKG_VERSION"))) {
        return Err(format!("{} says it is {said:?}", program.display()));
    }
    let said = run(&["run", "What is in this directory?"])?;
    if said.trim().is_empty() {
        return Err(format!("{} answers nothing", program.display()));
    }
    Ok(())
}

/// Returns the only file of a folder whose name begins or ends like this.
pub(crate) fn file(folder: &Path, part: &str) -> Result<PathBuf, String> {
    let is_it = |path: &PathBuf| {
        let name = disk::name(path);
        name.starts_with(part) || name.ends_with(part)
    };
    let found = disk::entries(folder)?.into_iter().find(is_it);
    found.ok_or_else(|| format!("{} has no file {part}", folder.display()))
}
