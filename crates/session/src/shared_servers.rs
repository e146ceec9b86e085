//! The servers of sessions in several folders, each with its settings. Sessions with the same
//! servers share them.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use silcrow_mcp::Elicitor;
use silcrow_settings::DeclaredServer;

use crate::servers::RunServers;
use crate::session::AgentSession;

/// The servers of the sessions that were opened.
#[derive(Debug, Default)]
pub struct SharedServers(Mutex<Vec<FolderServers>>);

/// The servers of one or more sessions in a folder.
#[derive(Debug)]
struct FolderServers {
    root: PathBuf,
    declared: Vec<DeclaredServer>,
    servers: RunServers,
}

impl SharedServers {
    /// Returns the servers of a session, and begins to start them if no other session has the same.
    /// `elicitor` asks the person the questions of servers, in whichever session.
    ///
    /// # Panics
    ///
    /// Panics outside a tokio runtime.
    pub fn for_session(
        &self,
        session: &mut AgentSession,
        elicitor: Option<Arc<dyn Elicitor>>,
    ) -> RunServers {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (root, declared) = (&session.options().root, &session.options().servers);
        let same = all.iter().position(|one| one.root == *root && one.declared == *declared);
        // The one that was used last is the last.
        let found = match same {
            Some(at) => all.remove(at),
            None => FolderServers {
                root: root.clone(),
                declared: declared.clone(),
                servers: session.begin_servers(elicitor),
            },
        };
        let servers = found.servers.clone();
        all.push(found);
        if all.len() > MOST {
            // Its programs end with the last run that uses them.
            all.remove(0);
        }
        session.use_servers(&servers);
        servers
    }

    /// Ends all servers, and waits until their programs have ended.
    pub async fn close(&self) {
        let all = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for one in all {
            one.servers.close().await;
        }
    }
}

/// The number of folders whose servers are kept.
const MOST: usize = 8;
