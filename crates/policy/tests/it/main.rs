//! Tests of the public interface.

mod commands;
mod decisions;
mod files;
mod folders;
mod rules;
