//! Tests of the public interface.

mod access;
mod commands;
mod decisions;
mod files;
mod folders;
mod options;
mod rules;
mod shared;
