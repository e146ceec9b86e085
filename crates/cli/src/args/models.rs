//! The arguments of `silcrow models`, as clap reads them.

/// Which models `silcrow models` lists, and how.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A vendor is asked for its list of models by each key in its variable (see silcrow help models).
Servers of this machine are looked for at the ports where llama.cpp, vLLM, Ollama and LM Studio
listen unless told otherwise; they are sent no key.")]
pub(crate) struct ModelsArgs {
    /// List all models of each vendor and server
    #[arg(long)]
    pub(crate) all: bool,
    /// Print JSON, one object a line, also on a terminal
    #[arg(long)]
    pub(crate) json: bool,
    /// The ports at which to look for servers on this machine; may be repeated
    #[arg(long = "port", value_name = "PORT", default_values_t = LOCAL_PORTS)]
    pub(crate) ports: Vec<u16>,
}

/// The ports at which servers on this machine listen unless told otherwise.
pub(crate) const LOCAL_PORTS: [u16; 4] = [8080, 8000, 11434, 1234];
