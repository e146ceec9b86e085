//! The arguments of `silcrow completions`, as clap reads them.

use clap_complete::Shell;

/// The shell for which `silcrow completions` prints a script.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Put the script where your shell looks for it, and start a new shell:

  bash        silcrow completions bash > ~/.local/share/bash-completion/completions/silcrow
  zsh         silcrow completions zsh > FOLDER/_silcrow    # a folder of $fpath
  fish        silcrow completions fish > ~/.config/fish/completions/silcrow.fish
  elvish      silcrow completions elvish >> ~/.config/elvish/rc.elv
  powershell  silcrow completions powershell >> $PROFILE")]
pub(crate) struct CompletionsArgs {
    /// The shell that reads the script
    pub(crate) shell: Shell,
}
