//! The doors of commands to the network: the proxy, and ports that are forwarded.
//!
//! With namespaces, commands share a network that leads nowhere. Each command then gets a pass of
//! the proxy, so that a connection can wait at the wall while a person is asked, and its granted
//! ports are forwarded while it runs. If the kernel can only restrict ports instead, the proxy
//! listens at a port of this machine, and a command reaches that port and its granted ports.
//! Elsewhere the kernel cannot restrict hosts, and a grant opens the whole network.

use std::collections::BTreeMap;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use futures_util::FutureExt as _;
use silcrow_egress::{EgressProxy, PortForward, ProxyServer};
use silcrow_event::{Grant, Grants, error_chain};
use silcrow_sandbox::{ConfinedCommand, NetworkOpening, Sandbox, SandboxLevel, SharedNetwork};
use silcrow_tool::{CallAccess, CallContext, ToolError};
use tokio::task::spawn_blocking;

use crate::open_doors::{CallAtWall, OpenDoors};
use crate::proxy_variables::{online, proxy_variables};
use crate::served_port::is_served;

/// The proxy of the commands of a tool, and the ports that are forwarded for them.
#[derive(Debug)]
pub(crate) struct NetworkDoors {
    proxy: EgressProxy,
    made: Arc<Mutex<MadeDoors>>,
}

/// State that all commands share.
#[derive(Debug, Default)]
struct MadeDoors {
    /// The proxy inside, once a command was there to use it.
    served: Option<ServedProxy>,
    forwards: BTreeMap<ForwardedPort, Weak<PortForward>>,
}

#[derive(Debug)]
struct ServedProxy {
    server: ProxyServer,
    port: u16,
}

/// A port that several commands may have at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ForwardedPort {
    /// From inside to this machine.
    Local(u16),
    /// From this machine to the inside.
    Listen(u16),
}

impl NetworkDoors {
    pub(crate) fn new(proxy: EgressProxy) -> Self {
        Self { proxy, made: Arc::default() }
    }

    /// Returns the command with the settings for its doors, and the doors, which close when they
    /// are dropped. The words are the command itself.
    pub(crate) async fn open(
        &self,
        command: ConfinedCommand,
        words: &str,
        sandbox: &Arc<Sandbox>,
        context: &CallContext,
    ) -> Result<(ConfinedCommand, OpenDoors), ToolError> {
        let grants = context.grants();
        let is_confined = sandbox.level() != SandboxLevel::None && !grants.covers(&Grant::Outside);
        if !is_confined || context.access() == CallAccess::ReadOnly {
            return Ok((command, OpenDoors::none()));
        }
        let (command, (port, forwards)) = match sandbox.network_opening() {
            NetworkOpening::Shared => {
                let (made, proxy) = (Arc::clone(&self.made), self.proxy.clone());
                let (inside, wanted) = (Arc::clone(sandbox), grants.clone());
                // The sandbox is asked for sockets, which takes some milliseconds.
                let making = spawn_blocking(move || make(&made, &proxy, &inside, &wanted));
                (command, making.await.map_err(|error| failed(&error))??)
            }
            NetworkOpening::Ports => {
                let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
                let port = made.serve_here(&self.proxy).map_err(|error| failed(&error))?;
                (with_ports(command, port, grants), (port, Vec::new()))
            }
            _ if opens_whole_network(sandbox, grants) => {
                return Ok((online(command.with_open_network()), OpenDoors::none()));
            }
            _ => return Ok((command, OpenDoors::none())),
        };
        let wall = CallAtWall::new(context);
        let asked = wall.clone();
        let pass = self.proxy.open(grants, move |wanted| {
            let asked = asked.clone();
            async move { asked.ask_for(Grants::from_iter([wanted])).await }.boxed()
        });
        let command = proxy_variables(command, &pass, port);
        Ok((command, OpenDoors::new(words, wall, pass, forwards)))
    }
}

/// Returns the port of the proxy inside, which is started if it does not run, and the forwards that the
/// grants open. It blocks.
fn make(
    made: &Mutex<MadeDoors>,
    proxy: &EgressProxy,
    sandbox: &Sandbox,
    grants: &Grants,
) -> Result<(u16, Vec<Arc<PortForward>>), ToolError> {
    let network = sandbox.network().map_err(|error| failed(&error))?;
    let network = network.ok_or_else(|| ToolError::new("the command has no network"))?;
    let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
    let port = made.serve(proxy, &network).map_err(|error| failed(&error))?;
    let mut forwards = Vec::new();
    for grant in grants.iter() {
        forwards.extend(made.forward(grant, &network)?);
    }
    Ok((port, forwards))
}

impl MadeDoors {
    fn serve(&mut self, proxy: &EgressProxy, network: &SharedNetwork) -> io::Result<u16> {
        self.serve_at(proxy, || network.listen(0))
    }

    /// Serves the proxy at a port of this machine. Clients without a pass get no connection.
    fn serve_here(&mut self, proxy: &EgressProxy) -> io::Result<u16> {
        self.serve_at(proxy, || TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))
    }

    fn serve_at(
        &mut self,
        proxy: &EgressProxy,
        listen: impl FnOnce() -> io::Result<TcpListener>,
    ) -> io::Result<u16> {
        if let Some(served) = self.served.as_ref().filter(|served| served.server.is_running()) {
            return Ok(served.port);
        }
        let listener = listen()?;
        let port = listener.local_addr()?.port();
        self.served = Some(ServedProxy { server: proxy.serve(listener)?, port });
        Ok(port)
    }

    /// Returns the forward that a grant opens. A port at which one of the run's commands listens
    /// inside keeps leading there, and a port of this machine without a listener stays free for a
    /// server that is about to start inside.
    fn forward(
        &mut self,
        grant: &Grant,
        network: &Arc<SharedNetwork>,
    ) -> Result<Option<Arc<PortForward>>, ToolError> {
        let forwarded = match grant {
            Grant::Local(port) => ForwardedPort::Local(*port),
            Grant::Listen(port) => ForwardedPort::Listen(*port),
            _ => return Ok(None),
        };
        if let Some(forward) = self.forwards.get(&forwarded).and_then(Weak::upgrade) {
            return Ok(Some(forward));
        }
        let forward = match forwarded {
            ForwardedPort::Local(port) if !is_served(port) => return Ok(None),
            ForwardedPort::Local(port) => match network.listen(port) {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => return Ok(None),
                listener => PortForward::to_this_machine(listener.map_err(|e| failed(&e))?, port),
            },
            ForwardedPort::Listen(port) => {
                let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port));
                let listener = listener.map_err(|error| unlistened(port, &error))?;
                let network = Arc::clone(network);
                PortForward::new(listener, move || {
                    let network = Arc::clone(&network);
                    let connecting = spawn_blocking(move || network.connect(port));
                    async move { connecting.await.map_err(io::Error::other)? }.boxed()
                })
            }
        };
        let forward = Arc::new(forward.map_err(|error| failed(&error))?);
        self.forwards.retain(|_, known| known.strong_count() > 0);
        self.forwards.insert(forwarded, Arc::downgrade(&forward));
        Ok(Some(forward))
    }
}

/// Lets a command reach the port of the proxy and the ports of its grants.
fn with_ports(command: ConfinedCommand, proxy: u16, grants: &Grants) -> ConfinedCommand {
    grants.iter().fold(command.with_local_port(proxy), |command, grant| match grant {
        Grant::Local(port) => command.with_local_port(*port),
        Grant::Listen(port) => command.with_served_port(*port),
        _ => command,
    })
}

/// Returns whether these grants open the whole network, because the kernel cannot open parts of it
/// here.
pub(crate) fn opens_whole_network(sandbox: &Sandbox, grants: &Grants) -> bool {
    let is_of_network =
        |grant: &Grant| matches!(grant, Grant::Network(_) | Grant::Local(_) | Grant::Listen(_));
    sandbox.network_opening() == NetworkOpening::Whole && grants.iter().any(is_of_network)
}

fn unlistened(port: u16, error: &io::Error) -> ToolError {
    let why = match error.kind() {
        io::ErrorKind::AddrInUse => "another program of this machine listens there".to_owned(),
        _ => error_chain(error),
    };
    let words = format!("the door `listen:{port}` does not open: {why}; use another port");
    ToolError::new(words)
}

fn failed(error: &(dyn std::error::Error + 'static)) -> ToolError {
    ToolError::new(format!("the command has no network: {}", error_chain(error)))
}
