//! The arguments of `silcrow mcp`, as clap reads them.

use std::path::PathBuf;

use silcrow_settings::DeclaredServer;

use super::McpServeArgs;

/// The arguments of `silcrow mcp`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Servers are in your config.toml, or in a project's, which count once you trust the file. Their
tools are called NAME.TOOL. silcrow help mcp says what they may do.

  [mcp.files]
  command = [\"npx\", \"-y\", \"@modelcontextprotocol/server-filesystem\", \"{root}\"]

  [mcp.issues]
  url = \"https://issues.example.org/mcp\"
  token = \"$ISSUES_TOKEN\"     # from the environment; a file of settings holds no key

A server without a token may want you to log in: silcrow mcp login NAME.")]
pub(crate) struct McpServerArgs {
    #[command(subcommand)]
    pub(crate) command: McpCommand,
    /// The root of the project
    #[arg(long, global = true, value_name = "DIR", default_value = ".")]
    pub(crate) root: PathBuf,
    /// Print JSON, one object a line, also on a terminal
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// The subcommands of `silcrow mcp`.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum McpCommand {
    /// Offer the agent as a tool over standard input and output
    Serve(Box<McpServeArgs>),
    #[command(flatten)]
    Servers(ServerListCommand),
}

/// The subcommands of `silcrow mcp` about servers.
#[derive(Clone, Debug, clap::Subcommand)]
pub(crate) enum ServerListCommand {
    /// List the servers of your settings and of the project, without starting them
    List,
    /// Start servers, and show what they offer, how long it took and what they wrote
    ///
    /// The exit code is 1 if one of them cannot be used.
    Test {
        /// The server; all without a name
        name: Option<String>,
        /// A server to try that is in no file: NAME=COMMAND or NAME=URL
        #[arg(long, value_name = "NAME=SERVER", value_parser = DeclaredServer::typed)]
        mcp: Vec<DeclaredServer>,
    },
    /// Log in at a server over HTTP with a browser, also as somebody else
    ///
    /// The credentials are kept for you alone, and runs use and renew them.
    Login {
        /// The server
        name: String,
        /// A server that is in no file: NAME=URL
        #[arg(long, value_name = "NAME=URL", value_parser = DeclaredServer::typed)]
        mcp: Vec<DeclaredServer>,
    },
    /// Forget the login at a server
    Logout {
        /// The server
        name: String,
        /// A server that is in no file: NAME=URL
        #[arg(long, value_name = "NAME=URL", value_parser = DeclaredServer::typed)]
        mcp: Vec<DeclaredServer>,
    },
    /// Add a server to your own file, or to the project's
    Add(AddServerArgs),
    /// Remove a server from your own file, or from the project's, and forget its login
    Remove {
        /// The server
        name: String,
        /// From the file of the project
        #[arg(long)]
        project: bool,
    },
}

/// The server that `silcrow mcp add` adds.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "\
Examples:
  silcrow mcp add time uvx mcp-server-time
  silcrow mcp add files -- npx -y @modelcontextprotocol/server-filesystem '{root}'
  silcrow mcp add github --env 'GITHUB_TOKEN=$GITHUB_TOKEN' -- npx -y github-server
  silcrow mcp add issues https://issues.example.org/mcp --token '$ISSUES_TOKEN'
  silcrow mcp add search https://search.example.org/mcp --header 'X-API-Key=$SEARCH_KEY'")]
pub(crate) struct AddServerArgs {
    /// The name, with which the names of its tools begin
    pub(crate) name: String,
    /// The program and its arguments, which begin after `--` if they have flags, or the URL
    #[arg(required = true, value_name = "COMMAND|URL")]
    pub(crate) words: Vec<String>,
    /// A variable of the program: NAME=TEXT, or NAME=$VARIABLE for one of this environment; may be
    /// repeated
    #[arg(long, value_name = "NAME=TEXT")]
    pub(crate) env: Vec<String>,
    /// The folder that the program runs in, in place of an empty one: `.` is the root
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
    /// The variable of the environment that has the token of a server at a URL
    #[arg(long, value_name = "$VARIABLE")]
    pub(crate) token: Option<String>,
    /// A header of a server at a URL, in which $VARIABLE stands for one of this environment; may be
    /// repeated
    #[arg(long, value_name = "NAME=TEXT")]
    pub(crate) header: Vec<String>,
    /// The time limit of a call in seconds, which begins again with each report of progress
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<u32>,
    /// The time limit of the start in seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) start_timeout: Option<u32>,
    /// Believe what the server says about its tools, such as that one only reads
    #[arg(long, conflicts_with = "project")]
    pub(crate) trust: bool,
    /// In the file of the project
    #[arg(long)]
    pub(crate) project: bool,
}
