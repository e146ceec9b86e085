//! `silcrow mcp login` and `silcrow mcp logout`.

use silcrow_session::servers::TriedServer;
use silcrow_settings::{DeclaredPlace, DeclaredServer};

use super::chosen::{ServerList, found, patience, print};
use super::logins::{AttendedLogin, kept_logins, unforgotten};
use crate::failure::Failure;
use crate::runtime;

/// Logs in at a server, and prints its offers.
pub(super) fn log_in(
    about: ServerList<'_>,
    name: &str,
    typed: &[DeclaredServer],
) -> Result<(), Failure> {
    let server = found(about, name, typed)?;
    login_url(server)?;
    let login = AttendedLogin::anew()?;
    let runtime = runtime::current()?;
    let report =
        runtime.block_on(TriedServer::attended(server, about.root, patience(server), &login.login));
    runtime.shutdown_background();
    if about.json {
        print(&report.to_json())?;
    } else {
        let about = match (report.is_well(), login.was_wanted()) {
            (false, _) => String::new(),
            (true, true) => {
                format!("You are logged in at {name}; silcrow mcp logout {name} forgets it.\n")
            }
            (true, false) => format!("{name} wants no login.\n"),
        };
        print(&(report.to_text() + &about))?;
    }
    match report.is_well() {
        true => Ok(()),
        // The report describes the error.
        false => Err(Failure::running("")),
    }
}

/// Forgets the login at a server.
pub(super) fn log_out(
    about: ServerList<'_>,
    name: &str,
    typed: &[DeclaredServer],
) -> Result<(), Failure> {
    let url = login_url(found(about, name, typed)?)?;
    let forgotten = kept_logins().map_or(Ok(false), |kept| kept.forget(url));
    print(&match forgotten.map_err(|error| unforgotten(name, &error))? {
        true => format!("the login at {name} is forgotten\n"),
        false => format!("nobody is logged in at {name}\n"),
    })
}

fn login_url(server: &DeclaredServer) -> Result<&str, Failure> {
    let name = &server.name;
    server.login_url().ok_or_else(|| {
        Failure::given(match server.place {
            DeclaredPlace::Command { .. } => {
                format!("{name} is a program, and gets its secrets by `env`")
            }
            DeclaredPlace::Url { token: Some(_), .. } => {
                format!("{name} has a `token`, so nobody logs in there")
            }
            DeclaredPlace::Url { .. } => {
                format!("{name} has the header Authorization, so nobody logs in there")
            }
        })
    })
}
