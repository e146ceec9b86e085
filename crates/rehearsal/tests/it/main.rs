//! The stand-in model in a loop that runs its calls.

mod pace;
mod play;
mod prompts;
mod rules;
mod total;
