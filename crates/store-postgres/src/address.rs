//! The address of a database: `postgres://USER@HOST:PORT/DATABASE`.
//!
//! This module decides which parts the usual variables of PostgreSQL complete, and which
//! connections are encrypted. It opens no connection.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use silcrow_store::{Error, ErrorKind};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

/// The address of a database, with the password if there is one. Its display leaves the password
/// out.
#[derive(Clone)]
pub struct PostgresAddress {
    pub(crate) config: Config,
    /// The file with the certificates to trust; without one, the system's are used.
    pub(crate) roots: Option<PathBuf>,
}

impl PostgresAddress {
    /// Returns whether a text begins as an address does.
    pub fn is_address(text: &str) -> bool {
        SCHEMES.iter().any(|scheme| text.starts_with(scheme))
    }

    /// Parses an address. The variables `PGHOST`, `PGPORT`, `PGUSER`, `PGPASSWORD`, `PGDATABASE`,
    /// `PGSSLMODE` and `PGSSLROOTCERT` complete it; `variable` returns their values.
    ///
    /// A connection to another machine is encrypted, and its certificate verified, unless
    /// `sslmode` is `disable`. One to this machine is encrypted if `sslmode` is `require`,
    /// `verify-ca` or `verify-full`, which all verify the certificate.
    ///
    /// ```
    /// use silcrow_store_postgres::PostgresAddress;
    ///
    /// let variable = |name: &str| (name == "PGUSER").then(|| "ann".to_owned());
    /// let address = PostgresAddress::parse("postgres://db.example.org/agents", variable).unwrap();
    /// assert_eq!(address.to_string(), "postgres://ann@db.example.org/agents");
    /// assert!(PostgresAddress::parse("postgres://:port", |_| None).is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// [`Refused`](ErrorKind::Refused) if it is not an address. The message does not repeat it.
    pub fn parse(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Self, Error> {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let (text, mode, roots) = without_tls(text);
        let mut config: Config = text.parse().map_err(|_| wrong())?;
        if config.get_hosts().is_empty() {
            config.host(variable("PGHOST").unwrap_or_else(|| "localhost".to_owned()));
        }
        if let (true, Some(port)) = (config.get_ports().is_empty(), variable("PGPORT")) {
            config.port(port.parse().map_err(|_| refused("PGPORT is not a port number"))?);
        }
        if let (None, Some(user)) = (config.get_user(), variable("PGUSER")) {
            config.user(user);
        }
        if let (None, Some(password)) = (config.get_password(), variable("PGPASSWORD")) {
            config.password(password);
        }
        if let (None, Some(name)) = (config.get_dbname(), variable("PGDATABASE")) {
            config.dbname(name);
        }
        let mode = mode.or_else(|| variable("PGSSLMODE"));
        config.ssl_mode(ssl_mode(mode.as_deref(), &config)?);
        config.connect_timeout(PATIENCE).keepalives_idle(PATIENCE);
        config.keepalives_interval(KEEPALIVE).keepalives_retries(3);
        if config.get_application_name().is_none() {
            config.application_name("silcrow");
        }
        #[cfg(target_os = "linux")]
        config.tcp_user_timeout(PATIENCE);
        let roots = roots.or_else(|| variable("PGSSLROOTCERT")).map(PathBuf::from);
        Ok(Self { config, roots })
    }
}

/// Writes the address without the password and without options.
impl fmt::Display for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://")?;
        if let Some(user) = self.config.get_user() {
            write!(f, "{user}@")?;
        }
        #[cfg_attr(not(unix), expect(unused_mut, reason = "there are no local sockets"))]
        let mut socket: Option<&PathBuf> = None;
        for (index, host) in self.config.get_hosts().iter().enumerate() {
            match host {
                Host::Tcp(host) => {
                    f.write_str(if index > 0 { "," } else { "" })?;
                    f.write_str(host)?;
                }
                #[cfg(unix)]
                Host::Unix(folder) => socket = Some(folder),
            }
            let port = self.config.get_ports().get(index);
            if let (None, Some(port)) = (socket, port.filter(|port| **port != USUAL_PORT)) {
                write!(f, ":{port}")?;
            }
        }
        write!(f, "/{}", self.config.get_dbname().unwrap_or_default())?;
        socket.map_or(Ok(()), |folder| write!(f, "?host={}", folder.display()))
    }
}

impl fmt::Debug for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PostgresAddress").field(&self.to_string()).finish()
    }
}

/// Splits an address into one without options about encryption, and these. The client supports
/// fewer modes, and no file of certificates.
fn without_tls(text: &str) -> (String, Option<String>, Option<String>) {
    let Some((address, options)) = text.split_once('?') else {
        return (text.to_owned(), None, None);
    };
    let (mut mode, mut roots, mut rest) = (None, None, Vec::new());
    for option in options.split('&') {
        match option.split_once('=') {
            Some(("sslmode", value)) => mode = Some(value.to_owned()),
            Some(("sslrootcert", value)) => roots = Some(value.to_owned()),
            _ => rest.push(option),
        }
    }
    let mark = if rest.is_empty() { "" } else { "?" };
    (format!("{address}{mark}{}", rest.join("&")), mode, roots)
}

fn ssl_mode(mode: Option<&str>, config: &Config) -> Result<SslMode, Error> {
    match mode {
        Some("disable") => Ok(SslMode::Disable),
        Some("require" | "verify-ca" | "verify-full") => Ok(SslMode::Require),
        None | Some("allow" | "prefer") => match config.get_hosts().iter().all(is_here) {
            true => Ok(SslMode::Disable),
            false => Ok(SslMode::Require),
        },
        Some(_) => Err(refused("sslmode is `disable`, `prefer`, `require` or `verify-full`")),
    }
}

/// Returns whether a host is this machine.
fn is_here(host: &Host) -> bool {
    match host {
        Host::Tcp(name) => matches!(&**name, "localhost" | "127.0.0.1" | "::1" | "[::1]"),
        #[cfg(unix)]
        Host::Unix(_) => true,
    }
}

fn wrong() -> Error {
    refused("this is not the address of a database; write postgres://USER@HOST:PORT/DATABASE")
}

fn refused(why: &str) -> Error {
    Error::new(ErrorKind::Refused, why)
}

const USUAL_PORT: u16 = 5432;

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// The time that a connection may take, or be silent before it is checked.
const PATIENCE: Duration = Duration::from_secs(10);

/// The time between two signs of life of a connection that is checked.
const KEEPALIVE: Duration = Duration::from_secs(3);
