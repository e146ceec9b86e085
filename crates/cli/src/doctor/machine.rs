//! The checks of the sandbox, the terminal and the proxies.

use std::io::{self, IsTerminal as _};

use silcrow_shell::{SandboxLevel, SandboxOptions, Shell};

use super::{CheckStatus, Finding};
use crate::config::ConfigOverview;
use crate::environment::set;
use crate::system::screen_size;

/// Looks at the sandbox of the tool `shell`.
pub(super) fn sandbox(settings: Option<&ConfigOverview>) -> Finding {
    if settings.is_some_and(|settings| settings.is_sandbox_off) {
        return Finding::new("sandbox", CheckStatus::Notice, SWITCHED_OFF);
    }
    match Shell::open(SandboxOptions::new(".")) {
        Ok(shell) => {
            let level = shell.sandbox().level();
            let status = match level {
                SandboxLevel::FilesAndNetwork => CheckStatus::Good,
                _ => CheckStatus::Notice,
            };
            let open = match level {
                SandboxLevel::FilesAndNetwork if level.reaches_new_sockets() => NEW_SOCKETS,
                SandboxLevel::ContentsAndNetwork => OPEN_WITHOUT_NAMESPACES,
                SandboxLevel::FilesOnly => OPEN_WITH_NETWORK,
                _ => "",
            };
            let notice =
                level.system_notice().map_or_else(String::new, |text| format!(" ({text})"));
            Finding::new("sandbox", status, format!("commands are confined: {level}{open}{notice}"))
        }
        Err(error) => {
            Finding::new("sandbox", CheckStatus::Wrong, silcrow_event::error_chain(&error))
        }
    }
}

const SWITCHED_OFF: &str = "off in your settings: a command can do everything that you can, and you \
                            are asked about each outside of the mode full; silcrow config unset \
                            sandbox switches it on";

const OPEN_WITHOUT_NAMESPACES: &str = "; namespaces do not work here, so a command can change modes \
                                       and times of other files of yours";

const OPEN_WITH_NETWORK: &str = "; the network is not confined, so no command counts as harmless";

const NEW_SOCKETS: &str = ", except local sockets that other programs make in folders that a command \
                           sees while it runs, which its result names; Linux 7.1 holds them, too";

/// Looks at the terminal at standard error, where a run shows its work.
pub(super) fn terminal() -> Finding {
    if !io::stderr().is_terminal() {
        return Finding::new("terminal", CheckStatus::Good, "standard error is not a terminal");
    }
    let term = set("TERM").unwrap_or_else(|| "unset".to_owned());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default();
    let folded = locale.to_lowercase();
    let has_unicode = folded.contains("utf-8") || folded.contains("utf8");
    let size = screen_size().map_or_else(
        || "of unknown size".to_owned(),
        |(columns, rows)| format!("{columns} × {rows}"),
    );
    let colors = match (set("NO_COLOR"), set("COLORTERM")) {
        (Some(_), _) => "no colours (NO_COLOR)",
        (None, Some(_)) => "all colours",
        (None, None) => "some colours",
    };
    let text = format!("{size}, TERM={term}, {colors}");
    if term == "dumb" || term == "unset" {
        let text = format!("{text}; set TERM to the name of your terminal, such as xterm-256color");
        return Finding::new("terminal", CheckStatus::Notice, text);
    }
    if !has_unicode {
        let text = format!("{text}; set LANG to a locale with UTF-8, such as C.UTF-8");
        return Finding::new("terminal", CheckStatus::Notice, text);
    }
    Finding::new("terminal", CheckStatus::Good, format!("{text}, Unicode"))
}

/// Names the variables of proxies. An address may have a password, so it is not shown.
pub(super) fn proxies(settings: Option<&ConfigOverview>) -> Finding {
    let own = settings.and_then(|settings| settings.proxy.written.as_ref());
    let own = own.map(|_| "proxy in the settings");
    let is_plain = settings.is_some_and(|settings| settings.proxy.is_for_plain_http);
    let plain = ["HTTP_PROXY", "http_proxy"].into_iter().filter(|_| is_plain);
    let names = ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"];
    let names = plain.chain(names).filter(|name| set(name).is_some());
    let found: Vec<_> = own.into_iter().chain(names).collect();
    let mut text = if found.is_empty() { "none".to_owned() } else { found.join(", ") };
    if is_plain {
        text += "; also for plain http, where a proxy reads everything";
    }
    Finding::new("proxies", CheckStatus::Good, text)
}
