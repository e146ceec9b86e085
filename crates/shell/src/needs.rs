//! The doors in the sandbox that a command needs, as the model says in its call.
//!
//! This module parses them, and opens none: the permissions of the run decide, or a person who
//! reads the words of the model.

use std::env;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use silcrow_egress::{WrongHost, host_grant};
use silcrow_event::{Grant, Grants};
use silcrow_tool::ToolError;

/// The argument `needs` of a call.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Needs {
    git: bool,
    network: Vec<String>,
    local: Vec<u16>,
    listen: Vec<u16>,
    read: Vec<String>,
    write: Vec<String>,
    /// The reason why no sandbox can hold the command.
    outside: Option<String>,
}

impl Needs {
    /// Returns the grants. Paths are relative to the folder that the command runs in.
    ///
    /// # Errors
    ///
    /// Returns an error that names the correction.
    pub(crate) fn grants(&self, folder: &Path) -> Result<Grants, ToolError> {
        let Self { git, network, local, listen, read, write, outside } = self;
        let count = network.len() + local.len() + listen.len() + read.len() + write.len();
        if count > MOST {
            let words = format!("`needs` has {count} doors, and at most {MOST} are asked about");
            return Err(ToolError::new(words));
        }
        if outside.as_ref().is_some_and(|reason| reason.trim().is_empty()) {
            return Err(ToolError::new(
                "`needs.outside` is empty; write why the command cannot run in a sandbox",
            ));
        }
        let mut grants = Grants::none();
        if *git {
            grants.add(Grant::Git);
        }
        for text in network {
            grants.add(host(text)?);
        }
        for (name, ports) in [("local", local), ("listen", listen)] {
            if ports.contains(&0) {
                let words = format!("`needs.{name}` has the port 0, which leads nowhere");
                return Err(ToolError::new(words));
            }
        }
        let ports = local.iter().map(|port| Grant::Local(*port));
        for grant in ports.chain(listen.iter().map(|port| Grant::Listen(*port))) {
            grants.add(grant);
        }
        for text in read {
            grants.add(Grant::Read(path("read", text, folder)?));
        }
        for text in write {
            grants.add(Grant::Write(path("write", text, folder)?));
        }
        if outside.is_some() {
            grants.add(Grant::Outside);
        }
        Ok(grants)
    }

    /// Returns the model's reason, in quotes and not longer than a line or two.
    pub(crate) fn reason(&self) -> Option<String> {
        let reason = self.outside.as_ref()?.trim();
        let mut first: String = reason.chars().take(LONGEST_REASON).collect();
        if first.len() < reason.len() {
            first.push('…');
        }
        Some(format!("{first:?}"))
    }
}

fn host(text: &str) -> Result<Grant, ToolError> {
    let (why, how) = match host_grant(text) {
        Ok(grant) => return Ok(grant),
        Err(WrongHost::NotPublic) => (
            "is not on the public internet",
            "for a server of this machine write its port in `needs.local`, such as [5432]",
        ),
        Err(_) => (
            "cannot be read as a host",
            "write a host alone, such as \"example.org\" or \"*.example.org\", or \
             \"example.org:22\" for another port than 80 and 443",
        ),
    };
    Err(ToolError::new(format!("`needs.network` has {text:?}, which {why}; {how}")))
}

/// Returns the absolute path without links of the file that the model names.
fn path(name: &str, text: &str, folder: &Path) -> Result<String, ToolError> {
    let home = || env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let beneath_home = match text {
        "~" => Some(""),
        text => text.strip_prefix("~/"),
    };
    let wrong = |why: &str| {
        let how = "write an absolute path, one that begins with ~/, or one from the folder of the \
                   command, of a file or folder that exists";
        ToolError::new(format!("`needs.{name}` has {text:?}, which {why}; {how}"))
    };
    let named = match beneath_home {
        Some(rest) => home().ok_or_else(|| wrong("needs a home folder"))?.join(rest),
        None if text.is_empty() => return Err(wrong("is empty")),
        None => folder.join(text),
    };
    let real = named.canonicalize().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => wrong("does not exist"),
        _ => wrong("cannot be opened"),
    })?;
    real.into_os_string().into_string().map_err(|_| wrong("has a name that is not UTF-8"))
}

/// The number of doors in one call.
const MOST: usize = 16;

/// The length of the longest reason that a person reads, in characters.
const LONGEST_REASON: usize = 200;
