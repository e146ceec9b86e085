//! The words of silcrow: events, fragments, notes, calls, outcomes, messages, and their JSON.
