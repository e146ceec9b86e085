//! The doors that a yes opens, in the words of a question.

use silcrow_event::{Grant, Grants};

/// Returns the doors in words, or `None` if none opens. Hosts and paths may be the words of a model.
pub(super) fn doors(grants: &Grants) -> Option<String> {
    let mut words = Vec::new();
    let of = |find: fn(&Grant) -> Option<String>| {
        grants.iter().filter_map(find).collect::<Vec<_>>().join(", ")
    };
    if grants.iter().any(|grant| *grant == Grant::Outside) {
        words.push("everything that you can do: no sandbox".to_owned());
    }
    if grants.iter().any(|grant| *grant == Grant::Git) {
        words.push("git data".to_owned());
    }
    let hosts = of(|grant| match grant {
        Grant::Network(host) => Some(host.clone()),
        _ => None,
    });
    match &*hosts {
        "" => {}
        // It covers all others.
        hosts if hosts.split(", ").any(|host| host == "*") => {
            words.push("the whole network".to_owned());
        }
        hosts => words.push(format!("network {hosts}")),
    }
    let ports = of(|grant| match grant {
        Grant::Local(port) => Some(port.to_string()),
        _ => None,
    });
    if !ports.is_empty() {
        words.push(format!("this machine's port {ports}"));
    }
    let ports = of(|grant| match grant {
        Grant::Listen(port) => Some(port.to_string()),
        _ => None,
    });
    if !ports.is_empty() {
        words.push(format!("its port {ports} for your browser"));
    }
    let paths = of(|grant| match grant {
        Grant::Read(path) => Some(path.clone()),
        _ => None,
    });
    if !paths.is_empty() {
        words.push(format!("reading {paths}"));
    }
    let paths = of(|grant| match grant {
        Grant::Write(path) => Some(path.clone()),
        _ => None,
    });
    if !paths.is_empty() {
        words.push(format!("writing {paths}"));
    }
    (!words.is_empty()).then(|| words.join(" · "))
}

/// Returns whether one of the doors allows effects that undo cannot take back.
pub(super) fn leads_out(grants: &Grants) -> bool {
    grants.iter().any(|grant| matches!(grant, Grant::Outside | Grant::Write(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doors_have_words() {
        for (grants, expected) in [
            (&[][..], None),
            (&["git"], Some("git data")),
            (
                &["network:b.example", "git", "network:a.example:22"],
                Some("git data · network a.example:22, b.example"),
            ),
            (&["network:*", "network:a.example"], Some("the whole network")),
            (&["local:5432", "local:6379"], Some("this machine's port 5432, 6379")),
            (&["listen:8080"], Some("its port 8080 for your browser")),
            (&["read:/srv/a", "write:/srv/b"], Some("reading /srv/a · writing /srv/b")),
            (&["outside"], Some("everything that you can do: no sandbox")),
        ] {
            let grants: Grants = grants.iter().map(|grant| grant.parse().unwrap()).collect();
            assert_eq!(doors(&grants).as_deref(), expected, "{grants}");
        }
    }
}
